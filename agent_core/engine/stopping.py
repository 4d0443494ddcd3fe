"""Stopping from any process: by files that every worker of the home heeds, and by force. No database is asked.

What was ordered so is journaled by whoever writes next (`halts.py`). Little is imported here: a stop must not wait.
"""

import os
import signal
import threading
import time
from collections.abc import Sequence
from datetime import datetime

import msgspec

from agent_core.config.home import Home
from agent_core.model.ids import meant
from agent_core.store.leases import Leases
from agent_core.store.processes import Processes, is_suspended, start_time
from agent_core.store.stops import Stops

REACT_SECONDS = 0.8
"""What workers get to rest by themselves before force ends them: they look at the files several times a second."""
_LOOK_SECONDS = 0.02


class Forced(msgspec.Struct, frozen=True, kw_only=True):
    """What was ended by force: process groups of tools by their leaders, and workers that did not react."""

    groups: Sequence[int] = ()
    workers: Sequence[int] = ()


def named(home: Home, said: str) -> str:
    """The session that a person means, of those that were ever worked here; else the name as it is. Of files alone."""
    return meant("session", said, _leased(home)) or said


def order(home: Home, session: str | None, by: str, at: datetime, *, force: bool = False) -> bool:
    """Order a session to stop, or with None everything. False, and no order, for a session that no process works."""
    stops = Stops(home)
    if session is None:
        stops.set_halt(by, at, force=force)
        return True
    if Leases(home).holder(session) is None:
        return False
    stops.order(session, by, at, force=force)
    return True


def end_by_force(home: Home, session: str | None) -> Forced:
    """End the tools' processes of a session, or of all, and the workers that an order does not reach. Blocks.

    Only what is proven to be ours is ended: a group by pid and start time, a worker by the lease that it holds.
    """
    groups = end_groups(home, session)
    workers = _unmoved(home, session)
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    return Forced(groups=[*groups, *end_groups(home, session)], workers=workers)


def end_groups(home: Home, session: str | None) -> list[int]:
    """End the recorded process groups of a session, or of all: only those that are proven to be ours."""
    processes = Processes(home)
    return [group.pid for group in processes.groups(session) if processes.end(group)]


def _unmoved(home: Home, session: str | None) -> list[int]:
    """Other processes that still hold a lease once they had their time; one that is suspended gets none."""
    patience, give_up = threading.Event(), time.monotonic() + REACT_SECONDS
    while (held := _workers(home, session)) and not all(map(is_suspended, held)) and time.monotonic() < give_up:
        patience.wait(_LOOK_SECONDS)
    proven = {pid: start_time(pid) for pid in held}
    still = _workers(home, session)  # whoever holds the lease still is the process whose start was just read
    return sorted(pid for pid in held & still if proven[pid] and proven[pid] == start_time(pid))


def _leased(home: Home) -> list[str]:
    return [path.name for path in home.leases.glob("[!.]*")]


def _workers(home: Home, session: str | None) -> set[int]:
    leases = Leases(home)
    sessions = _leased(home) if session is None else [session]
    holders = {leases.holder(one) for one in sessions}
    return {pid for pid in holders if pid and pid != os.getpid()}
