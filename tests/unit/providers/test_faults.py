"""Every way in which a service refuses has a type and one sentence."""

from datetime import UTC, datetime
from typing import Any

import pytest

from agent_core.model.errors import ProviderFault
from agent_core.providers.messages.faults import retry_after, status_error, stream_error

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def body(kind: str, message: str = "said so") -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_9"}


@pytest.mark.parametrize(
    ("status", "kind", "fault", "retryable"),
    [
        (400, "invalid_request_error", ProviderFault.INVALID_REQUEST, False),
        (401, "authentication_error", ProviderFault.AUTHENTICATION, False),
        (402, "billing_error", ProviderFault.PAYMENT, False),
        (403, "permission_error", ProviderFault.AUTHENTICATION, False),
        (404, "not_found_error", ProviderFault.NOT_FOUND, False),
        (413, "request_too_large", ProviderFault.TOO_LARGE, False),
        (422, "", ProviderFault.INVALID_REQUEST, False),
        (429, "rate_limit_error", ProviderFault.RATE_LIMITED, True),
        (500, "api_error", ProviderFault.SERVER, True),
        (502, "", ProviderFault.SERVER, True),
        (503, "overloaded_error", ProviderFault.OVERLOADED, True),
        (504, "timeout_error", ProviderFault.SERVER, True),
        (529, "overloaded_error", ProviderFault.OVERLOADED, True),
        (307, "", ProviderFault.NOT_FOUND, False),
    ],
)
def test_each_status_has_its_fault(status: int, kind: str, fault: ProviderFault, retryable: bool) -> None:
    error = status_error(status, {}, body(kind), NOW)
    assert (error.fault, error.retryable) == (fault, retryable)
    assert str(status) in str(error)
    assert "said so" in str(error)
    assert error.request_id == "req_9"


def test_a_prompt_that_is_too_long_is_too_large_not_merely_invalid() -> None:
    message = "prompt is too long: 215378 tokens > 200000 maximum"
    assert status_error(400, {}, body("invalid_request_error", message), NOW).fault is ProviderFault.TOO_LARGE
    event = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    assert stream_error(event, events=0, usage=None, request_id=None).fault is ProviderFault.TOO_LARGE


def test_a_service_that_says_not_to_retry_is_believed() -> None:
    assert not status_error(500, {"x-should-retry": "false"}, body("api_error"), NOW).retryable
    assert not status_error(401, {"x-should-retry": "true"}, body("authentication_error"), NOW).retryable


@pytest.mark.parametrize("answer", ["<html>bad gateway</html>", "", None, 5, [], {"error": "text"}, {"error": None}])
def test_a_body_of_any_shape_makes_a_sentence(answer: object) -> None:
    error = status_error(502, {}, answer, NOW)
    assert error.fault is ProviderFault.SERVER
    assert str(error).startswith("The model's service failed (HTTP 502)")


def test_a_long_or_hostile_message_becomes_one_short_line() -> None:
    error = status_error(400, {}, body("invalid_request_error", "a\n\ud83d\x00" + "x" * 5000), NOW)
    assert "\n" not in str(error)
    assert "\0" not in str(error)
    assert len(str(error)) < 700
    str(error).encode()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Sun, 29 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 29 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "999999"}, 999999.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Sun, 99 Nov 9999999 12:00:30 GMT"}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds
