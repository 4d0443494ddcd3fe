"""The fork server: does its imports once, then forks a process for each job, kills it, and says what is wrong after.

    python -m tests.torture.kill.server      reads a job a line from stdin, writes its outcome as a line to stdout

None of its threads has anything to do, so that a fork is sound.
"""

import asyncio
import gc
import os
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from agent_core.engine import execution
from agent_core.tools.threads import THREADS
from tests.torture.kill.checks import end_problems, integrity_problems
from tests.torture.kill.worker import FACTS, Done, Kill, arm, work

DONE_FILE = "done.json"
LONGEST = 60.0
"""Seconds after which a process that still lives is a problem itself."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One story with its kills, one process each; then it is brought to its end and looked at."""

    folder: str
    seed: int
    kills: Sequence[Kill]
    without_intents: bool = False
    """The suite's own proof: calls start without the event that announces them, which must be found out."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job. `kills` counts the processes that were killed before they ended by themselves."""

    kills: int
    problems: list[str]
    events: int = 0
    done: Done = msgspec.field(default_factory=Done)
    """By the last process."""


def serve() -> None:
    """Until stdin ends."""
    warm()
    length = 0.0
    for line in sys.stdin.buffer:
        job = msgspec.json.decode(line, type=Job)
        length = length or _length(Path(job.folder))
        sys.stdout.buffer.write(msgspec.json.encode(run(job, length)) + b"\n")
        sys.stdout.buffer.flush()


def warm() -> None:
    """Work a whole story, so that no process has to load and build by itself what every one needs."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(work(Path(folder), 1, Kill()))
    THREADS._idle.clear()  # they sleep for good: a forked process does not have them
    gc.collect()
    gc.freeze()


def _length(folder: Path) -> float:
    """Seconds that a whole session takes here and now."""
    root = folder.with_name(f"{folder.name}-length")
    root.mkdir(parents=True)
    began = time.monotonic()
    _forked(root, lambda: _work(root, Job(folder=str(root), seed=1, kills=[]), Kill()), None)
    shutil.rmtree(root)
    return time.monotonic() - began


def run(job: Job, length: float) -> Outcome:
    """Kill one story as often as the job says, and bring it to its end. `length`: seconds of a whole session."""
    root = Path(job.folder)
    root.mkdir(parents=True, exist_ok=True)
    killed, problems = 0, list[str]()
    for kill in job.kills:
        seconds = None if kill.share is None else kill.share * length
        ended = _forked(root, partial(_work, root, job, kill), seconds)
        killed += ended == -signal.SIGKILL
        if ended not in (0, -signal.SIGKILL):
            problems.append(f"process: it ended with {ended}: {_last_words(root)}")
        problems += integrity_problems(root)
    ended = _forked(root, lambda: _work(root, job, Kill()), None)
    if ended != 0:
        problems.append(f"resume: the last process ended with {ended}: {_last_words(root)}")
    else:
        ended = _forked(root, lambda: _check(root, job), None)
        found = root / "problems.json"
        problems += msgspec.json.decode(found.read_bytes()) if ended == 0 else [f"check: {_last_words(root)}"]
    facts, done = root / FACTS, root / DONE_FILE
    outcome = Outcome(
        kills=killed,
        problems=problems,
        events=facts.read_bytes().count(b'"event"') if facts.exists() else 0,
        done=msgspec.json.decode(done.read_bytes(), type=Done) if done.exists() else Done(),
    )
    shutil.rmtree(root, ignore_errors=True)
    return outcome


def _work(root: Path, job: Job, kill: Kill) -> None:
    if job.without_intents:
        execution._is_engine = lambda call: True
    done = arm(kill)
    asyncio.run(work(root, job.seed, kill))
    (root / DONE_FILE).write_bytes(msgspec.json.encode(done))


def _check(root: Path, job: Job) -> None:
    problems = asyncio.run(end_problems(root, job.seed))
    (root / "problems.json").write_bytes(msgspec.json.encode(problems))


def _forked(root: Path, body: Callable[[], None], kill_after: float | None) -> int:
    """Run in a process of its own; its exit code, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            body()
            code = 0
        except BaseException:  # noqa: BLE001 - the child must never come back into the server's loop
            (root / "last-words.txt").write_text(traceback.format_exc())
        finally:
            os._exit(code)
    descriptor = os.pidfd_open(child)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    if not poll.poll(int((LONGEST if kill_after is None else kill_after) * 1000)):
        os.kill(child, signal.SIGKILL if kill_after is not None else signal.SIGABRT)
    _, status = os.waitpid(child, 0)
    os.close(descriptor)
    return os.waitstatus_to_exitcode(status)


def _last_words(root: Path) -> str:
    try:
        return (root / "last-words.txt").read_text().strip().splitlines()[-1]
    except (OSError, IndexError):
        return "nothing"


if __name__ == "__main__":
    serve()
