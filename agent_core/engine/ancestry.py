"""Ancestry: whether this process descends from one that a tool started. Such a caller is no person."""

import sys
from pathlib import Path

from agent_core.config.home import Home

_PROC = Path("/proc")
_DEEPEST = 64


def tool_above(home: Home) -> str | None:
    """The recorded tool process among our ancestors, as PID-STARTTIME; None when there is none that can be recognised.

    Only Linux tells a process's ancestry reliably; elsewhere nothing is recognised.
    """
    if not sys.platform.startswith("linux"):
        return None
    recorded = _recorded(home)
    if not recorded:
        return None
    pid, seen = "self", 0
    while seen < _DEEPEST:
        found = _stat(pid)
        if found is None:
            return None
        name, parent, group = found
        for candidate in (name, group):
            if candidate in recorded:
                return candidate
        if parent in ("0", "1"):
            return None
        pid, seen = parent, seen + 1
    return None


def _recorded(home: Home) -> set[str]:
    try:
        return {path.name for path in home.processes.iterdir()}
    except OSError:
        return set()


def _stat(pid: str) -> tuple[str, str, str] | None:
    """PID-STARTTIME of a process, its parent's pid, and PID-STARTTIME of its group's leader. proc_pid_stat(5)."""
    fields = _fields(pid)
    if fields is None:
        return None
    own, parent, group, start = fields
    leader = _fields(group)
    return f"{own}-{start}", parent, f"{group}-{leader[3]}" if leader is not None else ""


def _fields(pid: str) -> tuple[str, str, str, str] | None:
    try:
        text = (_PROC / pid / "stat").read_text()
    except OSError:
        return None
    own, _, rest = text.partition(" (")
    after = rest.rpartition(") ")[2].split()
    return own, after[1], after[2], after[19]
