"""Events of tool calls, from the gate to their end."""

from datetime import datetime
from typing import Any

from agent_core.model.action import EffectClass, GateVerdict, Rationale, Reversibility, Source, Tier, ToolError
from agent_core.model.events.base import EventData
from agent_core.model.proposal import Confidence


class CallJudged(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """What the gate said of one call, with everything it looked at."""

    kind = "call_judged"
    call_id: str
    tool_use_id: str
    tool: str
    arguments: dict[str, Any]
    """As they would run: without rationale, normalised by the tool."""
    verdict: GateVerdict
    reasons: list[str]
    rules: list[str] = []
    """The exact text of each rule that matched."""
    effect_class: EffectClass = EffectClass.NON_IDEMPOTENT
    reversibility: Reversibility = Reversibility.IRREVERSIBLE
    tier: Tier = Tier.R3
    tool_version: str = ""
    digest: str | None = None
    seen: dict[str, str] = {}
    """What the preview saw: a name and a SHA-256 each. Part of the digest."""
    rationale: Rationale | None = None
    confidence: Confidence | None = None
    error: ToolError | None = None
    """Set when the call is answered at once: invalid, unknown tool, denied."""
    policy_digest: str = ""
    plan_step: str | None = None
    """The step of the plan in force that it serves."""


class CallStarted(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Intent of one effect. Committed before the effect begins."""

    kind = "call_started"
    call_id: str
    tool_use_id: str
    tool: str
    arguments: dict[str, Any]
    idempotency_key: str
    digest: str
    attempt: int = 1
    decision: str | None = None


class CallRetried(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A transient error of a call that may safely run again; the next attempt starts at `retry_at`."""

    kind = "call_retried"
    call_id: str
    tool: str
    attempt: int
    error: ToolError
    retry_at: datetime


class CallFinished(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A call is answered: by its result, by an error, or without having run (denied, rejected, expired, limit)."""

    kind = "call_finished"
    call_id: str
    tool_use_id: str
    tool: str
    ok: bool
    result: Any = None
    error: ToolError | None = None
    duration_ms: int = 0
    ran: bool = True
    """False when nothing was executed."""
    summary: str = ""
    """One line for the trace, by code."""
    undo: dict[str, Any] | None = None
    """What the tool needs to take it back."""
    sources: list[Source] = []
    changed_by: str | None = None
    """Who modified the arguments, when somebody did."""


class CallUnknown(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A started call whose outcome nobody recorded. A person says what happened; it is never run again on its own."""

    kind = "call_unknown"
    call_id: str
    tool_use_id: str
    tool: str
    why: str


class LoopDetected(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A call would have completed the third repeat of a cycle and was not run."""

    kind = "loop_detected"
    call_id: str
    tool: str
    period: int
    stops: bool
    """True the second time: the run stops through an exception card."""


class ToolContained(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Three denials switched a tool off for the run."""

    kind = "tool_contained"
    tool: str
    why: str


class ToolReleased(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """An operator lifted a containment."""

    kind = "tool_released"
    tool: str
    by: str
