"""A full context stops the run, naming the big slot; the same sizes never give another answer."""

import pytest

from agent_core.context.ceiling import ContextMove, context_step, most_of
from agent_core.context.slots import ContextEstimate
from agent_core.model.context import Worksheet

SHEET = Worksheet(ceiling=1000, clear_at=500, compact_at=750, handoff_at=900)


def of(tokens: int) -> ContextEstimate:
    return ContextEstimate(tokens, tokens * 2, {"system": tokens // 10, "results": tokens - tokens // 10})


@pytest.mark.parametrize(
    ("tokens", "passed"), [(0, None), (499, None), (500, "clear_at"), (750, "compact_at"), (999, "handoff_at")]
)
def test_below_the_ceiling_the_run_goes_on_and_says_which_trigger_it_passed(tokens: int, passed: str | None) -> None:
    step = context_step(SHEET, of(tokens))
    assert (step.move, step.passed, step.sentence) == (ContextMove.PROCEED, passed, "")
    assert step.utilisation == tokens / 1000


def test_at_the_ceiling_it_stops_and_names_what_is_big() -> None:
    step = context_step(SHEET, of(1000))
    assert step.move is ContextMove.STOP
    assert "tool results (900 tokens)" in step.sentence
    assert most_of(of(1000).slots) == "Most of it is tool results (900 tokens)."


def test_it_never_loops_on_the_same_sizes() -> None:
    assert len({repr(context_step(SHEET, of(5000))) for _ in range(10)}) == 1


def test_a_ceiling_of_nothing_allows_nothing() -> None:
    assert context_step(Worksheet(ceiling=0), of(0)).move is ContextMove.STOP
