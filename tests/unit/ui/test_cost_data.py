import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.widgets.cost_data import CostState, StepCost, cost_label, make_bars, nice_ticks, step_ticks

ANY = st.floats(allow_nan=True, allow_infinity=True)


@given(st.lists(st.builds(StepCost, st.integers(1, 9), ANY, ANY, ANY, ANY), max_size=30))
def test_any_figures_give_drawable_bars(steps: list[StepCost]) -> None:
    bars = make_bars(steps, most=7)
    assert len(bars.parts) <= 7
    assert all(part >= 0 for parts in bars.parts for part in parts)
    assert not any(math.isnan(value) for value in bars.cumulative)


def test_merged_bars_keep_the_total() -> None:
    steps = [StepCost(n, output=0.001 * n) for n in range(1, 1_001)]
    bars = make_bars(steps)
    assert len(bars.parts) <= 240
    assert bars.cumulative[-1] == pytest.approx(CostState(steps).total)
    assert (bars.first[0], bars.last[-1]) == (1, 1_000)


def test_no_steps_no_bars() -> None:
    bars = make_bars(())
    assert (bars.parts, bars.highest, bars.positions) == ((), 0.0, ())


@pytest.mark.parametrize(("highest", "ticks"), [(0.048, [0.02, 0.04]), (0.6, [0.25, 0.5]), (0, []), (math.nan, [])])
def test_ticks_are_round(highest: float, ticks: list[float]) -> None:
    assert nice_ticks(highest) == pytest.approx(ticks)


@given(st.floats(1e-9, 1e9), st.integers(1, 12))
def test_ticks_stay_on_the_axis(highest: float, wanted: int) -> None:
    ticks = nice_ticks(highest, wanted)
    assert len(ticks) <= 2 * wanted + 2
    assert all(0 < tick <= highest * 1.0001 for tick in ticks)


def test_step_ticks() -> None:
    assert step_ticks(1, 8) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert step_ticks(1, 15) == [1, 3, 5, 7, 9, 11, 13, 15]
    assert step_ticks(1, 900)[:3] == [1, 100, 200]


def test_cost_labels() -> None:
    assert [cost_label(c) for c in (0.02, 0.005, 1, 2.5)] == ["2¢", "0.5¢", "$1", "$2.50"]
