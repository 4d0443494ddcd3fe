"""`pilothouse doctor`: what works here and what does not, and why; with --agent, what a profile may do."""

import importlib.util
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from agent_core.config.home import Home
from agent_core.config.operators import who_decides
from agent_core.config.profile import Profile
from agent_core.config.profile_file import load_profile
from agent_core.config.secret_store import StoreState
from agent_core.config.secrets import SystemKeyring
from agent_core.config.settings import Settings
from agent_core.model.errors import PilothouseError
from console.display import why_no_window
from console.output import Output
from console.paths import find_home, make_home

LOW_DISK, NO_DISK = 500_000_000, 50_000_000
"""Bytes free at which disk space is worth a word, and is a fault."""
FIXED_SQLITE = (3, 51, 3)
"""The first SQLite without the WAL-reset race (sqlite.org/wal.html); older ones are safe behind our one writer."""


class Health(StrEnum):
    """How a check came out."""

    OK = "ok"
    NOTE = "note"
    FAULT = "fault"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One check: its name, how it came out, and what it found in one sentence."""

    name: str
    health: Health
    detail: str


def examine(environ: Mapping[str, str], output: Output, agent: str | None) -> int:
    """Check everything; exit 5 when something is at fault. A profile that is refused is refused as everywhere."""
    home = find_home(environ)
    profile = load_profile(agent, home, price_known=_price_known) if agent is not None else None
    findings = [check(home, environ) for check in CHECKS]
    tools = _manifest(profile) if profile is not None else None
    ok = all(finding.health is not Health.FAULT for finding in findings)
    if output.as_json:
        report: dict[str, Any] = {"ok": ok, "checks": msgspec.to_builtins(findings)}
        if profile is not None:
            report["agent"] = {"name": profile.name, "model": profile.model, "version": profile.version, "tools": tools}
        output.value(report)
    for finding in findings:
        output.line(f"{finding.health.value:<6} {finding.name}: {finding.detail}")
    for line in _profile_lines(profile, tools or []):
        output.line(line)
    return 0 if ok else 5


def _python(home: Home, environ: Mapping[str, str]) -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return _finding("Python", Health.OK if sys.version_info >= (3, 11) else Health.FAULT, f"{version}, 3.11 is needed")


def _sqlite(home: Home, environ: Mapping[str, str]) -> Finding:
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info >= FIXED_SQLITE:
        return _finding("SQLite", Health.OK, version)
    note = (
        f"{version} has a race when several connections write or checkpoint; Pilothouse lets only one do so at a time"
    )
    return _finding("SQLite", Health.NOTE, note)


def _home(home: Home, environ: Mapping[str, str]) -> Finding:
    try:
        make_home(home)
        for folder in {home.data, home.config, home.state}:
            with tempfile.TemporaryFile(dir=folder):
                pass
    except (PilothouseError, OSError) as error:
        return _finding("home", Health.FAULT, f"cannot be written: {error}")
    return _finding("home", Health.OK, f"{home.data}")


def _disk(home: Home, environ: Mapping[str, str]) -> Finding:
    folder = next(place for place in (home.data, *home.data.parents) if place.exists())
    free = shutil.disk_usage(folder).free
    health = Health.FAULT if free < NO_DISK else Health.NOTE if free < LOW_DISK else Health.OK
    return _finding("disk", health, f"{free / 1e9:.1f} GB free at {folder}")


def _clock(home: Home, environ: Mapping[str, str]) -> Finding:
    """Deadlines go by the wall clock: one that stands before the program was made is wrong."""
    made = datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)
    now = datetime.now(UTC)
    if now < made:
        return _finding(
            "clock", Health.FAULT, f"it says {now:%Y-%m-%d %H:%M} UTC, earlier than this program was installed"
        )
    return _finding("clock", Health.OK, f"{now:%Y-%m-%d %H:%M} UTC")


def _lock(home: Home, environ: Mapping[str, str]) -> Finding:
    from agent_core.store.locks import holder

    try:
        pid = holder(home.write_lock)
    except (PilothouseError, OSError) as error:
        return _finding("write lock", Health.FAULT, f"cannot be read: {error}")
    if pid is None:
        return _finding("write lock", Health.OK, "free")
    return _finding("write lock", Health.NOTE, f"held by process {pid or 'unknown'} at this moment")


def _halt(home: Home, environ: Mapping[str, str]) -> Finding:
    if home.halt.exists():
        return _finding("halt", Health.NOTE, "everything is stopped until `pilothouse release`")
    return _finding("halt", Health.OK, "not set")


def _settings(home: Home, environ: Mapping[str, str]) -> Finding:
    try:
        Settings.read(home)
    except PilothouseError as error:
        return _finding("settings", Health.FAULT, str(error))
    return _finding("settings", Health.OK, str(home.settings) if home.settings.exists() else "the defaults")


def _operator(home: Home, environ: Mapping[str, str]) -> Finding:
    try:
        return _finding("operator", Health.OK, who_decides(environ))
    except PilothouseError as error:
        return _finding("operator", Health.FAULT, str(error))


def _keyring(home: Home, environ: Mapping[str, str]) -> Finding:
    store = SystemKeyring()
    if store.state() is StoreState.USABLE:
        return _finding("keyring", Health.OK, store.describe())
    return _finding("keyring", Health.NOTE, f"{store.describe()} Keys are then kept for one session only.")


def _qt(home: Home, environ: Mapping[str, str]) -> Finding:
    missing = [name for name in ("PySide6", "qasync", "pyqtgraph") if importlib.util.find_spec(name) is None]
    if missing:
        return _finding("window system", Health.FAULT, f"{', '.join(missing)} is not installed")
    try:
        from PySide6.QtCore import qVersion
        from PySide6.QtWidgets import QApplication  # noqa: F401 - loads the libraries that a window needs
    except ImportError as error:
        return _finding("window system", Health.FAULT, f"Qt cannot be loaded: {error}")
    problem = why_no_window(environ)
    said = f"Qt {qVersion()}" + (f"; {problem}" if problem else "")
    return _finding("window system", Health.NOTE if problem else Health.OK, said)


def _fonts(home: Home, environ: Mapping[str, str]) -> Finding:
    folder = files("resources").joinpath("fonts")
    found = (
        [entry.name for entry in folder.iterdir() if entry.name.endswith((".ttf", ".otf"))] if folder.is_dir() else []
    )
    return _finding("fonts", Health.OK if found else Health.FAULT, f"{len(found)} bundled")


CHECKS: tuple[Callable[[Home, Mapping[str, str]], Finding], ...] = (
    _python, _sqlite, _home, _disk, _clock, _lock, _halt, _settings, _operator, _keyring, _qt, _fonts,
)  # fmt: skip


def _finding(name: str, health: Health, detail: str) -> Finding:
    return Finding(name=name, health=health, detail=detail)


def _price_known(model: str) -> bool:
    from agent_core.providers.pricing import PriceBook

    return PriceBook().price(model, datetime.now(UTC)) is not None


def _manifest(profile: Profile) -> list[dict[str, Any]]:
    from agent_core.tools.registry import Registry

    because = {entry.name: entry.because for entry in profile.tools}
    facts = Registry().for_profile(profile, demo=profile.scripted).facts()
    return [{**tool, "because": because[tool["name"]]} for tool in facts]


def _profile_lines(profile: Profile | None, tools: list[dict[str, Any]]) -> Iterator[str]:
    if profile is None:
        return
    yield ""
    yield f"{profile.name} · {profile.model} · version {profile.version}"
    for tool in tools:
        yield f"  {tool['name']} ({tool['effect_class']}, {tool['reversibility']}): {tool['because']}"
