"""Table: a QTableView with fixed rows painted from the tokens, and a ready model for tables of plain cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ui.hostile import visible_line
from ui.theme import px, theme
from ui.tokens import HEIGHT_TABLE_ROW, RADIUS_CHIP, TONES, ColorName, Role, ToneName
from ui.widgets.paint import CENTER, LEFT, RIGHT, draw_elided, draw_icon, rounded_box, text_width
from ui.widgets.surface import set_style_property
from ui.widgets.tooltip import plain_tooltip

CELL_ROLE: Final = Qt.ItemDataRole.UserRole + 1
FLAG_ROLE: Final = Qt.ItemDataRole.UserRole + 2

Index = QModelIndex | QPersistentModelIndex
_ROOT: Final = QModelIndex()
_PADDING: Final = 12
_CARD_PADDING: Final = 16
_LONGEST_TEXT: Final = 2_000


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell. `chip` paints the text as a chip of that tone; `icon` stands before the text."""

    text: str
    color: ColorName = "text2"
    role: Role = "secondary"
    icon: str | None = None
    chip: ToneName | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """One column: fixed `width` in px at 100 %, or a share of what is left (`stretch`, at least `width`)."""

    title: str
    width: int = 90
    stretch: float = 0.0
    right: bool = False
    role: Role = "secondary"
    color: ColorName = "text2"


