"""Shared painting helpers: rounded boxes, icons, text runs and the focus ring. All lengths are logical px."""

from __future__ import annotations

import math
import re

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QTextLayout, QTextOption
from PySide6.QtWidgets import QAbstractButton, QWidget

from ui.icons import icon_pixmap
from ui.theme import px, theme
from ui.tokens import RADIUS_CONTROL, TYPE_SCALE, ColorName, Role

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTER = Qt.AlignmentFlag.AlignCenter
_ENDLESS_WORD = re.compile(r"(?<!\S)\S{1000}")
"""Looked for at the starts of words alone: from each letter on it would read a word of 999 of them 999 times."""


def painter_for(widget: QWidget) -> QPainter:
    """An antialiased painter on `widget`; the caller ends it."""
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    return painter


def rounded_box(
    painter: QPainter, rect: QRectF, radius: float, fill: QColor | None, line: QColor | None, width: float = 1.0
) -> None:
    """A rounded rectangle whose line lies inside `rect`, so that 1 px lines stay sharp."""
    inset = width / 2 if line is not None else 0.0
    painter.setPen(QPen(line, width) if line is not None else QPen(Qt.PenStyle.NoPen))
    painter.setBrush(QBrush(fill) if fill is not None else QBrush(Qt.BrushStyle.NoBrush))
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius)


def rounded_path(rect: QRectF, radius: float) -> QPainterPath:
    """The outline of a rounded rectangle, for clipping."""
    path = QPainterPath()
    path.addRoundedRect(rect, radius, radius)
    return path


def focus_ring(painter: QPainter, rect: QRectF, radius: float, on_fill: bool = False) -> None:
    """The 2 px keyboard focus ring inside `rect`; on a filled control it is drawn in the text colour, set in."""
    if on_fill:
        rounded_box(painter, rect.adjusted(2, 2, -2, -2), max(1.0, radius - 2), None, theme().color("on_accent"), 1.5)
    else:
        rounded_box(painter, rect, radius, None, theme().color("accent"), 2.0)


def draw_icon(
    painter: QPainter, name: str, color: ColorName | QColor, x: float, y: float, size: int, stroke: float | None = None
) -> None:
    """Icon `name`, `size` px square, top left at (`x`, `y`), snapped to device pixels so that it stays sharp."""
    tint = color if isinstance(color, QColor) else theme().color(color)
    dpr = painter.device().devicePixelRatio()
    at = QPointF(round(x * dpr) / dpr, round(y * dpr) / dpr)
    painter.drawPixmap(at, icon_pixmap(name, tint, size, dpr, stroke))


def choice_ground(painter: QPainter, button: QAbstractButton) -> None:
    """The ground of one of several checkable buttons: chosen, under the mouse, or none."""
    ground: ColorName | None = "bg_selected" if button.isChecked() else "bg_hover" if button.underMouse() else None
    if ground is not None:
        rounded_box(painter, full_rect(button), px(RADIUS_CONTROL), theme().color(ground), None)


def draw_text(
    painter: QPainter, rect: QRectF, text: str, role: Role, color: ColorName | QColor, align: Qt.AlignmentFlag = LEFT
) -> None:
    """One line of text, never elided, in a named style."""
    painter.setFont(theme().font(role))
    painter.setPen(color if isinstance(color, QColor) else theme().color(color))
    painter.drawText(rect, int(align) | int(Qt.TextFlag.TextSingleLine), text)


def draw_elided(
    painter: QPainter,
    rect: QRectF,
    text: str,
    role: Role,
    color: ColorName | QColor,
    align: Qt.AlignmentFlag = LEFT,
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> bool:
    """One line of text, shortened with "…" to fit `rect`. Whether it was shortened."""
    shown = elided(text, role, rect.width(), mode)
    draw_text(painter, rect, shown, role, color, align)
    return shown != text


def elided(text: str, role: Role, width: float, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> str:
    """`text` shortened to `width`. Text far too long to fit is cut first: measuring a megabyte takes seconds."""
    if len(text) > 4_096 and mode == Qt.TextElideMode.ElideRight:
        text = text[:4_096] + "…"
    return theme().metrics(role).elidedText(text, mode, width + 0.5)


def text_layout(text: str, role: Role, align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft) -> QTextLayout:
    """`text` ready to be broken into lines, at words where it has any.

    A word of many lines may break anywhere: Qt would weigh all of what is left of it anew for each of its lines.
    """
    layout = QTextLayout(text.replace("\n", "\u2028"), theme().font(role))
    option = QTextOption(align)
    wrap = QTextOption.WrapMode
    option.setWrapMode(wrap.WrapAnywhere if _ENDLESS_WORD.search(text) else wrap.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.setCacheEnabled(True)
    return layout


def text_width(text: str, role: Role) -> float:
    """Advance width of one line of text."""
    return theme().metrics(role).horizontalAdvance(text)


def line_height(role: Role) -> float:
    """Natural height of one line in a named style."""
    return theme().metrics(role).height()


def line_pitch(role: Role) -> int:
    """Distance of two lines of running text."""
    return math.ceil(line_height(role) * TYPE_SCALE[role].line_height)


def full_rect(widget: QWidget) -> QRectF:
    """The widget's rectangle in float coordinates."""
    rect: QRect = widget.rect()
    return QRectF(rect)


def scaled(size: float) -> float:
    """`size` px at the operator's scale, unrounded use allowed."""
    return float(px(size))
