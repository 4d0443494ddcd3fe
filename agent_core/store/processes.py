"""Process groups that tools started, recorded so that another process can end them, and only them.

A pid alone proves nothing: the system gives it out again. A group is ended only while its leader is the process that
was recorded, by pid and start time (and boot). What cannot be proven is reported and left alone.
"""

import contextlib
import os
import signal
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from agent_core.config.home import Home
from agent_core.store.faults import storage_faults

_PROC = Path("/proc/self/stat")
_PS_SECONDS = 5.0


class ProcessGroup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A group by its leader: pid, start time as the system tells it, and what it was started for."""

    pid: int
    started: str
    session: str
    command: str = ""
    boot: str = ""
    owner: int = 0
    """The process that started it, and when that began."""
    owner_started: str = ""

    @property
    def name(self) -> str:
        """The name of its record."""
        return f"{self.pid}-{self.started}"


class Processes:
    """The recorded groups of one home."""

    def __init__(self, home: Home) -> None:
        self._folder = home.processes

    def record(self, pid: int, session: str, command: str = "") -> ProcessGroup:
        """Record a group right after its leader started in a group of its own. Raises StorageError."""
        owner = os.getpid()
        group = ProcessGroup(
            pid=pid,
            started=start_time(pid) or "",
            session=session,
            command=command[:200],
            boot=_boot(),
            owner=owner,
            owner_started=start_time(owner) or "",
        )
        with storage_faults(self._folder):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self._folder / group.name).write_bytes(msgspec.json.encode(group))
        return group

    def forget(self, group: ProcessGroup) -> None:
        """The group has ended; fine when it was forgotten before."""
        with storage_faults(self._folder):
            (self._folder / group.name).unlink(missing_ok=True)

    def groups(self, session: str | None = None) -> list[ProcessGroup]:
        """Recorded groups, of one session or of all. Records of an earlier boot are dropped."""
        found = []
        with storage_faults(self._folder, "read"):
            for path in sorted(self._folder.glob("[0-9]*")):
                group = _read(path)
                if group is None or group.boot != _boot():
                    path.unlink(missing_ok=True)
                elif session is None or group.session == session:
                    found.append(group)
        return found

    def strays(self) -> list[ProcessGroup]:
        """Groups that run although the process that started them is gone."""
        return [
            group
            for group in self.groups()
            if not _is(group.owner, group.owner_started) and _is(group.pid, group.started)
        ]

    def end(self, group: ProcessGroup) -> bool:
        """Kill a group and everything below its leader, and forget it. False when it cannot be proven to be the one
        that was recorded."""
        if not _is(group.pid, group.started):
            return False
        below = _freeze(group.pid)
        try:
            os.killpg(group.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it ended by itself between the two looks
        except PermissionError:
            return False
        for pid in below:
            _tell(pid, signal.SIGKILL)
        self.forget(group)
        return True

    def sweep(self) -> None:
        """Drop the records of groups whose leader is gone."""
        for group in self.groups():
            if start_time(group.pid) != group.started:
                self.forget(group)


def start_time(pid: int) -> str | None:
    """When a process began, as digits that differ between processes with one pid; None when there is no such process.

    Linux counts ticks since the boot, others give seconds of the wall clock. On Windows nothing is known, so nothing is
    ever proven there.
    """
    if _PROC.exists():
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        except OSError:
            return None
        return stat.rpartition(")")[2].split()[19]  # the name may hold spaces and brackets; field 22 of proc(5)
    return None if os.name == "nt" else _start_by_ps(pid)


def is_suspended(pid: int) -> bool:
    """Whether a process stands still because it was stopped (SIGSTOP, a debugger). Only Linux tells; else False."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0] in "Tt"
    except OSError:
        return False


def _start_by_ps(pid: int) -> str | None:
    try:
        answer = subprocess.run(
            ["/bin/ps", "-o", "lstart=", "-p", str(pid)],
            env={"LC_ALL": "C"},
            capture_output=True,
            text=True,
            timeout=_PS_SECONDS,
            check=False,
        )
        began = datetime.strptime(answer.stdout.strip(), "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return began.strftime("%Y%m%d%H%M%S")


def _is(pid: int, started: str) -> bool:
    return bool(started) and start_time(pid) == started


def _freeze(leader: int) -> set[int]:
    """Hold a process and all below it, so that none of them starts another one; gives those below.

    Those that left the group are found by their parents, as Linux tells them; elsewhere there are none to be found.
    """
    held: set[int] = set()
    _tell(leader, signal.SIGSTOP)
    while fresh := _below(leader) - held:
        for pid in fresh:
            _tell(pid, signal.SIGSTOP)
        held |= fresh
    return held


def _below(leader: int) -> set[int]:
    if not _PROC.exists():
        return set()
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in "ZX":
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: set[int] = set()
    wave = [leader]
    while wave:
        wave = [pid for parent in wave for pid in children.get(parent, []) if pid not in found]
        found.update(wave)
    return found


def _tell(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it ended, or is not ours to tell
        os.kill(pid, number)


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _read(path: Path) -> ProcessGroup | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=ProcessGroup)
    except (OSError, msgspec.MsgspecError):
        return None
