"""The provider over a real loopback connection: what arrives, what fails how, and what is closed when."""

import asyncio
import json
from typing import Any

import msgspec
import pytest

from agent_core.model.errors import ProviderError, ProviderFault
from agent_core.providers.anthropic import AnthropicProvider
from agent_core.providers.base import Delta, ModelRequest
from tests.support.messages_server import (
    Answer,
    MessagesServer,
    message_events,
    refusal,
    sse,
    streamed,
    text_turn,
    tool_turn,
)

KEY = "sk-ant-secret-0123456789abcdef"
TURN = message_events(
    [
        {"type": "thinking", "thinking": "Hm. 👍🏽", "signature": "sig=="},
        {"type": "text", "text": "zwei Bäume"},
        {"type": "tool_use", "id": "toolu_1", "name": "files_read", "input": {"path": "a\u2028.txt"}},
    ],
    stop_reason="tool_use",
)
CONTENT = [
    {"type": "thinking", "thinking": "Hm. 👍🏽", "signature": "sig=="},
    {"type": "text", "text": "zwei Bäume"},
    {"type": "tool_use", "id": "toolu_1", "name": "files_read", "input": {"path": "a\u2028.txt"}},
]


def ignore(delta: Delta) -> None:
    """Nobody watches."""


@pytest.fixture
def provider_at(clock: Any, request: pytest.FixtureRequest) -> Any:
    def make(server: MessagesServer, **settings: Any) -> AnthropicProvider:
        return AnthropicProvider(**{"api_key": KEY, "clock": clock, "base_url": server.url, **settings})

    return make


async def fault_of(provider_at: Any, request: ModelRequest, answer: Answer, **settings: Any) -> ProviderError:
    async with MessagesServer(answer) as server:
        provider = provider_at(server, **settings)
        try:
            with pytest.raises(ProviderError) as caught:
                await provider.stream(request, ignore)
        finally:
            await provider.close()
    assert KEY not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("size", [0, 1, 5])
async def test_a_response_comes_whole_however_its_bytes_arrive(
    provider_at: Any, request_of_hello: ModelRequest, size: int
) -> None:
    deltas: list[Delta] = []
    async with MessagesServer(streamed(TURN, size=size, request_id="req_7")) as server:
        provider = provider_at(server)
        response = await provider.stream(request_of_hello, deltas.append)
        await provider.close()
    assert response.content == CONTENT
    assert (response.finish_reason, response.request_id, response.first_token_ms) == ("tool_use", "req_7", 0)
    assert "".join(delta.text for delta in deltas if delta.kind == "text") == "zwei Bäume"


async def test_line_ends_of_windows_and_missing_event_lines_change_nothing(
    provider_at: Any, request_of_hello: ModelRequest
) -> None:
    bare = b"".join(b"data: %s\n\n" % msgspec.json.encode(event) for event in TURN)
    for stream in (sse(TURN).replace(b"\n", b"\r\n"), bare):
        async with MessagesServer(streamed(stream, size=7)) as server:
            provider = provider_at(server)
            assert (await provider.stream(request_of_hello, ignore)).content == CONTENT
            await provider.close()


async def test_the_body_is_what_was_serialised_before_and_goes_out_streamed(provider_at: Any) -> None:
    message = b'{"role":"user","content":[{"type":"text","text":"h\xc3\xa9llo"}]}'
    request = ModelRequest(
        model="claude-sonnet-4-5",
        messages=[msgspec.Raw(message)],
        system=msgspec.Raw(b'[{"type":"text","text":"Be careful."}]'),
        tools=msgspec.Raw(b'[{"name":"finish"}]'),
        max_tokens=77,
        tool_choice={"type": "none"},
        thinking={"type": "adaptive"},
        effort="low",
    )
    async with MessagesServer(streamed(TURN)) as server:
        provider = provider_at(server)
        await provider.stream(request, ignore)
        await provider.close()
    received = server.received[0]
    assert message in received.raw
    assert received.path == "/v1/messages"
    assert received.headers["content-type"] == "application/json"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.body == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 77,
        "stream": True,
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": "low"},
        "tool_choice": {"type": "none"},
        "tools": [{"name": "finish"}],
        "system": [{"type": "text", "text": "Be careful."}],
        "messages": [json.loads(message)],
    }


