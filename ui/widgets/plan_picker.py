"""PlanPicker: a PlanList in which one step is the current one. Keys and mouse choose, move and take out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from ui.theme import px, theme
from ui.tokens import ColorName
from ui.widgets.plan_list import PlanList, PlanRow


class PlanPicker(PlanList):
    """↑ ↓ choose, Alt+↑ ↓ move, Delete takes out or puts back, Insert adds, F2 edits."""

    current_changed = Signal(int)
    moved = Signal(int)
    toggled = Signal()
    added = Signal()
    opened = Signal()

    def __init__(self, *, max_height: int | None = None, parent: QWidget | None = None) -> None:
        self._current = -1
        super().__init__(max_height=max_height, parent=parent)

    @property
    def current(self) -> int:
        """The place of the current step, or -1."""
        return self._current

    def set_rows(self, rows: Sequence[PlanRow]) -> None:
        """Show other steps, scrolled as before."""
        at = self.verticalScrollBar().value()
        super().set_rows(rows)
        self._update_bars()
        self.verticalScrollBar().setValue(at)

    def choose(self, place: int) -> None:
        """Make a step the current one and bring it into view."""
        if not 0 <= place < self.row_count:
            return
        changed = place != self._current
        self._current = place
        top, bottom = self._tops[place], self._tops[place + 1]
        bar = self.verticalScrollBar()
        if top < bar.value():
            bar.setValue(top)
        elif bottom > bar.value() + self.viewport().height():
            bar.setValue(bottom - self.viewport().height())
        self.viewport().update()
        if changed:
            self.setAccessibleDescription(self.row_text(place))
            self.current_changed.emit(place)

    def paint_row(self, painter: QPainter, row: int, rect: QRectF) -> None:
        """As the list; the current step has a bar at its left."""
        super().paint_row(painter, row, rect)
        if row == self._current:
            painter.fillRect(QRectF(rect.x(), rect.y() + 1, px(3), rect.height() - 1), theme().color("accent"))

    def ground_of(self, row: int) -> ColorName | None:
        """The current step stands out."""
        return "bg_selected" if row == self._current else super().ground_of(row)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click chooses."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.choose(self.row_at(event.position().y()))
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Two edit."""
        self.opened.emit()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Whatever the list itself does not know goes on to the card."""
        key, by_alt = event.key(), event.modifiers() == Qt.KeyboardModifier.AltModifier
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            by = -1 if key == Qt.Key.Key_Up else 1
            if by_alt:
                self.moved.emit(by)
            else:
                self.choose(min(self.row_count - 1, max(0, self._current + by)))
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.toggled.emit()
        elif key == Qt.Key.Key_Insert:
            self.added.emit()
        elif key == Qt.Key.Key_F2:
            self.opened.emit()
        else:
            super().keyPressEvent(event)
