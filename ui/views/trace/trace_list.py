"""TraceList: the list in the hand. Arrows choose an event, right and left open and close it, a click does both."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

import msgspec
from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
)
from PySide6.QtWidgets import QMenu, QWidget

from ui.models.trace.detail import copied
from ui.models.trace.filters import Shown
from ui.models.trace.line import Link, TraceLine
from ui.models.trace.rows import RowKind
from ui.views.trace.area import TraceArea

_POINTER: Final = (Qt.FocusReason.MouseFocusReason, Qt.FocusReason.ActiveWindowFocusReason)


class TraceList(TraceArea):
    """`step_prompt_wanted` asks for the number of a step (G), `find_wanted` for the find bar (Ctrl+F)."""

    card_wanted = Signal(str)
    step_prompt_wanted = Signal()
    find_wanted = Signal()
    find_next_wanted = Signal(int)

    def __init__(
        self, now: Callable[[], datetime], shown: Shown | None = None, parent: QWidget | None = None
    ) -> None:  # fmt: skip
        super().__init__(now, shown, parent)
        self._pressed: QPoint | None = None

    # ---------------------------------------------------------------- keys

    def event(self, event: QEvent) -> bool:
        """Keys of the trace come before shortcuts of the window with the same key, while it has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            ours = (Qt.Key.Key_G, Qt.Key.Key_P, Qt.Key.Key_End, Qt.Key.Key_Home)
            if event.modifiers() == Qt.KeyboardModifier.NoModifier and event.key() in ours:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The keys of the trace. No key here decides anything."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.Find):
            self.find_wanted.emit()
        elif event.key() == Qt.Key.Key_F3:
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.find_next_wanted.emit(-1 if back else 1)
        elif event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or not self._plain_key(event.key()):
            event.ignore() if event.key() not in _SCROLL_KEYS else super().keyPressEvent(event)

    def _plain_key(self, key: int) -> bool:
        act = {
            Qt.Key.Key_Up: lambda: self.step_by(-1),
            Qt.Key.Key_Down: lambda: self.step_by(1),
            Qt.Key.Key_Right: self._open,
            Qt.Key.Key_Left: self._close,
            Qt.Key.Key_Home: self._go_home,
            Qt.Key.Key_End: self._go_end,
            Qt.Key.Key_P: self._toggle_following,
            Qt.Key.Key_G: self.step_prompt_wanted.emit,
            Qt.Key.Key_Return: self._follow_link,
            Qt.Key.Key_Enter: self._follow_link,
        }.get(Qt.Key(key))
        if act is None:
            return False
        act()
        return True

    def step_by(self, step: int) -> None:
        """Choose the next (1) or previous (-1) event."""
        if not len(self.shown):
            return
        if self.current is None:
            rows = self.view.rows
            place = (rows[-1].place if step < 0 else rows[0].place) if rows else 0
        else:
            place = self.shown.place(self.current) + step
        while 0 <= place < len(self.shown) and self.model.kind(self.shown.row(place)) is RowKind.GONE:
            place += step
        if 0 <= place < len(self.shown):
            self.select(self.shown.row(place))

    def _open(self) -> None:
        if self.current is None:
            self.step_by(-1)
        elif not self.is_expanded(self.current):
            self.set_expanded(self.current, True)
        else:
            self.step_by(1)

    def _close(self) -> None:
        if self.current is None:
            return
        if self.is_expanded(self.current):
            self.set_expanded(self.current, False)
        elif (head := self.model.head(self.current)) is not None:
            self.select(head)

    def _go_home(self) -> None:
        self.verticalScrollBar().setValue(0)

    def _go_end(self) -> None:
        self.select(None)
        self.follow()

    def _toggle_following(self) -> None:
        if self.following:
            self.pause_following()
        else:
            self.follow()

    def _follow_link(self) -> None:
        if self.current is None:
            return
        line = self.model.line(self.current)
        if isinstance(line, TraceLine) and line.link is not None:
            self.go_to(line.link)
        else:
            self.set_expanded(self.current, not self.is_expanded(self.current))

    def go_to(self, link: Link) -> None:
        """Follow a link."""
        if link.card is not None:
            self.card_wanted.emit(link.card)
        elif link.step is not None:
            self.go_to_step(link.step)

    # ---------------------------------------------------------------- copying

    def copy(self) -> None:
        """Put the chosen row on the clipboard, byte for byte."""
        found = self.model.at(self.current) if self.current is not None else None
        if found is not None:
            QGuiApplication.clipboard().setText(copied(*found))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Copying in its forms, opening, closing."""
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            placed = self.view.at(event.pos().y())
            if placed is not None:
                self.select(placed.row, show=False)
        if self.current is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        row = self.current
        menu.addAction("Copy", self.copy)
        menu.addAction("Copy event as JSON", lambda: self._copy_event(row))
        menu.addSeparator()
        opened = self.is_expanded(row)
        menu.addAction("Collapse" if opened else "Expand", lambda: self.set_expanded(row, not opened))
        menu.popup(event.globalPos())

    def _copy_event(self, row: int) -> None:
        event = self.model.event(row)
        if event is None:
            return
        whole = {**msgspec.to_builtins(event), "kind": event.kind}
        QGuiApplication.clipboard().setText(msgspec.json.encode(whole).decode())

    # ---------------------------------------------------------------- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where, so that a drag is no click."""
        self._pressed = event.position().toPoint() if event.button() == Qt.MouseButton.LeftButton else None
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click follows a link, or chooses and opens an event."""
        pressed, self._pressed = self._pressed, None
        if pressed is None or (event.position().toPoint() - pressed).manhattanLength() > 6:
            return
        link = self.link_at(event.position())
        if link is not None:
            self.go_to(link)
            return
        placed = self.view.at(event.position().y())
        if placed is None:
            self.select(None)
            return
        self.select(placed.row, show=False)
        in_detail = event.position().y() > placed.top + self.layouts.get(placed.row).height
        if not in_detail:
            self.set_expanded(placed.row, not self.is_expanded(placed.row))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Rows light up; links get a hand."""
        placed = self.view.at(event.position().y())
        self._hover(placed.row if placed is not None else -1)
        hand = self.link_at(event.position()) is not None
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor)

    def leaveEvent(self, event: QEvent) -> None:
        """No row is under the pointer."""
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row == self._hovered:
            return
        for one in (self._hovered, row):
            self.update_row(self.view.of(one))
        self._hovered = row

    # ---------------------------------------------------------------- focus

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The ring shows for keyboard focus only."""
        self._keyboard_focus = event.reason() not in _POINTER
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The ring goes."""
        super().focusOutEvent(event)
        self.viewport().update()


_SCROLL_KEYS: Final = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
