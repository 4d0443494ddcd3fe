"""Deaf: the time between the wish to leave and the end, in which no mouse and no key reaches a widget any more."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QDropEvent, QInputEvent, QShortcutEvent
from PySide6.QtWidgets import QWidget

_INPUT = (QInputEvent, QShortcutEvent, QDropEvent)


class Deaf(QObject):
    """Keeps input from all windows of the program and leaves this one's picture as it is, from `begin` to `end`.

    Disabling the window would do the same, but styles and paints every widget anew: up to a second of the GUI's thread,
    which the agents that are to come to rest would wait for.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def begin(self) -> None:
        """From now on; the pointer says that something is under way."""
        application = QCoreApplication.instance()
        assert application is not None
        application.installEventFilter(self)
        self._window.setCursor(Qt.CursorShape.WaitCursor)
        self._window.setUpdatesEnabled(False)

    def end(self) -> None:
        """Let input through again: to the next window on the same home."""
        application = QCoreApplication.instance()
        assert application is not None
        application.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Swallow input, and nothing else."""
        return isinstance(event, _INPUT)
