"""Deadlines: what silence means, as the system's act. It never approves anything. Judged by the wall clock alone."""

import asyncio
import heapq
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import msgspec

from agent_core.engine.facade import BusMessage, Notice
from agent_core.engine.ledger import Ledger, draft
from agent_core.engine.openings import silence_after_escalation
from agent_core.engine.waiting import first_of
from agent_core.model.clock import Clock
from agent_core.model.errors import PilothouseError
from agent_core.model.events import Draft, Event, EventData, ProposalChanged, ProposalExpired, ProposalOpened
from agent_core.model.proposal import DeadlineOutcome, Escalation, Proposal, Touchpoint
from agent_core.model.state import SessionState
from agent_core.policy.decisions import is_expired

_log = logging.getLogger(__name__)

REMINDERS = (timedelta(minutes=15), timedelta(minutes=60))
"""When a call of unknown outcome is brought to mind again."""


def overdue(state: SessionState, now: datetime) -> list[EventData]:
    """The events of every open card whose time has passed: expired, or passed on once where that was promised."""
    events: list[EventData] = []
    for card_id in state.open_proposals:
        card = state.proposals[card_id].proposal
        if is_expired(card, now):
            events.append(_silence(card, now))
    return events


def _silence(card: Proposal, now: datetime) -> EventData:
    if card.deadline_outcome is not DeadlineOutcome.ESCALATE or card.escalate_to is None or card.approve_by is None:
        outcome = card.deadline_outcome
        cancels = outcome is DeadlineOutcome.ESCALATE
        return ProposalExpired(proposal=card.proposal, outcome=DeadlineOutcome.CANCEL if cancels else outcome)
    waited = card.approve_by - card.opened_at
    revised = msgspec.structs.replace(
        card,
        escalation=Escalation(to=card.escalate_to, by="system", at=now, note="Nobody decided in time."),
        approve_by=now + waited,
        deadline_outcome=DeadlineOutcome.CANCEL,
        deadline_text=silence_after_escalation(card.escalate_to),
    )
    why = f"Nobody decided in time; it went to {card.escalate_to}."
    return ProposalChanged(proposal=card.proposal, revised=revised, why=why)


async def expire(ledger: Ledger, clock: Clock) -> bool:
    """Journal what silence means for every overdue card of a session. False when there was none."""

    def record(state: SessionState) -> list[Draft]:
        now = clock.now()
        return [draft(state, event, now) for event in overdue(state, now)]

    return bool(await ledger.decide(record))


TRY_AGAIN = timedelta(seconds=5)


class DeadlineKeeper:
    """Watches the deadlines of cards and calls when one has passed."""

    def __init__(
        self, clock: Clock, passed: Callable[[str], Awaitable[None]], publish: Callable[[BusMessage], None]
    ) -> None:
        self._clock = clock
        self._passed = passed
        self._publish = publish
        self._due: list[tuple[datetime, str, str]] = []
        self._reminders: list[tuple[datetime, str, str]] = []
        self._changed = asyncio.Event()

    def watch(self, card: Proposal) -> None:
        """Watch one open card."""
        if card.approve_by is not None and card.deadline_outcome is not DeadlineOutcome.STAY:
            heapq.heappush(self._due, (card.approve_by, card.session, card.proposal))
        if card.touchpoint is Touchpoint.OUTCOME_UNKNOWN:
            for after in REMINDERS:
                heapq.heappush(self._reminders, (card.opened_at + after, card.session, card.summary))
        self._changed.set()

    def hear(self, message: BusMessage) -> None:
        """Take in what the bus says of cards."""
        if isinstance(message, Event):
            if isinstance(message.data, ProposalOpened):
                self.watch(message.data.proposal)
            elif isinstance(message.data, ProposalChanged):
                self.watch(message.data.revised)

    async def keep(self) -> None:
        """Until cancelled."""
        while True:
            self._changed.clear()
            await self._expire()
            self._remind()
            coming = [heap[0][0] for heap in (self._due, self._reminders) if heap]
            await self._rest(min(coming) if coming else None)

    async def _expire(self) -> None:
        now = self._clock.now()
        sessions: list[str] = []
        while self._due and self._due[0][0] <= now:
            _, session, _ = heapq.heappop(self._due)
            if session not in sessions:
                sessions.append(session)
        for session in sessions:
            try:
                await self._passed(session)
            except PilothouseError as error:
                # The card is refused all the same: whoever reads judges its deadline by the clock.
                _log.warning("the deadline in session %s cannot be journaled now: %s", session, error)
                heapq.heappush(self._due, (now + TRY_AGAIN, session, ""))

    def _remind(self) -> None:
        now = self._clock.now()
        while self._reminders and self._reminders[0][0] <= now:
            _, session, summary = heapq.heappop(self._reminders)
            self._publish(Notice(kind=f"unknown:{session}", level="attn", text=f"Still not known: {summary}."))

    async def _rest(self, until: datetime | None) -> None:
        if until is None:
            await self._changed.wait()
        else:
            await first_of(self._clock.sleep_until(until), self._changed.wait())
