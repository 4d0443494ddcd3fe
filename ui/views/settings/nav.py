"""The list of settings pages: one checkable row each, arrows move."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QPushButton, QSizePolicy, QWidget

from ui.theme import px, theme
from ui.tokens import RADIUS_CONTROL, ColorName
from ui.widgets.label import Label
from ui.widgets.paint import (
    choice_ground,
    draw_icon,
    draw_text,
    focus_ring,
    full_rect,
    painter_for,
    text_width,
)
from ui.widgets.painted import PaintedControl
from ui.widgets.surface import Surface, column

WIDTH = 218


@dataclass(frozen=True, slots=True)
class NavEntry:
    """A page: its name in code, its words and its icon."""

    part: str
    words: str
    icon: str


class NavButton(PaintedControl, QPushButton):
    """One page in the list."""

    def __init__(self, entry: NavEntry, parent: QWidget | None = None) -> None:
        super().__init__(entry.words.replace("&", "&&"), parent)
        self.entry = entry
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.setObjectName(f"settings.nav.{entry.part}")
        self.setAccessibleName(entry.words)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme().follow(self.restyle)

    def sizeHint(self) -> QSize:
        """A row."""
        return QSize(px(48) + round(text_width(self.entry.words, "key_value")), px(32))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground, icon, words, ring."""
        painter = painter_for(self)
        rect = full_rect(self)
        choice_ground(painter, self)
        tint: ColorName = "accent" if self.isChecked() else "text2"
        draw_icon(painter, self.entry.icon, tint, px(10), (self.height() - px(16)) / 2, px(16))
        words = QRectF(px(35), 0, self.width() - px(40), self.height())
        draw_text(painter, words, self.entry.words, "key_value" if self.isChecked() else "body", "text")
        if self.shows_ring:
            focus_ring(painter, rect, px(RADIUS_CONTROL))
        painter.end()


class Nav(Surface):
    """`chosen` carries the part's name."""

    chosen = Signal(str)

    def __init__(self, entries: Sequence[NavEntry], parent: QWidget | None = None) -> None:
        super().__init__("side_left", parent)
        self.setObjectName("settings.nav")
        self.setAccessibleName("Pages of the settings")
        self._buttons = [NavButton(entry) for entry in entries]
        self._group = QButtonGroup(self)
        layout = column(self, 2, (10, 14, 9, 10))
        head = Label("Settings", "panel_head")
        head.setContentsMargins(px(8), 0, 0, px(8))
        layout.addWidget(head)
        for button in self._buttons:
            self._group.addButton(button)
            layout.addWidget(button)
            button.clicked.connect(lambda _checked=False, part=button.entry.part: self.chosen.emit(part))
        layout.addStretch(1)
        theme().follow(self.restyle)

    def restyle(self) -> None:
        """Width again after a scale change."""
        self.setFixedWidth(px(WIDTH))

    def show_part(self, part: str) -> None:
        """Mark the page that is shown; its button has the keys of the list."""
        for button in self._buttons:
            button.setChecked(button.entry.part == part)
            if button.isChecked():
                self.setFocusProxy(button)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and down choose the page before or after."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        focused = next((i for i, button in enumerate(self._buttons) if button.hasFocus()), None)
        if step is None or focused is None:
            super().keyPressEvent(event)
            return
        button = self._buttons[min(len(self._buttons) - 1, max(0, focused + step))]
        button.setFocus(Qt.FocusReason.TabFocusReason)
        button.click()
