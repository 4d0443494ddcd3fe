"""TableDiff: a bulk change as a table, flagged rows first; tells which rows were opened and when the end was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from ui.theme import px
from ui.widgets.paint import text_width
from ui.widgets.table import Cell, CellTableModel, Column, Table

NARROWEST = 56
_MEASURED = 200


def fitted(columns: Sequence[Column], rows: Sequence[Sequence[Cell | str]], widest: int) -> list[Column]:
    """The columns as wide as their words need, up to `widest`; those without a title stay as they are.

    Long tables are measured by their first rows.
    """
    measured = rows[:_MEASURED]
    found = []
    for place, column in enumerate(columns):
        cells = [_as_cell(row[place], column) for row in measured if place < len(row)]
        wanted = max([text_width(column.title, "meta_strong"), *map(_width, cells)]) + px(28)
        width = min(max(round(wanted / px(100) * 100), NARROWEST), widest)
        found.append(replace(column, width=width) if column.title else column)
    return found


def _as_cell(value: Cell | str, column: Column) -> Cell:
    return value if isinstance(value, Cell) else Cell(value, column.color, column.role)


def _width(cell: Cell) -> float:
    return text_width(cell.text[:120], cell.role) + (px(22) if cell.icon else 0)


class TableDiff(Table):
    """Rows of a bulk change. Row numbers in signals are those of the caller, whatever the order on screen.

    `flagged_seen(n)` counts the flagged rows that were opened (selected by the operator) so far; `seen_to_end` fires
    once when the last row has been on screen.
    """

    seen_to_end = Signal()
    flagged_seen = Signal(int)
    row_chosen = Signal(int)
    """The selection came to a row, by mouse or keys."""

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
        self.selectionModel().currentRowChanged.connect(self._choose)

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

    def open_next_flagged(self) -> bool:
        """Open the first flagged row that nobody opened yet; False when there is none."""
        row = next((row for row, source in enumerate(self._order) if source in self._flagged - self._opened), None)
        if row is None:
            return False
        self.setCurrentIndex(self._cells.index(row, 0))
        self._open(row)
        return True

    def current_row(self) -> int | None:
        """The selected row, by the caller's number."""
        row = self.currentIndex().row()
        return self._order[row] if 0 <= row < len(self._order) else None

    def summary(self) -> str:
        """The words for the foot: "2 flagged first, 30 more below"."""
        rest = len(self._order) - len(self._flagged)
        if self._flagged:
            return f"{len(self._flagged)} flagged first, {rest} more below"
        return "1 row" if rest == 1 else f"{rest:,} rows"

    def _open(self, row: int) -> None:
        source = self._order[row]
        if source in self._flagged and source not in self._opened:
            self._opened.add(source)
            self.flagged_seen.emit(len(self._opened))

    def _choose(self, *_indexes: object) -> None:
        row = self.current_row()
        if row is not None:
            self.row_chosen.emit(row)

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
