"""A fork server for whole programs: the command line, and the console's window drawn offscreen.

    python -m tests.torture.leaving.server      reads a job a line from stdin, writes how it ended as a line to stdout

A forked program leads a session of its own, so whatever it leaves behind can be found, and ends as any program does:
the interpreter is finalised, and may complain.
"""

import os
import select
import signal
import sys
import time
from importlib import import_module
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_API"] = "pyside6"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

import msgspec

from console.signals import LEAVE, interrupt

_LOADED = (
    "agent_core.engine.harness",
    "agent_core.tools.registry",
    "console.app",
    "console.cli",
    "console.commands.runs",
)
LONGEST = 40.0
"""Seconds after which a program that was told to go has hung."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One program: its arguments (none: the window), and when it is told to go: by a signal, or its window closed."""

    folder: str
    arguments: list[str] = []
    after: float
    how: int = signal.SIGTERM
    closes_window: bool = False
    storm: bool = False
    """Whether it is told again and again, by all signals that tell to leave, until it has gone."""


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a program ended. `survivors` are processes of its session that still lived five seconds later."""

    code: int
    out: str
    err: str
    survivors: int
    hung: bool = False


def serve() -> None:
    """Until stdin ends."""
    for name in _LOADED:
        import_module(name)

    while line := sys.stdin.buffer.readline():
        job = msgspec.json.decode(line, type=Job)
        child = os.fork()
        if child == 0:
            _become(job)
            return
        sys.stdout.buffer.write(msgspec.json.encode(_watch(job, child)) + b"\n")
        sys.stdout.buffer.flush()


def _become(job: Job) -> None:
    """The child: a program of its own, which ends as programs end."""
    os.setsid()
    folder = Path(job.folder)
    for number, name in ((1, "out"), (2, "err")):
        file = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
        os.close(file)
    os.environ["PILOTHOUSE_HOME"] = str(folder / "home")
    os.environ["PILOTHOUSE_OPERATOR"] = "bar"
    if job.arguments:
        from console.__main__ import main

        sys.argv[1:] = job.arguments
        main()
    try:
        interrupt()
        code = _window(folder, job)
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def _window(folder: Path, job: Job) -> int:
    from PySide6.QtCore import QTimer

    from agent_core.config.home import Home
    from console.app import application, open_console
    from console.demo_room import find_story

    app = application()
    if job.closes_window:
        QTimer.singleShot(round(job.after * 1000), lambda: [w.close() for w in app.topLevelWidgets() if w.isVisible()])
    home = Home.at(folder / "home")
    home.create()
    return open_console(home, story=find_story("office"))


def _watch(job: Job, child: int) -> Ending:
    """Tell it to go at its time, wait for its end, and look for what it left."""
    descriptor = os.pidfd_open(child)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    gone = bool(poll.poll(round(job.after * 1000)))
    if not gone and not job.closes_window:
        os.kill(child, job.how)
    hung = not gone and not _ends(child, poll, storm=job.storm)
    if hung:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(descriptor)
    folder = Path(job.folder)
    return Ending(
        code=os.waitstatus_to_exitcode(status),
        out=(folder / "out").read_text(errors="replace") if (folder / "out").exists() else "",
        err=(folder / "err").read_text(errors="replace") if (folder / "err").exists() else "",
        survivors=_survivors(child),
        hung=hung,
    )


def _ends(child: int, poll: "select.poll", *, storm: bool) -> bool:
    """Whether it ends in time."""
    if not storm:
        return bool(poll.poll(round(LONGEST * 1000)))
    give_up = time.monotonic() + LONGEST
    while time.monotonic() < give_up:
        for number in LEAVE:
            os.kill(child, number)
        if poll.poll(1):
            return True
    return False


def _survivors(session: int) -> int:
    """Processes of that session which live on for five seconds."""
    patience = select.poll()
    for _ in range(50):
        living = _living(session)
        if not living:
            return 0
        patience.poll(100)
    return len(living)


def _living(session: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(entry.name))
    return found


if __name__ == "__main__":
    serve()
