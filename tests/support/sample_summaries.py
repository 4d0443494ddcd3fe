"""Sessions as lists show them: plain, ended, and cheap to vary."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from agent_core.model.budget import Limits, Spend
from agent_core.model.intents import SessionSummary
from agent_core.model.run import SessionStatus

STARTED = datetime(2026, 11, 2, 8, tzinfo=UTC)


def summary(number: int = 1, *, cost: str | None = "0.20", steps: int = 9, **changes: Any) -> SessionSummary:
    """A completed run of the folder clerk."""
    values: dict[str, Any] = {
        "session": f"s-{number}",
        "goal": "Tidy the invoices",
        "agent": "folder-clerk",
        "agent_version": "a1",
        "model": "claude-sonnet-5-5",
        "pattern": "react",
        "workspace": "/work",
        "status": SessionStatus.ENDED,
        "stop_reason": "completed",
        "pause_reason": None,
        "step": steps,
        "started_at": STARTED,
        "updated_at": STARTED,
        "open_proposals": [],
        "spend": Spend(
            steps=steps,
            tool_calls=steps + 3,
            input_tokens=1_000 * steps,
            cost_usd=None if cost is None else Decimal(cost),
            active_seconds=60.0 * steps,
        ),
        "limits": Limits(),
        "demo": False,
    }
    return SessionSummary(**{**values, **changes})
