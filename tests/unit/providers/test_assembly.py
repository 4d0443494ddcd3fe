"""A response is put together whole and unaltered, or not at all."""

import json
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.budget import Usage
from agent_core.model.errors import ProviderError, ProviderFault
from agent_core.providers.base import Delta, ModelResponse
from agent_core.providers.messages.assembly import Assembly
from tests.support.messages_server import message_events, text_turn, tool_turn

Events = list[dict[str, Any]]
THOUGHT = {"type": "thinking", "thinking": "Erst lesen, \u2028dann schreiben. 👍🏽", "signature": "EqQBCgIYAhIM+/=="}
CALLS = [
    {"type": "tool_use", "id": "toolu_1", "name": "files_read", "input": {"path": "a.txt"}},
    {"type": "tool_use", "id": "toolu_2", "name": "files_read", "input": {"path": "b.txt", "n": [1, 2.5, None, "é"]}},
]


def assemble(events: Iterable[dict[str, Any]], deltas: list[Delta] | None = None) -> ModelResponse:
    assembly = Assembly(deltas.append if deltas is not None else lambda delta: None, request_id="req_1")
    for event in events:
        assembly.feed(msgspec.json.encode(event))
    return assembly.finish()


def fault_of(events: Iterable[dict[str, Any]]) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        assemble(events)
    return caught.value


def event(kind: str, events: Events) -> dict[str, Any]:
    return next(each for each in events if each["type"] == kind)


def test_blocks_come_back_as_they_were_sent_thinking_and_signature_to_the_byte() -> None:
    content = [THOUGHT, {"type": "text", "text": "Zwei Dateien."}, *CALLS]
    response = assemble(message_events(content, stop_reason="tool_use"))
    assert response.content == content
    assert response.finish_reason == "tool_use"
    assert response.request_id == "req_1"


def test_deltas_carry_every_text_to_the_screen_and_no_signature() -> None:
    deltas: list[Delta] = []
    assemble(message_events([THOUGHT, {"type": "text", "text": "Zwei Dateien."}, CALLS[1]]), deltas)
    assert "".join(d.text for d in deltas if d.kind == "thinking") == THOUGHT["thinking"]
    assert "".join(d.text for d in deltas if d.kind == "text") == "Zwei Dateien."
    inputs = [d for d in deltas if d.kind == "input"]
    assert json.loads("".join(d.text for d in inputs)) == CALLS[1]["input"]
    assert {(d.block, d.tool) for d in inputs} == {(2, "files_read")}


def test_numbers_of_an_input_keep_their_type_and_their_digits() -> None:
    written = '{"amount": 10.0, "count": 10, "big": 123456789012345678901234567890}'
    assert json.dumps(assemble(_with_input(written)).content[0]["input"]) == written


def _with_input(written: str, stop_reason: str = "tool_use") -> Events:
    events = tool_turn(("toolu_1", "pay", {}), stop_reason=stop_reason)
    kept = [each for each in events if each["type"] != "content_block_delta"]
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": written}}
    return [*kept[:2], delta, *kept[2:]]


def test_unknown_blocks_fields_and_deltas_are_kept_and_unknown_events_skipped() -> None:
    events = text_turn("hello")
    block = {"type": "hologram", "light": "blue", "depth": {"z": 3}}
    hologram: Events = [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "beam_delta", "beam": "ab", "angle": 3}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "beam_delta", "beam": "cd", "angle": 4}},
        {"type": "content_block_stop", "index": 0},
    ]
    later = [{**each, "index": 1} if "index" in each else each for each in events[1:]]
    response = assemble([events[0], {"type": "shiny_new"}, {"type": "ping"}, *hologram, *later])
    assert response.content[0] == {**block, "beam": "abcd", "angle": 4}
    assert response.content[1] == {"type": "text", "text": "hello"}


def test_citations_and_server_tools_are_kept() -> None:
    searched = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    result = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"url": "https://a"}]}
    cited = {"type": "citations_delta", "citation": {"url": "https://a"}}
    events: Events = [
        text_turn("")[0],
        {"type": "content_block_start", "index": 0, "content_block": searched},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"q": 1}'}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": result},
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": "", "citations": None}},
        {"type": "content_block_delta", "index": 2, "delta": cited},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "so"}},
        {"type": "content_block_stop", "index": 2},
        *text_turn("")[-2:],
    ]
    response = assemble(events)
    assert response.content[0]["input"] == {"q": 1}
    assert response.content[1] == result
    assert response.content[2] == {"type": "text", "text": "so", "citations": [{"url": "https://a"}]}


