"""Small events, cards and summaries, and stand-ins for the ports that the store is given."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from agent_core.config.secret_store import StoreState
from agent_core.model.action import Tier
from agent_core.model.budget import Limits, Spend, Usage
from agent_core.model.events import (
    DecisionMade,
    Draft,
    EventData,
    MessageAdded,
    ModelResponded,
    ProposalOpened,
    SessionOpened,
)
from agent_core.model.intents import SessionSummary
from agent_core.model.proposal import DeadlineOutcome, Decision, Proposal, Touchpoint, Verdict, Via
from agent_core.model.run import SessionStatus

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def draft(data: EventData, seconds: float = 0, run: str | None = "r-1", step: int = 1) -> Draft:
    return Draft(data=data, at=NOON + timedelta(seconds=seconds), run=run, step=step)


def said(text: str = "hello", seconds: float = 0) -> Draft:
    return draft(MessageAdded(text=text, by="anna"), seconds)


def opened(goal: str = "Sort the invoices", agent: str = "clerk") -> Draft:
    return draft(SessionOpened(goal=goal, agent=agent, agent_version="1", profile={}, workspace="/w", by="anna"))


def responded(cost: str | None = "0.25", seconds: float = 0, run: str = "r-1") -> Draft:
    data = ModelResponded(
        request_id="q-1",
        attempt=1,
        model="m",
        content=[{"type": "text", "text": "done"}],
        finish_reason="end_turn",
        usage=Usage(input_tokens=10, output_tokens=5),
        cost_usd=None if cost is None else Decimal(cost),
    )
    return draft(data, seconds, run)


def proposal(name: str = "p-1", session: str = "s-1", **changes: Any) -> Proposal:
    values: dict[str, Any] = {
        "proposal": name,
        "session": session,
        "run": "r-1",
        "step": 1,
        "touchpoint": Touchpoint.APPROVAL,
        "summary": "Write report.md",
        "opened_at": NOON,
        "approve_by": NOON + timedelta(hours=4),
        "deadline_outcome": DeadlineOutcome.CANCEL,
        "deadline_text": "The call is cancelled.",
        "verdicts": [Verdict.APPROVE, Verdict.REJECT],
        "tier": Tier.R1,
    }
    return Proposal(**(values | changes))


def asked(name: str = "p-1", session: str = "s-1", **changes: Any) -> Draft:
    return draft(ProposalOpened(proposal=proposal(name, session, **changes)))


def decision(verdict: Verdict = Verdict.APPROVE, of: str = "p-1", name: str = "d-1", **changes: Any) -> Decision:
    values: dict[str, Any] = {
        "decision": name,
        "proposal": of,
        "verdict": verdict,
        "by": "anna",
        "via": Via.CLI,
        "at": NOON,
    }
    return Decision(**(values | changes))


def decided(made: Decision, seconds: float = 0) -> Draft:
    data = DecisionMade(
        proposal=made.proposal,
        verdict=made.verdict.value,
        by=made.by,
        via=made.via,
        reason=made.reason,
        open_seconds=1.0,
        decision=made,
    )
    return draft(data, seconds)


def summary(session: str = "s-1", **changes: Any) -> SessionSummary:
    values: dict[str, Any] = {
        "session": session,
        "goal": "Sort the invoices",
        "agent": "clerk",
        "agent_version": "1",
        "model": "m",
        "pattern": "react",
        "workspace": "/w",
        "status": SessionStatus.ENDED,
        "stop_reason": "completed",
        "pause_reason": None,
        "step": 3,
        "started_at": NOON,
        "updated_at": NOON,
        "open_proposals": [],
        "spend": Spend(),
        "limits": Limits(),
        "demo": False,
    }
    return SessionSummary(**(values | changes))


class FixedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = NOON) -> None:
        self.time = now

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return self.time.timestamp()

    async def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)

    async def sleep_until(self, instant: datetime) -> None:
        self.time = max(self.time, instant)


class MemorySecrets:
    """A keyring in memory; `usable` says whether it answers."""

    def __init__(self, *, usable: bool = True) -> None:
        self.usable = usable
        self.kept: dict[str, str] = {}
        self.asked: Callable[[], None] = lambda: None

    def state(self) -> StoreState:
        return StoreState.USABLE if self.usable else StoreState.MISSING

    def describe(self) -> str:
        return "in memory"

    def get(self, name: str) -> str | None:
        return self.kept.get(name) if self.usable else None

    def put(self, name: str, value: str) -> None:
        self.asked()
        self.kept[name] = value

    def remove(self, name: str) -> None:
        self.kept.pop(name, None)
