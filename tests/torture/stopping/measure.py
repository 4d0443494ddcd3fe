"""Point 13, measured."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from agent_core.engine import stopping
from agent_core.model import events as ev
from agent_core.model.errors import Halted
from agent_core.model.intents import SessionQuery
from agent_core.tools.registry import TOOLS
from tests.support.engine_lab import Lab, call, turn
from tests.torture.report import Options, Point
from tests.torture.stopping.worker import RUNS, STARTED, Minute, lab_at


def measure(options: Options) -> Point:
    """Stop runs from outside, also in a frozen process; restart under the halt; refuse until a tool is switched off."""
    point = Point()
    _stops(point, options.scratch / "stops", options.size(10, 1), bound=options.size(1, 5))
    _frozen(point, options.scratch / "frozen", options.size(10, 1), bound=options.size(2, 5))
    asyncio.run(_contained(point, options.scratch / "contained", random.Random(options.seed), options.size(20, 3)))
    return point


def _stops(point: Point, root: Path, times: int, bound: float) -> None:
    slowest, cancelled, halted, released = 0.0, 0, 0, 0
    for number in range(times):
        place = root / str(number)
        with _worker(place) as worker:
            children = _children(place)
            began = time.monotonic()
            stopping.order(lab_at(place).home, None, "eve", datetime.now(UTC))
            _until(lambda c=children: not any(map(_runs, c)))
            assert worker.stdout is not None
            worker.stdout.readline()
            slowest = max(slowest, time.monotonic() - began)
            worker.wait(30)
        ended, refused, again = asyncio.run(_after(place))
        cancelled, halted, released = cancelled + ended, halted + refused, released + again
    point.most(f"seconds until {RUNS} runs in calls of 60 s were still", slowest, bound, " s")
    point.all("runs that ended cancelled", cancelled, RUNS * times)
    point.all("restarts under the halt in which nothing started", halted, times)
    point.all("starts after its release", released, times)


def _frozen(point: Point, root: Path, times: int, bound: float) -> None:
    slowest, unknown = 0.0, 0
    for number in range(times):
        place = root / str(number)
        with _worker(place) as worker:
            children = _children(place)
            os.kill(worker.pid, signal.SIGSTOP)
            home = lab_at(place).home
            began = time.monotonic()
            stopping.order(home, None, "eve", datetime.now(UTC), force=True)
            stopping.end_by_force(home, None)
            _until(lambda c=children: not any(map(_runs, c)))
            slowest = max(slowest, time.monotonic() - began)
            os.kill(worker.pid, signal.SIGKILL)
        unknown += asyncio.run(_sound(place))
    point.most("seconds until a frozen process's calls were ended by force", slowest, bound, " s")
    point.all("homes that are sound after it", unknown, times)


def _worker(place: Path) -> "subprocess.Popen[str]":
    place.mkdir(parents=True)
    command = [sys.executable, "-m", "tests.torture.stopping.worker", str(place)]
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    if worker.stdout.readline().strip() != "ready":
        raise RuntimeError("the worker did not get ready")
    return worker


def _children(place: Path) -> list[int]:
    return [int(pid) for pid in (place / STARTED).read_text().split()]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    give_up = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > give_up:
            raise TimeoutError("it did not come to rest")
        time.sleep(0.005)


async def _after(place: Path) -> tuple[int, bool, bool]:
    """Runs that ended cancelled; whether the halt outlives a restart; whether its release lets a run start."""
    lab = lab_at(place)
    harness = await lab.open(tools=(*TOOLS, Minute()))
    rows = await harness.reader.sessions(SessionQuery())
    cancelled = sum(row.stop_reason == "cancelled" for row in rows)
    halted = False
    try:
        await lab.start(harness)
    except Halted:
        halted = True
    await harness.supervisor.release("eve")
    lab.model._scripted._script.turns[:] = [turn(text="done")]
    again = (await lab.result(harness, await lab.start(harness)))["stop_reason"] == "completed"
    await lab.close()
    return cancelled, halted, again


async def _sound(place: Path) -> bool:
    lab = lab_at(place)
    harness = await lab.open(tools=(*TOOLS, Minute()))
    sound = all(finding.ok for finding in await harness.reader.verify())
    running = [row for row in await harness.reader.sessions(SessionQuery()) if row.status.value == "running"]
    await lab.close()
    return sound and not running


async def _contained(point: Point, root: Path, chance: random.Random, times: int) -> None:
    held = 0
    for number in range(times):
        tool = chance.choice(("files_read", "files_list", "files_delete"))
        outside = [call(tool, path=f"../{'x' * chance.randint(1, 9)}{n}") for n in range(3)]
        lab = Lab(root / str(number), *(turn(one) for one in outside), turn(call(tool, path=".")), turn(text="done"))
        harness = await lab.open()
        session = await lab.start(harness)
        contained = await lab.events(harness, session, ev.ToolContained)
        last = [e.data for e in await lab.events(harness, session, ev.CallFinished)][-1]
        code = last.error.code if isinstance(last, ev.CallFinished) and last.error is not None else ""
        held += len(contained) == 1 and code == "contained"
        await lab.close()
    point.all("tools that three denials switched off", held, times)
