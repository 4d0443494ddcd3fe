"""Reads have no effect to announce: quick ones go into one transaction with the request that carries their results."""

import asyncio
import sqlite3
import threading

from agent_core.engine.facade import BusMessage
from agent_core.model import events as ev
from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.intents import StartRun
from agent_core.tools.base import Arguments, Outcome, Tool, ToolContext
from agent_core.tools.registry import TOOLS
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, eventually, turn

READ = turn(call("files_list", path="."))
DONE = turn(text="done")


class NoArguments(Arguments):
    """Nothing is asked."""


class Waiting(Tool[NoArguments]):
    """A read that ends when the test lets it."""

    name = "files_search"
    description = "Waits."
    arguments = NoArguments
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    real = False

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def run(self, arguments: NoArguments, context: ToolContext) -> Outcome:
        """Wait for the test."""
        self.let_go.wait(20)
        return Outcome(result={}, summary="Waited")


def saved(lab: Lab) -> list[str]:
    """The kinds of all events that are on disk at this moment."""
    database = sqlite3.connect(f"file:{lab.home.database}?mode=ro", uri=True)
    try:
        return [kind for (kind,) in database.execute("SELECT kind FROM events ORDER BY id")]
    finally:
        database.close()


async def test_a_quick_read_is_saved_together_with_the_request_that_answers_it(make_lab: MakeLab) -> None:
    lab = make_lab(READ, DONE)
    harness = await lab.open()
    when_heard: list[list[str]] = []

    def hear(message: BusMessage) -> None:
        if isinstance(message, ev.Event) and isinstance(message.data, ev.CallStarted):
            when_heard.append(saved(lab))

    harness.bus.subscribe(hear)
    await lab.start(harness)

    (kinds,) = when_heard
    assert kinds[-6:] == [
        "model_requested", "model_responded", "call_judged", "call_started", "call_finished", "model_requested",
    ]  # fmt: skip


async def test_a_read_that_takes_longer_is_saved_as_started_while_it_runs(make_lab: MakeLab) -> None:
    waiting = Waiting()
    lab = make_lab(turn(call("files_search")), DONE)
    harness = await lab.open(tools=[waiting if tool.name == waiting.name else tool for tool in TOOLS])
    start = StartRun(profile=str(lab.profile), goal="look", workspace=str(lab.workspace), by="bar")
    try:
        session = await harness.supervisor.start(start)
        await eventually(lambda: "call_started" in saved(lab))
        assert "call_finished" not in saved(lab)
    finally:
        waiting.let_go.set()
    async with asyncio.timeout(20):
        await harness.supervisor.wait(session)
    assert saved(lab).count("call_finished") == 1
