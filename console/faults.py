"""Faults: one log of JSON lines, with secrets replaced, and one report to which every hook leads.

The interpreter's hooks, threads, unraisable errors, the event loop's and Qt's handlers all end in `Faults.report`. A
crash below Python leaves its stack in crash.log.
"""

import asyncio
import faulthandler
import json
import logging
import logging.handlers
import platform
import sqlite3
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from agent_core import __version__
from agent_core.config.home import Home
from agent_core.config.known_secrets import secrets_in
from agent_core.model.errors import PilothouseError
from agent_core.policy.redaction import Redactor
from agent_core.store.faults import storage_faults
from console.paths import find_home, make_home

LOG_NAME, CRASH_NAME = "pilothouse.log", "crash.log"
LOG_BYTES, LOG_FILES = 2_000_000, 5
Redact = Callable[[str], str]

log = logging.getLogger("pilothouse")


class JsonLines(logging.Formatter):
    """One record a line, as JSON, with known secrets replaced."""

    def __init__(self, redact: Redact) -> None:
        super().__init__()
        self.redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        value: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            value["traceback"] = self.formatException(record.exc_info)
        return self.redact(json.dumps(value, ensure_ascii=False))


class _LogFile(logging.handlers.RotatingFileHandler):
    """A log that cannot be written says nothing and stops nothing; what could not be saved is told elsewhere."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Logging would print a traceback."""
        if not isinstance(sys.exception(), OSError):
            super().handleError(record)

    def close(self) -> None:
        """Close, whether or not the last lines found room."""
        with suppress(OSError):
            super().close()


@dataclass(slots=True)
class Faults:
    """Where unexpected errors go: into the log, and to whoever shows them."""

    log_path: Path
    lines: JsonLines
    show: Callable[[str], None] | None = None
    """Shows one sentence; may be called from any thread."""
    _told: set[str] = field(default_factory=set)
    _restore: Callable[[], None] = lambda: None

    def redact_with(self, redact: Redact) -> None:
        """Once more secrets are known than those of the environment."""
        self.lines.redact = redact

    def remove(self) -> None:
        """Put every hook back as it was and close the files."""
        self._restore()

    def report(self, error: BaseException, where: str) -> None:
        """Log an unexpected error with its traceback, and show its sentence once."""
        log.error("unexpected error in %s", where, exc_info=(type(error), error, error.__traceback__))
        sentence = f"Something went wrong in {where} ({type(error).__name__}); details are in {self.log_path}"
        if self.show is not None and sentence not in self._told:
            self._told.add(sentence)
            self.show(sentence)

    def loop_handler(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """For `loop.set_exception_handler`."""
        error = context.get("exception")
        if isinstance(error, asyncio.CancelledError):
            return
        message = str(context.get("message", "the event loop"))
        self.report(error if isinstance(error, BaseException) else RuntimeError(message), "the event loop")

    def qt_handler(self, kind: object, context: object, message: str) -> None:
        """For `qInstallMessageHandler`: Qt's warnings belong into the log, not onto the terminal."""
        log.warning("Qt: %s", message)

    def _sys_hook(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            return
        self.report(error.with_traceback(trace), "the program")

    def _thread_hook(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self.report(args.exc_value, f"the thread {args.thread.name if args.thread else 'unknown'}")

    def _unraisable_hook(self, args: Any) -> None:
        if args.exc_value is not None:
            self.report(args.exc_value, f"clean-up of {type(args.object).__name__}")


def install(home: Home, redact: Redact, show: Callable[[str], None] | None = None) -> Faults:
    """Open the log of a home and lead every hook to one report, until `remove`. The folder must exist.

    Raises StorageError where nothing can be written.
    """
    path = home.logs / LOG_NAME
    with storage_faults(path):
        handler = _LogFile(path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8")
    lines = JsonLines(redact)
    handler.setFormatter(lines)
    root = logging.getLogger()
    with storage_faults(home.logs / CRASH_NAME):
        crash = (home.logs / CRASH_NAME).open("a", encoding="utf-8")
    before = (sys.excepthook, threading.excepthook, sys.unraisablehook, root.level, log.level)
    faults = Faults(path, lines, show)

    def restore() -> None:
        sys.excepthook, threading.excepthook, sys.unraisablehook = before[:3]
        root.setLevel(before[3])
        log.setLevel(before[4])
        root.removeHandler(handler)
        handler.close()
        faulthandler.disable()
        crash.close()

    faults._restore = restore
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    log.setLevel(logging.INFO)
    log.info("Pilothouse %s, Python %s, SQLite %s", __version__, platform.python_version(), sqlite3.sqlite_version)
    faulthandler.enable(crash, all_threads=True)
    sys.excepthook = faults._sys_hook
    threading.excepthook = faults._thread_hook
    sys.unraisablehook = faults._unraisable_hook
    return faults


def record(error: BaseException, environ: Mapping[str, str]) -> Path | None:
    """Write one unexpected error of a short command into the home's log; gives its path, None where that failed too."""
    try:
        home = make_home(find_home(environ))
        faults = install(home, redact_for(environ))
    except (PilothouseError, OSError):
        return None
    faults.report(error, "a command")
    faults.remove()
    return faults.log_path


def redact_for(environ: Mapping[str, str]) -> Redact:
    """Replaces the secrets that the environment holds."""
    return Redactor(secrets_in(environ)).redact


def one_line(error: BaseException) -> str:
    """An unexpected error as one line: its type and message, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename.rpartition('/')[2]} line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"