def test_the_last_usage_wins_and_nothing_is_added_up() -> None:
    events = text_turn("x")
    event("message_start", events)["message"]["usage"] = {
        "input_tokens": 2479,
        "output_tokens": 1,
        "cache_read_input_tokens": 7,
        "cache_creation_input_tokens": 30,
        "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
    }
    event("message_delta", events)["usage"] = {
        "input_tokens": 404500,
        "output_tokens": 50,
        "cache_read_input_tokens": None,
        "output_tokens_details": {"thinking_tokens": 33},
    }
    response = assemble(events)
    assert response.usage == Usage(
        input_tokens=404500,
        output_tokens=50,
        cache_read_tokens=7,
        cache_write_5m_tokens=10,
        cache_write_1h_tokens=20,
        reasoning_tokens=33,
    )
    assert response.raw_usage["input_tokens"] == 404500


def test_cache_writes_that_are_restated_without_their_split_count_as_five_minutes() -> None:
    events = text_turn(
        "x", usage={"cache_creation_input_tokens": 0, "cache_creation": {"ephemeral_1h_input_tokens": 0}}
    )
    event("message_delta", events)["usage"] = {"output_tokens": 5, "cache_creation_input_tokens": 400}
    response = assemble(events)
    assert (response.usage.cache_write_5m_tokens, response.usage.cache_write_1h_tokens) == (400, 0)
    assert response.raw_usage["cache_creation"]["ephemeral_5m_input_tokens"] == 400


@pytest.mark.parametrize(
    "restated",
    [
        {"input_tokens": -5, "output_tokens": None},
        {"output_tokens": "many"},
        {"output_tokens": True},
        {"input_tokens": 1.5},
    ],
)
def test_usage_that_is_no_number_of_tokens_is_not_believed(restated: dict[str, Any]) -> None:
    events = text_turn("x")
    event("message_delta", events)["usage"] = restated
    usage = assemble(events).usage
    assert not usage.complete
    assert min(usage.input_tokens, usage.output_tokens) >= 0


def test_missing_usage_is_unknown_not_zero() -> None:
    events = text_turn("x")
    del event("message_start", events)["message"]["usage"]
    del event("message_delta", events)["usage"]
    assert not assemble(events).usage.complete


def test_a_message_that_begins_twice_is_one_message() -> None:
    events = text_turn("Hello, World!")
    assert assemble([events[0], *events]).content == [{"type": "text", "text": "Hello, World!"}]


def test_a_second_message_spliced_into_the_first_is_garbage() -> None:
    first = tool_turn(("toolu_1", "pay", {"value": "Spark"}))
    second = tool_turn(("toolu_2", "pay", {"value": "Sparkle Day"}))
    second[0]["message"]["id"] = "msg_2"
    error = fault_of([*first[:3], *second])
    assert error.fault is ProviderFault.GARBAGE
    assert error.retryable
    assert error.usage is not None


def test_the_same_message_begun_again_half_way_is_garbage() -> None:
    events = text_turn("Hello, World!")
    assert fault_of([*events[:3], *events]).fault is ProviderFault.GARBAGE


