"""Requests are valid, append-only and the same to the byte, whatever happened before them."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.profile import Profile
from agent_core.context.assemble import Assembler
from agent_core.context.ceiling import most_of
from agent_core.model.action import ToolError
from agent_core.model.budget import Usage
from agent_core.model.run import SessionState
from agent_core.providers.base import ModelRequest
from agent_core.tools.registry import Registry
from tests.support.history_rules import raw_problems

THOUGHT = {
    "type": "thinking",
    "thinking": "Erst lesen.\u2028 👍🏽",
    "signature": "EqQB+/==",
    "later": {"b": 1, "a": 2.0},
}
UNSIGNED = {"type": "thinking", "thinking": "hm", "signature": ""}
SECRET = {"type": "redacted_thinking", "data": "EmwKAhgB"}
DENIED = ToolError(code="denied", message="outside the workspace")


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def use(use_id: str, tool: str = "files_read", **given_input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": use_id, "name": tool, "input": given_input}


def sent(request: ModelRequest) -> list[dict[str, Any]]:
    messages = []
    for raw in request.messages:
        message = json.loads(bytes(raw))
        for block in message["content"]:
            block.pop("cache_control", None)
        messages.append(message)
    return messages


def texts(message: dict[str, Any]) -> list[str]:
    return [block.get("text") or block.get("content") for block in message["content"]]


@pytest.fixture
def assembler(profile: Profile, registry: Registry) -> Assembler:
    return Assembler(profile, registry, "Sum the invoices.")


def test_the_first_request_holds_the_goal_and_the_note(assembler: Assembler, story: Any) -> None:
    story.ask("[Pilothouse: step 1]")
    request = assembler.request(story.state)
    assert sent(request) == [{"role": "user", "content": [text("Sum the invoices."), text("[Pilothouse: step 1]")]}]
    assert (request.model, request.max_tokens, request.step) == ("claude-sonnet-5-5", 8192, 1)
    system = json.loads(bytes(request.system))
    assert "careful clerk" in system[0]["text"]
    assert "Goal: Sum the invoices." in system[0]["text"]
    assert [tool["name"] for tool in json.loads(bytes(request.tools))] == ["files_read", "files_write", "finish"]


def test_results_come_first_in_call_order_then_the_operator_then_the_note(assembler: Assembler, story: Any) -> None:
    story.ask()
    first, second, third = story.answer(text("Looking."), use("toolu_1"), use("toolu_2"), use("toolu_3"))
    story.begin(third)
    story.finish(third, {"text": "third"})
    story.tell("Hurry up.")
    story.finish(first, {"text": "first"})
    story.finish(second, error=DENIED)
    story.ask("[note]")
    message = sent(assembler.request(story.state))[-1]
    assert [block.get("tool_use_id") for block in message["content"]] == ["toolu_1", "toolu_2", "toolu_3", None, None]
    assert [block.get("is_error") for block in message["content"][:3]] == [None, True, None]
    assert texts(message)[3:] == ["Hurry up.", "[note]"]
    assert "outside the workspace" in texts(message)[1]


def test_a_call_that_was_never_answered_says_so_and_one_that_had_begun_may_have_happened(
    assembler: Assembler, story: Any
) -> None:
    story.ask()
    waiting, begun, lost = story.answer(use("toolu_1"), use("toolu_2"), use("toolu_3"))
    story.begin(begun)
    story.begin(lost)
    story.lose(lost)
    story.stop()
    story.start("Go on, please.")
    story.ask()
    message = sent(assembler.request(story.state))[-1]
    assert "was not run" in texts(message)[0]
    assert all("may have taken effect" in said for said in texts(message)[1:3])
    assert all(block["is_error"] for block in message["content"][:3])
    assert texts(message)[3] == "Go on, please."
    assert waiting


def test_a_result_that_came_too_late_does_not_change_what_the_model_was_told(
    profile: Profile, registry: Registry, story: Any
) -> None:
    live = Assembler(profile, registry, "Sum the invoices.")
    story.ask()
    (lost,) = story.answer(use("toolu_1", "files_write"))
    story.begin(lost)
    story.lose(lost)
    story.stop()
    story.start("Go on.")
    story.ask()
    before = live.request(story.state).messages
    story.answer(text("I will look."))
    story.finish(lost, {"text": "it had happened"})
    story.stop()
    story.start("And?")
    story.ask()
    after = live.request(story.state).messages
    again = Assembler(profile, registry, "Sum the invoices.").request(story.folded()).messages
    assert plain(after) == plain(again)
    assert plain(after)[: len(before)] == plain(before)


def test_an_attempt_after_the_outcome_became_known_tells_it(profile: Profile, registry: Registry, story: Any) -> None:
    live = Assembler(profile, registry, "Sum the invoices.")
    story.ask()
    (lost,) = story.answer(use("toolu_1", "files_write"))
    story.begin(lost)
    story.lose(lost)
    story.ask()
    assert "may have taken effect" in str(sent(live.request(story.state)))
    story.fail()
    story.finish(lost, {"text": "it had happened"})
    story.ask(again=True)
    assert "it had happened" in str(sent(live.request(story.state)))
    story.answer(text("Good."))
    story.tell("Go on.")
    story.ask()
    again = Assembler(profile, registry, "Sum the invoices.").request(story.folded()).messages
    assert plain(live.request(story.state).messages) == plain(again)


def test_an_id_that_the_model_gives_twice_is_made_unique_in_both_places(assembler: Assembler, story: Any) -> None:
    story.ask()
    for call in story.answer(use("toolu_1"), use("toolu_1"), use("not an id")):
        story.finish(call, {"text": call})
    story.ask()
    for call in story.answer(use("toolu_1")):
        story.finish(call, {"text": call})
    story.ask()
    messages = sent(assembler.request(story.state))
    assert [block["id"] for block in messages[1]["content"]] == ["toolu_1", "c-2", "c-3"]
    assert [block["tool_use_id"] for block in messages[2]["content"]] == ["toolu_1", "c-2", "c-3"]
    assert [block["id"] for block in messages[3]["content"]] == ["c-4"]
    assert [block["tool_use_id"] for block in messages[4]["content"]] == ["c-4"]


def test_thinking_goes_back_to_the_byte(assembler: Assembler, story: Any) -> None:
    story.ask()
    (call,) = story.answer(THOUGHT, SECRET, use("toolu_1"))
    story.finish(call, {"text": "x"})
    story.ask()
    raw = bytes(assembler.request(story.state).messages[1])
    assert msgspec.json.encode(THOUGHT) in raw
    assert msgspec.json.encode(SECRET) in raw


def test_thinking_is_dropped_whole_when_the_model_changes(profile: Profile, registry: Registry, story: Any) -> None:
    story.ask()
    (call,) = story.answer(THOUGHT, SECRET, use("toolu_1"))
    story.finish(call, {"text": "x"})
    other = msgspec.structs.replace(profile, model="claude-opus-5-5")
    story.ask(model="claude-opus-5-5")
    request = Assembler(other, registry, "Sum the invoices.").request(story.state)
    assert [block["type"] for block in sent(request)[1]["content"]] == ["tool_use"]


def test_thinking_is_dropped_whole_when_the_bytes_before_it_change(
    profile: Profile, registry: Registry, story: Any
) -> None:
    mine = Assembler(profile, registry, "Sum the invoices.")
    story.ask(prefix_digest=mine.prefix_digest)
    (call,) = story.answer(THOUGHT, use("toolu_1"))
    story.finish(call, {"text": "x"})
    story.ask(prefix_digest=mine.prefix_digest)
    assert "thinking" in str(sent(mine.request(story.state)))
    changed = msgspec.structs.replace(profile, system_prompt="You are bold.")
    other = Assembler(changed, registry, "Sum the invoices.")
    assert other.prefix_digest != mine.prefix_digest
    assert [block["type"] for block in sent(other.request(story.state))[1]["content"]] == ["tool_use"]


def test_empty_texts_unsigned_thinking_and_calls_that_were_not_taken_up_stay_behind(
    assembler: Assembler, story: Any
) -> None:
    hologram = {"type": "hologram", "light": "blue"}
    story.ask()
    (call,) = story.answer(text(" \n"), UNSIGNED, hologram, use("toolu_1"), use("toolu_2"), take=[3])
    story.finish(call, {"text": "x"})
    story.ask()
    request = assembler.request(story.state)
    assert [block["type"] for block in sent(request)[1]["content"]] == ["hologram", "tool_use"]
    assert raw_problems(request.messages) == []


@pytest.mark.parametrize("content", [(), (text(""),), (THOUGHT,)], ids=["nothing", "empty text", "thinking alone"])
def test_a_response_that_says_nothing_is_not_sent_back(assembler: Assembler, story: Any, content: Any) -> None:
    story.ask("[one]")
    story.answer(*content)
    story.tell("Are you there?")
    story.ask("[two]")
    request = assembler.request(story.state)
    assert [texts(message) for message in sent(request)] == [
        ["Sum the invoices.", "[one]", "Are you there?", "[two]"],
    ]


def test_between_two_responses_somebody_always_speaks(assembler: Assembler, story: Any) -> None:
    story.ask()
    story.answer(text("Half a sent"))
    story.ask()
    assert raw_problems(assembler.request(story.state).messages) == []
    story.answer(text("ence."))
    story.ask()
    request = assembler.request(story.state)
    assert raw_problems(request.messages) == []
    assert len(request.messages) == 5


def test_the_closing_request_keeps_its_tools_and_may_not_use_them(assembler: Assembler, story: Any) -> None:
    story.ask(closing=True, max_tokens=1024)
    request = assembler.request(story.state)
    assert request.tool_choice == {"type": "none"}
    assert json.loads(bytes(request.tools))


@pytest.mark.parametrize(
    ("max_tokens", "thinking"),
    [
        (8192, {"type": "enabled", "budget_tokens": 4000}),
        (4000, {"type": "enabled", "budget_tokens": 2000}),
        (1024, {"type": "disabled"}),
    ],
)
def test_a_thinking_budget_stays_below_a_lowered_output_limit(
    profile: Profile, registry: Registry, story: Any, max_tokens: int, thinking: dict[str, Any]
) -> None:
    thinker = msgspec.structs.replace(profile, thinking={"type": "enabled", "budget_tokens": 4000})
    story.ask(max_tokens=max_tokens)
    assert Assembler(thinker, registry, "g").request(story.state).thinking == thinking


def test_marks_are_four_at_most_and_leave_earlier_bytes_alone(assembler: Assembler, story: Any) -> None:
    for number in range(4):
        story.ask(f"[note {number}]")
        (call,) = story.answer(use(f"toolu_{number}"))
        story.finish(call, {"text": "x"})
    story.ask()
    request = assembler.request(story.state)
    marked = [b"cache_control" in bytes(raw) for raw in request.messages]
    assert [place for place, mark in enumerate(marked) if mark] == [6, 8]
    body = b"".join((bytes(request.system), bytes(request.tools), *map(bytes, request.messages)))
    assert body.count(b"cache_control") == 4
    assert raw_problems(request.messages) == []


def test_models_that_are_not_known_to_take_marks_get_none(profile: Profile, registry: Registry, story: Any) -> None:
    story.ask(model="llama3.2")
    local = Assembler(msgspec.structs.replace(profile, model="llama3.2"), registry, "g").request(story.state)
    assert b"cache_control" not in b"".join((bytes(local.system), bytes(local.tools), *map(bytes, local.messages)))


def test_half_an_emoji_from_outside_never_reaches_the_service(assembler: Assembler, new_story: Any) -> None:
    story = new_story()
    story.ask()
    (call,) = story.answer(use("toolu_1"))
    state: SessionState = story.state
    story.finish(call, {"text": "ok"})
    finished = state.calls[call].finished
    assert finished is not None
    state.calls[call].finished = msgspec.structs.replace(finished, result={"text": "a\ud83d"})
    state.pending_messages.append("b\udc4d")
    story.ask()
    request = assembler.request(state)
    assert raw_problems(request.messages) == []
    assert texts(sent(request)[-1]) == ["a\ufffd", "b\ufffd"]


def plain(messages: list[msgspec.Raw]) -> list[bytes]:
    return [bytes(raw).replace(b',"cache_control":{"type":"ephemeral"}', b"") for raw in messages]


blocks = st.one_of(
    st.sampled_from(["", " ", "done", "é👍🏽"]).map(text),
    st.sampled_from(
        [THOUGHT, SECRET, {"type": "hologram", "x": 1}, {"type": "thinking", "thinking": "a", "signature": ""}]
    ),
    st.builds(use, st.sampled_from(["toolu_1", "toolu_2", "toolu_3", "", "ö"])),
)
outcomes = st.sampled_from(["result", "error", "open", "begun", "lost", "lost, then known"])
steps = st.lists(
    st.fixed_dictionaries(
        {
            "content": st.lists(blocks, max_size=5),
            "outcomes": st.lists(outcomes, min_size=5, max_size=5),
            "taken": st.integers(0, 5),
            "attempts": st.integers(1, 3),
            "note": st.sampled_from(["", "[note]", "  "]),
            "told": st.lists(st.sampled_from(["Hello.", "", "ü"]), max_size=2),
            "ends": st.booleans(),
        }
    ),
    min_size=1,
    max_size=6,
)


@given(steps)
def test_any_history_is_valid_append_only_and_the_same_after_a_restart(
    profile: Profile, registry: Registry, new_story: Any, script: list[dict[str, Any]]
) -> None:
    story = new_story()
    live = Assembler(profile, registry, "Sum the invoices.")
    earlier: list[bytes] = []
    known_later: list[str] = []
    for step in script:
        for attempt in range(step["attempts"]):
            story.ask(step["note"], again=attempt > 0)
            if attempt < step["attempts"] - 1:
                story.fail()
        request = live.request(story.state)
        assert raw_problems(request.messages) == []
        restarted = Assembler(profile, registry, "Sum the invoices.").request(story.folded())
        assert [bytes(raw) for raw in request.messages] == [bytes(raw) for raw in restarted.messages]
        now = plain(request.messages)
        settled = max(0, len(earlier) - 1)
        assert now[:settled] == earlier[:settled]
        if len(now) > len(earlier) > 0:
            assert now[settled] == earlier[settled]
        earlier = now
        for late in known_later:
            story.finish(late, {"text": "known at last"})
        known_later = _play(story, step)
    story.ask()
    assert raw_problems(live.request(story.state).messages) == []


def _play(story: Any, step: dict[str, Any]) -> list[str]:
    """One answer and what comes of its calls; gives the calls whose outcome is known only after the next request."""
    places = [place for place, block in enumerate(step["content"]) if block["type"] == "tool_use"][: step["taken"]]
    calls = story.answer(*step["content"], take=places)
    late = []
    for call, outcome in zip(calls, step["outcomes"], strict=False):
        if outcome in {"begun", "lost", "lost, then known"}:
            story.begin(call)
        if outcome.startswith("lost"):
            story.lose(call)
        if outcome == "lost, then known":
            late.append(call)
        if outcome == "result":
            story.finish(call, {"text": "42"})
        if outcome == "error":
            story.finish(call, error=DENIED)
    for said in step["told"]:
        story.tell(said)
    if step["ends"]:
        story.stop()
        story.start("Once more.")
    return late


def test_the_estimate_is_the_real_size_plus_what_is_new(assembler: Assembler, story: Any) -> None:
    first = assembler.estimate(story.state, "[note]")
    assert first.tokens < first.at_most
    assert sum(first.slots.values()) == first.tokens
    story.ask("[note]")
    (call,) = story.answer(text("Looking."), use("toolu_1"))
    story.finish(call, {"text": "x" * 7000})
    second = assembler.estimate(story.state, "[note]")
    assert 1050 + 7000 / 3.5 < second.tokens < 1050 + 7400 / 3.5
    assert second.at_most > 1050 + 7000 / 2
    assert "tool results" in most_of(second.slots)
    assert "tool results" not in most_of(first.slots)


def test_the_estimate_counts_messages_that_wait(assembler: Assembler, story: Any) -> None:
    before = assembler.estimate(story.state)
    story.tell("x" * 3500)
    assert assembler.estimate(story.state).tokens >= before.tokens + 1000


def test_an_incomplete_usage_does_not_calibrate(assembler: Assembler, story: Any) -> None:
    story.ask()
    story.answer(text("Hello."), usage=Usage(input_tokens=3, complete=False))
    assert assembler.estimate(story.state).tokens > 500
