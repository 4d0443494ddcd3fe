"""The journal: events of sessions, appended as chains and read back. What `append` returns is on disk."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Self, TypeVar

import msgspec

from agent_core.config.home import Home
from agent_core.model.errors import StorageError
from agent_core.model.events import Draft, Event
from agent_core.model.intents import SessionSummary
from agent_core.model.standing import Opening
from agent_core.store import reading
from agent_core.store.batch import Batch
from agent_core.store.codec import Encoded, encode
from agent_core.store.database import LOCK_PATIENCE, Database
from agent_core.store.follower import POLL_SECONDS, Follower
from agent_core.store.heads import HeadLog
from agent_core.store.projection import project
from agent_core.store.rows import summary_row
from agent_core.store.shares import Bound, judge
from agent_core.store.snapshots import Snapshots
from agent_core.store.statements import UPSERT_SESSION
from agent_core.store.writer import Writer

T = TypeVar("T")
_log = logging.getLogger(__name__)

_READER_THREADS = 2


class Append(msgspec.Struct, frozen=True, kw_only=True):
    """Events for the end of one chain. `head` is the digest they were computed from: "" for no event yet, None for any.

    `summary` becomes the session's row in the list. Money that these events set aside has to fit `within` the bounds.
    """

    session: str
    drafts: Sequence[Draft]
    head: str | None = None
    summary: SessionSummary | None = None
    within: Sequence[Bound] = ()


class Journal:
    """The journal of one home in one process. Methods without `async` block: call them from worker threads."""

    def __init__(self, database: Database, *, patience: float = LOCK_PATIENCE) -> None:
        self.database = database
        self.heads = HeadLog(database.home.heads)
        self.writer = Writer(database, self._committed, patience=patience)
        self.snapshots = Snapshots(database, self.writer)
        self._pool = ThreadPoolExecutor(_READER_THREADS, thread_name_prefix="journal-reader")

    @classmethod
    def open(cls, home: Home, *, patience: float = LOCK_PATIENCE) -> Self:
        """Open a home's journal; it is made when there is none. Raises NewerDatabase, WriteLocked, StorageError."""
        return cls(Database.open(home, patience), patience=patience)

    async def append(
        self,
        session: str,
        drafts: Sequence[Draft],
        *,
        head: str | None = None,
        summary: SessionSummary | None = None,
        within: Sequence[Bound] = (),
    ) -> list[Event]:
        """Commit events, all or none; durable when it returns.

        Raises StaleHead when the session's newest event is not `head`, RoomTaken when the money that the events set
        aside does not fit `within` the bounds, UnfitValue, WriteLocked, StorageError.
        """
        one = Append(session=session, drafts=drafts, head=head, summary=summary, within=within)
        return (await self.append_all([one]))[0]

    async def append_all(self, appends: Sequence[Append]) -> list[list[Event]]:
        """Commit events of several sessions in one transaction, all or none."""
        return await self.writer.run(_work(appends))

    def append_now(
        self, session: str, drafts: Sequence[Draft], *, head: str | None = None, summary: SessionSummary | None = None
    ) -> list[Event]:
        """`append` for callers without an event loop."""
        return self.writer.run_now(_work([Append(session=session, drafts=drafts, head=head, summary=summary)]))[0]

    async def read(self, session: str, after: int = 0, limit: int | None = None) -> list[Event]:
        """Events of a session with a higher `seq`, in order. Raises BrokenChain for a row that is no event."""
        return await self.off_thread(lambda: self.read_now(session, after, limit))

    def read_now(self, session: str, after: int = 0, limit: int | None = None) -> list[Event]:
        """`read`, blocking."""
        with self.database.reading() as connection:
            return reading.page(connection, session, after, limit)

    async def read_last(self, session: str, count: int) -> list[Event]:
        """The newest events of a session, in order."""
        return await self.off_thread(lambda: self.read_last_now(session, count))

    def read_last_now(self, session: str, count: int) -> list[Event]:
        """`read_last`, blocking."""
        with self.database.reading() as connection:
            return reading.last(connection, session, count)

    async def first_look(self, session: str) -> Opening:
        """How a session stands, as far as that can be had at once."""
        return await self.off_thread(lambda: self.snapshots.first_look(session))

    async def whole(self, session: str) -> Opening:
        """How a session stands, whatever it takes to find out."""
        return await self.snapshots.off_thread(session)

    async def step_of_call(self, session: str, call: str) -> int | None:
        """The step of the response that asked for a call."""

        def look() -> int | None:
            with self.database.reading() as connection:
                return reading.step_of_call(connection, session, call)

        return await self.off_thread(look)

    async def follow(self, interval: float = POLL_SECONDS) -> AsyncIterator[Event]:
        """Events that other processes append from now on, soon after. Asks the database every `interval` seconds.

        While the database cannot be read it keeps asking, and then goes on where it was.
        """
        follower = await self.off_thread(self.follower)
        try:
            while True:
                for event in await self.off_thread(partial(_poll, follower)):
                    yield event
                await asyncio.sleep(interval)
        finally:
            follower.close()

    def follower(self) -> Follower:
        """What `follow` asks: `poll` gives the events that other processes appended since the last time."""
        return Follower(self.database, self.writer.bookmarks)

    def _committed(self, batch: Batch) -> None:
        self.heads.follow(batch)
        self.snapshots.follow(batch)

    async def off_thread(self, call: Callable[[], T]) -> T:
        """Run a blocking read on one of the journal's few threads."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    def close(self) -> None:
        """Write what has queued, record the heads, checkpoint and close. Blocks."""
        self._pool.shutdown()
        self.snapshots.close()
        self.database.close()
        self.writer.close()  # last: the last connection to close empties the WAL, which only the lock's holder may
        self.heads.close()


def _poll(follower: Follower) -> list[Event]:
    try:
        return follower.poll()
    except StorageError as error:
        _log.warning("what other processes wrote cannot be read: %s", error)
        return []


def _work(appends: Sequence[Append]) -> Callable[[Batch], list[list[Event]]]:
    """The writer's part of some appends. What can be refused is refused before the first row.

    All of it is done in the writer's thread: an event can hold very much, and the loop must not wait for it.
    """

    def work(batch: Batch) -> list[list[Event]]:
        encoded = [[encode(draft) for draft in one.drafts] for one in appends]
        rows = [None if one.summary is None else summary_row(one.summary) for one in appends]
        for one in appends:
            if one.head is not None:
                batch.expect(one.session, one.head)
            if one.within:
                judge(batch.connection, one.drafts, one.within)
        events = []
        for one, drafts, row in zip(appends, encoded, rows, strict=True):
            events.append(_append(batch, one, drafts))
            if row is not None:
                batch.later(UPSERT_SESSION, row)
        return events

    return work


def _append(batch: Batch, one: Append, drafts: Sequence[Encoded]) -> list[Event]:
    placed = batch.append(one.session, drafts)
    for row, event in placed:
        project(batch, row, event)
    return [event for _, event in placed]
