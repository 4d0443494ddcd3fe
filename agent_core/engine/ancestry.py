"""Ancestry: whether this process descends from one that a tool started. Such a caller is no person.

A tool's child is known by its record in the home, and by its keeper, whatever home it names: a copy of the data proves
nothing, and neither a cleared environment nor a session of its own (`setsid`) changes who a process descends from.
"""

import sys
from pathlib import Path

from agent_core.config.home import Home
from agent_core.model.errors import DecisionRefused
from agent_core.tools.shared import keeper

LINUX = sys.platform.startswith("linux")
PROC = Path("/proc")


def refuse_tools(home: Home, act: str = "A decision") -> None:
    """Raise DecisionRefused (not_a_person) when this process descends from one that a tool started, or may do so."""
    if LINUX and _stat("self") is None:
        raise DecisionRefused(f"{act} is refused while {PROC} cannot be read: nothing tells who asks", "not_a_person")
    who = tool_above(home)
    if who is not None:
        raise DecisionRefused(f"{act} cannot come from a tool's process ({who})", "not_a_person")


def tool_above(home: Home) -> str | None:
    """The recorded tool process among our ancestors, as PID-STARTTIME; None when there is none that can be recognised.

    Only Linux tells a process's ancestry reliably; elsewhere nothing is recognised.
    """
    if not LINUX:
        return None
    recorded = _recorded(home)
    pid, seen = "self", set[str]()
    while pid not in seen and (found := _stat(pid)) is not None:
        seen.add(pid)
        name, parent, group = found
        if _is_keeper(pid):
            return name
        for candidate in (name, group):
            if candidate in recorded:
                return candidate
        pid = parent
    return None


def _recorded(home: Home) -> set[str]:
    try:
        return {path.name for path in home.processes.iterdir()}
    except OSError:
        return set()


def _is_keeper(pid: str) -> bool:
    """Whether a process is the keeper of a tool's child, of whichever installation."""
    try:
        command = (PROC / pid / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(part.endswith(_KEEPER) for part in command[:_KEEPER_WITHIN])


_KEEPER = "/".join(Path(keeper.__file__).parts[-4:]).encode()
"""How the name of the keeper's program ends: agent_core/tools/shared/keeper.py."""
_KEEPER_WITHIN = 6
"""It stands among the first words of the command, behind the interpreter and its options."""


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
        text = (PROC / pid / "stat").read_text(errors="replace")  # a name is any bytes, and cut off at any of them
    except OSError:
        return None
    own, _, rest = text.partition(" (")
    after = rest.rpartition(") ")[2].split()
    return own, after[1], after[2], after[19]
