"""Skeleton: grey lines in place of text that is on its way."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme import px, theme
from ui.widgets.paint import painter_for, rounded_box


class Skeleton(QWidget):
    """Grey lines in place of text that is on its way; still, so that nothing moves while nothing happens."""

    _SHARES: Final = (0.82, 0.64, 0.9, 0.48, 0.72)

    def __init__(self, lines: int = 3, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = lines
        self.setAccessibleName("Loading")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().follow(self.restyle)

    def restyle(self) -> None:
        """Size and paint again after a theme change."""
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """One row for each line."""
        return QSize(px(200), px(22) * self._lines)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The lines."""
        painter = painter_for(self)
        for index in range(self._lines):
            width = self.width() * self._SHARES[index % len(self._SHARES)]
            bar = QRectF(0, px(22) * index + px(6), width, px(10))
            rounded_box(painter, bar, px(4), theme().color("line"), None)
        painter.end()
