"""Figures of a real run: by step, and the alerts it raised."""

from decimal import Decimal

from agent_core.metrics.rollup import rollup
from agent_core.model import events as ev
from agent_core.model.budget import Limits
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, turn

DONE = turn(text="done")


async def test_the_roll_up_of_a_session_adds_up_to_its_spend(make_lab: MakeLab) -> None:
    asked = turn(call("files_read", path="none.txt"), call("files_write", path="a", content="a"))
    lab = make_lab(asked, turn(text="fine", faults=[{"status": 529, "type": "overloaded_error"}]))
    harness = await lab.open()
    session = await lab.start(harness)
    await lab.decide(harness, (await lab.card(harness)).proposal, "approve")

    figures = rollup(await harness.reader.events(session))
    spend = (await lab.state(harness, session)).run.spend

    assert list(figures.steps) == [1, 2]
    assert figures.cost_usd == spend.cost_usd
    assert sum(step.usage.input_tokens for step in figures.steps.values()) == spend.input_tokens
    first, second = figures.steps.values()
    assert (first.calls, first.failed_calls, first.attempts, second.attempts) == (2, 1, 1, 2)
    assert first.verdicts == {"allow": 1, "ask": 1}
    assert len(first.decision_seconds) == 1
    assert 0 < first.utilisation(200_000) < 1


async def test_a_run_far_over_the_usual_cost_raises_an_alert_once(make_lab: MakeLab) -> None:
    lab = make_lab(DONE)
    harness = await lab.open()
    for _ in range(3):
        await lab.start(harness)
    reads = [turn(call("files_search", pattern=f"p{n}")) for n in range(8)]
    lab.model._scripted._script.turns[:] = [*reads, DONE]
    session = await lab.start(harness, limits=Limits(cost_usd=Decimal(5)))

    raised = [event.data.alert for event in await lab.events(harness, session, ev.AlertRaised)]
    assert sorted(raised) == ["cost_2x", "cost_5x"]
