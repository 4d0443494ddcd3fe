"""Exports: a person is asked where to write first, it is written off the GUI thread, and then said where it lies."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from ui.commands import Commands
from ui.dialogs.ask import AskText
from ui.main_window import MainWindow


class Exports:
    """Asks over the window."""

    def __init__(self, window: MainWindow, commands: Commands) -> None:
        self._window, self._commands = window, commands

    def ask(
        self,
        what: str,
        file: str,
        write: Callable[[Path], Coroutine[Any, Any, Any]],
        done: Callable[[Any], str] = lambda _result: "Exported",
    ) -> None:
        """Where to `write` "this session as JSONL"; a `file` at home is proposed. `done` words the result."""
        dialog = AskText(f"Export {what} to", "", "Export", self._window, text=str(Path.home() / file))
        dialog.given.connect(lambda out: self._write(Path(out).expanduser(), write, done))
        dialog.open()

    def _write(self, out: Path, write: Callable[[Path], Coroutine[Any, Any, Any]], done: Callable[[Any], str]) -> None:
        self._commands.spawn(write(out), then=lambda result: self._window.say(f"{done(result)} to {out}"))
