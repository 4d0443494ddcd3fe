"""Notes on the desktop: from the tray where there is one, else the window asks for attention. Clicking opens a card."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from agent_core.config.settings import Settings
from ui.console_state import ConsoleState
from ui.icons import make_icon
from ui.models.notifications import Note, NoteKeeper, NoteLevel, QuietHours
from ui.theme import theme

LOOK_MS = 5_000


class Notifier(QObject):
    """Looks at the queue when it changes and every few seconds. `opened` carries the card of a clicked note."""

    opened = Signal(str)
    told = Signal(object)
    """A Note that was shown."""

    def __init__(self, window: QWidget, state: ConsoleState, settings: Settings, now: Callable[[], datetime]) -> None:
        super().__init__(window)
        self._window, self._state, self._settings, self._now = window, state, settings, now
        self._keeper = NoteKeeper()
        self._last = ""
        self._tray: QSystemTrayIcon | None = None
        if QSystemTrayIcon.isSystemTrayAvailable():
            look = theme()
            icon = make_icon("shield-check", look.color("accent"), look.color("text3"))
            self._tray = QSystemTrayIcon(icon, self)
            self._tray.messageClicked.connect(lambda: self.opened.emit(self._last))
            self._tray.activated.connect(lambda _reason: self.opened.emit(""))
            self._tray.show()
        settings.observe(lambda _key: self._read_settings())
        self._read_settings()
        state.queue_changed.connect(self.look)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def _read_settings(self) -> None:
        self._keeper.level = NoteLevel(self._settings["alerts.level"])
        start, end = self._settings["alerts.quiet_from"], self._settings["alerts.quiet_until"]
        quiet = QuietHours(time.fromisoformat(start), time.fromisoformat(end)) if start and end else None
        self._keeper.quiet = quiet

    def look(self) -> None:
        """Tell what is to be told now."""
        for note in self._keeper.look(self._state.queue, self._now(), watched=self._window.isActiveWindow()):
            self._tell(note)

    def _tell(self, note: Note) -> None:
        self._last = note.proposal
        QApplication.alert(self._window)
        if self._tray is not None:
            self._tray.showMessage("Pilothouse", note.text)
        self.told.emit(note)