async def test_a_connection_is_used_again_for_the_next_request(
    provider_at: Any, request_of_hello: ModelRequest
) -> None:
    async with MessagesServer(streamed(TURN, size=9)) as server:
        provider = provider_at(server)
        for _ in range(3):
            await provider.stream(request_of_hello, ignore)
        await provider.close()
    assert (len(server.received), server.connections) == (3, 1)


async def test_an_address_without_a_key_gets_none_not_even_a_stray_one(
    provider_at: Any, request_of_hello: ModelRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    async with MessagesServer(streamed(TURN)) as server:
        provider = provider_at(server, api_key=None, base_url=f"{server.url}/v1/")
        await provider.stream(request_of_hello, ignore)
        await provider.close()
    assert KEY not in str(server.received[0])


async def test_without_a_key_nothing_is_sent_to_the_official_address(
    clock: Any, request_of_hello: ModelRequest
) -> None:
    with pytest.raises(ProviderError) as caught:
        await AnthropicProvider(api_key=None, clock=clock).stream(request_of_hello, ignore)
    assert caught.value.fault is ProviderFault.NO_KEY


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (refusal(401, "authentication_error", f"invalid key {KEY}"), ProviderFault.AUTHENTICATION),
        (refusal(402, "billing_error"), ProviderFault.PAYMENT),
        (refusal(404, "not_found_error"), ProviderFault.NOT_FOUND),
        (refusal(413, "request_too_large"), ProviderFault.TOO_LARGE),
        (refusal(429, "rate_limit_error", retry_after="7"), ProviderFault.RATE_LIMITED),
        (refusal(500), ProviderFault.SERVER),
        (refusal(529, "overloaded_error"), ProviderFault.OVERLOADED),
        (refusal(307, "", location="http://127.0.0.1:1/"), ProviderFault.NOT_FOUND),
        (Answer(503, {"content-type": "text/html"}, [b"<html>down</html>"]), ProviderFault.SERVER),
        (Answer(200, {"content-type": "text/html"}, [b"<html>log in</html>"]), ProviderFault.GARBAGE),
        (
            Answer(200, {"content-type": "text/event-stream", "content-encoding": "gzip"}, [b"no"]),
            ProviderFault.GARBAGE,
        ),
        (Answer(0, end="cut"), ProviderFault.CONNECTION),
        (streamed(b""), ProviderFault.CUT),
        (streamed(b"", end="cut"), ProviderFault.CUT),
        (streamed(b"data: {not json\n\n"), ProviderFault.GARBAGE),
    ],
    ids=lambda value: str(value) if isinstance(value, ProviderFault) else "",
)
async def test_each_failure_is_typed_and_keeps_the_key_to_itself(
    provider_at: Any, request_of_hello: ModelRequest, answer: Answer, fault: ProviderFault
) -> None:
    error = await fault_of(provider_at, request_of_hello, answer)
    assert error.fault is fault
    assert error.retry_after == (7.0 if fault is ProviderFault.RATE_LIMITED else None)


async def test_a_request_is_sent_once_only(provider_at: Any, request_of_hello: ModelRequest) -> None:
    async with MessagesServer(refusal(529, "overloaded_error", x_should_retry="true")) as server:
        provider = provider_at(server)
        with pytest.raises(ProviderError):
            await provider.stream(request_of_hello, ignore)
        await provider.close()
    assert len(server.received) == 1


async def test_nobody_listening_is_a_lost_connection(clock: Any, request_of_hello: ModelRequest) -> None:
    async with MessagesServer(streamed(TURN)) as server:
        url = server.url
    provider = AnthropicProvider(api_key=KEY, clock=clock, base_url=url)
    with pytest.raises(ProviderError) as caught:
        await provider.stream(request_of_hello, ignore)
    await provider.close()
    assert caught.value.fault is ProviderFault.CONNECTION
    assert str(caught.value) == f"The model's service at {url.removeprefix('http://')} cannot be reached."
    assert "Connect" in caught.value.detail


