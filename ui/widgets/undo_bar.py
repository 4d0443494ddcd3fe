"""UndoBar: the seconds in which a reversible decision can still be taken back."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from ui.widgets.button import Button
from ui.widgets.guard import Clock
from ui.widgets.label import Label
from ui.widgets.marks import Icon
from ui.widgets.surface import row


class UndoBar(QWidget):
    """The line "Approved. Runs in 6 s" with an Undo button (Ctrl Z). `undone` or `elapsed` fires, never both."""

    undone = Signal()
    elapsed = Signal()

    def __init__(self, *, clock: Clock = time.monotonic, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._runs_at: float | None = None
        self._message = ""
        self._text = Label("", "secondary_medium", "text2")
        self._button = Button("Undo", key="Ctrl Z", height=28)
        self._button.clicked.connect(self.undo)
        line = row(self, spacing=8)
        line.addWidget(Icon("undo-2", "text3", 14))
        line.addWidget(self._text)
        line.addStretch(1)
        line.addWidget(self._button)
        self._timer = QTimer(self, interval=200)
        self._timer.timeout.connect(self.refresh)
        self.hide()

    def start(self, message: str, seconds: float) -> None:
        """Count down from `seconds`; `message` is what was decided: "Approved"."""
        self._message = message
        self._runs_at = self._clock() + seconds
        self._timer.start()
        self.refresh()
        self.show()

    @property
    def seconds_left(self) -> float:
        """Time left to undo, never negative."""
        return 0.0 if self._runs_at is None else max(0.0, self._runs_at - self._clock())

    def undo(self) -> None:
        """Take the decision back, while there is time."""
        if self._runs_at is not None and self.seconds_left > 0:
            self._stop()
            self.undone.emit()

    def refresh(self) -> None:
        """Look at the clock now; the timer does this by itself."""
        if self._runs_at is None:
            return
        left = self.seconds_left
        if left <= 0:
            self._stop()
            self.elapsed.emit()
            return
        self._text.setText(f"{self._message}. Runs in {max(1, round(left))} s")

    def _stop(self) -> None:
        self._runs_at = None
        self._timer.stop()
        self.hide()
