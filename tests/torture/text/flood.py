"""A tool that puts out a flood of text, under an open window: how long the window stands still at most."""

import asyncio
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest

from agent_core.config.settings import Settings
from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.intents import StartRun
from agent_core.model.proposal import WhatChanges
from agent_core.tools.base import Arguments, Outcome, Preview, Privileges, Tool, ToolContext
from agent_core.tools.registry import TOOLS
from console.desk_window import DeskWindow
from console.engine import engine_of
from tests.support.engine_lab import Lab, call, eventually, turn

TICK_MS = 5
VIRTUAL = 1000.0
"""Seconds of the moved clock: longer than what passes by itself."""


class Flooding(Tool[Arguments]):
    """Lines without end, nearly."""

    name = "flooding"
    description = "Puts out very much."
    arguments = Arguments
    privileges = Privileges()
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    megabytes: ClassVar[int] = 50
    _numbers: ClassVar[Iterator[int]] = itertools.count()

    def preview(self, arguments: Arguments, context: ToolContext) -> Preview:
        """Nothing changes."""
        return Preview(summary="much", what_changes=WhatChanges(headline="nothing"))

    def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        """All at once, with a line of a megabyte in the middle."""
        line = "".join(f"line {n} with \u202e and <b>{'x' * 60}\n" for n in range(1_000))
        lines = [line] * (self.megabytes * 1_000_000 // len(line))
        text = "".join([*lines, "y" * 1_000_000, str(next(self._numbers))])
        return Outcome(result={"text": text}, summary="very much")


class Stalls:
    """The longest time between two ticks of the GUI."""

    def __init__(self) -> None:
        self.longest, self._last = 0.0, time.perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def _tick(self) -> None:
        now = time.perf_counter()
        self.longest, self._last = max(self.longest, now - self._last), now

    def begin(self) -> None:
        """From nought."""
        self.longest, self._last = 0.0, time.perf_counter()
        self._timer.start()

    def end(self) -> float:
        """Seconds of the longest."""
        self._timer.stop()
        return self.longest


def _open_all(desk: DeskWindow) -> None:
    """Walk up the trace and open whatever can be opened."""
    for _ in range(12):
        QTest.keyClick(desk.session.trace.list, Qt.Key.Key_Up)
        QTest.keyClick(desk.session.trace.list, Qt.Key.Key_Right)


async def stalls(root: Path, megabytes: int, seconds: float, times: int) -> dict[str, list[float]]:
    """Longest stalls of the window on one run, in turns: while it waits for the model, and while the flood comes."""
    Flooding.megabytes = megabytes
    thinks = {"delay_s": 2 * VIRTUAL}
    lab = Lab(root, *[turn(call("flooding"), **thinks)] * (times + 1), turn(text="done", **thinks))
    lab.write_profile(tools=("flooding",), limits="tokens = 900000000\nseconds = 86400", steps=times + 4)
    harness = await lab.open(tools=(*TOOLS, Flooding()), environ={"FLOOD_TOKEN": "a-secret-that-is-looked-for"})
    desk = DeskWindow(engine_of(harness, Settings.open(lab.home), now=lab.clock.now))
    desk.window.resize(1440, 900)
    desk.window.show()
    desk.load()
    start = StartRun(profile=str(lab.profile), goal="flood", workspace=str(lab.workspace), by="bar")
    desk.open_session(await harness.supervisor.start(start))
    watch = Stalls()
    found: dict[str, list[float]] = {"idle": [], "flood": []}
    for number in range(times + 1):
        await eventually(lambda n=number: len(lab.model.requests) == n + 1, seconds=60)
        await asyncio.sleep(seconds)
        watch.begin()
        await asyncio.sleep(seconds)
        idle = watch.end()
        watch.begin()
        lab.clock.advance(3 * VIRTUAL)
        await eventually(lambda n=number: len(lab.model.requests) == n + 2, seconds=60)
        _open_all(desk)
        await asyncio.sleep(seconds)
        flood = watch.end()
        if number:  # the first time whatever is loaded or built once comes in
            found["idle"].append(idle)
            found["flood"].append(flood)
    await desk.close()
    await harness.close()
    lab.open_harnesses.clear()
    desk.window.finish_closing()
    return found
