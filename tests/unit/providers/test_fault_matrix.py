"""Every kind of response under every fault: it is the same response, or a typed error. Never half of one."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from agent_core.model.errors import ProviderError, ProviderFault
from agent_core.providers.base import ModelResponse
from agent_core.providers.messages.assembly import Assembly
from agent_core.providers.messages.sse import SseReader
from tests.support.messages_server import message_events, sse

Events = list[dict[str, Any]]

THOUGHT = {"type": "thinking", "thinking": "Zuerst die Liste. 👍🏽", "signature": "EqQBCgIYAhIM+/=="}
SECRET = {"type": "redacted_thinking", "data": "EmwKAhgB"}
TEXT = {"type": "text", "text": "Ich lese beide Dateien — zwei Bäume."}
READ = {"type": "tool_use", "id": "toolu_01A", "name": "files_read", "input": {"path": "belege/mai.csv", "limit": 40}}
WRITE = {"type": "tool_use", "id": "toolu_01B", "name": "files_write", "input": {"path": "a", "content": 'x "y"\n👍'}}
BARE = {"type": "tool_use", "id": "toolu_01C", "name": "notes_read", "input": {}}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"url": "https://a.example"}]}

RESPONSES: dict[str, Events] = {
    "text": message_events([TEXT]),
    "thinking and a call": message_events([THOUGHT, TEXT, READ], stop_reason="tool_use"),
    "redacted thinking": message_events([SECRET, TEXT]),
    "parallel calls": message_events([READ, WRITE, BARE], stop_reason="tool_use"),
    "server tool": message_events([SEARCH, FOUND, TEXT]),
    "cut short": message_events([TEXT], stop_reason="max_tokens"),
    "refusal": message_events([], stop_reason="refusal"),
    "nothing": message_events([]),
}


def read(*chunks: bytes) -> ModelResponse:
    reader, assembly = SseReader(), Assembly(lambda delta: None)
    for chunk in chunks:
        for data in reader.feed(chunk):
            assembly.feed(data)
    return assembly.finish()


def fault_of(stream: bytes) -> ProviderFault:
    with pytest.raises(ProviderError) as caught:
        read(stream)
    return caught.value.fault


@pytest.fixture(params=RESPONSES, ids=lambda name: name.replace(" ", "-"))
def events(request: pytest.FixtureRequest) -> Events:
    return json.loads(json.dumps(RESPONSES[request.param]))


def test_cut_at_any_byte_there_is_no_response_until_the_last(events: Events) -> None:
    stream = sse(events)
    reader, assembly = SseReader(), Assembly(lambda delta: None)
    for place in range(len(stream)):
        with pytest.raises(ProviderError) as caught:
            assembly.finish()
        assert caught.value.fault is ProviderFault.CUT, stream[:place]
        for data in reader.feed(stream[place : place + 1]):
            assembly.feed(data)
    assert assembly.finish() == read(stream)


def test_harmless_oddities_change_nothing(events: Events) -> None:
    stream = sse(events)
    whole = read(stream)
    ping = b'event: ping\ndata: {"type": "ping"}\n\n'
    shiny = b'event: shiny_new\ndata: {"type": "shiny_new", "index": 0}\n\n'
    for odd in (
        stream.replace(b"\n", b"\r\n"),
        stream.replace(b"\n", b"\r"),
        b": hello\n\n" + stream,
        ping.join(part + b"\n\n" for part in stream.split(b"\n\n") if part),
        stream.replace(b"event: content_block_stop", shiny + b"event: content_block_stop"),
        b"".join(line + b"\n" for line in stream.split(b"\n") if not line.startswith(b"event:")),
        stream + stream[-2:] + ping,
        sse(events[:1]) + stream,
    ):
        assert read(odd) == whole


@pytest.mark.parametrize("kind", ["overloaded_error", "api_error", "invalid_request_error"])
def test_an_error_after_any_event_is_that_error(events: Events, kind: str) -> None:
    error = sse([{"type": "error", "error": {"type": kind, "message": "so it is"}}])
    faults = {fault_of(sse(events[:count]) + error) for count in range(len(events))}
    assert len(faults) == 1
    assert faults < {ProviderFault.OVERLOADED, ProviderFault.SERVER, ProviderFault.INVALID_REQUEST}


@pytest.mark.parametrize("garbage", [b"data: {not json\n\n", b"data: [1]\n\n", b"data: \xff\xfe\n\n"])
def test_garbage_after_any_event_throws_the_response_away(events: Events, garbage: bytes) -> None:
    for count in range(len(events)):
        assert fault_of(sse(events[:count]) + garbage + sse(events[count:])) is ProviderFault.GARBAGE


def test_another_message_spliced_in_at_any_place_gives_no_mixture(events: Events) -> None:
    other = message_events([{**TEXT, "text": "another message"}])
    other[0]["message"]["id"] = "msg_other"
    for count in range(1, len(events)):
        assert fault_of(sse([*events[:count], *other])) is ProviderFault.GARBAGE


@pytest.mark.parametrize("drop", ["message_start", "content_block_start", "content_block_stop"])
def test_a_missing_event_is_noticed(events: Events, drop: str) -> None:
    for place in [number for number, event in enumerate(events) if event["type"] == drop]:
        assert fault_of(sse(events[:place] + events[place + 1 :])) is ProviderFault.GARBAGE


def _without_usage(event: dict[str, Any]) -> None:
    event.pop("usage", None)
    event.get("message", {}).pop("usage", None)


def _bad_usage(event: dict[str, Any]) -> None:
    if "usage" in event:
        event["usage"] = {"input_tokens": -5, "output_tokens": None}


@pytest.mark.parametrize("spoil", [_without_usage, _bad_usage])
def test_a_response_without_sound_usage_keeps_its_content_and_admits_it(
    events: Events, spoil: Callable[[dict[str, Any]], None]
) -> None:
    content = read(sse(events)).content
    for event in events:
        spoil(event)
    response = read(sse(events))
    assert response.content == content
    assert not response.usage.complete
    assert response.usage.total >= 0


def test_the_same_block_sent_twice_is_not_taken_twice(events: Events) -> None:
    starts = [place for place, event in enumerate(events) if event["type"] == "content_block_start"]
    ends = [place for place, event in enumerate(events) if event["type"] == "content_block_stop"]
    for start, end in zip(starts, ends, strict=True):
        doubled = [*events[: end + 1], *events[start : end + 1], *events[end + 1 :]]
        assert fault_of(sse(doubled)) is ProviderFault.GARBAGE
