"""Alerts: due when something is out of the ordinary, and raised once."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from agent_core.metrics.alerts import ALERTS, Watched, due
from agent_core.metrics.rollup import projected, usual
from agent_core.model.budget import LimitName, Limits, Spend
from agent_core.model.events import LimitReached
from agent_core.model.proposal import Verdict
from agent_core.model.run import RunState, SessionState

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def watched(spend: Spend | None = None, past: Spend | None = None) -> Watched:
    state = SessionState("s-1")
    state.runs.append(RunState("r-1", NOW, Limits(), "v", "bar", spend=spend or Spend()))
    return Watched(state, past, 200_000)


def names(watching: Watched) -> list[str]:
    return [alert.alert for alert in due(watching, ())]


def test_an_ordinary_run_raises_nothing() -> None:
    assert names(watched(Spend(cost_usd=Decimal("0.10")), Spend(cost_usd=Decimal("0.09")))) == []


def test_a_run_that_costs_more_than_twice_or_five_times_the_usual_is_told() -> None:
    past = Spend(cost_usd=Decimal("0.10"))
    assert names(watched(Spend(cost_usd=Decimal("0.21")), past)) == ["cost_2x"]
    assert names(watched(Spend(cost_usd=Decimal("0.51")), past)) == ["cost_5x", "cost_2x"]
    assert names(watched(Spend(cost_usd=None), past)) == [], "an unknown cost is not held against a known one"


@pytest.mark.parametrize(
    ("spent", "usual", "told"),
    [
        ("9", "1.5", ("9.00", "1.50")),
        ("0.0121", "0.0054", ("0.0121", "0.0054")),
        ("0.0001", "0.00003", ("0.000100", "0.000030")),
    ],
)
def test_what_it_cost_and_what_is_usual_never_look_the_same(spent: str, usual: str, told: tuple[str, str]) -> None:
    (first, *_) = due(watched(Spend(cost_usd=Decimal(spent)), Spend(cost_usd=Decimal(usual))), ())
    assert first.message == f"The run cost {told[0]} USD so far; this agent usually takes {told[1]}."


def test_a_reached_step_limit_is_told() -> None:
    watching = watched()
    watching.run.limit_reached = LimitReached(limit=LimitName.STEPS, value="25", spent="25")
    assert names(watching) == ["step_limit"]


def test_a_gate_that_never_says_no_is_told_after_twenty_decisions() -> None:
    watching = watched()
    watching.state.closed_by[Verdict.APPROVE] = 19
    assert names(watching) == []
    watching.state.closed_by[Verdict.APPROVE] = 20
    assert names(watching) == ["always_yes"]
    watching.state.closed_by[Verdict.REJECT] = 1
    assert names(watching) == []


def test_what_was_raised_is_not_raised_again() -> None:
    watching = watched(Spend(cost_usd=Decimal(9)), Spend(cost_usd=Decimal(1)))
    assert due(watching, {"cost_2x", "cost_5x"}) == []


def test_every_alert_has_a_name_of_its_own() -> None:
    assert len({alert.name for alert in ALERTS}) == len(ALERTS)


def test_the_usual_spend_is_the_median_and_needs_three_runs() -> None:
    spends = [Spend(steps=n, cost_usd=Decimal(n)) for n in (2, 4, 30)]
    assert usual(spends[:2]) is None
    past = usual(spends)
    assert past is not None
    assert (past.steps, past.cost_usd) == (4, Decimal(4))


def test_a_projection_takes_the_usual_number_of_steps_at_the_cost_so_far() -> None:
    past = Spend(steps=10)
    half = projected(Spend(steps=5, cost_usd=Decimal("0.50"), input_tokens=1000), past)
    assert half is not None
    assert (half.cost_usd, half.input_tokens) == (Decimal("1.00"), 2000)
    over = projected(Spend(steps=20, cost_usd=Decimal("0.50")), past)
    assert over is not None
    assert over.cost_usd == Decimal("0.50")
    assert projected(Spend(), past) is None
    unknown = projected(Spend(steps=5, cost_usd=None), past)
    assert unknown is not None
    assert unknown.cost_usd is None
