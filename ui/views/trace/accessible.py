"""The trace for screen readers: a list whose rows are made when they are asked for."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface, QWindow
from PySide6.QtWidgets import QAccessibleWidget

from ui.models.trace.rows import RowKind
from ui.views.trace.trace_list import TraceList


class TraceListInterface(QAccessibleWidget):
    """The list itself: one child a row that is shown."""

    def __init__(self, trace: TraceList) -> None:
        super().__init__(trace, QAccessible.Role.List, trace.accessibleName())
        self.trace = trace
        self._rows: dict[int, TraceRowInterface] = {}

    def childCount(self) -> int:  # noqa: N802
        """How many rows are shown."""
        return len(self.trace.shown)

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        """The row at a place."""
        if not 0 <= index < self.childCount():
            return None
        if index not in self._rows:
            self._rows[index] = TraceRowInterface(self, index)
        return self._rows[index]

    def indexOfChild(self, child: QAccessibleInterface) -> int:  # noqa: N802
        """The place of a row."""
        return child.place if isinstance(child, TraceRowInterface) else -1

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # noqa: N802
        """The row at a point of the screen."""
        at = self.trace.viewport().mapFromGlobal(QPoint(x, y))
        placed = self.trace.view.at(at.y())
        return self.child(placed.place) if placed is not None else None

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]  # noqa: N802
        """The chosen row."""
        current = self.trace.current
        return self.child(self.trace.shown.place(current)) if current is not None else None


class TraceRowInterface(QAccessibleInterface):
    """One row: its line as a sentence, its place in view, whether it is chosen and open."""

    def __init__(self, of: TraceListInterface, place: int) -> None:
        super().__init__()
        self._list = of
        self.place = place

    @property
    def _row(self) -> int:
        return self._list.trace.shown.row(self.place)

    def isValid(self) -> bool:  # noqa: N802
        """Whether the row is still shown."""
        return self.place < len(self._list.trace.shown)

    def object(self) -> QObject | None:  # type: ignore[override]
        """Rows are no objects."""
        return None

    def window(self) -> QWindow | None:  # type: ignore[override]
        """Of the list."""
        return self._list.window()

    def parent(self) -> QAccessibleInterface:
        """The list."""
        return self._list

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        """Rows have none."""
        return None

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # noqa: N802
        """Nor here."""
        return None

    def childCount(self) -> int:  # noqa: N802
        """Nor any."""
        return 0

    def indexOfChild(self, child: QAccessibleInterface) -> int:  # noqa: N802
        """So none is found."""
        return -1

    def text(self, kind: QAccessible.Text) -> str:
        """The line as a sentence."""
        if kind != QAccessible.Text.Name or not self.isValid():
            return ""
        trace = self._list.trace
        return "" if trace.model.kind(self._row) is RowKind.GONE else trace.model.line(self._row).spoken

    def setText(self, kind: QAccessible.Text, text: str) -> None:  # noqa: N802
        """Rows are not edited."""

    def rect(self) -> QRect:
        """Where the row is on screen; empty out of view."""
        trace = self._list.trace
        placed = trace.view.of(self._row) if self.isValid() else None
        if placed is None:
            return QRect()
        top_left = trace.viewport().mapToGlobal(QPoint(0, placed.top))
        return QRect(top_left.x(), top_left.y(), trace.viewport().width(), placed.height)

    def role(self) -> QAccessible.Role:
        """A list item."""
        return QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        """Chosen, open, out of view."""
        state = QAccessible.State()
        trace = self._list.trace
        if not self.isValid():
            state.invalid = True
            return state
        state.selectable = state.focusable = state.expandable = True
        state.selected = state.focused = trace.current == self._row
        state.expanded = trace.is_expanded(self._row)
        state.collapsed = not state.expanded
        state.offscreen = trace.view.of(self._row) is None
        return state


_interfaces: dict[int, TraceListInterface] = {}


def _make(_key: str, thing: QObject | None) -> QAccessibleInterface | None:
    if not isinstance(thing, TraceList):
        return None
    key = id(thing)
    if key not in _interfaces:
        _interfaces[key] = TraceListInterface(thing)
        thing.destroyed.connect(lambda: _interfaces.pop(key, None))
    return _interfaces[key]


@cache
def install() -> None:
    """Make lists of this kind known to Qt's accessibility, once a process."""
    QAccessible.installFactory(_make)


def tell_current(trace: TraceList) -> None:
    """Tell screen readers that another row is chosen."""
    if trace.current is not None and QAccessible.isActive():
        event = QAccessibleEvent(trace, QAccessible.Event.Focus)
        event.setChild(trace.shown.place(trace.current))
        QAccessible.updateAccessibility(event)
