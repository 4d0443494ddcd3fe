"""Ledger: one session's state and the way into its journal. Whoever writes to a session in this process shares it.

An append first advances the state, so that the summary which goes into the same transaction tells of it, and is
published once it is durable. A newer head (another process wrote) means: fold again. Facts are then written on top of
it; an intent is given up with StaleHead, and whoever wanted it looks again at what comes next.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from typing import Protocol

from agent_core.engine.clock import Jump
from agent_core.engine.facade import BusMessage
from agent_core.engine.summary import summarise
from agent_core.model.errors import StaleHead, StorageError
from agent_core.model.events import CallStarted, ClockJumped, Draft, Event, EventData, ModelRequested, SideAsked
from agent_core.model.intents import SessionSummary
from agent_core.model.state import SessionState, advance, fold
from agent_core.store.journal import Append
from agent_core.store.shares import Bound

INTENTS: tuple[type[EventData], ...] = (ModelRequested, SideAsked, CallStarted)
"""Events that announce an effect: they hold only on the head that they were computed from."""


class Journal(Protocol):
    """What a ledger needs of the store."""

    async def append(
        self,
        session: str,
        drafts: Sequence[Draft],
        *,
        head: str | None = None,
        summary: SessionSummary | None = None,
        within: Sequence[Bound] = (),
    ) -> list[Event]:
        """Commit events after that head, durable when it returns. Raises StaleHead, RoomTaken, StorageError."""
        ...

    async def read(self, session: str, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Events of one session, in order."""
        ...