class CellTableModel(QAbstractTableModel):
    """A model of plain cells: strings take the style of their column. `flagged` rows get an amber ground."""

    def __init__(self, columns: Sequence[Column], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._rows: Sequence[Sequence[Cell | str]] = ()
        self._flagged: frozenset[int] = frozenset()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""
        return self._columns

    def set_rows(self, rows: Sequence[Sequence[Cell | str]], flagged: frozenset[int] = frozenset()) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._rows, self._flagged = rows, flagged
        self.endResetModel()

    def cell(self, row: int, column: int) -> Cell:
        """The cell, with its column's style where it has none of its own."""
        value = self._rows[row][column] if column < len(self._rows[row]) else ""
        if isinstance(value, Cell):
            return value
        style = self._columns[column]
        return Cell(value, style.color, style.role)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Rows of the table."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Columns of the table."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, tooltip, alignment, cell and flag."""
        if not index.isValid():
            return None
        if role == FLAG_ROLE:
            return index.row() in self._flagged
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if self._columns[index.column()].right else LEFT
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, CELL_ROLE):
            cell = self.cell(index.row(), index.column())
            if role == CELL_ROLE:
                return cell
            return visible_line(cell.text) if role == Qt.ItemDataRole.DisplayRole else plain_tooltip(cell.text)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Column titles."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._columns[section].title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if self._columns[section].right else LEFT
        return None


class TokenDelegate(QStyledItemDelegate):
    """Paints one cell: ground, line below, icon, text or chip. Works with any model that answers `CELL_ROLE`."""

    def __init__(self, parent: QWidget, *, first: int = _PADDING) -> None:
        super().__init__(parent)
        self._first = first
        """Room before the first cell of a row, in px at 100 %."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One cell."""
        rect = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, index, rect)
        cell = index.data(CELL_ROLE)
        if not isinstance(cell, Cell):
            cell = Cell(str(index.data(Qt.ItemDataRole.DisplayRole) or ""))
        align = index.data(Qt.ItemDataRole.TextAlignmentRole)
        before = self._first if index.column() == 0 else _PADDING
        self._paint_cell(painter, rect.adjusted(px(before), 0, -px(_PADDING), 0), cell, align == RIGHT)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, rect: QRectF) -> None:
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme().color("bg_selected"))
        elif index.data(FLAG_ROLE):
            painter.fillRect(rect, theme().color("attn_bg"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme().color("bg_hover"))
        painter.fillRect(QRectF(rect.x(), rect.bottom() - 1, rect.width(), 1), theme().color("line"))

    def _paint_cell(self, painter: QPainter, rect: QRectF, cell: Cell, right: bool) -> None:
        text = visible_line(cell.text[:_LONGEST_TEXT])
        if cell.icon:
            draw_icon(painter, cell.icon, cell.color, rect.x(), rect.center().y() - px(15) / 2, px(15))
            rect.setLeft(rect.left() + px(22))
        if cell.chip and text:
            self._paint_chip(painter, rect, text, cell.chip)
        else:
            draw_elided(painter, rect, text, cell.role, cell.color, RIGHT if right else LEFT)

    def _paint_chip(self, painter: QPainter, rect: QRectF, text: str, name: ToneName) -> None:
        tone = TONES[name]
        width = min(rect.width(), text_width(text, "meta_medium") + px(14))
        chip = QRectF(rect.x(), rect.center().y() - px(10), width, px(20))
        fill = theme().color(tone.background) if tone.background else None
        rounded_box(painter, chip, px(RADIUS_CHIP), fill, theme().color(tone.line) if name == "plain" else None)
        draw_elided(painter, chip.adjusted(px(6), 0, -px(6), 0), text, "meta_medium", tone.foreground, CENTER)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Rows are fixed by the view; the width serves double clicks on header edges."""
        cell = index.data(CELL_ROLE)
        text = cell.text if isinstance(cell, Cell) else str(index.data() or "")
        role: Role = cell.role if isinstance(cell, Cell) else "secondary"
        return QSize(round(text_width(text[:200], role)) + px(2 * _PADDING) + px(24), px(HEIGHT_TABLE_ROW))


class Table(QTableView):
    """Fixed rows, one selected row, no grid. `row_opened(int)` fires on Enter and double click.

    Give it `columns` (a `CellTableModel` brings its own); widths then follow the view. `in_card` lines it up with the
    title and the other rows of a card.
    """

    row_opened = Signal(int)

    def __init__(
        self,
        model: QAbstractItemModel | None = None,
        *,
        columns: Sequence[Column] = (),
        row_height: int = HEIGHT_TABLE_ROW,
        name: str = "",
        in_card: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._row_height = row_height
        self._most_rows: int | None = None
        self._columns: tuple[Column, ...] = tuple(columns)
        set_style_property(self, "kit", True)
        set_style_property(self, "in_card", in_card)
        self.setAccessibleName(name)
        self.setItemDelegate(TokenDelegate(self, first=_CARD_PADDING if in_card else _PADDING))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setMinimumSectionSize(px(32))
        self.doubleClicked.connect(lambda index: self.row_opened.emit(index.row()))
        if model is not None:
            self.setModel(model)
        theme().follow(self.restyle)

    def setModel(self, model: QAbstractItemModel | None) -> None:  # noqa: N802
        """Show `model`; a `CellTableModel` brings its columns."""
        super().setModel(model)
        if isinstance(model, CellTableModel):
            self._columns = model.columns
        self._spread()

    def restyle(self) -> None:
        """Row and header heights again after a theme change."""
        self.verticalHeader().setMinimumSectionSize(px(20))
        self.verticalHeader().setDefaultSectionSize(px(self._row_height))
        header = self.horizontalHeader()
        header.setFont(theme().font("meta_strong"))
        header.setFixedHeight(px(30))
        self._spread()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Spread the columns over the new width."""
        super().resizeEvent(event)
        self._spread()

    def _spread(self) -> None:
        """Every shown column gets its width; what is left goes to those that stretch, by their share."""
        shown = [(i, c) for i, c in enumerate(self._columns) if not self.isColumnHidden(i)]
        total = sum(column.stretch for _, column in shown)
        free = max(0, self.viewport().width() - sum(px(column.width) for _, column in shown))
        for index, column in shown:
            share = int(free * column.stretch / total) if total else 0
            self.setColumnWidth(index, px(column.width) + share)
        self._fit()

    def fit_rows(self, most: int = 12) -> None:
        """Fix the height to all rows, or to `most` of them with the rest under a scroll bar."""
        self._most_rows = most
        self._fit()

    def _fit(self) -> None:
        """The height of the rows to show, and of the bar below them where the columns are wider than the table."""
        if self._most_rows is None:
            return
        rows = self.model().rowCount() if self.model() is not None else 0
        beside = self.verticalScrollBar().sizeHint().width() if rows > self._most_rows else 0
        cut = self.horizontalHeader().length() > self.width() - beside
        below = self.horizontalScrollBar().sizeHint().height() if cut else 0
        self.setFixedHeight(px(30) + min(self._most_rows, rows) * px(self._row_height) + 1 + below)

    def lead(self, page: QWidget, otherwise: QWidget, *, found: bool) -> None:
        """Show the table and give it the keys of its page; where nothing was found `otherwise` has them."""
        page.setFocusProxy(self if found else otherwise)
        if not found and self.hasFocus():
            otherwise.setFocus(Qt.FocusReason.OtherFocusReason)
        self.setVisible(found)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens the row; Ctrl+Enter and letters are left to the card or page."""
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if plain and self.currentIndex().isValid():
                self.row_opened.emit(self.currentIndex().row())
            else:
                event.ignore()
        elif event.text().strip():
            event.ignore()  # no type-ahead: single letters are commands here
        else:
            super().keyPressEvent(event)
