"""Typical values come from completed runs only, and unknown costs are never counted as nothing."""

from datetime import timedelta
from decimal import Decimal

from agent_core.model.budget import LimitName
from agent_core.model.run import SessionStatus
from tests.support.sample_summaries import STARTED, summary
from ui.models.typical import Typical, day_totals, typical_use


def test_median_and_95th_percentile_are_figures_that_occurred() -> None:
    use = typical_use([summary(n, steps=n) for n in range(1, 21)])[LimitName.STEPS]

    assert use == Typical(20, 10, 19)


def test_runs_that_did_not_complete_and_demos_do_not_count() -> None:
    others = [
        summary(1, stop_reason="cancelled"),
        summary(2, stop_reason=None, status=SessionStatus.RUNNING),
        summary(3, demo=True),
    ]

    assert typical_use(others)[LimitName.TOKENS] == Typical()


def test_only_the_agent_that_is_asked_for_counts() -> None:
    use = typical_use([summary(1, steps=4), summary(2, steps=40, agent="other")], "folder-clerk")

    assert use[LimitName.STEPS] == Typical(1, 4, 4)


def test_an_unknown_cost_is_left_out_rather_than_zero() -> None:
    use = typical_use([summary(1, cost=None), summary(2, cost="0.40")])

    assert use[LimitName.COST_USD] == Typical(1, Decimal("0.40"), Decimal("0.40"))
    assert use[LimitName.STEPS].runs == 2


def test_a_day_with_an_unknown_cost_has_no_total() -> None:
    later = STARTED + timedelta(days=2)
    known = [summary(1, cost="0.50"), summary(2, cost="0.25"), summary(3, cost="1.00", started_at=later)]
    found = day_totals([*known, summary(4, cost=None, started_at=later), summary(5, cost="9", demo=True)])

    assert found == Typical(1, Decimal("0.75"), Decimal("0.75"))
