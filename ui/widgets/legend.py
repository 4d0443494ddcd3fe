"""Legend: colour squares with names, right-aligned; what does not fit is counted and named in the tooltip."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ui.hostile import visible_line
from ui.theme import px, theme
from ui.tokens import ColorName
from ui.widgets.paint import draw_text, painter_for, text_width
from ui.widgets.tooltip import set_plain_tooltip


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One colour and what it stands for."""

    color: ColorName
    name: str


class Legend(QLabel):
    """A painted row of legend entries."""

    def __init__(self, entries: Sequence[LegendEntry] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[LegendEntry, ...] = ()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_entries(entries)
        theme().follow(self.restyle)

    def set_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Show other entries."""
        clean = tuple(LegendEntry(entry.color, visible_line(entry.name)) for entry in entries)
        if clean != self._entries:
            self._entries = clean
            self.setAccessibleName(", ".join(entry.name for entry in clean))
            self.restyle()

    def restyle(self) -> None:
        """Size and paint again after a theme change."""
        self.updateGeometry()
        self._update_tip()
        self.update()

    def _width(self, entry: LegendEntry) -> float:
        return px(9) + px(6) + text_width(entry.name, "meta")

    def _fitting(self) -> int:
        """How many entries fit, leaving room for the "+n" of the rest."""
        gap, total = px(14), 0.0
        widths = [self._width(entry) for entry in self._entries]
        if sum(widths) + gap * max(0, len(widths) - 1) <= self.width():
            return len(widths)
        for index, width in enumerate(widths):
            total += width + gap
            if total + px(16) > self.width():
                return index
        return len(widths)

    def sizeHint(self) -> QSize:
        """Room for every entry."""
        widths = sum(self._width(entry) + px(14) for entry in self._entries)
        return QSize(math.ceil(widths), px(16))

    def minimumSizeHint(self) -> QSize:
        """Room for the count of what is hidden."""
        return QSize(px(20), px(16))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The tooltip depends on what fits."""
        super().resizeEvent(event)
        self._update_tip()

    def _update_tip(self) -> None:
        hidden = self._entries[self._fitting() :]
        set_plain_tooltip(self, ", ".join(entry.name for entry in hidden))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Entries from the right edge inwards, in order."""
        painter = painter_for(self)
        fitting = self._fitting()
        shown, hidden = self._entries[:fitting], len(self._entries) - fitting
        rest = f"+{hidden}" if hidden else ""
        width = sum(self._width(e) for e in shown) + px(14) * (len(shown) - 1 if not rest else len(shown))
        x = self.width() - width - (text_width(rest, "meta") if rest else 0)
        for entry in shown:
            self._paint_entry(painter, entry, x)
            x += self._width(entry) + px(14)
        if rest:
            draw_text(painter, QRectF(x, 0, px(30), self.height()), rest, "meta", "text3")
        painter.end()

    def _paint_entry(self, painter: QPainter, entry: LegendEntry, x: float) -> None:
        size = px(8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color(entry.color))
        painter.drawRoundedRect(QRectF(x, (self.height() - size) / 2, size, size), 2, 2)
        rect = QRectF(x + px(15), 0, text_width(entry.name, "meta") + 2, self.height())
        draw_text(painter, rect, entry.name, "meta", "text3")
