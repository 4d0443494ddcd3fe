"""Snapshots: standings of long sessions, kept in the database so that opening one need not fold all of it.

A snapshot is a cache. It counts only when this version made it, when its bytes are those that were sealed, and when the
event that it stands on is still in the chain with the same digest; any other is passed over, and replaced in time.
"""

import asyncio
import hashlib
import logging
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import msgspec

from agent_core.model.errors import PilothouseError
from agent_core.model.events import Event, ModelRequested
from agent_core.model.outline import FULL_PAGE, PAGE_EVENTS
from agent_core.model.standing import STANDING_VERSION, Opening, Standing, pack, unpack
from agent_core.store import reading
from agent_core.store.batch import Batch
from agent_core.store.database import Database
from agent_core.store.statements import KEEP_SNAPSHOT
from agent_core.store.writer import Writer

AT_ONCE = 2 * FULL_PAGE
"""So many events are folded while somebody waits; more of them in the background."""
_PORTION = 512
_KEEP_EVERY = 64 * 1024
"""Events of a long fold after which what there is so far is kept."""
_BREATH = 0.001
"""Seconds between two portions in the background, for whoever else needs the interpreter."""
_log = logging.getLogger(__name__)

_LOAD = """
SELECT s.seq, s.digest, s.seal, s.data FROM snapshots s
JOIN chains c ON c.id = s.chain JOIN events e ON e.chain = s.chain AND e.seq = s.seq AND e.digest = s.digest
WHERE c.session = ? AND s.version = ?
"""
_HEAD = "SELECT coalesce(max(e.seq), 0) FROM events e JOIN chains c ON c.id = e.chain WHERE c.session = ?"


class Snapshots:
    """The snapshots of one home. Methods block: call them from worker threads."""

    def __init__(self, database: Database, writer: Writer) -> None:
        self._database = database
        self._writer = writer
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="journal-snapshots")
        self._guard = threading.Lock()
        self._due: set[str] = set()
        self._closing = threading.Event()

    # ---------------------------------------------------------------- opening

    def first_look(self, session: str, at_once: int = AT_ONCE) -> Opening:
        """What can be had at once: everything where a snapshot is near the end, else the newest events alone."""
        with self._database.reading() as connection:
            standing = load(connection, session)
            if connection.execute(_HEAD, (session,)).fetchone()[0] - standing.seq > at_once:
                return Opening(None, _from_a_step(reading.last(connection, session, PAGE_EVENTS)))
            events = reading.page(connection, session, standing.seq, None)
        opening = Opening(standing, [])
        for event in events:
            opening.take(event)
        return opening

    def whole(self, session: str) -> Opening:
        """Everything, however long it takes; what was folded is kept. Without a standing once the journal closes."""
        with self._database.reading() as connection:
            fold = _Fold(load(connection, session))
        kept, full = fold.standing.seq, True
        while full and not self._closing.is_set():
            with self._database.reading() as connection:
                events = reading.page(connection, session, fold.standing.seq, _PORTION)
            for event in events:
                fold.take(event)
            full = len(events) == _PORTION
            if fold.snapshot is not None and (not full or fold.snapshot.seq - kept >= _KEEP_EVERY):
                kept = fold.snapshot.seq
                self._keep(session, fold.snapshot)
                fold.snapshot = None
            self._closing.wait(_BREATH)
        return Opening(None, []) if full else fold.opening

    async def off_thread(self, session: str) -> Opening:
        """`whole`, on the thread of snapshots."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self.whole, session)

    # ---------------------------------------------------------------- keeping

    def follow(self, batch: Batch) -> None:
        """Take note of committed events, in the writer's thread: a session that grew by a page gets a snapshot."""
        for row in batch.rows:
            if row.seq % PAGE_EVENTS == 0:
                self._keep_soon(row.session)

    def close(self) -> None:
        """Let what is under way end; before the writer is closed."""
        self._closing.set()
        self._pool.shutdown(cancel_futures=True)

    def _keep_soon(self, session: str) -> None:
        with self._guard:
            if self._closing.is_set() or session in self._due:
                return
            self._due.add(session)
        self._pool.submit(self._catch_up, session)

    def _catch_up(self, session: str) -> None:
        with self._guard:
            self._due.discard(session)
        try:
            self.whole(session)
        except (PilothouseError, sqlite3.Error) as error:
            _log.warning("no snapshot of session %s: %s", session, error)

    def _keep(self, session: str, snapshot: "_Snapshot") -> None:
        seal = _seal(session, snapshot.seq, snapshot.digest, snapshot.data)
        row = (STANDING_VERSION, seal, snapshot.data, session, snapshot.seq, snapshot.digest)
        try:
            self._writer.run_now(lambda batch: batch.now(KEEP_SNAPSHOT, row))
        except PilothouseError as error:  # it is only a cache: whoever waits for the session shall have it
            _log.warning("the snapshot of session %s was not kept: %s", session, error)


class _Snapshot(NamedTuple):
    seq: int
    digest: bytes
    data: bytes


class _Fold:
    """A fold under way: the standing, the events of its open page, and the newest snapshot on the way."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        self.opening = Opening(standing, [])
        self.snapshot: _Snapshot | None = None

    def take(self, event: Event) -> None:
        """Take one more event."""
        standing = self.standing
        if standing.begins_page(event):
            standing.turn_page(event.seq)
            self.opening.events = []
            self.snapshot = _Snapshot(standing.seq, bytes.fromhex(standing.state.head), pack(standing))
        self.opening.take(event)


def load(connection: sqlite3.Connection, session: str) -> Standing:
    """The standing that a session's snapshot holds; an empty one where there is none that counts."""
    found = connection.execute(_LOAD, (session, STANDING_VERSION)).fetchone()
    if found is not None:
        seq, digest, seal, data = found
        if seal == _seal(session, seq, digest, data):
            try:
                standing = unpack(data)
            except (msgspec.MsgspecError, ValueError):
                _log.warning("the snapshot of session %s cannot be read", session)
            else:
                if (standing.state.session, standing.seq, standing.state.head) == (session, seq, digest.hex()):
                    return standing
        _log.warning("the snapshot of session %s is not what was kept, and is passed over", session)
    return Standing(session)


def _seal(session: str, seq: int, digest: bytes, data: bytes) -> bytes:
    envelope = f"{STANDING_VERSION}\n{session}\n{seq}\n".encode()
    return hashlib.sha256(envelope + digest + data).digest()


def _from_a_step(events: list[Event]) -> list[Event]:
    """From the first request on, so that the rows of its step are whole."""
    starts = (at for at, event in enumerate(events) if isinstance(event.data, ModelRequested))
    return events[next(starts, 0) :]
