"""Point 10, measured."""

import asyncio
import json
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec

from agent_core.config.home import Home
from agent_core.model.intents import StartRun
from agent_core.tools.registry import TOOLS
from tests.support.engine_lab import Lab, call, eventually, turn
from tests.torture.leaving.server import Ending, Job
from tests.torture.report import Options, Point
from tests.torture.sleeper import ALLOWED, SLEEPS, Sleeper, sleeping

SERVERS = 2
_EARLY = 130
"""The exit code of a program that was interrupted before it began."""
_RUN_ENDS = frozenset({0, 3, 4, _EARLY})
"""Exit codes of a run that ended, was stopped, or rests."""
_WINDOW_ENDS = frozenset({0, _EARLY})
_COMPLAINTS = ("Traceback", "was destroyed", "Exception ignored", "never awaited", "Warning", "QThread", "core dumped")


def measure(options: Options) -> Point:
    """Tell whole programs to go, again and again; and calls whose children do not want to."""
    point, chance = Point(), random.Random(options.seed)
    lines = [_line(options.scratch / f"line{n}", chance) for n in range(options.size(70, 4))]
    windows = [_window(options.scratch / f"window{n}", chance) for n in range(options.size(30, 2))]
    _programs(point, lines, windows)
    _children(point, options.scratch / "children", chance, options)
    return point


def _line(folder: Path, chance: random.Random) -> Job:
    """A run in the terminal, with a scripted model that takes its time."""
    (folder / "work").mkdir(parents=True)
    turns = [turn(call("files_list", path="."), text="I look around.", pace_s=0.05) for _ in range(6)]
    turns.append(turn(call("files_write", path="out.txt", content="x"), text="Now I write.", delay_s=0.3))
    (folder / "script.json").write_text(json.dumps({"turns": turns}))
    tools = "".join(f'[[tools]]\nname = "{name}"\nbecause = "needed"\n' for name in ("files_list", "files_write"))
    (folder / "agent.toml").write_text(f'name = "lab"\nmodel = "scripted:{folder}/script.json"\n{tools}')
    how = chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGTERM, signal.SIGKILL))
    arguments = ["run", "--agent", str(folder / "agent.toml"), "--goal", "do it", "--workspace", str(folder / "work")]
    return Job(
        folder=str(folder),
        arguments=[*arguments, "--decide", "none", "--json"],
        after=chance.uniform(0, 3.0),
        how=how,
        storm=how != signal.SIGKILL and chance.random() < 0.3,
    )


def _window(folder: Path, chance: random.Random) -> Job:
    """The console with the demo at work, told to go by a signal or by closing its window."""
    folder.mkdir(parents=True)
    how = chance.choice((signal.SIGINT, signal.SIGTERM))
    closes, storm = chance.random() < 0.5, chance.random() < 0.5
    return Job(
        folder=str(folder),
        after=chance.uniform(0.3, 5.0),
        how=how,
        closes_window=closes,
        storm=storm and not closes,
    )


def _programs(point: Point, lines: list[Job], windows: list[Job]) -> None:
    tally: Counter[str] = Counter()
    jobs = [*lines, *windows]
    with ThreadPoolExecutor(SERVERS) as pool:
        ended = pool.map(_served, [jobs[number::SERVERS] for number in range(SERVERS)])
        for job, ending in (pair for pairs in ended for pair in pairs):
            _judge(point, tally, job, ending)
    point.shown("programs told to go (command line, window)", f"{len(lines)} + {len(windows)}")
    point.shown("of these, by a storm of signals", sum(job.storm for job in jobs))
    point.shown("of these, told before they had begun", tally["early"])
    point.shown("of these, ended by the signal itself before a line of ours ran", tally["unborn"])
    point.none("survivors after 5 s", tally["survivors"])
    point.none("programs that hung", tally["hung"], len(jobs))
    point.none("exit codes that say something went wrong", tally["code"], len(jobs))
    point.none("programs that complained on stderr", tally["said"], len(jobs))


