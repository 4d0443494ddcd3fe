"""Summaries: a session in one row, the JSON that `run`, `resume` and `show` print, and the exit code beside it."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from agent_core.config.profile import Profile
from agent_core.model.budget import Limits, Spend
from agent_core.model.intents import SessionSummary
from agent_core.model.proposal import APPROVING, EDITING, Verdict
from agent_core.model.state import SessionState, SessionStatus, StopReason
from agent_core.policy.plans import standing_of
from agent_core.policy.queue import urgency

EXIT_DONE, EXIT_PARTIAL, EXIT_WAITING, EXIT_FAILED = 0, 3, 4, 5
_FAILED = (StopReason.PROVIDER_FAILED, StopReason.FAILED)

_NO = frozenset({Verdict.REJECT, Verdict.SEND_BACK, Verdict.ABANDON, Verdict.DECLINE})
_NO_LIMITS = Limits()


def summarise(state: SessionState) -> SessionSummary:
    """One row of the list of sessions. Raises ValueError for a state that no session was opened in."""
    opened = state.opened
    if opened is None or state.opened_at is None or state.updated_at is None:
        raise ValueError(f"{state.session} was never opened")
    run = state.runs[-1] if state.runs else None
    cards = [state.proposals[p].proposal for p in state.open_cards]
    urgent = min(cards, key=urgency, default=None)
    return SessionSummary(
        session=state.session,
        goal=opened.goal,
        agent=opened.agent,
        agent_version=run.agent_version if run else opened.agent_version,
        model=str(opened.profile.get("model", "")),
        pattern=str(opened.profile.get("pattern", "react")),
        workspace=opened.workspace,
        status=SessionStatus(state.status.value),
        stop_reason=run.stopped.stop_reason if run and run.stopped else None,
        pause_reason=run.paused.reason if run and run.paused else None,
        step=run.step if run else 0,
        started_at=state.opened_at,
        updated_at=state.updated_at,
        open_proposals=[card.proposal for card in cards],
        spend=run.spend if run else Spend(),
        limits=run.limits if run else _NO_LIMITS,
        demo=opened.demo,
        nearest_deadline=min((c.approve_by for c in cards if c.approve_by), default=None),
        urgent_touchpoint=urgent.touchpoint if urgent else None,
        decided_yes=_closed(state, APPROVING - EDITING),
        decided_no=_closed(state, _NO),
        decided_edited=_closed(state, EDITING),
        message=_message(state),
    )


def _closed(state: SessionState, verdicts: Iterable[Verdict]) -> int:
    return sum(state.closed_by.get(verdict, 0) for verdict in verdicts)


def _message(state: SessionState) -> str:
    if not state.runs:
        return ""
    run = state.run
    if run.paused is not None:
        return run.paused.detail
    return run.stopped.detail if run.stopped is not None else ""


def result_json(state: SessionState, status: SessionStatus | None = None) -> dict[str, Any]:
    """The object of `run`, `resume` and `show`. `status` overrides the journal's (a lease tells more)."""
    run = state.runs[-1] if state.runs else None
    stopped = run.stopped if run else None
    return {
        "session": state.session,
        "status": (status or state.status).value,
        "stop_reason": stopped.stop_reason if stopped else None,
        "output": stopped.output if stopped else None,
        "completed": stopped.completed if stopped else None,
        "gaps": list(stopped.gaps) if stopped else [],
        "confidence": stopped.confidence if stopped else None,
        "spend": spend_json(run.spend if run else Spend()),
        "open_proposals": state.open_proposals,
        "plan": plan_json(state),
    }


def plan_json(state: SessionState) -> dict[str, Any] | None:
    """The plan in force with how far each step has come; None where there is none."""
    if not state.runs or not state.run.plans:
        return None
    standing = standing_of(state)
    steps = [
        {
            "id": one.step.id,
            "goal": one.step.goal,
            "tool": one.step.tool,
            "tools": one.step.tools,
            "after": one.step.after,
            "status": one.status.value,
            "detail": one.detail or None,
            "calls": list(state.run.plans[-1].calls.get(one.step.id, {})),
        }
        for one in standing.steps
    ]
    return {"plans": len(state.run.plans), "phase": standing.phase.value, "steps": steps}


def status_of(state: SessionState, lease_pid: int | None) -> SessionStatus:
    """The status with what only the lease can tell."""
    if state.status is SessionStatus.RUNNING and lease_pid is None:
        return SessionStatus.INTERRUPTED
    return state.status


def spend_json(spend: Spend) -> dict[str, Any]:
    """What a run used, as printed: money as text, unknown cost as null."""
    return {
        "steps": spend.steps,
        "tool_calls": spend.tool_calls,
        "input_tokens": spend.input_tokens,
        "output_tokens": spend.output_tokens,
        "cache_read_tokens": spend.cache_read_tokens,
        "cache_write_tokens": spend.cache_write_tokens,
        "cost_usd": money_text(spend.cost_usd),
        "active_seconds": round(spend.active_seconds, 3),
    }


def session_json(row: SessionSummary) -> dict[str, Any]:
    """One entry of `sessions --json`."""
    return {
        "session": row.session,
        "goal": row.goal,
        "agent": row.agent,
        "status": row.status.value,
        "stop_reason": row.stop_reason,
        "step": row.step,
        "started_at": instant_text(row.started_at),
        "updated_at": instant_text(row.updated_at),
        "open_proposals": row.open_proposals,
        "spend": spend_json(row.spend),
    }


def exit_code(state: SessionState) -> int:
    """The exit code of a headless run that came to rest in this state."""
    if not state.runs or state.run.stopped is None:
        return EXIT_WAITING
    stopped = state.run.stopped
    if stopped.stop_reason in _FAILED:
        return EXIT_FAILED
    return EXIT_DONE if stopped.completed else EXIT_PARTIAL


def money_text(amount: Decimal | None) -> str | None:
    """Money without exponent, such as "0.0123"; None stays None."""
    return None if amount is None else format(amount, "f")


def instant_text(instant: datetime | None) -> str | None:
    """An instant as ISO 8601 in UTC, as the journal writes it."""
    return None if instant is None else str(msgspec.to_builtins(instant))


def profile_of(state: SessionState) -> Profile:
    """The profile as it stood when the session was opened."""
    if state.opened is None:
        raise ValueError(f"{state.session} was never opened")
    return msgspec.convert(state.opened.profile, Profile)
