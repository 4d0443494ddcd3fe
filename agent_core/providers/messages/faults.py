"""What went wrong with a model request, in the types of this program and in one sentence for an operator."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from agent_core.model.budget import Usage
from agent_core.model.errors import ProviderError, ProviderFault
from agent_core.model.text import clean

_BY_STATUS = {
    401: ProviderFault.AUTHENTICATION,
    402: ProviderFault.PAYMENT,
    403: ProviderFault.AUTHENTICATION,
    404: ProviderFault.NOT_FOUND,
    408: ProviderFault.SERVER,
    409: ProviderFault.SERVER,
    413: ProviderFault.TOO_LARGE,
    429: ProviderFault.RATE_LIMITED,
    529: ProviderFault.OVERLOADED,
}

# The error types of https://platform.claude.com/docs/en/api/errors, for errors inside a stream whose status was 200.
_BY_TYPE = {
    "overloaded_error": ProviderFault.OVERLOADED,
    "rate_limit_error": ProviderFault.RATE_LIMITED,
    "api_error": ProviderFault.SERVER,
    "timeout_error": ProviderFault.SERVER,
    "authentication_error": ProviderFault.AUTHENTICATION,
    "permission_error": ProviderFault.AUTHENTICATION,
    "billing_error": ProviderFault.PAYMENT,
    "not_found_error": ProviderFault.NOT_FOUND,
    "request_too_large": ProviderFault.TOO_LARGE,
    "invalid_request_error": ProviderFault.INVALID_REQUEST,
}

_SENTENCES = {
    ProviderFault.OVERLOADED: "The model's service is overloaded",
    ProviderFault.RATE_LIMITED: "The model's service limits the rate of requests",
    ProviderFault.SERVER: "The model's service failed",
    ProviderFault.AUTHENTICATION: "The model's service refuses the key",
    ProviderFault.PAYMENT: "The model's service refuses for reasons of payment",
    ProviderFault.NOT_FOUND: "The model's service does not know the model or the address",
    ProviderFault.TOO_LARGE: "The request is too large for the model",
    ProviderFault.INVALID_REQUEST: "The model's service refuses the request",
}

_MESSAGE_CAP = 500


def status_error(status: int, headers: Mapping[str, str], body: object, now: datetime) -> ProviderError:
    """The error of an answer that is not 2xx. `body` is its JSON or text; retry-after dates are held against `now`."""
    kind, said = _error_of(body)
    fault = _fault(status, kind, said)
    sentence = f"{_SENTENCES[fault]} (HTTP {status}{', ' + kind if kind else ''}){': ' + said if said else '.'}"
    return ProviderError(
        fault,
        sentence,
        retry_after=retry_after(headers, now),
        request_id=_request_id(headers, body),
        retryable=False if headers.get("x-should-retry") == "false" else None,
    )


def stream_error(
    event: Mapping[str, Any], *, events: int, usage: Usage | None, request_id: str | None
) -> ProviderError:
    """The error that an `error` event inside a stream stands for."""
    kind, said = _error_of(event)
    fault = _BY_TYPE.get(kind, ProviderFault.SERVER)
    if fault is ProviderFault.INVALID_REQUEST and _too_long(said):
        fault = ProviderFault.TOO_LARGE
    sentence = f"{_SENTENCES[fault]} (in the stream, after {events} events){': ' + said if said else '.'}"
    return ProviderError(fault, sentence, request_id=request_id, usage=usage)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The wait that a service asks for, in seconds: ``retry-after-ms``, or ``retry-after`` in seconds or as a date.

    None where nothing sensible is asked for. Not capped: how long to wait is the engine's to decide.
    """
    millis = _number(headers.get("retry-after-ms"))
    if millis is not None:
        return millis / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None or text is None:
        return seconds
    try:
        instant = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return None
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return max(0.0, (instant - now).total_seconds())


def _fault(status: int, kind: str, said: str) -> ProviderFault:
    if status == 400 and _too_long(said):
        return ProviderFault.TOO_LARGE
    known = _BY_STATUS.get(status)
    if known is not None:
        return known
    if 300 <= status < 400:
        return ProviderFault.NOT_FOUND
    if status >= 500:
        return ProviderFault.OVERLOADED if kind == "overloaded_error" else ProviderFault.SERVER
    return _BY_TYPE.get(kind, ProviderFault.INVALID_REQUEST)


def _too_long(said: str) -> bool:
    return "prompt is too long" in said.lower() or "exceed context limit" in said.lower()


def _error_of(body: object) -> tuple[str, str]:
    """Type and message of an error body, where it has them."""
    error = body.get("error") if isinstance(body, Mapping) else body
    if isinstance(error, Mapping):
        kind, said = error.get("type"), error.get("message")
        return (kind if isinstance(kind, str) else ""), _one_line(said)
    return "", _one_line(error)


def _one_line(said: object) -> str:
    text = " ".join(clean(said).split()) if isinstance(said, str) else ""
    return text if len(text) <= _MESSAGE_CAP else f"{text[:_MESSAGE_CAP]} … ({len(text)} characters)"


def _request_id(headers: Mapping[str, str], body: object) -> str | None:
    given = headers.get("request-id")
    if given is None and isinstance(body, Mapping) and isinstance(body.get("request_id"), str):
        given = body["request_id"]
    return given


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value < float("inf") else None
