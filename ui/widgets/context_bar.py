"""ContextBar: what fills the context, slot by slot, against the design ceiling (never the model's window)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QToolTip, QWidget

from ui.formatting import compact_count, percent
from ui.hostile import visible_line
from ui.theme import px, theme
from ui.tokens import ColorName
from ui.widgets.label import Label
from ui.widgets.legend import Legend, LegendEntry
from ui.widgets.marks import Chip
from ui.widgets.paint import RIGHT, draw_text, painter_for, rounded_box, rounded_path, text_width
from ui.widgets.surface import column, row
from ui.widgets.tooltip import plain_tooltip

_RAMP: Final[tuple[ColorName, ...]] = ("s1", "s2", "s3", "s4", "s5")
_INCIDENT_SHARE: Final = 1.1


@dataclass(frozen=True, slots=True)
class ContextSlot:
    """One slot: tokens in it now, and for the tooltip its cap, how it is kept small, and the share read from cache."""

    name: str
    tokens: int
    cap: int | None = None
    technique: str = ""
    cached: float | None = None


@dataclass(frozen=True, slots=True)
class ContextTick:
    """A mark at `tokens` where something happens: clear, compact, hand-off."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class ContextState:
    """All slots in their fixed order, the design ceiling, the headroom at its end and the model window, in tokens."""

    slots: Sequence[ContextSlot] = ()
    ceiling: int = 0
    headroom: int = 0
    ticks: Sequence[ContextTick] = ()
    window: int | None = None

    @property
    def used(self) -> int:
        """Tokens in all slots."""
        return sum(max(0, slot.tokens) for slot in self.slots)

    @property
    def over_ceiling(self) -> bool:
        """Whether the context is past its ceiling by more than a tenth: an incident."""
        return self.ceiling > 0 and self.used > self.ceiling * _INCIDENT_SHARE


def slot_color(index: int) -> ColorName:
    """The ramp colour of slot `index`."""
    return _RAMP[index % len(_RAMP)]


