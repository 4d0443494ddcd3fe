"""What runs usually took, and what nearly all of them stayed within."""

from hypothesis import given
from hypothesis import strategies as st

from agent_core.metrics.rollup import high
from agent_core.model.budget import Spend


@given(st.lists(st.integers(0, 10_000), min_size=3, max_size=60))
def test_what_is_high_covers_95_of_100_runs_and_no_more_than_it_must(steps: list[int]) -> None:
    found = high([Spend(steps=count) for count in steps])

    assert found is not None
    assert found.steps in steps
    assert sum(count <= found.steps for count in steps) >= 0.95 * len(steps)
    assert sum(count < found.steps for count in steps) < 0.95 * len(steps)


def test_what_is_high_is_not_known_of_few_runs_or_of_an_unknown_cost() -> None:
    assert high([Spend(), Spend()]) is None
    unknown = high([Spend(cost_usd=None), Spend(), Spend()])
    assert unknown is not None
    assert unknown.cost_usd is None
