"""ComboBox: a QComboBox painted like a field."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from ui.hostile import visible_line
from ui.theme import px, theme
from ui.tokens import HEIGHT_FIELD, RADIUS_CONTROL, ColorName
from ui.widgets.paint import draw_elided, draw_icon, focus_ring, full_rect, painter_for, rounded_box, text_width
from ui.widgets.painted import PaintedControl


class ComboBox(PaintedControl, QComboBox):
    """A choice from a list. The wheel scrolls the page, not the choice, unless the list has the focus."""

    def __init__(
        self,
        items: tuple[str, ...] = (),
        *,
        name: str = "",
        icon: str | None = None,
        height: int = HEIGHT_FIELD,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._height = height
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        for item in items:
            self.addItem(visible_line(item))
        theme().follow(self.restyle)

    def restyle(self) -> None:
        """Font and size again after a theme change."""
        self.setFont(theme().font("body"))
        super().restyle()

    def _left(self) -> int:
        return px(34) if self._icon else px(11)

    def sizeHint(self) -> QSize:
        """Room for the longest item."""
        longest = max((text_width(self.itemText(i), "body") for i in range(min(self.count(), 200))), default=0.0)
        return QSize(round(longest) + self._left() + px(34), px(self._height))

    def minimumSizeHint(self) -> QSize:
        """Room for a few letters."""
        return QSize(self._left() + px(64), px(self._height))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Without focus the wheel belongs to the page."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Frame, icon, item, arrow."""
        painter = painter_for(self)
        enabled = self.isEnabled()
        fill: ColorName = "bg_raised" if enabled else "bg_sunken"
        line = theme().color("line_strong" if enabled else "line")
        rounded_box(painter, full_rect(self), px(RADIUS_CONTROL), theme().color(fill), line)
        if self._icon:
            draw_icon(painter, self._icon, "text3", px(11), (self.height() - px(15)) / 2, px(15))
        text = QRectF(self._left(), 0, self.width() - self._left() - px(30), self.height())
        color: ColorName = "text" if enabled else "text_dis"
        if self.currentText():
            draw_elided(painter, text, self.currentText(), "body", color)
        else:
            draw_elided(painter, text, self.placeholderText(), "body", "text3")
        arrow = px(14)
        draw_icon(painter, "chevron-down", "text3", self.width() - arrow - px(9), (self.height() - arrow) / 2, arrow)
        if self.hasFocus():
            focus_ring(painter, full_rect(self), px(RADIUS_CONTROL))
        painter.end()
