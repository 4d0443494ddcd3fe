"""Alerts over all sessions: counted, listed, and put away by whoever looked."""

import pytest

from agent_core.model import events as ev
from agent_core.model.alerts import AlertQuery
from agent_core.model.budget import Limits
from agent_core.model.errors import InputError
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, turn


async def test_an_alert_counts_until_somebody_acknowledges_it_once(make_lab: MakeLab) -> None:
    lab = make_lab(*[turn(call("files_search", pattern=f"p{n}")) for n in range(8)])
    harness = await lab.open()
    session = await lab.start(harness, limits=Limits(steps=5))
    reader = harness.reader
    found = await reader.alerts(AlertQuery())

    assert [(one.session, one.alert, one.acknowledged_by) for one in found] == [(session, "step_limit", None)]
    assert await reader.open_alerts() == 1

    for _ in range(2):
        await harness.desk.acknowledge(session, "step_limit", harness.house.operator)
    with pytest.raises(InputError, match="no alert named cost_5x"):
        await harness.desk.acknowledge(session, "cost_5x", harness.house.operator)

    assert await reader.open_alerts() == 0
    assert await reader.alerts(AlertQuery()) == []
    (seen,) = await reader.alerts(AlertQuery(acknowledged=True))
    assert seen.acknowledged_by == harness.house.operator
    assert len(await lab.events(harness, session, ev.AlertAcknowledged)) == 1
