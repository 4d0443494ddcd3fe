"""Events of the desk: what happens about a card besides deciding it."""

from decimal import Decimal
from typing import Any

from agent_core.model.action import Source, ToolError
from agent_core.model.budget import Usage
from agent_core.model.events.base import AskedCall, EventData


class SideAsked(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Intent of one request beside the history: the agent is asked about an open card, and may only read.

    Nothing of it enters the history, so the main conversation stays as it is. It counts under cost, tokens and tool
    calls, not as a step.
    """

    kind = "side_asked"
    request_id: str
    proposal: str
    decision: str
    """The `ask` whose question it carries."""
    attempt: int
    model: str
    max_tokens: int
    input_estimate: int
    reserved_tokens: int
    reserved_cost_usd: Decimal | None
    question: str
    closing: bool = False
    """The last one: it must answer in words."""


class SideAnswered(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """What came of a side request: a whole response, or none with `fault`; the bounds say what that may have cost."""

    kind = "side_answered"
    request_id: str
    proposal: str
    decision: str
    content: list[dict[str, Any]] = []
    calls: list[AskedCall] = []
    finish_reason: str = ""
    usage: Usage = Usage()
    cost_usd: Decimal | None = None
    duration_ms: int = 0
    fault: str | None = None
    message: str = ""
    lost_tokens: int = 0
    cost_bound_usd: Decimal | None = None


class SideRead(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A read that the agent made to answer about a card, or a call that it may not make there (`ran` false)."""

    kind = "side_read"
    proposal: str
    decision: str
    call_id: str
    tool_use_id: str
    tool: str
    arguments: dict[str, Any]
    ok: bool
    result: Any = None
    error: ToolError | None = None
    ran: bool = True
    summary: str = ""
    sources: list[Source] = []


class DecisionRegretted(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody marked a closed card's decision as a mistake, to learn from it. An empty `why` takes the mark back."""

    kind = "decision_regretted"
    proposal: str
    decision: str
    by: str
    why: str