@pytest.mark.parametrize(
    "broken",
    [
        lambda events: [*events[:2], *events[1:]],
        lambda events: events[1:],
        lambda events: [*events[:1], *events[2:]],
        lambda events: [*events[:-3], *events[-2:]],
        lambda events: [*events[:4], *events[3:4], *events[-3:-2], *events[-3:]],
        lambda events: [events[0], {"type": "content_block_start", "index": 0}],
        lambda events: [events[0], {"type": "content_block_start", "index": 0, "content_block": {"text": ""}}],
        lambda events: [events[0], {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use"}}],
        lambda events: [{"type": "message_start", "message": 5}],
        lambda events: [{"type": "message_delta", "delta": {}}],
        lambda events: [{"type": "message_stop"}],
        lambda events: [*events, *events[1:]],
    ],
    ids=lambda value: "",
)
def test_events_out_of_order_are_garbage(broken: Any) -> None:
    assert fault_of(broken(text_turn("Hello"))).fault is ProviderFault.GARBAGE


@pytest.mark.parametrize("data", [b"{not json", b"\xff", b"[]", b"5", b"", b'"text"', b"{" * 5000, b"[" * 50_000])
def test_a_line_that_is_not_an_object_is_garbage(data: bytes) -> None:
    with pytest.raises(ProviderError) as caught:
        Assembly(print).feed(data)
    assert caught.value.fault is ProviderFault.GARBAGE


def test_a_stream_cut_after_any_event_gives_no_response_and_what_usage_is_known() -> None:
    events = message_events([THOUGHT, *CALLS], stop_reason="tool_use")
    for count in range(len(events)):
        error = fault_of(events[:count])
        assert error.fault is ProviderFault.CUT, count
        assert (error.usage is not None) is (count > 0)
        assert error.usage is None or not error.usage.complete
        after = f"after {count} events" if count else "before the first event"
        assert after in str(error)


def test_a_message_without_a_stop_reason_is_cut() -> None:
    events = text_turn("x")
    event("message_delta", events)["delta"] = {"stop_reason": None}
    assert fault_of(events).fault is ProviderFault.CUT


def test_an_unknown_stop_reason_is_passed_on_as_it_is() -> None:
    assert assemble(text_turn("x", stop_reason="cosmic_ray")).finish_reason == "cosmic_ray"


def test_a_refusal_keeps_its_details() -> None:
    events = text_turn("", stop_reason="refusal")
    details = {"type": "refusal", "category": "cyber", "explanation": "no"}
    event("message_delta", events)["delta"]["stop_details"] = details
    assert assemble([events[0], *events[-2:]]).finish_detail == {"stop_details": details}


def test_an_error_event_inside_a_stream_is_typed() -> None:
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    error = fault_of([*text_turn("some text")[:3], overloaded])
    assert error.fault is ProviderFault.OVERLOADED
    assert "after 3 events" in str(error)
    assert error.usage == Usage(input_tokens=100, output_tokens=1, complete=False)
    assert fault_of([overloaded]).fault is ProviderFault.OVERLOADED


def test_a_call_that_the_token_limit_cut_off_never_becomes_a_call() -> None:
    whole = CALLS[0]
    events = message_events([whole, CALLS[1]], stop_reason="max_tokens")
    last_pieces = [place for place, each in enumerate(events) if each.get("index") == 1][-4:-1]
    response = assemble(each for place, each in enumerate(events) if place not in last_pieces)
    assert response.content == [whole]
    assert response.finish_detail["unfinished_call"] == "files_read"


def test_a_call_cut_off_before_its_input_never_becomes_a_call() -> None:
    response = assemble(_with_input("", stop_reason="max_tokens"))
    assert response.content == []
    assert response.finish_detail["unfinished_call"] == "pay"


@pytest.mark.parametrize("written", ['{"value": "Spark', "[1, 2]", "nul", '{"a": NaN}', '{"a": 1e400}', '{"a":' * 5000])
def test_an_input_that_is_no_object_in_a_finished_response_is_garbage(written: str) -> None:
    assert fault_of(_with_input(written)).fault is ProviderFault.GARBAGE


def test_a_call_without_any_input_has_an_empty_one() -> None:
    assert assemble(_with_input("")).content[0]["input"] == {}
    events = _with_input("")
    del events[1]["content_block"]["input"]
    assert assemble(events).content[0]["input"] == {}


def test_half_an_emoji_becomes_a_replacement_character_and_two_halves_one_emoji() -> None:
    def text_of(*pieces: str) -> str:
        events = text_turn("x")
        deltas = [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            for piece in pieces
        ]
        assembly = Assembly(lambda delta: delta.text.encode())
        for each in [*events[:2], *deltas, *events[-3:]]:
            assembly.feed(json.dumps(each).encode())
        text = assembly.finish().content[0]["text"]
        assert isinstance(text, str)
        return text

    assert text_of("a\ud83d") == "a\ufffd"
    assert text_of("a\ud83d", "\udc4db") == "a👍b"


def test_half_an_emoji_inside_an_input_is_mended_too() -> None:
    assert assemble(_with_input('{"path": "\\ud83d"}')).content[0]["input"] == {"path": "\ufffd"}


@given(
    st.lists(
        st.fixed_dictionaries({"text": st.text(st.characters(exclude_categories=["Cs"]), min_size=1)}).map(
            lambda fields: {"type": "text", **fields}
        ),
        max_size=4,
    ),
    st.integers(1, 7),
)
def test_any_texts_survive_any_cutting_into_deltas(content: Events, piece: int) -> None:
    assert assemble(message_events(content, piece=piece)).content == content


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
            max_leaves=8,
        ),
        max_size=4,
    ).filter(lambda value: json.loads(json.dumps(value)) == value),
    st.integers(1, 9),
)
def test_any_input_survives_any_cutting_into_deltas(value: dict[str, Any], piece: int) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    assert assemble(tool_turn(("toolu_1", "tool", value), piece=piece)).content[0]["input"] == value


@pytest.mark.parametrize("depth", [100, 500, 5_000, 100_000])
def test_an_input_nested_beyond_reason_is_garbage_not_a_crash(depth: int) -> None:
    assert fault_of(_with_input('{"a":' * depth + "1" + "}" * depth)).fault is ProviderFault.GARBAGE


def test_an_input_nested_within_reason_is_kept() -> None:
    written = '{"a":' * 99 + "1" + "}" * 99
    assert assemble(_with_input(written)).content[0]["input"] == json.loads(written)
