"""Painted check controls: CheckBox, Toggle, RadioButton and ChoiceCard. Qt's own controls lie underneath."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QRadioButton, QSizePolicy, QWidget

from ui.hostile import visible_line
from ui.theme import px, theme
from ui.tokens import RADIUS_CHIP, RADIUS_CONTROL, ColorName
from ui.widgets.paint import (
    draw_elided,
    draw_icon,
    draw_text,
    focus_ring,
    full_rect,
    line_height,
    painter_for,
    rounded_box,
    text_width,
)
from ui.widgets.painted import PaintedControl

if TYPE_CHECKING:
    _Mixin = QAbstractButton
else:
    _Mixin = object


def _plain(text: str) -> str:
    """Words for a Qt button: an ampersand stays an ampersand."""
    return visible_line(text).replace("&", "&&")


def paint_check(painter: QPainter, rect: QRectF, checked: bool, enabled: bool) -> None:
    """A 16 px check mark box, also used by table delegates."""
    if checked:
        fill: ColorName = "accent" if enabled else "text_dis"
        rounded_box(painter, rect, px(RADIUS_CHIP), theme().color(fill), None)
        draw_icon(painter, "check", "on_accent", rect.x() + px(2), rect.y() + px(2), px(12), 3.0)
    else:
        rounded_box(painter, rect, px(RADIUS_CHIP), theme().color("bg_raised"), _outline(enabled), 1.2)


def paint_radio(painter: QPainter, rect: QRectF, checked: bool, enabled: bool) -> None:
    """A 16 px radio mark."""
    line = theme().color("accent") if checked and enabled else _outline(enabled)
    rounded_box(painter, rect, rect.width() / 2, theme().color("bg_raised"), line, 1.2)
    if checked:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("accent" if enabled else "text_dis"))
        painter.drawEllipse(rect.center(), px(4), px(4))


def _outline(enabled: bool) -> QColor:
    return theme().color("line_strong" if enabled else "line_mid")


class _Marked(PaintedControl, _Mixin):
    """A mark with words at its right."""

    def __init__(self, text: str = "", *, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(_plain(text))
        self._label = visible_line(text)
        self.setAccessibleName(name or self._label)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme().follow(self.restyle)

    def paint_mark(self, painter: QPainter, rect: QRectF) -> None:
        """The mark alone."""
        raise NotImplementedError

    def restyle(self) -> None:
        """Size and paint again after a theme change."""
        self.setFont(theme().font("body"))
        super().restyle()

    def _mark_size(self) -> QSize:
        return QSize(px(16), px(16))

    def sizeHint(self) -> QSize:
        """Mark and words; at least 24 px high, the smallest target."""
        words = px(9) + math.ceil(text_width(self._label, "body")) + 2 if self._label else 0
        return QSize(self._mark_size().width() + words, max(px(24), self._mark_size().height()))

    def minimumSizeHint(self) -> QSize:
        """Mark and words."""
        return self.sizeHint()

    def hitButton(self, pos: QPoint) -> bool:  # noqa: N802
        """The whole widget is the target."""
        return self.rect().contains(pos)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Mark, words, ring."""
        painter = painter_for(self)
        size = self._mark_size()
        mark = QRectF(0, (self.height() - size.height()) / 2, size.width(), size.height())
        self.paint_mark(painter, mark)
        if self._label:
            words = QRectF(mark.right() + px(9), 0, self.width() - mark.width() - px(9), self.height())
            draw_text(painter, words, self._label, "body", "text" if self.isEnabled() else "text_dis")
        if self.shows_ring:
            ring = full_rect(self) if self._label else mark.adjusted(-1, -1, 1, 1)
            focus_ring(painter, ring, px(RADIUS_CHIP) + 1)
        painter.end()


class CheckBox(_Marked, QCheckBox):
    """A check box with words at its right."""

    def paint_mark(self, painter: QPainter, rect: QRectF) -> None:
        """The box."""
        paint_check(painter, rect, self.isChecked(), self.isEnabled())


