"""The keeper of one child process: a program of its own, run by `children.run_child`, never imported for its work.

    python -I -S keeper.py CAPS COMMAND ARGUMENT...    starts once a byte comes on stdin; ends its tree when stdin ends

CAPS are limits of the system for the command and each process below it, `CPU=600,DATA=4294967296`; none where empty.

It leads a process group, starts the command in it, and leaves nothing behind: when the command ends, when stdin ends
(whoever started it is gone, however it went) or when it is told to go, every descendant is ended. On Linux it is a
subreaper (prctl(2), PR_SET_CHILD_SUBREAPER): descendants that lead sessions of their own or lost their parents stay
below it, so that their ancestry tells where they come from. Its own name tells it too: see `engine/ancestry.py`.
"""

import ctypes
import os
import select
import signal
import sys
import time
from pathlib import Path

POLITE_SECONDS = 0.1
"""What descendants get to end by themselves."""
NOT_STARTED = 127
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LINUX = sys.platform.startswith("linux")


def main(caps: str, command: list[str]) -> int:
    """Keep one command under its caps; gives its exit code, or 128 and the number of the signal that ended it."""
    if not os.read(0, 1):
        return NOT_STARTED
    if _LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    told: list[int] = []
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda got, _frame: told.append(got))
    child = _start(caps, command)
    code = None
    while code is None and not told:
        readable, _, _ = select.select([0, woken], [], [])
        if 0 in readable and not os.read(0, 1):
            told.append(signal.SIGTERM)
        if woken in readable:
            os.read(woken, 4096)
        code = _reap(child)
    _end_all(child)
    return code if code is not None else 128 + told[0]


def _cap(caps: str) -> None:
    """Set hard limits that the command cannot raise again; never above what holds already."""
    import resource  # POSIX alone has it, and this file is imported for its name everywhere

    for cap in filter(None, caps.split(",")):
        name, _, most = cap.partition("=")
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is not None:
            held = resource.getrlimit(kind)[1]
            least = int(most) if held == resource.RLIM_INFINITY else min(int(most), held)
            resource.setrlimit(kind, (least, least))


def _start(caps: str, command: list[str]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        if _LINUX:
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        _cap(caps)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode(errors="replace"))
    os._exit(NOT_STARTED)


def _reap(child: int) -> int | None:
    """Take in whatever ended; gives the child's exit code once it is among them."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if pid == 0:
            return code
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            code = 128 - code if code < 0 else code


def _end_all(child: int) -> None:
    """End every descendant: politely, then not."""
    give_up = time.monotonic() + POLITE_SECONDS
    _tell(descendants(os.getpid()), signal.SIGTERM)
    while (left := descendants(os.getpid())) and time.monotonic() < give_up:
        _reap(child)
        select.select([], [], [], 0.01)
    while left:
        _tell(left, signal.SIGKILL)
        _reap(child)
        select.select([], [], [], 0.005)
        left = descendants(os.getpid())
    _reap(child)


def _tell(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def descendants(ancestor: int) -> list[int]:
    """Living processes below one; where the system does not tell (only Linux does), those of our own group."""
    if not _LINUX:
        return _rest_of_group()
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in "ZX":
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, wave = [], [ancestor]
    while wave:
        wave = [pid for parent in wave for pid in parents.get(parent, [])]
        found += wave
    return found


def _rest_of_group() -> list[int]:
    """Without a list of processes: our own group as one, while anybody else is in it."""
    try:
        os.waitid(os.P_PGID, os.getpgrp(), os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return []
    return [-os.getpgrp()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
