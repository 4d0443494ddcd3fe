"""The queue above the card: three rows around the chosen one, or a pager in low windows. Choosing decides nothing."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from agent_core.model.intents import OpenProposal
from agent_core.model.proposal import Touchpoint
from ui import formatting
from ui.hostile import visible_line
from ui.models.card_text import KINDS, queue_risk, queue_second, time_left
from ui.models.queue_rows import QueueItem, queue_items
from ui.theme import px, theme
from ui.tokens import RADIUS_CONTROL, ColorName, Role
from ui.widgets.button import Button
from ui.widgets.label import Label
from ui.widgets.marks import Badge, KeyHint
from ui.widgets.paint import RIGHT, draw_elided, draw_icon, draw_text, focus_ring, full_rect, painter_for, rounded_box
from ui.widgets.paint import text_width as width_of
from ui.widgets.surface import column, row

ROWS = 3
_ROW_HEIGHT = 46


class QueueRow(QPushButton):
    """One open card: kind, title, agent and step; time left and risk."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry: OpenProposal | None = None
        self.members: tuple[OpenProposal, ...] = ()
        self._now: datetime | None = None
        self._chosen = False
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_item(self, item: QueueItem, now: datetime, *, chosen: bool) -> None:
        """Show a card of the queue, or a group of like cards."""
        entry = item.entry
        self.entry, self.members, self._now, self._chosen = entry, item.members, now, chosen
        words = [
            self._title(entry),
            queue_second(entry),
            time_left(entry.proposal, now).spoken,
            queue_risk(entry)[0],
        ]
        self.setAccessibleName(visible_line(", ".join(words)))
        self.update()

    def sizeHint(self) -> QSize:
        """A row."""
        return QSize(px(300), px(_ROW_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """A row of any width."""
        return QSize(px(200), px(_ROW_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground, icon, two lines left, two lines right."""
        entry, now = self.entry, self._now
        if entry is None or now is None:
            return
        painter = painter_for(self)
        rect = full_rect(self)
        line: ColorName = "accent" if self._chosen else "line"
        ground: ColorName = "bg_hover" if self.underMouse() and not self._chosen else "bg_raised"
        rounded_box(painter, rect, px(RADIUS_CONTROL), theme().color(ground), theme().color(line))
        kind = KINDS[entry.proposal.touchpoint]
        color: ColorName = kind.color if entry.proposal.touchpoint is not Touchpoint.BUDGET else "text2"
        icon = "layers" if self.members else kind.icon
        draw_icon(painter, icon, color, px(11), (self.height() - px(16)) / 2, px(16))
        right, right_color, role = self._right(entry, now)
        inner = QRectF(px(36), px(5), rect.width() - px(36) - px(11), px(18))
        draw_text(painter, inner, right, role, right_color, RIGHT)
        title = QRectF(inner.left(), inner.top(), inner.width() - width_of(right, role) - px(10), inner.height())
        draw_elided(painter, title, visible_line(self._title(entry)), "section_head", "text")
        risk, risk_color = queue_risk(entry)
        below = inner.translated(0, px(18))
        draw_text(painter, below, risk, "meta", risk_color, RIGHT)
        second = QRectF(below.left(), below.top(), below.width() - width_of(risk, "meta") - px(10), below.height())
        draw_elided(painter, second, visible_line(queue_second(entry)), "meta", "text3")
        if self.hasFocus():
            focus_ring(painter, rect, px(RADIUS_CONTROL))
        painter.end()

    def _title(self, entry: OpenProposal) -> str:
        if not self.members:
            return entry.proposal.summary
        return f"{len(self.members)} × {entry.proposal.tool}: {entry.proposal.summary}"

    def _right(self, entry: OpenProposal, now: datetime) -> tuple[str, ColorName, Role]:
        if entry.proposal.touchpoint is Touchpoint.OUTCOME_UNKNOWN:
            return "check now", "unk", "secondary_medium"
        left = time_left(entry.proposal, now)
        tone: ColorName = "attn" if left.tone == "attn" else "text"
        if entry.snoozed_until is not None and entry.snoozed_until > now:
            return f"rests {formatting.countdown((entry.snoozed_until - now).total_seconds())}", "text3", "secondary"
        return left.words, tone, "secondary_medium"


class QueueView(QWidget):
    """Head, rows and what more there is. `chosen` carries a proposal's id."""

    chosen = Signal(str)
    group_wanted = Signal(object)
    """The cards (tuple of OpenProposal) of a group that was clicked."""
    expand_wanted = Signal()

    def __init__(self, now: Callable[[], datetime], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queue")
        self.setAccessibleName("Open decisions, most urgent first")
        self._now = now
        self._entries: Sequence[OpenProposal] = ()
        self._chosen = ""
        self._low = False
        self._count = Badge("0", "attn")
        self._hint = Label("most urgent first", "meta", "text3")
        self._keys = [KeyHint(key) for key in ("J", "K")]
        self.expand = Button("", "ghost", icon="maximize-2", height=26, tip="Open the full review")
        self.expand.setObjectName("queue.expand")
        self.rows = [QueueRow() for _ in range(ROWS)]
        self._more = Label("", "meta", "text3")
        self._build()

    def _build(self) -> None:
        layout = column(self, 5, (12, 10, 12, 8))
        head = row(None, 8, (4, 0, 0, 4))
        head.addWidget(Label("Decisions", "panel_head"))
        head.addWidget(self._count)
        head.addWidget(self._hint)
        head.addStretch(1)
        for key in self._keys:
            head.addWidget(key)
        head.addWidget(self.expand)
        layout.addLayout(head)
        for place, queue_row in enumerate(self.rows):
            queue_row.setObjectName(f"queue.row.{place}")
            queue_row.clicked.connect(lambda _checked=False, made=queue_row: self._row_clicked(made))
            layout.addWidget(queue_row)
        layout.addWidget(self._more)
        self.expand.clicked.connect(self.expand_wanted)

    def _row_clicked(self, made: QueueRow) -> None:
        if made.members:
            self.group_wanted.emit(made.members)
        elif made.entry is not None:
            self.chosen.emit(made.entry.proposal.proposal)

    def set_low(self, low: bool) -> None:
        """A pager instead of rows."""
        self._low = low
        self.refresh()

    def show_queue(self, entries: Sequence[OpenProposal], chosen: str) -> None:
        """Show the queue around the chosen card."""
        self._entries, self._chosen = entries, chosen
        self.refresh()

    def refresh(self) -> None:
        """Draw again as time goes."""
        total = len(self._entries)
        self._count.setText(str(total))
        for shown in (self._count, *self._keys, self.expand):
            shown.setVisible(total > 0)
        place = self.place
        self._hint.setText(f"{place + 1} of {total}" if self._low and total else "most urgent first" if total else "")
        items = [] if self._low else queue_items(self._entries)
        here = next((i for i, item in enumerate(items) if self._holds(item)), 0)
        first = 0 if here < ROWS else here - ROWS + 1
        window = items[first : first + ROWS]
        now = self._now()
        for queue_row, item in zip(self.rows, window, strict=False):
            queue_row.show_item(item, now, chosen=self._holds(item))
        for number, queue_row in enumerate(self.rows):
            queue_row.setVisible(number < len(window))
        self._show_more(items, first)

    def _holds(self, item: QueueItem) -> bool:
        return any(entry.proposal.proposal == self._chosen for entry in (item.members or (item.entry,)))

    def _show_more(self, items: Sequence[QueueItem], first: int) -> None:
        rest = len(items) - min(len(items), ROWS)
        self._more.setVisible(rest > 0)
        if rest > 0:
            following = items[(first + ROWS) % len(items)]
            self._more.setText(f"{rest} more: {following.entry.proposal.summary}"[:80])

    @property
    def place(self) -> int:
        """Where the chosen card stands, 0 when it is not there."""
        return next((i for i, e in enumerate(self._entries) if e.proposal.proposal == self._chosen), 0)

    def neighbour(self, step: int) -> str | None:
        """The id of the next (1) or previous (-1) card."""
        if not self._entries:
            return None
        place = min(len(self._entries) - 1, max(0, self.place + step))
        return self._entries[place].proposal.proposal
