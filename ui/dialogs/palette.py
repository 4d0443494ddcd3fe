"""The command palette: type a few letters, choose with the arrows, Enter acts. It never decides anything."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QDialog, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui.hostile import visible_line
from ui.models.palette import PaletteEntry, matching
from ui.theme import px, theme
from ui.tokens import RADIUS_CONTROL
from ui.widgets.field import Field
from ui.widgets.label import Label
from ui.widgets.paint import RIGHT, draw_elided, draw_icon, draw_text, rounded_box, text_width
from ui.widgets.surface import Surface, column

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_ENTRY = int(Qt.ItemDataRole.UserRole)
_KEYS_OF_THE_LIST = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)


class _Hits(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: Sequence[PaletteEntry] = ()

    def show(self, entries: Sequence[PaletteEntry]) -> None:
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self._entries[index.row()]
        if role == _ENTRY:
            return entry
        return f"{entry.words}, {entry.right}" if role == Qt.ItemDataRole.DisplayRole else None


class _HitDelegate(QStyledItemDelegate):
    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, px(34))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: PaletteEntry = index.data(_ENTRY)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect).adjusted(px(6), 0, -px(6), 0)
        if option.state & QStyle.StateFlag.State_Selected:
            rounded_box(painter, rect, px(RADIUS_CONTROL), theme().color("bg_selected"), None)
        draw_icon(painter, entry.icon, "text3", rect.left() + px(10), rect.center().y() - px(7), px(14))
        width = min(text_width(entry.right, "meta"), rect.width() / 2)
        words = rect.adjusted(px(34), 0, -width - px(20), 0)
        draw_elided(painter, words, visible_line(entry.words), "body", "text")
        draw_text(painter, rect.adjusted(0, 0, -px(10), 0), visible_line(entry.right), "meta", "text3", RIGHT)
        painter.restore()


class Palette(QDialog):
    """`chosen` carries the entry; Esc closes without a word."""

    chosen = Signal(object)

    def __init__(self, entries: Sequence[PaletteEntry], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("palette")
        self.setAccessibleName("Search sessions, actions and settings")
        self._entries, self._window = entries, parent
        self._hits = _Hits(self)
        self.field = Field(placeholder="Search sessions, actions, settings…", icon="search", height=36)
        self.field.setObjectName("palette.field")
        self.list = QListView()
        self.list.setObjectName("palette.list")
        self._none = Label("Nothing matches", "secondary", "text3")
        self._build()
        self._filter("")

    def _build(self) -> None:
        card = Surface("card")
        outer = column(self, 0)
        outer.addWidget(card)
        body = column(card, 6, (10, 10, 10, 10))
        body.addWidget(self.field)
        body.addWidget(self.list, 1)
        body.addWidget(self._none, 1, Qt.AlignmentFlag.AlignTop)
        self._none.setContentsMargins(px(10), px(6), 0, 0)
        self.list.setModel(self._hits)
        self.list.setItemDelegate(_HitDelegate(self.list))
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.viewport().setAutoFillBackground(False)
        self.list.clicked.connect(self._choose)
        self.field.textChanged.connect(self._filter)
        self.field.installEventFilter(self)
        self.setFixedSize(px(620), px(420))
        self.move(self._window.mapToGlobal(self._window.rect().center()) - self.rect().center())

    def _filter(self, typed: str) -> None:
        hits = matching(self._entries, typed)
        self._hits.show(hits)
        self._none.setVisible(not hits)
        self.list.setVisible(bool(hits))
        if hits:
            self.list.setCurrentIndex(self._hits.index(0))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows move in the list while the field keeps the focus."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _KEYS_OF_THE_LIST:
                self.list.event(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            entry = index.data(_ENTRY)
            self.accept()
            self.chosen.emit(entry)
