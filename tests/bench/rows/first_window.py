"""The first usable window against an empty one, and against a program that imports everything first.

Processes are measured from outside: from their start until they say that the window is there.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agent_core.config.home import Home
from agent_core.store.journal import Journal
from tests.bench.figures import Figure, Goal, Options, millis
from tests.support.sample_session import Story

MODULE = "tests.bench.screens.first_window"
SESSIONS, STEPS = 30, 5
NEAR_EMPTY, FAR_FROM_STACK = Goal(1.5), Goal(1 / 8)


def measure(options: Options) -> list[Figure]:
    """Wall and CPU of the three, in turns."""
    took: dict[str, list[tuple[float, float]]] = {"empty": [], "console": [], "stack": []}
    with tempfile.TemporaryDirectory(prefix="pilothouse-bench-") as folder:
        home = Path(folder) / "home"
        _fill(home)
        for kind in took:
            _started(kind, home)
        for _ in range(options.of(9, 2)):
            for kind, times in took.items():
                times.append(_started(kind, home))
    found = []
    for place, unit in enumerate(("wall", "CPU")):
        ours, empty, stack = ([one[place] for one in took[kind]] for kind in ("console", "empty", "stack"))
        for name, other, goal in (
            ("an empty window", empty, NEAR_EMPTY),
            ("all imported first", stack, FAR_FROM_STACK),
        ):
            found.append(
                Figure(
                    f"first window, {unit}, by {name}",
                    [a / b for a, b in zip(ours, other, strict=True)],
                    goal if unit == "wall" else None,
                    ours=millis(ours),
                    beside=millis(other),
                )
            )
    return found


def _started(kind: str, home: Path) -> tuple[float, float]:
    """Wall seconds until the window is there, and CPU seconds of the process."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", MODULE, kind, str(home)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    wall = time.perf_counter() - began
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if line.strip() != b"shown":
        raise RuntimeError(f"{MODULE} {kind} showed no window")
    return wall, usage.ru_utime + usage.ru_stime


def _fill(folder: Path) -> None:
    """A home with some sessions, as it lies on the disk after a while of use."""
    home = Home.at(folder)
    home.create()
    journal = Journal.open(home)
    try:
        asyncio.run(_write(journal))
    finally:
        journal.close()


async def _write(journal: Journal) -> None:
    from agent_core.engine.summary import summarise
    from agent_core.model.events import Draft
    from agent_core.model.state import fold

    for number in range(SESSIONS):
        story = Story(f"s-bench-{number:04d}")
        for _ in range(STEPS):
            (call,) = story.respond(story.request(), "Reads.", [("files_read", {"path": "ledger.csv"})])
            story.read(call, {"text": "date,supplier"}, "1 line")
        drafts = [Draft(data=event.data, at=event.at, run=event.run, step=event.step) for event in story.events]
        await journal.append(story.session, drafts, summary=summarise(fold(story.events)))
