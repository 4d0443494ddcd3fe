"""The find bar of the trace: finds text in every row, and goes to a step by its number."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from ui import formatting
from ui.models.trace.find import Search
from ui.views.trace.trace_list import TraceList
from ui.widgets.button import Button
from ui.widgets.field import Field
from ui.widgets.label import Label
from ui.widgets.surface import Surface, row

_SLICE_SECONDS: Final = 0.006
_PAUSE_MS: Final = 120


class FindBar(Surface):
    """Hidden until it is wanted. Enter and F3 go to the next hit, with Shift to the one before, Esc closes."""

    closed = Signal()

    def __init__(self, trace: TraceList, parent: QWidget | None = None) -> None:
        super().__init__("bar_top", parent)
        self.setObjectName("trace.find_bar")
        self._trace = trace
        self._search: Search | None = None
        self._asks_step = False
        self._wants_first = False
        self.field = Field(placeholder="Find in trace", icon="search", height=28)
        self.field.setObjectName("trace.find_field")
        self._hits = Label("", "meta", "text3")
        self._previous = Button("", "ghost", icon="chevron-up", height=26, tip="Previous hit", key="Shift F3")
        self._next = Button("", "ghost", icon="chevron-down", height=26, tip="Next hit", key="F3")
        self._close = Button("", "ghost", icon="x", height=26, tip="Close", key="Esc")
        line = row(self, 4, (12, 4, 14, 4))
        line.addWidget(self.field, 1)
        for widget in (self._hits, self._previous, self._next, self._close):
            line.addWidget(widget)
        self._typing = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._typing.timeout.connect(self.restart)
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._look_on)
        self._connect()
        self.hide()

    def _connect(self) -> None:
        self.field.textChanged.connect(lambda _text: self._typing.start())
        self.field.returnPressed.connect(self._entered)
        self._previous.clicked.connect(lambda: self.go(-1))
        self._next.clicked.connect(lambda: self.go(1))
        self._close.clicked.connect(self.close_bar)
        self.field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the field come before shortcuts of the window with the same key, Esc above all."""
        if watched is not self.field or not isinstance(event, QKeyEvent):
            return False
        act = self._act_of(event)
        if act is None:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress:
            act()
            return True
        return False

    def _act_of(self, event: QKeyEvent) -> Callable[[], None] | None:
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_Escape:
            return self.close_bar
        if event.key() == Qt.Key.Key_F3 or (event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and back):
            return lambda: self.go(-1 if back else 1)
        return None

    # ---------------------------------------------------------------- opening

    def open(self) -> None:
        """Find text."""
        self._show("Find in trace", asks_step=False)

    def ask_step(self) -> None:
        """Go to a step by its number."""
        self._show("Go to step, by its number", asks_step=True)

    def _show(self, words: str, *, asks_step: bool) -> None:
        if asks_step != self._asks_step:
            self.field.clear()
        self._asks_step = asks_step
        self.field.setPlaceholderText(words)
        self.field.setAccessibleName(words)
        for widget in (self._previous, self._next):
            widget.setVisible(not asks_step)
        self._hits.setText("")
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        self.restart()

    def close_bar(self) -> None:
        """Hide and forget the hits."""
        if self.isVisible():
            self.hide()
            self._stop()
            self._trace.set_marked(frozenset())
            self._trace.setFocus()
            self.closed.emit()

    def _stop(self) -> None:
        self._slices.stop()
        self._typing.stop()
        self._search = None

    # ---------------------------------------------------------------- searching

    @property
    def hits(self) -> int:
        """How many rows have been found so far."""
        return len(self._search.hits) if self._search is not None else 0

    @property
    def searching(self) -> bool:
        """Whether rows are still being looked at, or are about to be."""
        waits = self._search is not None and self._search.waits
        return waits or self._slices.isActive() or self._typing.isActive()

    def restart(self) -> None:
        """Search for what the field says now."""
        self._stop()
        if self.isHidden() or self._asks_step:
            return
        self._search = Search(self._trace.model, self.field.text())
        self._wants_first = True
        self._trace.set_marked(frozenset())
        self.more()
        self._say()

    def more(self, changed: set[int] | None = None) -> None:
        """There are new rows, and some have changed."""
        if self._search is None:
            return
        self._search.look_again(changed or set())
        if not self._search.complete:
            self._slices.start()

    def _look_on(self) -> None:
        search = self._search
        if search is None:
            self._slices.stop()
            return
        until = time.perf_counter() + _SLICE_SECONDS
        search.advance(lambda: time.perf_counter() > until)
        if search.complete or search.waits:  # `more` follows when the page has come
            self._slices.stop()
        self._trace.set_marked(frozenset(search.hits))
        if self._wants_first and search.hits:
            self._wants_first = False
            self.go(1)
        self._say()

    def _say(self) -> None:
        search = self._search
        if search is None or not self.field.text():
            self._hits.setText("")
            return
        going_on = "" if search.complete else ", searching…"
        if not search.hits:
            self._hits.setText("No hit" if search.complete else "Searching…")
            return
        number = self._number()
        words = f"{number:,} of {len(search.hits):,}" if number else formatting.plural(len(search.hits), "hit")
        self._hits.setText(words + going_on)

    def _number(self) -> int:
        if self._search is None or self._trace.current is None:
            return 0
        index = bisect_left(self._search.hits, self._trace.current)
        found = index < len(self._search.hits) and self._search.hits[index] == self._trace.current
        return index + 1 if found else 0

    # ---------------------------------------------------------------- going

    def _entered(self) -> None:
        if not self._asks_step:
            self.go(1)
            return
        text = self.field.text().strip()
        if not text.isdecimal() or not self._trace.go_to_step(int(text)):
            self.field.set_problem(f"There is no step {text} here" if text else "")
            return
        self.field.set_problem("")
        self.close_bar()

    def go(self, step: int) -> None:
        """Go to the next (1) or the previous (-1) hit, round the end."""
        search = self._search
        if search is None or not search.hits:
            return
        hits, here = search.hits, self._trace.current
        if here is None:
            rows = self._trace.view.rows
            here = rows[0].row - 1 if rows else -1
        index = bisect_right(hits, here) if step > 0 else bisect_left(hits, here) - 1
        self._trace.select(hits[index % len(hits)])
        self._say()
