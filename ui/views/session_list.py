"""The sessions list on the left: who needs you first, then what runs, rests and ended."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui.console_state import ConsoleState
from ui.hostile import visible_line
from ui.models.session_list_model import ItemRole, SessionListModel
from ui.models.session_rows import SessionRow, session_groups
from ui.theme import px, theme
from ui.tokens import RADIUS_CONTROL, ColorName, Role, ToneName
from ui.widgets.button import Button
from ui.widgets.messages import EmptyState
from ui.widgets.paint import CENTER, RIGHT, draw_elided, draw_icon, draw_text, focus_ring, rounded_box, text_width
from ui.widgets.surface import Surface, column, row

Index = QModelIndex | QPersistentModelIndex
_ROW, _HEADING = 50, 32
_TONE_COLORS: dict[ToneName, tuple[ColorName, ColorName]] = {"attn": ("attn", "attn_bg"), "unk": ("unk", "unk_bg")}
_CLOCK_MS = 1_000


class SessionDelegate(QStyledItemDelegate):
    """Paints headings and rows from the tokens."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """Fixed heights."""
        return QSize(0, px(_ROW if isinstance(index.data(ItemRole), SessionRow) else _HEADING))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One item."""
        item = index.data(ItemRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect).adjusted(px(8), 0, -px(8), 0)
        if isinstance(item, SessionRow):
            self._paint_row(painter, rect, item, option)
        else:
            self._paint_heading(painter, rect, item)
        painter.restore()

    def _paint_heading(self, painter: QPainter, rect: QRectF, heading: tuple[str, int]) -> None:
        title, number = heading
        words = rect.adjusted(px(10), px(8), -px(10), 0)
        draw_text(painter, words, title, "meta_strong", "text2")
        words.setLeft(words.left() + text_width(title, "meta_strong") + px(7))
        draw_text(painter, words, str(number), "meta", "text3")

    def _paint_row(self, painter: QPainter, rect: QRectF, item: SessionRow, option: QStyleOptionViewItem) -> None:
        state = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            ground = theme().color("bg_selected" if selected else "bg_hover")
            rounded_box(painter, rect.adjusted(0, 1, 0, -1), px(RADIUS_CONTROL), ground, None)
        if selected and state & QStyle.StateFlag.State_HasFocus:
            focus_ring(painter, rect.adjusted(0, 1, 0, -1), px(RADIUS_CONTROL))
        draw_icon(painter, item.icon, item.color, rect.left() + px(9), rect.top() + px(9), px(16))
        left, right = rect.left() + px(34), rect.right() - px(10)
        title_right = right
        if item.badge:
            title_right = self._paint_badge(painter, right, rect.top() + px(8), item) - px(6)
        title = QRectF(left, rect.top() + px(7), title_right - left, px(20))
        draw_elided(painter, title, visible_line(item.title), "key_value" if item.strong else "body", "text")
        width = text_width(item.right, "meta_strong")
        second = QRectF(left, rect.top() + px(27), right - left - width - px(8), px(16))
        self._paint_second(painter, second, item)
        role: Role = "meta" if item.right_color == "text3" else "meta_strong"
        draw_text(painter, QRectF(left, second.top(), right - left, px(16)), item.right, role, item.right_color, RIGHT)

    def _paint_second(self, painter: QPainter, rect: QRectF, item: SessionRow) -> None:
        """Agent and step: where there is little room, the agent's name is what is cut."""
        agent = visible_line(item.agent)
        room = max(0.0, rect.width() - text_width(item.place, "meta"))
        width = min(room, text_width(agent, "meta") + 1)
        draw_elided(painter, QRectF(rect.left(), rect.top(), width, rect.height()), agent, "meta", "text3")
        draw_elided(painter, rect.adjusted(width, 0, 0, 0), item.place, "meta", "text3")

    def _paint_badge(self, painter: QPainter, right: float, top: float, item: SessionRow) -> float:
        width = max(px(18), text_width(item.badge, "meta_strong") + px(10))
        rect = QRectF(right - width, top, width, px(18))
        foreground, ground = _TONE_COLORS[item.badge_tone]
        rounded_box(painter, rect, rect.height() / 2, theme().color(ground), None)
        draw_text(painter, rect, item.badge, "meta_strong", foreground, CENTER)
        return rect.left()


class SessionListView(Surface):
    """The list with its footer. `chosen` carries a session's id."""

    chosen = Signal(str)
    all_wanted = Signal()

    def __init__(self, state: ConsoleState, now: Callable[[], datetime], parent: QWidget | None = None) -> None:
        super().__init__("side_left", parent)
        self.setObjectName("sessions")
        self.setAccessibleName("Sessions")
        self._state, self._now = state, now
        self.model = SessionListModel(self)
        self.list = self._make_list()
        self._empty = EmptyState(
            "No runs yet", "Start one with New run, or try the demo.", icon="circle-play", parent=self
        )
        self._build()
        self._clock = QTimer(self, interval=_CLOCK_MS)
        self._clock.timeout.connect(self.refresh)
        self._clock.start()
        state.sessions_changed.connect(self.refresh)
        state.queue_changed.connect(self.refresh)
        state.current_changed.connect(self._show_current)
        self.refresh()

    def _make_list(self) -> QListView:
        view = QListView(self)
        view.setObjectName("sessions.list")
        view.setAccessibleName("Sessions")
        view.setModel(self.model)
        view.setItemDelegate(SessionDelegate(view))
        view.setFrameShape(QListView.Shape.NoFrame)
        view.setMouseTracking(True)
        view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.viewport().setAutoFillBackground(False)
        view.selectionModel().currentChanged.connect(self._current_row_changed)
        theme().follow(view.doItemsLayout)
        return view

    def _build(self) -> None:
        layout = column(self, 0, (0, 8, 0, 0))
        layout.addWidget(self.list, 1)
        layout.addWidget(self._empty, 1)
        footer = row(None, 4, (8, 6, 8, 6))
        every = Button("All sessions", "ghost", icon="history", height=30)
        every.setObjectName("sessions.all")
        every.clicked.connect(self.all_wanted)
        footer.addWidget(every)
        footer.addStretch(1)
        layout.addLayout(footer)

    def refresh(self) -> None:
        """Show the groups as they are now."""
        groups = session_groups(self._state.sessions.values(), self._state.queue, self._now())
        self.model.set_groups(groups)
        empty = not groups and self._state.sessions_known
        self.list.setVisible(not empty)
        self._empty.setVisible(empty)
        self._show_current()

    def _show_current(self) -> None:
        row_number = self.model.row_of(self._state.current or "")
        selection = self.list.selectionModel()
        if row_number < 0:
            selection.clear()
        elif self.list.currentIndex().row() != row_number:
            selection.setCurrentIndex(self.model.index(row_number), QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _current_row_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not current.isValid():
            return
        item = self.model.item(current.row())
        if isinstance(item, SessionRow) and item.session != self._state.current:
            self.chosen.emit(item.session)
