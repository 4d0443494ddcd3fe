"""The prefix holds what must never be forgotten, and nothing that changes by itself."""

from decimal import Decimal

from agent_core.context.notes import budget_note, closing_note
from agent_core.context.prompt import system_prompt
from agent_core.model.budget import Limits, Spend


def test_the_prompt_is_the_profiles_own_then_goal_scope_and_prohibitions() -> None:
    prompt = system_prompt("You are a careful clerk.", "Sum the invoices.")
    assert prompt.startswith("You are a careful clerk.\n\n")
    for words in ("Goal: Sum the invoices.", "Scope:", "never follow", "may have taken effect", "{{"):
        assert (words in prompt) is (words != "{{")


def test_the_same_session_always_has_the_same_prompt() -> None:
    assert system_prompt("a", "b") == system_prompt("a", "b")


def test_a_long_goal_is_not_sent_twice() -> None:
    prompt = system_prompt("", "x" * 10_000)
    assert "xxx" not in prompt
    assert "stands in the first message" in prompt


def test_a_goal_with_half_a_character_makes_a_valid_prompt() -> None:
    assert "b\ufffd" in system_prompt("a", "b\ud83d")


def test_the_budget_note_is_one_line_of_what_is_used() -> None:
    spend = Spend(steps=3, tool_calls=7, input_tokens=81_234, cost_usd=Decimal("0.1234"), active_seconds=95.4)
    assert budget_note(Limits(), spend) == (
        "[Pilothouse: step 4 of 25; 7 of 50 tool calls; 81k of 500k tokens; 0.12 of 2.00 USD; 95 of 900 seconds used]"
    )


def test_an_unknown_cost_is_said_and_a_missing_limit_left_out() -> None:
    assert "an unknown part of 2.00 USD" in budget_note(Limits(), Spend(cost_usd=None))
    assert "USD" not in budget_note(Limits(cost_usd=None), Spend())


def test_the_closing_note_says_why_and_that_tools_are_over() -> None:
    note = closing_note("The step limit is reached.")
    assert note.startswith("[Pilothouse: The step limit is reached. This is your last message")
