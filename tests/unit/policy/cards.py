"""Cards and decisions to try on them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agent_core.model.action import Reversibility, Tier
from agent_core.model.intents import Decide
from agent_core.model.proposal import (
    VERDICTS,
    Confidence,
    DeadlineOutcome,
    Decision,
    Proposal,
    ProposalStatus,
    Touchpoint,
    Verdict,
    Via,
)
from agent_core.model.state import ProposalState

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "count": {"type": "integer", "minimum": 0},
        "share": {"type": "number"},
    },
    "required": ["path"],
    "additionalProperties": False,
}
LOW = Confidence(score=0.5, threshold=0.85, below_threshold=True, checks=[])


def card(touchpoint: Touchpoint = Touchpoint.APPROVAL, **parts: Any) -> ProposalState:
    """An open card of that kind, due in an hour."""
    usual: dict[str, Any] = {
        "proposal": "p-1",
        "session": "s-1",
        "run": "r-1",
        "step": 3,
        "touchpoint": touchpoint,
        "summary": "Write reports/a.md",
        "opened_at": NOW - timedelta(minutes=5),
        "approve_by": NOW + timedelta(hours=1),
        "deadline_outcome": DeadlineOutcome.CANCEL,
        "deadline_text": "The call is cancelled.",
        "verdicts": list(VERDICTS[touchpoint]),
        "tool": "files_write",
        "arguments": {"path": "reports/a.md", "count": 1},
        "schema": SCHEMA,
        "digest": "d1",
        "reversibility": Reversibility.REVERSIBLE,
        "tier": Tier.R1,
    }
    return ProposalState(Proposal(**{**usual, **parts}))


def closed(status: ProposalStatus, **parts: Any) -> ProposalState:
    """A card that was closed a minute ago."""
    state = card()
    state.status, state.closed_at = status, NOW - timedelta(minutes=1)
    for name, value in parts.items():
        setattr(state, name, value)
    return state


def intent(verdict: Any, **parts: Any) -> Decide:
    """A decision by anna at the command line."""
    usual: dict[str, Any] = {"proposal": "p-1", "by": "anna", "via": Via.CLI}
    return Decide(**{**usual, "verdict": verdict, **parts})


def decision(verdict: Verdict, **parts: Any) -> Decision:
    """A recorded decision by anna."""
    usual: dict[str, Any] = {"decision": "d-1", "proposal": "p-1", "by": "anna", "via": Via.CLI, "at": NOW}
    return Decision(**{**usual, "verdict": verdict, **parts})
