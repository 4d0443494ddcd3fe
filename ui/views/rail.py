"""The rail at the far left: one button a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from ui.theme import px, theme
from ui.tokens import RADIUS_CONTROL
from ui.widgets.paint import choice_ground, draw_icon, focus_ring, full_rect, painter_for, rounded_box
from ui.widgets.surface import Surface, column
from ui.widgets.tooltip import set_plain_tooltip

WIDTH = 52
_DOT = 7


@dataclass(frozen=True, slots=True)
class RailEntry:
    """A page: its name in code, its words, its icon and its key."""

    page: str
    words: str
    icon: str
    key: str
    at_bottom: bool = False


class RailButton(QPushButton):
    """36 x 36, an icon, a dot when something there wants a look."""

    def __init__(self, entry: RailEntry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self._dot = False
        self.setCheckable(True)
        self.setObjectName(f"rail.{entry.page}")
        self.setAccessibleName(entry.words)
        set_plain_tooltip(self, f"{entry.words}   {entry.key}".rstrip())
        theme().follow(self.restyle)

    def restyle(self) -> None:
        """Size again after a scale change."""
        self.setFixedSize(px(36), px(36))
        self.update()

    def set_dot(self, shown: bool) -> None:
        """Show or hide the dot."""
        self._dot = shown
        self.setAccessibleDescription("wants a look" if shown else "")
        self.update()

    def sizeHint(self) -> QSize:
        """A square."""
        return QSize(px(36), px(36))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground, icon, dot, ring."""
        painter = painter_for(self)
        rect = full_rect(self)
        choice_ground(painter, self)
        color = theme().color("accent" if self.isChecked() else "text2")
        offset = (self.width() - px(18)) / 2
        draw_icon(painter, self.entry.icon, color, offset, offset, px(18))
        if self._dot:
            size = px(_DOT)
            dot = QRectF(self.width() - size - px(5), px(5), size, size)
            rounded_box(painter, dot, size / 2, theme().color("attn_fill"), None)
        if self.hasFocus():
            focus_ring(painter, rect, px(RADIUS_CONTROL))
        painter.end()


class Rail(Surface):
    """`chosen` carries the page's name. Entries without a page of their own (`shortcuts`) act and stay unchecked."""

    chosen = Signal(str)

    def __init__(self, entries: Sequence[RailEntry], parent: QWidget | None = None) -> None:
        super().__init__("side_left", parent)
        self.setObjectName("rail")
        self.setAccessibleName("Pages")
        self._buttons = {entry.page: RailButton(entry, self) for entry in entries}
        self._group = QButtonGroup(self)
        layout = column(self, 6, (8, 10, 7, 10))
        for entry in (e for e in entries if not e.at_bottom):
            layout.addWidget(self._buttons[entry.page])
        layout.addStretch(1)
        for entry in (e for e in entries if e.at_bottom):
            layout.addWidget(self._buttons[entry.page])
        for page, button in self._buttons.items():
            self._group.addButton(button)
            button.clicked.connect(lambda _checked=False, page=page: self.chosen.emit(page))
        theme().follow(self.restyle)

    def restyle(self) -> None:
        """Width again after a scale change."""
        self.setFixedWidth(px(WIDTH))

    def show_page(self, page: str) -> None:
        """Mark the page that is shown."""
        if page in self._buttons:
            self._buttons[page].setChecked(True)

    def set_dot(self, page: str, shown: bool) -> None:
        """Mark a page that wants a look."""
        if page in self._buttons:
            self._buttons[page].set_dot(shown)
