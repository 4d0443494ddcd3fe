"""Many streaming agents behind one window, all in this process: how regular its frames stay, and what it costs.

`frames` runs the real engine on the real service. `cost` leaves the engine out: stand-ins publish what an engine would,
once to a window and once to nobody, and the difference is the window's own.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer

from agent_core.config.home import Home
from agent_core.config.secrets import ModelKeys
from agent_core.config.settings import Settings
from agent_core.engine.facade import BusMessage, StreamDelta
from agent_core.engine.harness import Harness
from agent_core.model.intents import StartRun
from agent_core.model.run import SessionStatus
from agent_core.providers.base import Delta
from console.desk_window import DeskWindow
from console.engine import OpenEngine, engine_of
from tests.bench.conversation import goal, text_of
from tests.bench.loops.engine import new_root, opened
from tests.bench.screens.stage import play, stage, until
from tests.bench.worker import serve
from tests.support.engine_lab import NoKeyring
from tests.support.facade import StandInBus, StandInDesk, StandInReader, StandInSupervisor
from tests.support.sample_session import Story
from tests.support.sample_summaries import summary

FRAME_MS = 16
EVENTS_A_SECOND = 100
_SETTLED = 2.0
"""Seconds after the start that are not measured: the SDK is imported, connections open, the first text arrives."""
_APART = 0.03
"""Seconds between two starts: a step takes 0.9 s, and agents whose steps all end in one moment are not to be had."""
_TICK = 0.01
_STEP_EVENTS = 80


class Frames(QObject):
    """Notes when frames could have been drawn: a timer of sixty a second, and how late it was."""

    def __init__(self) -> None:
        super().__init__()
        self._timer = QTimer(self, interval=FRAME_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._last = 0.0
        self.lengths: list[float] = []

    def _tick(self) -> None:
        now = time.perf_counter()
        if self._last:
            self.lengths.append(now - self._last)
        self._last = now

    async def watch(self, seconds: float) -> dict[str, Any]:
        """Frame times of so many seconds: median, 99th percentile and longest."""
        self.lengths, self._last = [], 0.0
        self._timer.start()
        await asyncio.sleep(seconds)
        self._timer.stop()
        lengths = sorted(self.lengths)
        place = min(len(lengths) - 1, round(0.99 * len(lengths)))
        return {"p50": lengths[len(lengths) // 2], "p99": lengths[place], "longest": lengths[-1]}


@asynccontextmanager
async def _window(engine: OpenEngine) -> AsyncIterator[DeskWindow]:
    desk = DeskWindow(engine)
    desk.window.resize(1440, 900)
    desk.window.show()
    desk.load()
    try:
        yield desk
    finally:
        await desk.close()
        desk.window.finish_closing()


async def _frames(url: str, streams: int, seconds: float, root: Path) -> dict[str, Any]:
    async with opened(url, root) as harness:
        settings = Settings.open(harness.house.home)
        async with _window(engine_of(harness, settings, now=harness.house.clock.now)) as desk:
            await asyncio.sleep(_SETTLED)
            idle = await Frames().watch(seconds)
            first = await _start(harness, root, streams)
            desk.open_session(first)
            await until(lambda: bool(desk.state.opening))
            await asyncio.sleep(_SETTLED)
            busy = await Frames().watch(seconds)
            await harness.supervisor.stop_all("bench")
    return {"idle": idle, "busy": busy}


async def _start(harness: Harness, root: Path, streams: int) -> str:
    profile, workspace = str(root / "agent.toml"), str(root / "workspace")
    start = StartRun(profile=profile, goal=goal(10_000, EVENTS_A_SECOND), workspace=workspace, by="bench")
    first = await harness.supervisor.start(start)
    for _ in range(streams - 1):
        await asyncio.sleep(_APART)
        await harness.supervisor.start(start)
    return first


def frames(url: str, streams: int, seconds: float) -> dict[str, Any]:
    """Frame times of a window on an idle home, then with so many agents that stream a hundred events a second each."""
    with new_root() as root:
        return play(_frames(url, streams, seconds, root))


class Agent:
    """Publishes what the engine would of one session: a piece of text at a time, and every so often a finished step."""

    def __init__(self, number: int, bus: StandInBus) -> None:
        self.story = Story(f"s-{number}")
        self._bus, self._said = bus, 0
        self._request = self.story.request()
        self.row = summary(number, status=SessionStatus.RUNNING, stop_reason=None, updated_at=datetime.now(UTC))

    def speak(self) -> None:
        """One piece of text."""
        text = text_of(self.story.step)
        size = len(text) // _STEP_EVENTS
        delta = Delta(kind="text", block=0, text=text[self._said * size : (self._said + 1) * size])
        story, self._said = self.story, self._said + 1
        self._bus.publish(
            StreamDelta(session=story.session, run="r", step=story.step, request_id=self._request, delta=delta)
        )
        if self._said == _STEP_EVENTS:
            self._finish()

    def _finish(self) -> None:
        story, known = self.story, len(self.story.events)
        (call,) = story.respond(self._request, text_of(story.step), [("files_read", {"path": "ledger.csv"})])
        story.read(call, {"path": "ledger.csv", "text": "date,supplier"}, "1 line of ledger.csv")
        self._request, self._said = story.request(), 0
        self.row = msgspec.structs.replace(self.row, step=story.step, updated_at=datetime.now(UTC))
        messages: list[BusMessage] = [*story.events[known:], self.row]
        for message in messages:
            self._bus.publish(message)


async def _publish(agents: list[Agent], seconds: float) -> float:
    """Let every agent speak a hundred times a second; CPU seconds that this process took meanwhile."""
    cpu, began = time.process_time(), time.perf_counter()
    due = began
    while due < began + seconds:
        due += _TICK
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        for agent in agents:
            agent.speak()
    return time.process_time() - cpu


async def _cost(streams: int, seconds: float, folder: Path) -> dict[str, Any]:
    bus = StandInBus()
    agents = [Agent(number, bus) for number in range(streams)]
    alone = await _publish(agents, seconds)
    home = Home.at(folder / "home")
    home.create()
    reader = StandInReader([agent.row for agent in agents], list(agents[0].story.events))
    engine = OpenEngine(
        supervisor=StandInSupervisor(),
        desk=StandInDesk(),
        reader=reader,
        bus=bus,
        home=home,
        settings=Settings.open(home),
        keys=ModelKeys({}, NoKeyring()),
        operator="bench",
        now=lambda: datetime.now(UTC),
    )
    async with _window(engine) as desk:
        await until(lambda: bool(desk.state.sessions))
        desk.open_session(agents[0].story.session)
        await until(lambda: bool(desk.state.opening))
        await _publish(agents, _SETTLED)
        return {"cpu": await _publish(agents, seconds) - alone, "alone": alone}


def cost(streams: int, seconds: float) -> dict[str, Any]:
    """CPU seconds of a window alone, for so many seconds of so many streams."""
    with tempfile.TemporaryDirectory(prefix="pilothouse-bench-") as folder:
        return play(_cost(streams, seconds, Path(folder)))


if __name__ == "__main__":
    stage()
    serve({"frames": frames, "cost": cost})
