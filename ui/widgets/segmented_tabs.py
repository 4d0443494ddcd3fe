"""SegmentedTabs: a QTabBar whose tabs are quiet words and whose current tab sits on a sunken ground."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QTabBar, QWidget

from ui.hostile import visible_line
from ui.theme import px, theme
from ui.tokens import RADIUS_CONTROL, ColorName
from ui.widgets.paint import CENTER, draw_text, focus_ring, painter_for, rounded_box, text_width


class SegmentedTabs(QTabBar):
    """Tabs by name; `currentChanged(int)` as usual. A count after a name is part of it: "Messages 2"."""

    def __init__(self, names: tuple[str, ...] = (), *, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAccessibleName(name)
        for text in names:
            self.addTab(visible_line(text).replace("&", "&&"))
        theme().follow(self.restyle)

    def restyle(self) -> None:
        """Font and size again after a theme change."""
        self.setFont(theme().font("section_head"))
        self.updateGeometry()
        self.update()

    def _label(self, index: int) -> str:
        return self.tabText(index).replace("&&", "&")

    def tabSizeHint(self, index: int) -> QSize:  # noqa: N802
        """The words in their bold form, so that nothing moves when the choice does."""
        return QSize(math.ceil(text_width(self._label(index), "section_head")) + px(20) + px(4), px(26))

    def minimumTabSizeHint(self, index: int) -> QSize:  # noqa: N802
        """Tabs never shrink."""
        return self.tabSizeHint(index)

    def minimumSizeHint(self) -> QSize:
        """Nor does the bar."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Every tab."""
        painter = painter_for(self)
        for index in range(self.count()):
            self._paint_tab(painter, index)
        painter.end()

    def _paint_tab(self, painter: QPainter, index: int) -> None:
        current = index == self.currentIndex()
        rect = QRectF(self.tabRect(index)).adjusted(0, 0, -px(4), 0)
        if current:
            rounded_box(painter, rect, px(RADIUS_CONTROL), theme().color("bg_sunken"), None)
        color: ColorName = "text" if current else "text3"
        if not self.isTabEnabled(index):
            color = "text_dis"
        draw_text(painter, rect, self._label(index), "section_head" if current else "secondary_medium", color, CENTER)
        if current and self.hasFocus():
            focus_ring(painter, rect, px(RADIUS_CONTROL))
