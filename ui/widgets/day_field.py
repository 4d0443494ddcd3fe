"""DayField: a day typed as 2026-12-04, with its weekday beside it."""

from datetime import date, timedelta

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from ui.widgets.field import Field

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_STEPS = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}


class DayField(Field):
    """The arrow keys go on by a day. What is no day is left as it is typed."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, mono=True, parent=parent)
        self._words = ""
        self.textChanged.connect(lambda _text: self.set_note(self._words))
        self.set_note("")

    @property
    def day(self) -> date | None:
        """The day; None while it is none."""
        try:
            return date.fromisoformat(self.text().strip())
        except ValueError:
            return None

    def set_note(self, note: str) -> None:
        """Words at the right end, after the weekday."""
        self._words = note
        weekday = _WEEKDAYS[self.day.weekday()] if self.day is not None else ""
        self.setAccessibleDescription(weekday)
        super().set_note(" · ".join(filter(None, (weekday, note))))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up is a day later, down a day earlier."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or self.day is None:
            super().keyPressEvent(event)
        else:
            self.setText((self.day + timedelta(days=step)).isoformat())
