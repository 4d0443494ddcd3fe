"""The dialogs about the whole home: stop all, back up, put a backup back. Nothing is done before a person confirms."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from agent_core.config.home import Home
from agent_core.engine.facade import Archive
from ui.commands import Commands
from ui.dialogs.ask import AskSecret, Confirm
from ui.main_window import MainWindow

_STOP_ALL = "Every agent stops at once, in every process, and nothing starts until you release the halt."
_RESTORE = (
    "All sessions and decisions become what they were when {} was made. What is there now is backed up first. "
    "The restore is recorded and signed by you. The window opens anew then."
)


class HomeDialogs:
    """Opens them over the window. `reopen` is called once a backup was put back, with what the new window is to say."""

    def __init__(
        self, window: MainWindow, commands: Commands, archive: Archive | None, home: Home, reopen: Callable[[str], None]
    ) -> None:
        self._window, self._commands, self._archive, self._home = window, commands, archive, home
        self._reopen = reopen

    def ask_stop_all(self) -> None:
        """Stop everything, everywhere; asked once."""
        dialog = Confirm("Stop all agents?", _STOP_ALL, "Stop all", self._window)
        dialog.confirmed.connect(self._commands.stop_all)
        dialog.open()

    def ask_passphrase(self) -> None:
        """Once a session; the decision is then given again, by the person, not by us."""
        name = self._commands.operator
        hint = f"{name} decides with a passphrase, asked for once until the window closes. Decide again afterwards."
        dialog = AskSecret("Passphrase", hint, "Unlock", self._window)
        dialog.given.connect(lambda secret: self._unlock(dialog, secret))
        dialog.open()

    def _unlock(self, dialog: AskSecret, secret: str) -> None:
        def unlocked(_none: object) -> None:
            dialog.accept()
            self._window.say("Unlocked. Decide again.", "lock")

        work = self._commands.desk.unlock(self._commands.operator, secret)
        self._commands.spawn(work, then=unlocked, otherwise=lambda error: dialog.refuse(str(error)))

    def back_up(self, done: Callable[[], None]) -> None:
        """Into the home's backups; says where, and calls `done`."""

        def said(path: Path) -> None:
            self._window.say(f"Backed up to {path}", "circle-check")
            done()

        if self._archive is not None:
            self._commands.spawn(self._archive.backup(), then=said)

    def choose_backup(self) -> None:
        """Which backup to put back."""
        chooser = QFileDialog(self._window, "Choose a backup", str(self._home.backups), "Backups (*.db)")
        chooser.setObjectName("dialog.backup")
        chooser.setFileMode(QFileDialog.FileMode.ExistingFile)
        chooser.fileSelected.connect(lambda path: self.ask_restore(Path(path)))
        chooser.open()

    def ask_restore(self, source: Path) -> None:
        """Put that backup back; asked once."""
        dialog = Confirm("Put this backup back?", _RESTORE.format(source.name), "Restore", self._window)
        dialog.confirmed.connect(lambda: self._restore(source))
        dialog.open()

    def _restore(self, source: Path) -> None:
        said = f"{source.name} is put back. What was there before lies in {self._home.backups}."
        if self._archive is not None:
            self._commands.spawn(
                self._archive.restore(source, self._commands.operator), then=lambda _set_back: self._reopen(said)
            )
