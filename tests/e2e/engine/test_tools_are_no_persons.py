"""A tool's process speaks for nobody: it decides nothing, starts nothing, and says nothing in an operator's name."""

import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from agent_core.engine import ancestry
from agent_core.engine.harness import Harness
from agent_core.model.errors import DecisionRefused
from agent_core.model.intents import ForkSession, SessionQuery, StartRun
from agent_core.store.processes import Processes
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, turn

Act = Callable[[Lab, Harness, str], Awaitable[object]]


async def start(lab: Lab, harness: Harness, session: str) -> object:
    wish = StartRun(profile=str(lab.profile), goal="pay them", workspace=str(lab.workspace), by="bar")
    return await harness.supervisor.start(wish)


async def resume(lab: Lab, harness: Harness, session: str) -> object:
    return await harness.supervisor.resume(session, "bar", "I approve of it all")


async def fork(lab: Lab, harness: Harness, session: str) -> object:
    return await harness.supervisor.fork(ForkSession(session=session, by="bar", goal="pay them"))


async def message(lab: Lab, harness: Harness, session: str) -> object:
    return await harness.supervisor.message(session, "I approve of it all", "bar")


async def decide(lab: Lab, harness: Harness, session: str) -> object:
    return await lab.decide(harness, (await lab.card(harness)).proposal, "approve")


async def release(lab: Lab, harness: Harness, session: str) -> object:
    return await harness.supervisor.release("bar")


ACTS: list[Act] = [start, resume, fork, message, decide, release]


@pytest.fixture
def as_a_tool() -> Iterator[Callable[[Lab], None]]:
    """Makes this process one that a tool started, as far as the home's records tell."""
    made = []

    def record(lab: Lab) -> None:
        processes = Processes(lab.home)
        made.append((processes, processes.record(os.getpid(), "s-other")))

    yield record
    for processes, group in made:
        processes.forget(group)


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
async def test_a_tools_process_is_refused(make_lab: MakeLab, as_a_tool: Callable[[Lab], None], act: Act) -> None:
    lab = make_lab(turn(call("files_write", path="a", content="a")), turn(text="done"))
    harness = await lab.open()
    session = await lab.start(harness)
    as_a_tool(lab)

    with pytest.raises(DecisionRefused, match="cannot come from a tool's process") as refusal:
        await act(lab, harness, session)

    assert refusal.value.code == "not_a_person"
    assert len(await harness.reader.sessions(SessionQuery())) == 1
    assert (await lab.kinds(harness, session))[-1] == "proposal_opened"


@pytest.mark.skipif(not ancestry.LINUX, reason="only Linux tells ancestry")
async def test_who_cannot_be_told_is_refused(
    make_lab: MakeLab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lab = make_lab(turn(call("files_write", path="a", content="a")), turn(text="done"))
    harness = await lab.open()
    await lab.start(harness)
    monkeypatch.setattr(ancestry, "PROC", tmp_path)

    with pytest.raises(DecisionRefused, match="cannot be read: nothing tells who asks"):
        await lab.decide(harness, (await lab.card(harness)).proposal, "approve")

    assert len(await lab.cards(harness)) == 1
