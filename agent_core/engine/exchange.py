"""Exchange: the events of one model request and what came of it. Pure."""

from collections.abc import Callable
from datetime import datetime

from agent_core.context.slots import ContextEstimate
from agent_core.model.budget import CostParts, Usage
from agent_core.model.errors import ProviderError, ProviderFault
from agent_core.model.events import AskedCall, ModelFailed, ModelRequested, ModelResponded
from agent_core.policy.limits import Allowance
from agent_core.providers.base import ModelResponse

_NEVER_RAN = frozenset(
    {
        ProviderFault.OVERLOADED,
        ProviderFault.RATE_LIMITED,
        ProviderFault.CONNECTION,
        ProviderFault.AUTHENTICATION,
        ProviderFault.PAYMENT,
        ProviderFault.INVALID_REQUEST,
        ProviderFault.TOO_LARGE,
        ProviderFault.NOT_FOUND,
        ProviderFault.NO_KEY,
    }
)
"""Faults of requests that the service refused or that never reached it, so long as nothing of an answer came."""


def intent(
    request_id: str,
    attempt: int,
    *,
    model: str,
    note: str,
    estimated: ContextEstimate,
    allowed: Allowance,
    closing: bool,
    prefix_digest: str,
) -> ModelRequested:
    """The intent of one attempt at a request."""
    return ModelRequested(
        request_id=request_id,
        attempt=attempt,
        model=model,
        max_tokens=allowed.max_tokens,
        input_estimate=estimated.tokens,
        reserved_tokens=allowed.reservation.tokens,
        reserved_cost_usd=allowed.reservation.cost_usd,
        note=note,
        closing=closing,
        slots=estimated.slots,
        prefix_digest=prefix_digest,
    )


def failed(
    requested: ModelRequested,
    fault: str,
    message: str,
    *,
    usage: Usage | None = None,
    retry_at: datetime | None = None,
    detail: str = "",
) -> ModelFailed:
    """The failure of an attempt, with the most that it may have used: nothing where it was refused before it ran."""
    refused = fault in _NEVER_RAN and usage is None
    return ModelFailed(
        request_id=requested.request_id,
        attempt=requested.attempt,
        fault=fault,
        message=message,
        retry_at=retry_at,
        usage=usage,
        lost_tokens=0 if refused else requested.reserved_tokens,
        cost_bound_usd=None if refused else requested.reserved_cost_usd,
        detail=detail,
    )


def responded(
    requested: ModelRequested,
    response: ModelResponse,
    *,
    cost: CostParts | None,
    price_source: str,
    duration_ms: int,
    new_call_id: Callable[[], str],
) -> ModelResponded:
    """A whole response, with an id of ours for each call that it asks for."""
    return ModelResponded(
        request_id=requested.request_id,
        attempt=requested.attempt,
        model=response.model,
        content=response.content,
        finish_reason=response.finish_reason,
        usage=response.usage,
        calls=asked_calls(response, new_call_id),
        cost_usd=cost.total if cost is not None else None,
        cost_parts=cost,
        price_source=price_source,
        duration_ms=duration_ms,
        first_token_ms=response.first_token_ms,
        provider_request_id=response.request_id,
        finish_detail=response.finish_detail,
    )


def never_ran(error: ProviderError) -> bool:
    """Whether a request was refused before it ran, so that it cost nothing."""
    return error.fault in _NEVER_RAN and error.usage is None


def asked_calls(response: ModelResponse, new_call_id: Callable[[], str]) -> list[AskedCall]:
    """The calls of a response. A refusal asks for nothing, whatever it holds."""
    if response.finish_reason == "refusal":
        return []
    return [
        AskedCall(
            call_id=new_call_id(),
            tool_use_id=str(block.get("id", "")),
            tool=str(block.get("name", "")),
            block=place,
        )
        for place, block in enumerate(response.content)
        if block.get("type") == "tool_use"
    ]
