"""The chip that says whether the trace follows: "Following live", "12 new below"."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from ui.theme import px, theme
from ui.tokens import RADIUS_CHIP, ColorName
from ui.widgets.paint import draw_icon, draw_text, focus_ring, full_rect, painter_for, rounded_box, text_width
from ui.widgets.tooltip import set_plain_tooltip


class FollowChip(QPushButton):
    """A button that looks like a chip. With new rows below it is tinted: it leads there."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = "arrow-down"
        self._calls = False
        self.setObjectName("trace.following")
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme().follow(self.restyle)

    def restyle(self) -> None:
        """Size and paint again after a theme change."""
        self.updateGeometry()
        self.update()

    def show_state(self, words: str, icon: str, tip: str, *, calls: bool) -> None:
        """Say something else; `calls` tints it."""
        self._icon, self._calls = icon, calls
        self.setText(words)
        self.setAccessibleName(words)
        set_plain_tooltip(self, tip)
        self.restyle()

    def sizeHint(self) -> QSize:
        """Icon, words and padding."""
        return QSize(math.ceil(text_width(self.text(), "meta_medium")) + px(30), px(22))

    def minimumSizeHint(self) -> QSize:
        """It never shrinks."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Edge, icon, words."""
        painter = painter_for(self)
        color: ColorName = "accent" if self._calls else "text2"
        ground: ColorName | None = "accent_bg" if self._calls else "bg_hover" if self.underMouse() else None
        rounded_box(
            painter, full_rect(self), px(RADIUS_CHIP), theme().color(ground) if ground else None,
            theme().color("accent" if self._calls else "line_mid"),
        )  # fmt: skip
        draw_icon(painter, self._icon, color, px(7), (self.height() - px(12)) / 2, px(12))
        draw_text(painter, QRectF(px(23), 0, self.width() - px(23), self.height()), self.text(), "meta_medium", color)
        if self.hasFocus():
            focus_ring(painter, full_rect(self), px(RADIUS_CHIP))
        painter.end()
