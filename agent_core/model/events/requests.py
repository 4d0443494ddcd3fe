"""Events of model requests and of what they carry."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from agent_core.model.budget import CostParts, Usage
from agent_core.model.events.base import AskedCall, EventData


class ModelRequested(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Intent of one request. Retries are further events with the same `request_id` and a higher `attempt`.

    `note` is the volatile tail (budget, notes) that was sent with it: part of the history from then on, word for word.
    `closing` marks the last request that sums up, without tool calls, on the reserve.
    """

    kind = "model_requested"
    request_id: str
    attempt: int
    model: str
    max_tokens: int
    input_estimate: int
    reserved_tokens: int
    reserved_cost_usd: Decimal | None
    note: str = ""
    closing: bool = False
    slots: dict[str, int] = {}
    """Estimated tokens by context slot."""
    prefix_digest: str = ""
    """SHA-256 over tools and system prompt: a change explains a cache miss."""


class ModelFailed(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """An attempt failed; `retry_at` is set when another follows. `usage` bounds from below, `cost_bound_usd` above."""

    kind = "model_failed"
    request_id: str
    attempt: int
    fault: str
    message: str
    retry_at: datetime | None = None
    usage: Usage | None = None
    lost_tokens: int = 0
    cost_bound_usd: Decimal | None = None
    detail: str = ""
    """What a library said of it, in its own words."""


class ModelResponded(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A whole response. `content` holds the provider's blocks as they came, unknown fields too."""

    kind = "model_responded"
    request_id: str
    attempt: int
    model: str
    content: list[dict[str, Any]]
    finish_reason: str
    usage: Usage
    calls: list[AskedCall] = []
    cost_usd: Decimal | None = None
    cost_parts: CostParts | None = None
    price_source: str = ""
    duration_ms: int = 0
    first_token_ms: int | None = None
    provider_request_id: str | None = None
    finish_detail: dict[str, Any] = {}


class ContextEdited(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Parts of the context went (clearing, compaction, hand-over); names what, and what it cost."""

    kind = "context_edited"
    technique: str
    removed: list[str]
    tokens_before: int
    tokens_after: int
    cost_usd: Decimal | None = None
    summary: str = ""
