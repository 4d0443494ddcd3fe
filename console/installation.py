"""The installation, looked at piece by piece: what is found, how bad that is, and what it means or what to do."""

import importlib.util
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from importlib.abc import Traversable
from importlib.metadata import version as installed
from importlib.resources import files
from pathlib import Path

import msgspec

from agent_core.config.home import Home
from agent_core.config.operators import who_decides
from agent_core.config.secret_store import StoreState
from agent_core.config.secrets import SystemKeyring
from agent_core.config.settings import Settings
from agent_core.model.errors import PilothouseError, StorageError
from console.display import why_no_window
from console.paths import make_home
from ui.tokens import FONT_FILES

LOW_DISK, NO_DISK = 500_000_000, 50_000_000
"""Bytes free at which disk space is worth a word, and is a fault."""
LEAST_SQLITE = (3, 37, 0)
"""The first SQLite with strict tables."""
FIXED_SQLITE = (3, 51, 3)
"""The first SQLite without the WAL-reset race (sqlite.org/wal.html); older ones are safe behind our one writer."""
_EVERY_SESSION = 1_000_000
_CLOCK_SLACK = timedelta(minutes=5)
"""How far a clock may stand before a record without a word: services that keep the time put it back a little."""


class Health(StrEnum):
    """How a check came out."""

    OK = "ok"
    NOTE = "note"
    FAULT = "fault"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One check: its name, how it came out, what it found in one sentence, and what that means or what to do."""

    name: str
    health: Health
    detail: str
    advice: str = ""


def _python(home: Home, environ: Mapping[str, str]) -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return _finding("Python", Health.OK if sys.version_info >= (3, 11) else Health.FAULT, f"{version}, 3.11 is needed")


def _sqlite(home: Home, environ: Mapping[str, str]) -> Finding:
    return sqlite_finding(sqlite3.sqlite_version_info)


def sqlite_finding(info: tuple[int, ...]) -> Finding:
    """What a version of SQLite means for the journal."""
    version = ".".join(map(str, info))
    if info < LEAST_SQLITE:
        advice = "The journal cannot be opened with it. Use a Python that was built with a newer SQLite."
        return _finding("SQLite", Health.FAULT, f"{version}, 3.37 is needed", advice)
    if info >= FIXED_SQLITE:
        return _finding("SQLite", Health.OK, version)
    advice = (
        "Versions 3.7.0 to 3.51.2 can damage a database when several connections write or checkpoint at once. "
        "Pilothouse lets only one do so at a time, so this one is safe; do not write to the database by other means."
    )
    return _finding("SQLite", Health.NOTE, version, advice)


def _home(home: Home, environ: Mapping[str, str]) -> Finding:
    try:
        make_home(home)
        for folder in set(home.roots):
            with tempfile.TemporaryFile(dir=folder):
                pass
    except (PilothouseError, OSError) as error:
        return _finding("home", Health.FAULT, f"cannot be written: {error}", _HOME)
    return _finding("home", Health.OK, f"{home.data}")


_HOME = "Nothing can be saved there, so nothing starts. Make the folder writable, or name another in PILOTHOUSE_HOME."


def _database(home: Home, environ: Mapping[str, str]) -> Finding:
    from agent_core.store.soundness import check_database

    try:
        return _finding("database", Health.OK, check_database(home))
    except StorageError as error:
        advice = (
            f"Nothing in it can be relied on. `pilothouse restore FILE` puts a backup back; they lie in {home.backups}."
        )
        return _finding("database", Health.FAULT, str(error), advice)


def _disk(home: Home, environ: Mapping[str, str]) -> Finding:
    folder = next(place for place in (home.data, *home.data.parents) if place.exists())
    free = shutil.disk_usage(folder).free
    health = Health.FAULT if free < NO_DISK else Health.NOTE if free < LOW_DISK else Health.OK
    advice = "" if health is Health.OK else "When the disk is full, all agents pause until there is room again."
    return _finding("disk", health, f"{free / 1e9:.1f} GB free at {folder}", advice)


def _clock(home: Home, environ: Mapping[str, str]) -> Finding:
    """Deadlines go by the wall clock: one that stands before what has already happened is wrong."""
    from agent_core.store.heads import HeadLog
    from agent_core.store.sessions import recent_sessions

    installed_at = datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)
    demos = {row.session for row in recent_sessions(home, _EVERY_SESSION) or () if row.demo}  # their clock jumps
    recorded = max((head.at for head in HeadLog(home.heads).read() if head.session not in demos), default=None)
    return clock_finding(datetime.now(UTC), installed_at, recorded)


def clock_finding(now: datetime, installed_at: datetime, recorded: datetime | None) -> Finding:
    """What the wall clock says, held against the installation and the newest time on record."""
    says = f"{now:%Y-%m-%d %H:%M} UTC"
    late = "Deadlines go by this clock: cards would expire late. Set the time, and let the system keep it."
    if now < installed_at:
        return _finding("clock", Health.FAULT, f"it says {says}, earlier than this program was installed", late)
    if recorded is not None and now < recorded - _CLOCK_SLACK:
        words = f"it says {says}, earlier than the newest record of this home ({recorded:%Y-%m-%d %H:%M} UTC)"
        return _finding("clock", Health.NOTE, words, f"It is wrong now, or was then. {late}")
    return _finding("clock", Health.OK, says)


def _lock(home: Home, environ: Mapping[str, str]) -> Finding:
    from agent_core.store.locks import holder

    try:
        pid = holder(home.write_lock)
    except (PilothouseError, OSError) as error:
        return _finding("write lock", Health.FAULT, f"cannot be read: {error}")
    if pid is None:
        return _finding("write lock", Health.OK, "free")
    return _finding(
        "write lock",
        Health.NOTE,
        f"held by process {pid or 'unknown'} at this moment",
        "Somebody writes. If it stays so, that process hangs: `pilothouse stop --all --force` ends it.",
    )


def _halt(home: Home, environ: Mapping[str, str]) -> Finding:
    if home.halt.exists():
        return _finding("halt", Health.NOTE, "set", "Nothing starts until `pilothouse release`.")
    return _finding("halt", Health.OK, "not set")


def _processes(home: Home, environ: Mapping[str, str]) -> Finding:
    """Programs of tools whose Pilothouse is gone: reported, and left alone."""
    from agent_core.store.processes import Processes

    strays = [f"{group.pid} ({group.command[:40]})" for group in Processes(home).strays()]
    if not strays:
        return _finding("processes", Health.OK, "no program of a tool is left behind")
    advice = "`pilothouse stop --all --force` ends those that it can prove to be its own."
    return _finding("processes", Health.NOTE, f"left behind: {', '.join(strays)}", advice)


def _settings(home: Home, environ: Mapping[str, str]) -> Finding:
    try:
        Settings.read(home)
    except PilothouseError as error:
        return _finding("settings", Health.FAULT, str(error), "Nothing starts without rules. Mend the line.")
    return _finding("settings", Health.OK, str(home.settings) if home.settings.exists() else "the defaults")


def _operator(home: Home, environ: Mapping[str, str]) -> Finding:
    try:
        return _finding("operator", Health.OK, who_decides(environ))
    except PilothouseError as error:
        return _finding("operator", Health.FAULT, str(error), "Decisions need a name. Set PILOTHOUSE_OPERATOR.")


def _keyring(home: Home, environ: Mapping[str, str]) -> Finding:
    return keyring_finding(*SystemKeyring().look())


def keyring_finding(state: StoreState, words: str) -> Finding:
    """What a state of the keyring means for the keys."""
    if state is StoreState.USABLE:
        return _finding("keyring", Health.OK, words)
    unlock = "Unlock it and try again. " if state in (StoreState.LOCKED, StoreState.SLOW) else ""
    advice = (
        f"{unlock}Without it the model's key is kept for one session only, or taken from ANTHROPIC_API_KEY; nothing is "
        "written to a file. New operators' keys lie in the home's keys folder; those in the keyring are out of reach."
    )
    return _finding("keyring", Health.NOTE, words, advice)


def _operator_key(home: Home, environ: Mapping[str, str]) -> Finding:
    """Where the keys that sign decisions lie."""
    names = sorted(path.name for path in home.keys.glob("*.key")) if home.keys.is_dir() else []
    if not names:
        return _finding("operator key", Health.OK, "none lies in a file")
    open_to_others = [name for name in names if (home.keys / name).stat().st_mode & 0o077]
    if open_to_others and sys.platform != "win32":
        words = f"others can read {', '.join(open_to_others)} in {home.keys}"
        return _finding("operator key", Health.FAULT, words, "Whoever reads it can decide. Run chmod 600 on it.")
    advice = "Any program that runs as you can read it and sign decisions. With a keyring, new keys lie there."
    return _finding("operator key", Health.NOTE, f"in a file in {home.keys}", advice)


def _qt(home: Home, environ: Mapping[str, str]) -> Finding:
    missing = [name for name in ("PySide6", "qasync", "pyqtgraph") if importlib.util.find_spec(name) is None]
    if missing:
        return _finding(
            "window system",
            Health.FAULT,
            f"{', '.join(missing)} is not installed",
            "The console cannot open; commands work. Install Pilothouse again with its requirements.",
        )
    try:
        from PySide6.QtCore import qVersion
        from PySide6.QtWidgets import QApplication  # noqa: F401 - loads the libraries that a window needs
    except ImportError as error:
        advice = "A library that Qt needs is missing; on Debian and Ubuntu `make system` installs it."
        return _finding("window system", Health.FAULT, f"Qt cannot be loaded: {error}", advice)
    if sys.version_info < (3, 12) and _release(installed("PySide6-Essentials")) >= (6, 12):
        words = f"PySide6 {installed('PySide6-Essentials')} on Python {sys.version_info[0]}.{sys.version_info[1]}"
        return _finding("window system", Health.FAULT, words, "They crash together: install PySide6-Essentials<6.12.")
    problem = why_no_window(environ)
    if problem:
        return _finding("window system", Health.NOTE, f"Qt {qVersion()}; {problem}", "Commands work without a display.")
    return _finding("window system", Health.OK, f"Qt {qVersion()}")


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _fonts(home: Home, environ: Mapping[str, str]) -> Finding:
    return fonts_finding(files("resources") / "fonts")


def fonts_finding(folder: Traversable) -> Finding:
    """Whether every font that the window uses is there."""
    missing = [name for name in FONT_FILES if not (folder / name).is_file()]
    if not missing:
        return _finding("fonts", Health.OK, f"{len(FONT_FILES)} bundled")
    advice = "The window would use whatever font there is. Install Pilothouse again."
    return _finding("fonts", Health.FAULT, f"missing: {', '.join(missing)}", advice)


def _sandbox(home: Home, environ: Mapping[str, str]) -> Finding:
    advice = "Programs that a tool starts run with your rights; see docs/guarantees.md for what that leaves open."
    return _finding("sandbox", Health.NOTE, "none in this version", advice)


Check = Callable[[Home, Mapping[str, str]], Finding]

CHECKS: tuple[Check, ...] = (
    _python, _sqlite, _home, _database, _disk, _clock, _lock, _halt, _processes, _settings, _operator, _keyring,
    _operator_key, _qt, _fonts, _sandbox,
)  # fmt: skip


def findings(home: Home, environ: Mapping[str, str]) -> list[Finding]:
    """Every check, in order. What cannot even be looked at is at fault, and keeps no other check from its turn."""
    return [_looked_at(check, home, environ) for check in CHECKS]


def _looked_at(check: Check, home: Home, environ: Mapping[str, str]) -> Finding:
    try:
        return check(home, environ)
    except (PilothouseError, OSError) as error:
        name = check.__name__.strip("_").replace("_", " ")
        return _finding(name, Health.FAULT, f"cannot be looked at: {error}", "Make it readable for yourself.")


def _finding(name: str, health: Health, detail: str, advice: str = "") -> Finding:
    return Finding(name=name, health=health, detail=detail, advice=advice)