class ContextBar(QProgressBar):
    """The stacked bar alone. Hover a slot for its figures; `labels` shows the names of the ticks below."""

    def __init__(
        self, state: ContextState | None = None, *, labels: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state or ContextState()
        self._labels = labels
        self.setRange(0, 1_000)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._apply()
        theme().follow(self.restyle)

    def set_state(self, state: ContextState) -> None:
        """Show new figures."""
        if state != self._state:
            self._state = state
            self._apply()
            self.update()

    def set_labels(self, shown: bool) -> None:
        """Show or hide the names of the ticks (hidden in low windows)."""
        self._labels = shown
        self.updateGeometry()
        self.update()

    def restyle(self) -> None:
        """Size and paint again after a theme change."""
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """A full-width strip, taller with tick names."""
        return QSize(px(320), px(12) + px(6) + (px(16) if self._labels else 0))

    def minimumSizeHint(self) -> QSize:
        """A strip of any width."""
        return QSize(px(120), self.sizeHint().height())

    def _apply(self) -> None:
        state = self._state
        self.setValue(round(1_000 * min(1.0, state.used / state.ceiling)) if state.ceiling > 0 else 0)
        share = percent(state.used / state.ceiling) if state.ceiling > 0 else "–"
        over = ", over design ceiling, not planned" if state.over_ceiling else ""
        of = f"{compact_count(state.used)} of {compact_count(state.ceiling)} ceiling, {share}{over}"
        name = f"Context {of}" if state.ceiling > 0 else "Context not known yet"
        slots = ", ".join(f"{slot.name} {compact_count(slot.tokens)}" for slot in state.slots)
        self.setAccessibleName(visible_line(name))
        self.setAccessibleDescription(visible_line(slots))

    # ---------------------------------------------------------------- geometry

    def _bar(self) -> QRectF:
        return QRectF(0, px(3), self.width(), px(12))

    def _scale(self) -> float:
        """Px per token; past the ceiling the bar shrinks so that every slot stays on it."""
        longest = max(self._state.ceiling, self._state.used)
        return self._bar().width() / longest if longest > 0 else 0.0

    def _parts(self) -> Iterator[tuple[ContextSlot, QRectF]]:
        bar, scale, x = self._bar(), self._scale(), 0.0
        for slot in self._state.slots:
            width = max(0, slot.tokens) * scale
            yield slot, QRectF(x, bar.y(), width, bar.height())
            x += width

    # ---------------------------------------------------------------- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Slots, headroom, frame, ticks."""
        painter = painter_for(self)
        bar = self._bar()
        painter.save()
        painter.setClipPath(rounded_path(bar, px(3)))
        painter.fillRect(bar, theme().color("bg_sunken"))
        self._paint_headroom(painter, bar)
        for index, (_slot, rect) in enumerate(self._parts()):
            if rect.width() > 0:  # 1 px of ground between neighbours: the ramp alone is too close
                painter.fillRect(rect.adjusted(0, 0, -min(1.0, rect.width() / 3), 0), theme().color(slot_color(index)))
        painter.restore()
        over = self._state.over_ceiling
        rounded_box(painter, bar, px(3), None, theme().color("dang_fill" if over else "line_mid"), 2 if over else 1)
        self._paint_ticks(painter, bar)
        painter.end()

    def _paint_headroom(self, painter: QPainter, bar: QRectF) -> None:
        end = self._state.ceiling * self._scale()
        start = max(0, self._state.ceiling - self._state.headroom) * self._scale()
        if end - start < 1:
            return
        painter.save()
        painter.setClipRect(QRectF(start, bar.y(), end - start, bar.height()))
        painter.setPen(QPen(theme().color("line_mid"), 1))
        x = start - bar.height()
        while x < end:
            painter.drawLine(round(x), round(bar.bottom()), round(x + bar.height()), round(bar.top()))
            x += px(5)
        painter.restore()

    def _paint_ticks(self, painter: QPainter, bar: QRectF) -> None:
        last = -math.inf
        if self._state.used > self._state.ceiling > 0:
            x = round(self._state.ceiling * self._scale())
            painter.fillRect(QRectF(x - 1, bar.y() - 3, 2, bar.height() + 6), theme().color("dang_fill"))
        for tick in sorted(self._state.ticks, key=lambda tick: tick.tokens):
            x = round(min(bar.width() - 1, tick.tokens * self._scale()))
            painter.fillRect(QRectF(x, bar.y() - 3, 1, bar.height() + 6), theme().color("text2"))
            text = f"{visible_line(tick.name)} {compact_count(tick.tokens)}"
            width = text_width(text, "axis")
            if self._labels and x - width - 2 > last:
                rect = QRectF(x - width - 2, bar.bottom() + px(4), width + 1, px(14))
                draw_text(painter, rect, text, "axis", "text3", RIGHT)
                last = x + px(4)

    # ---------------------------------------------------------------- tooltip

    def event(self, event: QEvent) -> bool:
        """A tooltip for the slot under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), plain_tooltip(self.tip_at(event.pos().x())), self)
            return True
        return super().event(event)

    def tip_at(self, x: float) -> str:
        """The words for the slot at `x` px, or for the whole bar."""
        for slot, rect in self._parts():
            if rect.left() <= x < rect.right():
                return _slot_tip(slot)
        state = self._state
        words = f"{compact_count(max(0, state.ceiling - state.used))} free below the design ceiling"
        return words if state.window is None else f"{words}\nModel window {compact_count(state.window)}"


def _slot_tip(slot: ContextSlot) -> str:
    used = f"{slot.name}: {slot.tokens:,} tokens"
    lines = [used if slot.cap is None else f"{used} of {slot.cap:,}"]
    if slot.technique:
        lines.append(slot.technique)
    if slot.cached is not None:
        lines.append(f"{percent(slot.cached)} read from cache")
    return "\n".join(lines)


class ContextMeter(QWidget):
    """The whole context row: total and ceiling, legend, bar."""

    def __init__(
        self, state: ContextState | None = None, *, labels: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._total = Label("", "section_head")
        self._ceiling = Label("", "meta", "text3")
        self._incident = Chip("over design ceiling, not planned", "dang", "octagon-alert")
        self._legend = Legend()
        self._most = 0
        self.bar = ContextBar(labels=labels)
        body = column(self, spacing=8)
        body.addLayout(self._head())
        body.addWidget(self.bar)
        self.set_state(state or ContextState())

    def _head(self) -> QHBoxLayout:
        head = row(spacing=6)
        self._words = (Label("Context", "meta_medium", "text3"), self._total, self._ceiling, self._incident)
        for word in self._words:
            head.addWidget(word)
        head.addSpacing(px(8))
        head.addWidget(self._legend, 1)
        return head

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The word "ceiling" stands where all slots have room beside it: the tooltips say it anyway."""
        super().resizeEvent(event)
        self._say_ceiling()

    def _say_ceiling(self) -> None:
        ceiling = self._most
        if ceiling <= 0:
            self._ceiling.setText("/ –")
            return
        self._ceiling.setText(f"/ {compact_count(ceiling)} ceiling")
        shown = [word.sizeHint().width() + px(6) for word in self._words if not word.isHidden()]
        if sum(shown) + px(8) + self._legend.sizeHint().width() > self.width():
            self._ceiling.setText(f"/ {compact_count(ceiling)}")

    def set_state(self, state: ContextState) -> None:
        """Show new figures."""
        known = state.ceiling > 0
        self._total.setText(compact_count(state.used) if known else "–")
        self._total.set_color("dang" if state.over_ceiling else "text")
        self._incident.setVisible(state.over_ceiling)
        self._legend.set_entries(
            [LegendEntry(slot_color(i), f"{s.name} {compact_count(s.tokens)}") for i, s in enumerate(state.slots)]
        )
        self.bar.set_state(state)
        self._most = state.ceiling
        self._say_ceiling()
