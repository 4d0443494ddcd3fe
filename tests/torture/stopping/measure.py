"""Point 13, measured."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_core.config.home import Home
from agent_core.model import events as ev
from agent_core.model.errors import Halted
from agent_core.store.leases import Leases
from agent_core.tools.registry import TOOLS
from tests.support.command_line import PROJECT
from tests.support.engine_lab import Lab, call, turn
from tests.torture.report import Options, Point
from tests.torture.sleeper import Sleeper, sleeping
from tests.torture.stopping.worker import lab_of

RUNS = 3
STILL_SECONDS, FORCED_SECONDS = 1.0, 2.0
_PATIENCE = 60.0


@dataclass
class Stage:
    """A worker with its sessions, all of whose tools sleep."""

    folder: Path
    marker: str
    worker: "subprocess.Popen[str]"
    sessions: list[str]

    @property
    def home(self) -> Home:
        """Its home."""
        return Home.at(self.folder / "pilothouse-home")

    def still(self) -> bool:
        """No program sleeps, and nobody works a session."""
        leases = Leases(self.home)
        return not sleeping(self.marker) and all(leases.holder(session) is None for session in self.sessions)


class Tally:
    """Figures that are the sum of several stages."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, int]] = {}

    def add(self, name: str, count: int, of: int) -> None:
        """What one stage showed."""
        before = self._counts.get(name, (0, 0))
        self._counts[name] = (before[0] + count, before[1] + of)

    def tell(self, point: Point) -> None:
        """Each must reach the whole."""
        for name, (count, of) in self._counts.items():
            point.all(name, count, of)


def measure(options: Options) -> Point:
    """Stop runs in the middle of slow tools from another process, and see what the halt and containment hold."""
    point, chance = Point(), random.Random(options.seed)
    marker = 60 + chance.random()
    times, tally = options.size(8, 1), Tally()
    ordered, told, left = [], [], 0
    for number in range(times):
        order, total, alive = _stop_all(point, tally, options.scratch / f"stop{number}", f"{marker + number:.9f}")
        ordered.append(order)
        told.append(total)
        left += alive
    point.most(f"{RUNS} runs in slow tools: all still after the order", max(ordered), STILL_SECONDS, " s")
    point.shown("the same from the start of the command", f"{max(told):.2f} s")
    frozen = [
        _frozen(tally, options.scratch / f"frozen{number}", f"{marker + 100 + number:.9f}") for number in range(times)
    ]
    point.most("a frozen worker and its tools gone after the command began", max(frozen), FORCED_SECONDS, " s")
    point.none("programs of tools that outlived a stop", left)
    tally.tell(point)
    asyncio.run(_contained(point, options.scratch / "contained"))
    return point


def _stage(folder: Path, marker: str) -> Stage:
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "tests.torture.stopping.worker", str(folder), str(RUNS), marker]
    worker = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    stage = Stage(folder, marker, worker, worker.stdout.readline().split())
    _wait(lambda: len(sleeping(marker)) == 3 * RUNS)
    return stage


def _stop_all(point: Point, tally: Tally, folder: Path, marker: str) -> tuple[float, float, int]:
    """Seconds from the order, and from the command, until all is still; and how many programs live on."""
    stage = _stage(folder, marker)
    began = time.time()
    with _command(stage, "stop", "--all", "--json") as command:
        _wait(stage.home.halt.exists)
        ordered = stage.home.halt.stat().st_mtime
        _wait(stage.still)
        still = time.time()
        out, _ = command.communicate()
    stage.worker.communicate(timeout=_PATIENCE)
    ended = [row["stop_reason"] for row in _rows(stage)]
    tally.add("runs ended as cancelled, their calls of unknown outcome", sum(_unknown(stage)), RUNS)
    if ended != ["cancelled"] * RUNS or json.loads(out)["stopped"] != "all":
        point.problem(f"after stop --all: {ended}, {out}")
    return still - ordered, still - began, len(sleeping(marker))


