"""Gauge: one budget as label, "value / limit" and a bar; grey until it is near its limit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from ui.hostile import visible_line
from ui.theme import px, theme
from ui.tokens import ColorName
from ui.widgets.paint import draw_elided, draw_icon, draw_text, full_rect, painter_for, rounded_path, text_width
from ui.widgets.tooltip import set_plain_tooltip

_RANGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class GaugeState:
    """What a gauge shows. `share` is value / limit (1.0 = at the limit), `projected` the share at the planned end,
    `warn` the share at which it turns amber. Not-a-number counts as unknown: an empty bar and no alarm."""

    value: str = "–"
    limit: str = "–"
    share: float = 0.0
    projected: float | None = None
    warn: float = 0.8


@dataclass(frozen=True, slots=True)
class _Level:
    fill: ColorName
    text: ColorName
    icon: str | None
    word: str


_NORMAL: Final = _Level("g_fill", "text", None, "")
_NEAR: Final = _Level("attn_fill", "attn", "triangle-alert", "near the limit")
_OVER: Final = _Level("dang_fill", "dang", "octagon-alert", "at the limit")


def _finite(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) else 0.0


class Gauge(QProgressBar):
    """A budget gauge. The pale part of the bar is the projection, the tick the warning threshold."""

    def __init__(self, label: str, state: GaugeState | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = label
        self._state = state or GaugeState()
        self.setRange(0, _RANGE)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._apply()
        theme().follow(self.restyle)

    def set_state(self, state: GaugeState) -> None:
        """Show new figures."""
        if state != self._state:
            self._state = state
            self._apply()
            self.updateGeometry()
            self.update()

    @property
    def state(self) -> GaugeState:
        """The figures shown."""
        return self._state

    def setToolTip(self, text: str) -> None:  # noqa: N802
        """A plain-text tooltip."""
        set_plain_tooltip(self, text)

    def restyle(self) -> None:
        """Size and paint again after a theme change."""
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Comfortable width, fixed height."""
        return QSize(px(112), px(44))

    def minimumSizeHint(self) -> QSize:
        """The narrowest that still shows a value and its limit, unless they are very long."""
        limit = text_width(f"/ {visible_line(self._state.limit)}", "meta") + px(6)
        figures = math.ceil(text_width(visible_line(self._state.value), "key_value") + limit)
        return QSize(min(max(px(84), figures), px(160)), px(44))

    def _level(self) -> _Level:
        share = _finite(self._state.share)
        return _OVER if share >= 1 else _NEAR if share >= self._state.warn else _NORMAL

    def _apply(self) -> None:
        state = self._state
        share = _finite(state.share)
        self.setValue(round(min(1.0, max(0.0, share)) * _RANGE))
        words = [f"{self._label} {state.value} of {state.limit}", f"{round(share * 100)} percent"]
        if state.projected is not None and math.isfinite(state.projected):
            words.append(f"projected {round(state.projected * 100)}")
        word = self._level().word
        self.setAccessibleName(visible_line(", ".join([*words, word] if word else words)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Label and alarm shape, figures, bar."""
        painter = painter_for(self)
        level, width = self._level(), self.width()
        label_width = width - (px(16) if level.icon else 0)
        draw_elided(painter, QRectF(0, 0, label_width, px(15)), self._label, "meta_medium", "text3")
        if level.icon:
            draw_icon(painter, level.icon, level.text, width - px(12), px(1), px(12))
        self._paint_figures(painter, level)
        self._paint_bar(painter, QRectF(0, px(37), width, px(5)), level)
        painter.end()

    def _paint_figures(self, painter: QPainter, level: _Level) -> None:
        value = visible_line(self._state.value)
        value_width = text_width(value, "key_value")
        draw_text(painter, QRectF(0, px(15), value_width + 2, px(18)), value, "key_value", level.text)
        rest = QRectF(value_width + px(4), px(15) + 1, self.width() - value_width - px(4), px(18))
        draw_elided(painter, rest, f"/ {visible_line(self._state.limit)}", "meta", "text3")

    def _paint_bar(self, painter: QPainter, bar: QRectF, level: _Level) -> None:
        state = self._state
        radius = bar.height() / 2
        share = min(1.0, max(0.0, _finite(state.share)))
        projected = min(1.0, max(0.0, _finite(state.projected)))
        painter.save()
        painter.setClipPath(rounded_path(bar, radius))
        painter.fillRect(bar, theme().color("g_track"))
        if projected > share:
            painter.fillRect(_part(bar, projected), theme().color(level.fill, 80))
        painter.restore()
        if share > 0:
            _fill_pill(painter, bar, max(bar.height(), bar.width() * share), theme().color(level.fill))
        if 0 < state.warn < 1:
            tick = QRectF(round(bar.width() * state.warn), bar.y() - 2, 1, bar.height() + 4)
            painter.fillRect(tick, theme().color("text3"))


def _part(bar: QRectF, share: float) -> QRectF:
    return QRectF(bar.x(), bar.y(), bar.width() * share, bar.height())


def _fill_pill(painter: QPainter, bar: QRectF, width: float, color: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(QRectF(bar.x(), bar.y(), width, bar.height()), bar.height() / 2, bar.height() / 2)


class ConfidenceBar(QProgressBar):
    """The confidence score, 0 to 1, with a mark at the threshold; amber below it."""

    def __init__(self, score: float = 0.0, threshold: float = 0.0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._score = 0.0
        self._threshold = 0.0
        self.setRange(0, _RANGE)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_score(score, threshold)
        theme().follow(self.restyle)

    def set_score(self, score: float, threshold: float) -> None:
        """Show a score against its threshold."""
        self._score = min(1.0, max(0.0, _finite(score)))
        self._threshold = min(1.0, max(0.0, _finite(threshold)))
        self.setValue(round(self._score * _RANGE))
        below = ", below the threshold" if self.is_below else ""
        self.setAccessibleName(f"Confidence {self._score:.2f}, needs {self._threshold:.2f}{below}")
        self.update()

    @property
    def is_below(self) -> bool:
        """Whether the score misses its threshold."""
        return self._score < self._threshold

    def restyle(self) -> None:
        """Size and paint again after a theme change."""
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """A full-width strip."""
        return QSize(px(160), px(19))

    def minimumSizeHint(self) -> QSize:
        """A strip of any width."""
        return QSize(px(40), px(19))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Track, score, threshold mark."""
        painter = painter_for(self)
        bar = QRectF(0, px(6), self.width(), px(7))
        _fill_pill(painter, bar, bar.width(), theme().color("g_track"))
        if self._score > 0:
            color = theme().color("attn_fill" if self.is_below else "g_fill")
            _fill_pill(painter, bar, max(bar.height(), bar.width() * self._score), color)
        x = min(full_rect(self).right() - 1, max(1.0, bar.width() * self._threshold))
        painter.fillRect(QRectF(x - 1, bar.y() - px(4), 2, bar.height() + px(8)), theme().color("g_mark"))
        painter.end()