class Ledger:
    """One session as this process knows it."""

    def __init__(
        self,
        session: str,
        journal: Journal,
        publish: Callable[[BusMessage], None],
        admit: Callable[[Draft], Draft] = lambda draft: draft,
    ) -> None:
        """`admit` is the door for everything that is written: it gives the draft without known secrets."""
        self.session = session
        self._admit = admit
        self.state = SessionState(session)
        self.changed = asyncio.Event()
        """Set with every event; whoever waits for one clears it first."""
        self._journal = journal
        self._publish = publish
        self._lock = asyncio.Lock()
        self._staged: list[Draft] = []
        self._leaving = 0
        """How much of what is staged the newest append carries: more may be staged while it is written."""
        self._torn = False
        self._head, self._seq = "", 0
        self._jumps: Sequence[Jump] = ()
        self._jumps_told = 0

    @property
    def loaded(self) -> bool:
        """Whether this process has read the session's events, or written its first."""
        return self._seq > 0

    def stage(self, drafts: Sequence[Draft]) -> None:
        """Take facts that the next append shall carry: one transaction fewer, and nobody acts on them before."""
        admitted = [*self._jumped(), *(self._admit(draft) for draft in drafts)]
        for draft in admitted:
            self._foresee(draft)
        self._staged.extend(admitted)

    def heed(self, jumps: Sequence[Jump]) -> None:
        """Whoever works the session says from now on, before anything else, when the clock jumped."""
        self._jumps, self._jumps_told = jumps, len(jumps)

    async def tell_jumps(self) -> None:
        """Write that the clock jumped, where that matters to the run."""
        self.stage([])
        await self.flush()

    def _jumped(self) -> list[Draft]:
        """The jumps that were not told yet, if work was in flight: its end must not be taken in before them."""
        fresh, self._jumps_told = self._jumps[self._jumps_told :], len(self._jumps)
        busy = bool(self.state.runs) and bool(self.state.run.in_flight)
        return [draft(self.state, ClockJumped(since=jump.since), jump.until) for jump in fresh if busy]

    async def flush(self) -> None:
        """Write what is staged."""
        if self._staged:
            await self.append([])

    async def append(self, drafts: Sequence[Draft], within: Sequence[Bound] = ()) -> list[Event]:
        """Write what is staged and these; durable and published when it returns.

        Raises StaleHead when an intent was computed from an older head, or no longer fits `within` the bounds (facts
        are kept staged), StorageError.
        """
        async with self._lock:
            return await self._append(drafts, within=within)

    async def decide(self, make: Callable[[SessionState], Sequence[Draft]]) -> list[Event]:
        """Write what `make` says of the newest state: compare and set. When `make` raises, nothing is written."""
        async with self._lock:
            await self._catch_up()
            while True:
                drafts = make(self.state)
                if not drafts:
                    return []
                try:
                    return await self._append(drafts, facts=False)
                except StaleHead:
                    continue

    async def catch_up(self) -> list[Event]:
        """Take in what other processes wrote, and publish it."""
        async with self._lock:
            return await self._catch_up()

    @contextlib.asynccontextmanager
    async def held(self) -> "AsyncIterator[Ledger]":
        """Hold the session for an append together with others (`together`): nobody else appends meanwhile here."""
        async with self._lock:
            await self._catch_up()
            yield self

    def pending(self, drafts: Sequence[Draft]) -> Append:
        """What is staged and these as an append of the store, while `held`. Followed by `written` or `given_up`."""
        admitted = [self._admit(draft) for draft in drafts]
        for one in admitted:
            self._foresee(one)
        self._leaving = len(self._staged)
        return Append(
            session=self.session,
            drafts=[*self._staged, *admitted],
            head=self._head,
            summary=summarise(self.state),
        )

    def written(self, append: Append, events: Sequence[Event]) -> None:
        """The append is durable."""
        self._left()
        assert append.summary is not None
        if events:
            self._take(events, append.summary)

    async def given_up(self, error: BaseException) -> None:
        """The append failed: the state goes back to what is saved."""
        if isinstance(error, StaleHead):
            await self._rebuild()
        elif isinstance(error, StorageError):
            await self._rebuild_quietly()
        else:
            self._torn = True

    async def _append(
        self, drafts: Sequence[Draft], *, facts: bool = True, within: Sequence[Bound] = ()
    ) -> list[Event]:
        if self._torn:
            await self._rebuild()
        if drafts:
            self.stage([])
        drafts = [self._admit(draft) for draft in drafts]
        for draft in drafts:
            self._foresee(draft)
        while True:
            pending = [*self._staged, *drafts]
            if not pending:  # what was staged went with another append while this one waited for its turn
                return []
            summary = summarise(self.state)
            self._leaving = len(self._staged)
            try:
                events = await self._journal.append(
                    self.session, pending, head=self._head, summary=summary, within=within
                )
            except StaleHead:
                await self._rebuild()
                if not facts or any(isinstance(draft.data, INTENTS) for draft in drafts):
                    raise
                for draft in drafts:
                    self._foresee(draft)
                continue
            except StorageError:
                await self._rebuild_quietly()
                raise
            except BaseException:
                # Cancelled, or refused: whether it was written is known only to the journal.
                self._torn = True
                raise
            self._left()
            self._take(events, summary)
            return events

    def _left(self) -> None:
        """What the newest append carried is durable; what was staged while it was written waits for the next one."""
        del self._staged[: self._leaving]
        self._leaving = 0

    def _foresee(self, draft: Draft) -> None:
        """Advance the state by an event that has no place in the chain yet."""
        state = self.state
        event = Event(
            seq=state.seq + 1,
            at=draft.at,
            session=self.session,
            run=draft.run,
            step=draft.step,
            data=draft.data,
            prev="",
            digest="",
        )
        advance(state, event)

    def _take(self, events: Sequence[Event], summary: SessionSummary) -> None:
        self._head, self._seq = events[-1].digest, events[-1].seq
        self.state.head, self.state.seq = self._head, self._seq
        self._announce(events, summary)

    def _announce(self, events: Sequence[Event], summary: SessionSummary) -> None:
        for event in events:
            self._publish(event)
        self._publish(summary)
        self.changed.set()

    async def _catch_up(self) -> list[Event]:
        if self._torn:
            await self._rebuild()
        events = list(await self._journal.read(self.session, self._seq))
        if not events:
            return []
        if self._staged:
            await self._rebuild()
            return events
        for event in events:
            advance(self.state, event)
        if self._seq:
            self._take(events, summarise(self.state))
        else:  # read for the first time: history, which nobody waits to hear
            self._head, self._seq = events[-1].digest, events[-1].seq
        return events

    async def _rebuild(self) -> None:
        """Fold the journal again, announce what is new in it, and put what is staged on top."""
        self._torn = False
        known = self._seq
        events = list(await self._journal.read(self.session))
        self.state = fold(events, self.session)
        if events:
            self._head, self._seq = events[-1].digest, events[-1].seq
        fresh = [event for event in events if event.seq > known]
        if self._staged and any(e.data == self._staged[0].data and e.at == self._staged[0].at for e in fresh):
            # An append that was cancelled reached the journal after all.
            self._left()
        if fresh:
            self._announce(fresh, summarise(self.state))
        for draft in self._staged:
            self._foresee(draft)

    async def _rebuild_quietly(self) -> None:
        """After a failed write: the state goes back to what is saved, as far as that can be read."""
        try:
            await self._rebuild()
        except StorageError:
            self.state = SessionState(self.session)
            self._head, self._seq = "", 0


def draft(state: SessionState, data: EventData, at: datetime, step: int | None = None) -> Draft:
    """An event of the newest run, in its newest step unless another is named."""
    run = state.runs[-1] if state.runs else None
    return Draft(
        data=data, at=at, run=run.run if run else None, step=step if step is not None else (run.step if run else 0)
    )
