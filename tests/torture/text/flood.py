"""A tool that puts out a flood of text, under an open window: how long the window stands still at most."""

import asyncio
import time
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


class Flooding(Tool[Arguments]):
    """Lines without end, nearly."""

    name = "flooding"
    description = "Puts out very much."
    arguments = Arguments
    privileges = Privileges()
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    megabytes: ClassVar[int] = 50

    def preview(self, arguments: Arguments, context: ToolContext) -> Preview:
        """Nothing changes."""
        return Preview(summary="much", what_changes=WhatChanges(headline="nothing"))

    def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        """All at once, with a line of a megabyte in the middle."""
        line = "".join(f"line {n} with \u202e and <b>{'x' * 60}\n" for n in range(1_000))
        text = line * (self.megabytes * 1_000_000 // len(line)) + "y" * 1_000_000
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


async def stalls(root: Path, megabytes: int, seconds: float) -> dict[str, float]:
    """Longest stall while nothing happens, and while the flood comes and is shown."""
    Flooding.megabytes = megabytes
    look = turn(call("files_write", path="found.txt", content="line 7"))
    lab = Lab(root, turn(call("files_list", path=".")), look)
    lab.write_profile(tools=("flooding", "files_list", "files_write"), limits="tokens = 900000000")
    harness = await lab.open(tools=(*TOOLS, Flooding()))
    desk = DeskWindow(engine_of(harness, Settings.open(lab.home), now=lab.clock.now))
    desk.window.resize(1440, 900)
    desk.window.show()
    desk.load()
    desk.open_session(await lab.start(harness))
    watch = Stalls()
    await asyncio.sleep(3.0)
    _open_all(desk)
    await asyncio.sleep(1.0)  # whatever is loaded or built once is there now
    watch.begin()
    await asyncio.sleep(seconds)
    idle = watch.end()
    start = StartRun(profile=str(lab.profile), goal="flood", workspace=str(lab.workspace), by="bar")
    lab.model = Lab(root, turn(call("flooding")), look).model
    watch.begin()
    session = await harness.supervisor.start(start)
    desk.open_session(session)
    await harness.supervisor.wait(session)
    await eventually(lambda: len(desk.state.queue) == 2, seconds=60)
    _open_all(desk)
    await asyncio.sleep(seconds)
    flood = watch.end()
    await desk.close()
    await harness.close()
    lab.open_harnesses.clear()
    desk.window.finish_closing()
    return {"idle": idle, "flood": flood}
