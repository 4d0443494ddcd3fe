"""Stand-ins for the engine behind its facade: they keep what they were asked, and answer at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from agent_core.engine.facade import BusMessage
from agent_core.model.alerts import Alert, AlertQuery
from agent_core.model.budget import Limits
from agent_core.model.errors import DecisionRefused, RefusedCard, StorageError, TogetherRefused
from agent_core.model.events import Event, ModelResponded
from agent_core.model.intents import (
    ChangeLimit,
    DayBudget,
    Decide,
    ForkPlan,
    ForkPoint,
    ForkSession,
    HalfFilled,
    OpenProposal,
    OperatorProfile,
    Preflight,
    Receipt,
    SessionQuery,
    SessionSummary,
    StartRun,
    TreeBudget,
    Trial,
)
from agent_core.model.proposal import OPEN_VERDICTS
from agent_core.model.standing import Opening, Standing
from tests.support.sample_cards import NOW


class StandInBus:
    """Publishes to whoever listens."""

    def __init__(self) -> None:
        self.listeners: list[Callable[[BusMessage], None]] = []

    def subscribe(self, listener: Callable[[BusMessage], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def publish(self, message: BusMessage) -> None:
        for listener in tuple(self.listeners):
            listener(message)


class StandInDesk:
    """Holds open cards; a closing decision takes its card away. `refuses` makes the next decision fail."""

    def __init__(self, cards: Sequence[OpenProposal] = ()) -> None:
        self.cards = list(cards)
        self.decisions: list[Decide] = []
        self.presented: list[str] = []
        self.rechecked: list[str] = []
        self.undone: list[str] = []
        self.acknowledged: list[tuple[str, str, str]] = []
        self.extended: list[tuple[str, int]] = []
        self.trials: list[dict[str, Any]] = []
        self.trial_answer = Trial()
        self.forms: dict[str, HalfFilled] = {}
        self.keeps_nothing = False
        self.refuses: str | None = None
        self.people = ["ana"]
        self.locked = False
        self.effective_at: datetime | None = None

    async def open_proposals(self) -> list[OpenProposal]:
        return list(self.cards)

    async def opened_since(self, moment: datetime) -> dict[str, datetime]:
        return {}

    async def decide(self, intent: Decide) -> Receipt:
        if self.refuses is not None:
            raise DecisionRefused(self.refuses, "locked" if self.locked else "refused")
        self.decisions.append(intent)
        closed = intent.verdict not in {str(verdict) for verdict in OPEN_VERDICTS}
        if closed:
            self.cards = [card for card in self.cards if card.proposal.proposal != intent.proposal]
        return Receipt(
            proposal=intent.proposal,
            session="s-1",
            verdict=intent.verdict,
            by=intent.by,
            at=NOW,
            closed=closed,
            decision=f"d-{len(self.decisions)}",
            effective_at=self.effective_at,
        )

    async def decide_all(self, intents: Sequence[Decide]) -> list[Receipt]:
        here = {card.proposal.proposal for card in self.cards}
        gone = [intent.proposal for intent in intents if intent.proposal not in here]
        if gone:
            why = 'ben already decided "reject"'
            raise TogetherRefused([RefusedCard(proposal, proposal, why, "closed") for proposal in gone])
        return [await self.decide(intent) for intent in intents]

    async def undo(self, proposal: str, by: str) -> None:
        self.undone.append(proposal)

    async def present(self, proposal: str, by: str) -> None:
        self.presented.append(proposal)

    async def acknowledge(self, session: str, alert: str, by: str) -> None:
        self.acknowledged.append((session, alert, by))

    async def extend_deadline(self, proposal: str, minutes: int, by: str) -> None:
        self.extended.append((proposal, minutes))

    async def recheck(self, proposal: str) -> bool:
        self.rechecked.append(proposal)
        return False

    async def operators(self) -> list[OperatorProfile]:
        return [OperatorProfile(name=name, may_decide=name != "guest") for name in self.people]

    async def half_filled(self, operator: str) -> dict[str, HalfFilled]:
        return dict(self.forms)

    async def keep_half_filled(self, proposal: str, operator: str, form: HalfFilled | None) -> None:
        if self.keeps_nothing:
            raise StorageError("The disk is full")
        self.forms.pop(proposal, None)
        if form is not None:
            self.forms[proposal] = form

    async def trial(self, proposal: str, arguments: dict[str, Any]) -> Trial:
        self.trials.append(arguments)
        return self.trial_answer


def opening_of(events: Sequence[Event], session: str = "") -> Opening:
    """How a session stands after these events, all in memory."""
    opening = Opening(Standing(session or (events[0].session if events else "")), [])
    for event in events:
        opening.take(event)
    return opening


class StandInReader:
    """Sessions and events from memory."""

    def __init__(self, sessions: Sequence[SessionSummary] = (), events: Sequence[Event] = ()) -> None:
        self.known, self.all_events = list(sessions), list(events)
        self.queries: list[SessionQuery] = []
        self.raised: list[Alert] = []
        self.day = DayBudget(spent_usd=None, unknown_runs=0, limit_usd=None)
        self.tree = TreeBudget(spent_usd=Decimal(0), at_most_usd=Decimal(0), unknown_runs=0, limit_usd=None, sessions=1)

    async def sessions(self, query: SessionQuery) -> list[SessionSummary]:
        self.queries.append(query)
        return [s for s in self.known if query.text.casefold() in s.goal.casefold()]

    async def count_sessions(self, query: SessionQuery) -> int:
        return len(await self.sessions(query))

    async def summary(self, session: str) -> SessionSummary:
        return next(s for s in self.known if s.session == session)

    async def events(self, session: str, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        return [event for event in self.all_events if event.session == session and event.seq > after][:limit]

    async def newest(self, session: str, count: int) -> Sequence[Event]:
        return list(await self.events(session))[-count:]

    async def first_look(self, session: str) -> Opening:
        return await self.whole(session)

    async def whole(self, session: str) -> Opening:
        return opening_of(await self.events(session), session)

    async def step_of_call(self, session: str, call: str) -> int | None:
        asked = (e for e in self.all_events if isinstance(e.data, ModelResponded) and e.session == session)
        return next((e.step for e in asked if any(one.call_id == call for one in e.data.calls)), None)

    async def fault(self, session: str) -> str:
        return ""

    async def alerts(self, query: AlertQuery) -> list[Alert]:
        return [one for one in self.raised if query.acknowledged or one.acknowledged_at is None]

    async def open_alerts(self) -> int:
        return sum(one.acknowledged_at is None for one in self.raised)

    async def day_budget(self) -> DayBudget:
        return self.day

    async def tree_budget(self, session: str) -> TreeBudget:
        return self.tree

    async def fork_plan(self, session: str) -> ForkPlan:
        return ForkPlan(session=session, goal="Sort", limits=Limits(), points=[ForkPoint(step=0, words="The goal")])

    async def export(self, session: str, form: str, out: Path) -> None:
        self.exported = (session, form, out)


class StandInSupervisor:
    """Writes down what it was asked, as (name, arguments)."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[Any, ...]]] = []
        self.preflight_answer = Preflight(lines=[], next_step=1, can_resume=True)

    async def start(self, intent: StartRun) -> str:
        self.asked.append(("start", (intent,)))
        return "s-new"

    async def fork(self, intent: ForkSession) -> str:
        self.asked.append(("fork", (intent,)))
        return "s-fork"

    async def resume(self, session: str, by: str, message: str | None = None) -> None:
        self.asked.append(("resume", (session, message)))

    async def preflight(self, session: str) -> Preflight:
        return self.preflight_answer

    async def pause(self, session: str, by: str) -> None:
        self.asked.append(("pause", (session,)))

    async def pause_all(self, by: str) -> None:
        self.asked.append(("pause_all", ()))

    async def stop(self, session: str, by: str) -> None:
        self.asked.append(("stop", (session,)))

    async def stop_all(self, by: str) -> None:
        self.asked.append(("stop_all", ()))

    async def release(self, by: str) -> None:
        self.asked.append(("release", ()))

    async def lift(self, session: str, tool: str, by: str) -> None:
        self.asked.append(("lift", (session, tool)))

    async def retry_saving(self, by: str) -> None:
        self.asked.append(("retry_saving", ()))

    async def message(self, session: str, text: str, by: str) -> None:
        self.asked.append(("message", (session, text)))

    async def change_limit(self, intent: ChangeLimit) -> None:
        self.asked.append(("change_limit", (intent,)))

    async def wait(self, session: str) -> None:
        return None

    async def close(self) -> None:
        return None
