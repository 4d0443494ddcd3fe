"""TableDiff: a bulk change as a table, flagged rows first; tells which rows were opened and when the end was seen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from ui.widgets.table import Cell, CellTableModel, Column, Table


class TableDiff(Table):
    """Rows of a bulk change. Row numbers in signals are those of the caller, whatever the order on screen.

    `flagged_seen(n)` counts the flagged rows that were opened (selected by the operator) so far; `seen_to_end` fires
    once when the last row has been on screen.
    """

    seen_to_end = Signal()
    flagged_seen = Signal(int)

    def __init__(
        self, columns: Sequence[Column], *, row_height: int = 32, name: str = "", parent: QWidget | None = None
    ) -> None:
        self._order: list[int] = []
        self._flagged: frozenset[int] = frozenset()
        self._opened: set[int] = set()
        self._seen = False
        self._cells = CellTableModel(columns)
        super().__init__(self._cells, row_height=row_height, name=name, parent=parent)
        self._cells.setParent(self)
        self.clicked.connect(lambda index: self._open(index.row()))
        self.row_opened.connect(self._open)

    def set_rows(self, rows: Sequence[Sequence[Cell | str]], flagged: Sequence[int] = ()) -> None:
        """Show `rows`; those whose numbers are in `flagged` come first."""
        self._flagged = frozenset(flagged)
        self._order = sorted(range(len(rows)), key=lambda row: row not in self._flagged)
        self._opened.clear()
        self._seen = False
        self._cells.set_rows([rows[row] for row in self._order], frozenset(range(len(self._flagged))))

    @property
    def unopened_flagged(self) -> int:
        """How many flagged rows nobody has opened yet."""
        return len(self._flagged - self._opened)

    @property
    def is_seen_to_end(self) -> bool:
        """Whether the last row has been on screen."""
        return self._seen

    def summary(self) -> str:
        """The words for the foot: "2 flagged first, 30 more below"."""
        rest = len(self._order) - len(self._flagged)
        return f"{len(self._flagged)} flagged first, {rest} more below" if self._flagged else f"{rest} rows"

    def _open(self, row: int) -> None:
        source = self._order[row]
        if source in self._flagged and source not in self._opened:
            self._opened.add(source)
            self.flagged_seen.emit(len(self._opened))

    def showEvent(self, event: QShowEvent) -> None:
        """A short table is seen at once."""
        super().showEvent(event)
        self._note_seen()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Painting is when something comes into view."""
        super().paintEvent(event)
        self._note_seen()

    def _note_seen(self) -> None:
        last = len(self._order) - 1
        if self._seen or last < 0 or not self.isVisible():
            return
        bottom = self.rowViewportPosition(last) + self.rowHeight(last)
        on_screen = self.viewport().visibleRegion().boundingRect()
        if not on_screen.isEmpty() and bottom <= on_screen.bottom() + 2:
            self._seen = True
            self.seen_to_end.emit()