def _served(jobs: Sequence[Job]) -> list[tuple[Job, Ending]]:
    """How each of these programs ended, one after the other, forked from one server."""
    command = [sys.executable, "-m", "tests.torture.leaving.server"]
    found = []
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said) as server,
    ):
        assert server.stdin is not None
        assert server.stdout is not None
        for job in jobs:
            server.stdin.write(msgspec.json.encode(job) + b"\n")
            server.stdin.flush()
            told = server.stdout.readline()
            if not told:
                said.seek(0)
                raise RuntimeError(f"the server of programs ended with {server.wait()}: {said.read()[-2000:]!r}")
            found.append((job, msgspec.json.decode(told, type=Ending)))
        server.stdin.close()
    return found


def _judge(point: Point, tally: Counter[str], job: Job, ending: Ending) -> None:
    killed = ending.code == -signal.SIGKILL and job.how == signal.SIGKILL
    unborn = ending.code == -signal.SIGTERM and not _began(Path(job.folder))
    tally["unborn"] += unborn
    tally["early"] += ending.code == _EARLY
    right = _RUN_ENDS if job.arguments else _WINDOW_ENDS
    what = f"{'run' if job.arguments else 'window'}, {signal.Signals(job.how).name} after {job.after:.2f} s"
    tally["survivors"] += ending.survivors
    tally["hung"] += ending.hung
    if ending.code not in right and not killed and not unborn:
        tally["code"] += 1
        point.problem(f"exit code {ending.code} ({what}): {ending.err[-300:]!r}")
    said = any(words in ending.err for words in _COMPLAINTS) or (not job.arguments and ending.err.strip())
    if said:
        tally["said"] += 1
        point.problem(f"on stderr ({what}): {ending.err[-400:]!r}")


def _began(folder: Path) -> bool:
    """Whether it came as far as a session."""
    database = Home.at(folder / "home").database
    if not database.exists():
        return False
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        try:
            return bool(connection.execute("SELECT count(*) FROM sessions").fetchone()[0])
        except sqlite3.OperationalError:  # its tables were not made yet
            return False


def _children(point: Point, root: Path, chance: random.Random, options: Options) -> None:
    """Calls whose programs ignore signals and leave their session: stopped, closed over, and their process killed."""
    left = slow = cycles = 0
    ways = ["stop"] * options.size(40, 2) + ["close"] * options.size(8, 1) + ["kill"] * options.size(12, 1)
    for number, way in enumerate(ways):
        marker = f"{70 + chance.random():.9f}"
        began = time.monotonic()
        if way == "kill":
            _killed(root / str(number), marker)
        else:
            asyncio.run(_left(root / str(number), marker, way))
        try:
            _until(lambda m=marker: not sleeping(m), 5)
        except TimeoutError:
            left += 1
            point.problem(f"{way}: {len(sleeping(marker))} programs sleep on")
        slow += time.monotonic() - began > 20
        cycles += 1
    point.none("calls whose programs lived 5 s after a stop, a close or a kill -9", left, cycles)
    point.none("cycles that hung", slow, cycles)


async def _left(root: Path, marker: str, way: str) -> None:
    lab = Lab(root, turn(call("sleeper", script=SLEEPS.format(marker))), turn(text="done"))
    lab.write_profile(ALLOWED, tools=("sleeper",))
    harness = await lab.open(tools=(*TOOLS, Sleeper()))
    start = StartRun(profile=str(lab.profile), goal="x", workspace=str(lab.workspace), by="bar")
    session = await harness.supervisor.start(start)
    await eventually(lambda: bool(sleeping(marker)), seconds=30)
    if way == "stop":
        await harness.supervisor.stop(session, "bar")
        await harness.supervisor.wait(session)
    await lab.close()


def _killed(root: Path, marker: str) -> None:
    root.mkdir(parents=True)
    command = [sys.executable, "-m", "tests.torture.stopping.worker", str(root), "1", marker]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as worker:
        _until(lambda: bool(sleeping(marker)), 60)
        worker.kill()


def _until(holds: Callable[[], bool], seconds: float) -> None:
    give_up = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > give_up:
            raise TimeoutError
        time.sleep(0.02)
