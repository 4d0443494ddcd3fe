"""Notes that a person is needed: in the tray where there is one, and the window asks for attention in any case."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QWidget

from agent_core.config.settings import Settings
from ui.console_state import ConsoleState
from ui.models.notifications import NoteKeeper, NoteLevel, QuietHours
from ui.tray import Tray

LOOK_MS = 5_000


class Notifier(QObject):
    """Looks at the queue when it changes and every few seconds, and tells what the keeper finds worth telling."""

    told = Signal(object)
    """A Note that was shown."""

    def __init__(
        self, window: QWidget, state: ConsoleState, settings: Settings, now: Callable[[], datetime], tray: Tray | None
    ) -> None:
        super().__init__(window)
        self._window, self._state, self._settings, self._now, self._tray = window, state, settings, now, tray
        self._keeper = NoteKeeper()
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
        """Tell what is to be told now. Before the queue was read, nobody knows what is new."""
        if not self._state.queue_known:
            return
        if self._tray is not None:
            self._tray.show_waiting(len(self._state.queue))
        for note in self._keeper.look(self._state.queue, self._now(), watched=self._window.isActiveWindow()):
            QApplication.alert(self._window)
            if self._tray is not None:
                self._tray.note(note.text, note.proposal)
            self.told.emit(note)
