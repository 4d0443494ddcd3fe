"""A script plays its turns, reacts to answers, and fails as it is told."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_core.config.profile import Price, Profile
from agent_core.model.errors import InputError, ProviderError, ProviderFault
from agent_core.providers.anthropic import AnthropicProvider
from agent_core.providers.base import Delta, ModelRequest, ModelResponse
from agent_core.providers.registry import open_provider, stated_price
from agent_core.providers.scripted import Script, ScriptedProvider, load_script


def asked(*messages: tuple[str, str], session: str = "s-1") -> ModelRequest:
    return ModelRequest(
        model="scripted:test",
        messages=[
            msgspec.Raw(msgspec.json.encode({"role": role, "content": [{"type": "text", "text": text}]}))
            for role, text in messages
        ],
        system=msgspec.Raw(b"[]"),
        tools=msgspec.Raw(b"[]"),
        max_tokens=100,
        session=session,
    )


@pytest.fixture
def play(clock: Any) -> Any:
    def make(*turns: dict[str, Any]) -> ScriptedProvider:
        return ScriptedProvider(Script(name="test", turns=list(turns)), clock)

    return make


async def answer(provider: ScriptedProvider, request: ModelRequest, deltas: list[Delta] | None = None) -> ModelResponse:
    return await provider.stream(request, deltas.append if deltas is not None else lambda delta: None)


async def test_a_turn_has_its_thinking_text_and_calls(play: Any) -> None:
    provider = play({"thinking": "Hm.", "text": "Looking.", "tools": [{"name": "files_list", "input": {"path": "."}}]})
    deltas: list[Delta] = []
    response = await answer(provider, asked(("user", "go")), deltas)
    assert response.content == [
        {"type": "thinking", "thinking": "Hm.", "signature": "sig-0"},
        {"type": "text", "text": "Looking."},
        {"type": "tool_use", "id": "toolu_0_0", "name": "files_list", "input": {"path": "."}},
    ]
    assert response.finish_reason == "tool_use"
    assert {delta.kind for delta in deltas} == {"thinking", "text", "input"}
    await provider.close()


async def test_the_turn_is_the_number_of_answers_so_a_resumed_session_goes_on(play: Any) -> None:
    turns = ({"text": "first"}, {"text": "second", "stop_reason": "max_tokens"})
    history = (("user", "go"), ("assistant", "first"), ("user", "and"))
    response = await answer(play(*turns), asked(*history))
    assert (response.content[0]["text"], response.finish_reason) == ("second", "max_tokens")
    over = await answer(play(*turns), asked(*history, ("assistant", "second"), ("user", "more")))
    assert (over.content[0]["text"], over.finish_reason) == ("done", "end_turn")


async def test_a_branch_is_chosen_by_what_the_last_message_says(play: Any) -> None:
    turn = {
        "text": "fine",
        "branches": [{"if_contains": "rejected", "text": "another way"}, {"if_contains": "user", "text": "no"}],
    }
    assert (await answer(play(turn), asked(("user", "it was rejected")))).content[0]["text"] == "another way"
    assert (await answer(play(turn), asked(("user", "ok")))).content[0]["text"] == "no"


async def test_usage_is_counted_or_stated(play: Any) -> None:
    counted = (await answer(play({"text": "x" * 400}), asked(("user", "go")))).usage
    assert counted.output_tokens > 100
    assert counted.input_tokens > 10
    assert counted.complete
    stated = {"input_tokens": 900, "output_tokens": 7, "cache_read_input_tokens": 5}
    usage = (await answer(play({"text": "x", "usage": stated}), asked(("user", "go")))).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (900, 7, 5)


async def test_it_waits_by_the_clock_that_it_is_given(play: Any, clock: Any) -> None:
    response = await answer(play({"text": "x" * 100, "delay_s": 2.5, "pace_s": 0.5}), asked(("user", "go")))
    assert clock.slept == [2.5, 0.5, 0.5, 0.5]
    assert response.first_token_ms == 2500


async def test_faults_come_one_an_attempt_and_then_the_answer(play: Any) -> None:
    faults = [
        {"status": 529, "type": "overloaded_error", "retry_after": 3},
        {"drop_after": 3},
        {"garbage": True},
        {"hang_s": 30},
    ]
    provider = play({"text": "at last", "faults": faults})
    seen = []
    for _ in range(3):
        with pytest.raises(ProviderError) as caught:
            await answer(provider, asked(("user", "go")))
        seen.append((caught.value.fault, caught.value.retry_after))
    assert seen == [(ProviderFault.OVERLOADED, 3.0), (ProviderFault.CUT, None), (ProviderFault.GARBAGE, None)]
    assert (await answer(provider, asked(("user", "go")))).content[0]["text"] == "at last"
    with pytest.raises(ProviderError):
        await answer(provider, asked(("user", "go"), session="s-2"))


def test_a_script_is_read_from_its_file_with_its_price(tmp_path: Path) -> None:
    path = tmp_path / "story.json"
    prices = {"input": "3.00", "output": "15.00", "cache_read": "0.30"}
    path.write_text(json.dumps({"turns": [{"text": "hi"}], "price_tokens": prices}), encoding="utf-8")
    script = load_script(f"scripted:{path}")
    assert script.turns == [{"text": "hi"}]
    assert script.price == Price(
        input=Decimal("3.00"), output=Decimal("15.00"), cache_read=Decimal("0.30"), cache_write=Decimal("3.00")
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", '"turns"'),
        ('{"turns": 5}', '"turns"'),
        ('{"turns": [5]}', '"turns"'),
        ('{"turns": [{"tools": [{}]}]}', "turn 0"),
        ('{"turns": [{"branches": [{"text": "x"}]}]}', "if_contains"),
        ('{"turns": [], "price_tokens": {"input": "x", "output": "1"}}', "price_tokens"),
        ('{"turns": [], "price_tokens": {"input": "1"}}', "price_tokens"),
        ('{"turns": [], "price_tokens": 3}', "price_tokens"),
    ],
)
def test_a_broken_script_is_refused_in_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "story.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        load_script(f"scripted:{path}")


@pytest.mark.parametrize("name", ["nowhere", "/nowhere/story.json", "..\0", "../pyproject"])
def test_a_script_that_is_not_there_is_named(name: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_script(f"scripted:{name}")


async def test_a_profile_opens_the_provider_that_its_model_names(tmp_path: Path, clock: Any) -> None:
    path = tmp_path / "story.json"
    path.write_text('{"turns": [], "price_tokens": {"input": 1, "output": 2}}', encoding="utf-8")
    scripted = Profile(name="demo", model=f"scripted:{path}")
    assert isinstance(open_provider(scripted, clock, api_key=None), ScriptedProvider)
    price = stated_price(scripted)
    assert price is not None
    assert price.output == 2
    real = Profile(name="clerk", model="claude-sonnet-5-5")
    assert isinstance(open_provider(real, clock, api_key="k"), AnthropicProvider)
    assert stated_price(real) is None