async def test_a_connection_cut_after_any_event_gives_no_response(
    provider_at: Any, request_of_hello: ModelRequest
) -> None:
    for count in range(len(TURN)):
        error = await fault_of(provider_at, request_of_hello, streamed(TURN[:count], end="cut"))
        assert error.fault is ProviderFault.CUT
        assert f"after {count} events" in str(error) or count == 0


async def test_a_clean_end_without_message_stop_is_cut(provider_at: Any, request_of_hello: ModelRequest) -> None:
    error = await fault_of(provider_at, request_of_hello, streamed(TURN[:-1]))
    assert error.fault is ProviderFault.CUT
    assert error.usage is not None
    assert not error.usage.complete


async def test_a_stream_that_falls_silent_is_stalled(provider_at: Any, request_of_hello: ModelRequest) -> None:
    error = await fault_of(provider_at, request_of_hello, streamed(TURN[:3], end="silent"), stall_seconds=0.05)
    assert error.fault is ProviderFault.STALLED
    assert "after 3 events" in str(error)


async def test_a_service_that_never_answers_is_stalled(provider_at: Any, request_of_hello: ModelRequest) -> None:
    async with MessagesServer(Answer(0, end="silent")) as server:
        provider = provider_at(server, stall_seconds=0.05)
        with pytest.raises(ProviderError) as caught:
            await provider.stream(request_of_hello, ignore)
        await provider.close()
    assert caught.value.fault is ProviderFault.STALLED


async def test_a_service_that_keeps_the_connection_after_the_end_does_not_hold_the_response(
    provider_at: Any, request_of_hello: ModelRequest
) -> None:
    async with MessagesServer(streamed(TURN, end="silent")) as server:
        provider = provider_at(server)
        response = await provider.stream(request_of_hello, ignore)
        await provider.close()
    assert response.content == CONTENT


@pytest.mark.parametrize(
    "answer", [streamed(TURN[:4], end="silent"), Answer(0, end="silent")], ids=["in it", "before it"]
)
async def test_cancelling_closes_the_connection_at_once(
    provider_at: Any, request_of_hello: ModelRequest, answer: Answer
) -> None:
    async with MessagesServer(answer) as server:
        provider = provider_at(server)
        task = asyncio.create_task(provider.stream(request_of_hello, ignore))
        await server.answering.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(5):
            await server.left.wait()
        await provider.close()


async def test_an_overload_inside_a_stream_is_an_overload(provider_at: Any, request_of_hello: ModelRequest) -> None:
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    error = await fault_of(provider_at, request_of_hello, streamed([*text_turn("half a sentence")[:4], overloaded]))
    assert error.fault is ProviderFault.OVERLOADED
    assert error.retryable


async def test_a_second_message_in_the_stream_gives_no_call(provider_at: Any, request_of_hello: ModelRequest) -> None:
    first, second = tool_turn(("toolu_1", "pay", {"n": 1})), tool_turn(("toolu_2", "pay", {"n": 2}))
    second[0]["message"]["id"] = "msg_2"
    error = await fault_of(provider_at, request_of_hello, streamed([*first[:4], *second]))
    assert error.fault is ProviderFault.GARBAGE


async def test_an_event_of_a_later_version_is_skipped_and_logged_once(
    provider_at: Any, request_of_hello: ModelRequest, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="agent_core")
    async with MessagesServer(streamed([TURN[0], {"type": "shiny_new"}, *TURN[1:]])) as server:
        provider = provider_at(server)
        for _ in range(2):
            assert (await provider.stream(request_of_hello, ignore)).content == CONTENT
        await provider.close()
    assert [record.getMessage() for record in caplog.records if "shiny_new" in record.getMessage()] == [
        "skipped events of a kind that is not known here: 'shiny_new'"
    ]


@pytest.mark.qt
async def test_a_response_streams_on_the_loop_of_the_window_system(
    provider_at: Any, request_of_hello: ModelRequest
) -> None:
    async with MessagesServer(streamed(TURN, size=9)) as server:
        provider = provider_at(server)
        for _ in range(2):
            assert (await provider.stream(request_of_hello, ignore)).content == CONTENT
        await provider.close()