class Toggle(CheckBox):
    """A switch: for settings that act at once."""

    def _mark_size(self) -> QSize:
        return QSize(px(32), px(18))

    def paint_mark(self, painter: QPainter, rect: QRectF) -> None:
        """Track and knob."""
        on, enabled = self.isChecked(), self.isEnabled()
        fill: ColorName = ("accent" if enabled else "text_dis") if on else "bg_sunken"
        line = None if on else theme().color("line_strong" if enabled else "line_mid")
        rounded_box(painter, rect, rect.height() / 2, theme().color(fill), line)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("on_accent" if on else "line_strong" if enabled else "line_mid"))
        offset = rect.height() / 2
        x = rect.right() - offset if on else rect.left() + offset
        painter.drawEllipse(QPointF(x, rect.center().y()), px(6), px(6))


class RadioButton(_Marked, QRadioButton):
    """A radio button with words at its right."""

    def paint_mark(self, painter: QPainter, rect: QRectF) -> None:
        """The ring, with a dot when it is chosen."""
        paint_radio(painter, rect, self.isChecked(), self.isEnabled())


class ChoiceCard(PaintedControl, QRadioButton):
    """A radio button as a card: title, a second line, and a radio mark or an icon of its own."""

    def __init__(self, title: str, detail: str = "", *, icon: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(_plain(title), parent)
        self._title = visible_line(title)
        self._detail = visible_line(detail)
        self._mark_icon = icon
        self.setAccessibleName(self._title)
        self.setAccessibleDescription(self._detail)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme().follow(self.restyle)

    def event(self, event: QEvent) -> bool:
        """What was shortened is in the tooltip."""
        if event.type() == QEvent.Type.Resize:
            fits = max(text_width(self._title, "body_medium"), text_width(self._detail, "meta")) <= self._text_width()
            self.setToolTip("" if fits else f"{self._title}\n{self._detail}")
            self.setAccessibleDescription(self._detail)
        return super().event(event)

    def sizeHint(self) -> QSize:
        """Padding, mark and both lines."""
        words = max(text_width(self._title, "body_medium"), text_width(self._detail, "meta"))
        return QSize(px(51) + math.ceil(words) + 2, px(54) if self._detail else px(38))

    def minimumSizeHint(self) -> QSize:
        """The whole title, unless it is long; the second line may be shortened."""
        title = min(px(240), math.ceil(text_width(self._title, "body_medium")) + 2)
        return QSize(px(51) + title, self.sizeHint().height())

    def hitButton(self, pos: QPoint) -> bool:  # noqa: N802
        """The whole card is the target."""
        return self.rect().contains(pos)

    def _text_width(self) -> float:
        return self.width() - px(39) - px(10)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Card, mark, title, detail, ring."""
        painter = painter_for(self)
        line: ColorName = "accent" if self.isChecked() else "line_mid" if self.underMouse() else "line"
        rounded_box(painter, full_rect(self), px(RADIUS_CONTROL), theme().color("bg_raised"), theme().color(line))
        self._paint_mark(painter)
        color: ColorName = "text" if self.isEnabled() else "text_dis"
        top, x, width = (self.height() - self._lines_height()) / 2, px(39), self._text_width()
        title_height = line_height("body_medium")
        draw_elided(painter, QRectF(x, top, width, title_height), self._title, "body_medium", color)
        if self._detail:
            rect = QRectF(x, top + title_height + 2, width, line_height("meta"))
            draw_elided(painter, rect, self._detail, "meta", "text3")
        if self.shows_ring:
            focus_ring(painter, full_rect(self), px(RADIUS_CONTROL))
        painter.end()

    def _lines_height(self) -> float:
        return line_height("body_medium") + (line_height("meta") + 2 if self._detail else 0)

    def _paint_mark(self, painter: QPainter) -> None:
        y = (self.height() - px(16)) / 2
        if self._mark_icon is None:
            paint_radio(painter, QRectF(px(13), y, px(16), px(16)), self.isChecked(), self.isEnabled())
            return
        top = (self.height() - self._lines_height()) / 2 + (line_height("body_medium") - px(16)) / 2
        color: ColorName = "accent" if self.isChecked() else "text2" if self.isEnabled() else "text_dis"
        draw_icon(painter, self._mark_icon, color, px(13), top, px(16))
