"""Stopping by files: the halt flag and the orders to stop one session. No database is asked: nothing is in the way.

A file that is there counts, whatever is in it: a torn one still stops.
"""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from agent_core.config.atomic_file import write_atomically
from agent_core.config.home import Home
from agent_core.store.faults import storage_faults
from agent_core.store.names import file_name


class StopOrder(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who wants things stopped, since when, and whether by force."""

    by: str
    at: datetime
    force: bool = False
    reason: str = ""


class Stops:
    """The stop files of one home."""

    def __init__(self, home: Home) -> None:
        self._halt = home.halt
        self._folder = home.stops

    def set_halt(self, by: str, at: datetime, *, force: bool = False, reason: str = "") -> None:
        """Stop everything, and let nothing start until `clear_halt`."""
        _write(self._halt, StopOrder(by=by, at=at, force=force, reason=reason))

    def halt(self) -> StopOrder | None:
        """The halt flag, when it is set."""
        return _read(self._halt)

    def clear_halt(self) -> bool:
        """Lift the halt flag; False when there was none."""
        return _remove(self._halt)

    def order(self, session: str, by: str, at: datetime, *, force: bool = False, reason: str = "") -> None:
        """Ask whoever works the session to stop it."""
        _write(self._path(session), StopOrder(by=by, at=at, force=force, reason=reason))

    def ordered(self, session: str) -> StopOrder | None:
        """The order to stop that session, when there is one."""
        return _read(self._path(session))

    def sessions(self) -> list[str]:
        """Every session that is to stop."""
        with storage_faults(self._folder, "read"):
            return sorted(path.name for path in self._folder.glob("[!.]*"))

    def clear(self, session: str) -> bool:
        """The order was carried out, or no longer stands; False when there was none."""
        return _remove(self._path(session))

    def _path(self, session: str) -> Path:
        return self._folder / file_name(session)


def _write(path: Path, order: StopOrder) -> None:
    with storage_faults(path):
        write_atomically(path, msgspec.json.encode(order))


def _read(path: Path) -> StopOrder | None:
    with storage_faults(path, "read"):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    try:
        return msgspec.json.decode(content, type=StopOrder)
    except msgspec.MsgspecError:
        return StopOrder(by="unknown", at=changed)


def _remove(path: Path) -> bool:
    with storage_faults(path):
        try:
            path.unlink()
        except FileNotFoundError:
            return False
    return True
