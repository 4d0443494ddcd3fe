"""ChipButton: a chip that can be chosen: reasons for a rejection, filters of a list."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from ui.hostile import visible_line
from ui.theme import px, theme
from ui.tokens import RADIUS_CHIP, TONES, ColorName
from ui.widgets.paint import draw_icon, draw_text, focus_ring, full_rect, painter_for, rounded_box, text_width
from ui.widgets.painted import PaintedControl


class ChipButton(PaintedControl, QPushButton):
    """A checkable chip, outlined until chosen; then blue with `checked_icon` ("check" for reasons, "x" for filters)."""

    def __init__(
        self,
        text: str,
        *,
        icon: str | None = None,
        checked_icon: str = "check",
        height: int = 26,
        checked: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._checked_icon = checked_icon
        self._height = height
        self._label = ""
        self.setCheckable(True)
        self.setChecked(checked)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.toggled.connect(self.updateGeometry)
        self.set_label(text)
        theme().follow(self.restyle)

    def set_label(self, text: str) -> None:
        """Change the words."""
        self._label = visible_line(text)
        QPushButton.setText(self, self._label.replace("&", "&&"))
        self.setAccessibleName(self._label)
        self.updateGeometry()
        self.update()

    def label(self) -> str:
        """The words as shown."""
        return self._label

    def _shown_icon(self) -> str | None:
        return self._checked_icon if self.isChecked() else self._icon

    def sizeHint(self) -> QSize:
        """Words, padding and the icon of the present state."""
        icon = px(17) if self._shown_icon() else 0
        return QSize(math.ceil(text_width(self._label, "meta_medium")) + px(14) + icon, px(self._height))

    def minimumSizeHint(self) -> QSize:
        """Chips never shrink."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground, icon, words, ring."""
        painter = painter_for(self)
        tone = TONES["accent" if self.isChecked() else "plain"]
        color: ColorName = tone.foreground if self.isEnabled() else "text_dis"
        ground: ColorName | None = tone.background or ("bg_hover" if self.underMouse() and self.isEnabled() else None)
        line = None if self.isChecked() else theme().color(tone.line)
        rounded_box(painter, full_rect(self), px(RADIUS_CHIP), theme().color(ground) if ground else None, line)
        x = px(7)
        icon = self._shown_icon()
        if icon:
            draw_icon(painter, icon, color, px(6), (self.height() - px(12)) / 2, px(12))
            x = px(23)
        draw_text(painter, QRectF(x, 0, self.width() - x, self.height()), self._label, "meta_medium", color)
        if self.shows_ring:
            focus_ring(painter, full_rect(self), px(RADIUS_CHIP))
        painter.end()
