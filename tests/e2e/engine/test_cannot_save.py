"""When nothing can be saved, all agents rest and it is said once; it is taken back when saving works again."""

import os

import pytest

from agent_core.engine.facade import BusMessage, Notice
from agent_core.model.errors import StorageError
from agent_core.model.intents import StartRun
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, eventually, turn

SLOW = turn(call("files_list", path="."), delay_s=400)


async def test_that_nothing_can_be_saved_is_told_once_and_withdrawn_when_it_can(make_lab: MakeLab) -> None:
    lab = make_lab(SLOW, turn(text="done"))
    harness = await lab.open()
    notices: list[str] = []

    def hear(message: BusMessage) -> None:
        if isinstance(message, Notice) and message.kind == "storage":
            notices.append(message.text)

    harness.bus.subscribe(hear)
    start = StartRun(profile=str(lab.profile), goal="x", workspace=str(lab.workspace), by="bar")
    sessions = [await harness.supervisor.start(start) for _ in range(3)]
    await eventually(lambda: len(lab.model.requests) == 3)
    kept = lab.root / "kept.db"
    os.link(lab.home.database, kept)
    lab.home.database.unlink()
    lab.clock.advance(500)
    for session in sessions:
        await harness.supervisor.wait(session)

    (told,) = notices
    assert told.startswith(f"Cannot save: {lab.home.database} was removed or replaced")
    assert told.endswith("All agents of this process are paused.")

    with pytest.raises(StorageError, match="removed or replaced"):
        await harness.supervisor.retry_saving("bar")
    kept.rename(lab.home.database)
    lab.clock._passes = 1000.0
    await harness.supervisor.retry_saving("bar")
    for session in sessions:
        await harness.supervisor.wait(session)
        assert (await lab.result(harness, session))["stop_reason"] == "completed"
    assert notices == [told, ""]