def _frozen(tally: Tally, folder: Path, marker: str) -> float:
    """Seconds from the command until a stopped process and its tools are gone; then the halt must hold."""
    stage = _stage(folder, marker)
    stage.worker.send_signal(signal.SIGSTOP)
    began = time.time()
    with _command(stage, "stop", "--all", "--force", "--json") as command:
        _wait(lambda: stage.worker.poll() is not None and not sleeping(marker))
        seconds = time.time() - began
        command.communicate()
    stage.worker.communicate()
    tally.add("sessions of the ended process shown as interrupted", _interrupted(stage), RUNS)
    asyncio.run(_halt_stays(tally, stage))
    return seconds


async def _halt_stays(tally: Tally, stage: Stage) -> None:
    """The flag outlives processes: nothing starts or goes on until it is lifted; then the open calls ask a person."""
    lab = lab_of(stage.folder, stage.marker)
    refused = 0
    for _ in range(2):
        harness = await lab.open(tools=(*TOOLS, Sleeper()))
        try:
            await lab.start(harness)
        except Halted:
            refused += 1
        try:
            await lab.resume(harness, stage.sessions[0])
        except Halted:
            refused += 1
        await lab.close()
    tally.add("starts and resumes refused under the halt, after restarts", refused, 4)
    harness = await lab.open(tools=(*TOOLS, Sleeper()))
    await harness.supervisor.release("bar")
    for session in stage.sessions:
        await lab.resume(harness, session)
    cards = [card.touchpoint.value for card in await lab.cards(harness)]
    home = await harness.reader.events("home")
    await lab.close()
    tally.add("interrupted calls with a card after the release", cards.count("outcome_unknown"), RUNS)
    kinds = [event.kind for event in home if event.kind.startswith("halt_")]
    tally.add("halts and releases in the journal", int(kinds == ["halt_set", "halt_released"]), 1)


async def _contained(point: Point, root: Path) -> None:
    """Three refusals switch a tool off; an operator switches it on again."""
    away = [turn(call("files_read", path=f"../secret{n}")) for n in range(3)]
    fine = turn(call("files_read", path="ok.txt"))
    lab = Lab(root, *away, fine, turn(call("ask_operator", question="?")), fine, turn(text="done"))
    (lab.workspace / "ok.txt").write_text("fine")
    harness = await lab.open()
    session = await lab.start(harness)
    before = await _codes(lab, session)
    await harness.supervisor.lift(session, "files_read", "bar")
    await lab.decide(harness, (await lab.card(harness)).proposal, "decline")
    after = await _codes(lab, session)
    released = await lab.events(harness, session, ev.ToolReleased)
    await lab.close()
    point.sure("three denials contain a tool", before == ["denied"] * 3 + ["contained"])
    point.sure("an operator lifts it, and that is journaled", after[4:] == [None] and len(released) == 1)


async def _codes(lab: Lab, session: str) -> list[str | None]:
    """How each call of files_read was answered: its error's code, None for a result."""
    harness = lab.open_harnesses[-1]
    finished = [e.data for e in await lab.events(harness, session, ev.CallFinished)]
    reads = [data for data in finished if isinstance(data, ev.CallFinished) and data.tool == "files_read"]
    return [data.error.code if data.error is not None else None for data in reads]


def _command(stage: Stage, *arguments: str) -> "subprocess.Popen[str]":
    environ = {**os.environ, "PILOTHOUSE_HOME": str(stage.home.data), "PILOTHOUSE_OPERATOR": "eve"}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-m", "console", *arguments], cwd=PROJECT, env=environ, text=True, **pipes)


def _rows(stage: Stage) -> list[dict[str, Any]]:
    with _command(stage, "sessions", "--json") as command:
        rows: list[dict[str, Any]] = json.loads(command.communicate()[0])["sessions"]
    return rows


def _interrupted(stage: Stage) -> int:
    return sum(row["status"] == "interrupted" for row in _rows(stage))


def _unknown(stage: Stage) -> list[bool]:
    """For each session, whether its call's outcome is told as unknown."""
    found = []
    for session in stage.sessions:
        with _command(stage, "trace", session, "--json") as command:
            lines = [json.loads(line) for line in command.communicate()[0].splitlines()]
        found.append([line["kind"] for line in lines if line["kind"].startswith("call_u")] == ["call_unknown"])
    return found


def _wait(holds: Callable[[], bool]) -> None:
    patience = threading.Event()
    give_up = time.monotonic() + _PATIENCE
    while not holds():
        if time.monotonic() > give_up:
            raise TimeoutError
        patience.wait(0.005)
