"""Painting one row of the trace: the rail with its icon, the line, the body; the head of a step."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from ui import formatting
from ui.models.trace.line import ChipText, Link, StepLine, TraceLine
from ui.theme import px, theme
from ui.tokens import RADIUS_CHIP, TONES, ColorName, Role
from ui.views.trace import geometry as at
from ui.views.trace.flow import Flowed
from ui.views.trace.layouts import RowLayout
from ui.widgets.paint import draw_elided, draw_icon, draw_text, elided, line_pitch, rounded_box, text_width

LinkFound = Callable[[QRectF, Link], None]


class RowPainter:
    """Paints rows at one time of the clock. `right` is the right edge of the text column."""

    def __init__(self, painter: QPainter, right: float, now: datetime, link_found: LinkFound) -> None:
        self._painter, self._right, self._now, self._link_found = painter, right, now, link_found

    # ---------------------------------------------------------------- heads

    def head(self, line: StepLine, top: float) -> None:
        """The head of a step: name, facts, a rule, chip, figures."""
        y, height = top + px(at.HEAD_TOP), px(at.LINE)
        left, right = float(px(at.MARGIN)), self._right
        left = self._run(line.name, "meta_strong", "text3", left, y)
        if line.figures:
            right = self._at_right(line.figures, right, y)
        if line.chip is not None:
            right = self._chip(line.chip, right, y) - px(at.GAP)
        facts = elided(line.facts, "meta", max(0.0, right - left))
        left = self._run(facts, "meta", "text3", left, y)
        if right > left:
            self._painter.fillRect(QRectF(left, round(y + height / 2), right - left, 1), theme().color("line"))

    # ---------------------------------------------------------------- rows

    def rail(self, line: TraceLine, top: float, bottom: float, *, first: bool, last: bool) -> None:
        """The icon on its line."""
        x = px(at.MARGIN) + px(at.RAIL_LINE)
        icon_top, size = top + px(at.ICON_TOP), px(at.ICON)
        color = theme().color("line_mid")
        if not first:
            self._painter.fillRect(QRectF(x, top, 1, icon_top - px(2) - top), color)
        if not last:
            below = icon_top + size + px(2)
            self._painter.fillRect(QRectF(x, below, 1, bottom - below), color)
        draw_icon(self._painter, line.icon, line.icon_color, px(at.MARGIN + at.ICON_LEFT), icon_top, size, 1.9)

    def line(self, line: TraceLine, top: float) -> None:
        """Title, text, link, chips and figures on one line."""
        y, left, right = top + px(at.LINE_TOP), float(px(at.TEXT_LEFT)), self._right
        if line.right:
            right = self._at_right(line.right, right, y)
        for chip in reversed(line.chips):
            right = self._chip(chip, right, y) - px(at.GAP)
        title = elided(line.title, "section_head", right - left)
        left = self._run(title, "section_head", line.title_color, left, y)
        self._text(line, left, right, y)

    def _text(self, line: TraceLine, left: float, right: float, y: float) -> None:
        link = line.link
        link_width = text_width(link.text, "meta") + px(at.GAP) if link is not None else 0.0
        role: Role = "mono" if line.mono else "secondary"
        room = right - left - link_width
        if line.text and room > px(16):
            shown = elided(line.text, role, room)
            left = self._run(shown, role, line.text_color, left, y)
        if link is not None and right - left > px(24):
            rect = QRectF(left, y, min(right - left, text_width(link.text, "meta") + 1), px(at.LINE))
            draw_elided(self._painter, rect, link.text, "meta", "accent")
            self._link_found(rect, link)

    # ---------------------------------------------------------------- parts of a line

    def _run(self, text: str, role: Role, color: ColorName, left: float, y: float) -> float:
        """Words from `left` on; where the next may begin."""
        width = text_width(text, role)
        draw_text(self._painter, QRectF(left, y, width + 1, px(at.LINE)), text, role, color)
        return left + width + px(at.GAP)

    def _at_right(self, text: str, right: float, y: float) -> float:
        """Figures that end at `right`; where the next may end."""
        width = text_width(text, "meta")
        draw_text(self._painter, QRectF(right - width, y, width + 1, px(at.LINE)), text, "meta", "text3")
        return right - width - px(at.GAP)

    def _chip(self, chip: ChipText, right: float, y: float) -> float:
        """A chip that ends at `right`; where it begins."""
        words = chip.text
        if chip.since is not None:
            words = f"{words} {formatting.stopwatch((self._now - chip.since).total_seconds())}"
        width = text_width(words, "meta_medium") + px(14) + (px(16) if chip.icon else 0)
        rect = QRectF(round(right - width), y, round(width), px(at.CHIP))
        tone = TONES[chip.tone]
        fill = theme().color(tone.background) if tone.background else None
        edge = theme().color(tone.line) if chip.tone == "plain" else None
        rounded_box(self._painter, rect, px(RADIUS_CHIP), fill, edge)
        left = rect.x() + px(7)
        if chip.icon:
            draw_icon(self._painter, chip.icon, tone.foreground, rect.x() + px(6), y + px(4), px(12))
            left = rect.x() + px(22)
        words_rect = QRectF(left, y, rect.right() - left, px(at.CHIP))
        draw_text(self._painter, words_rect, words, "meta_medium", tone.foreground)
        return rect.x()

    # ---------------------------------------------------------------- bodies

    def body(self, row: RowLayout, top: float, *, caret: bool) -> None:
        """Wrapped text below the line; a finished one that goes on ends with "more", a streaming one with the caret."""
        flowed, line = row.body, row.line
        assert flowed is not None
        assert isinstance(line, TraceLine)
        left, y = float(px(at.TEXT_LEFT)), top + px(at.BODY_TOP)
        self._painter.setPen(theme().color("text2"))
        if flowed.rest is None or line.streaming:
            flowed.layout.draw(self._painter, QPointF(left, y))
        else:
            self._cut_body(flowed, left, y)
        if caret:
            self._painter.fillRect(caret_rect(row, top), theme().color("accent"))

    def _cut_body(self, flowed: Flowed, left: float, y: float) -> None:
        above = (flowed.lines - 1) * line_pitch("body")
        self._painter.save()
        self._painter.setClipRect(QRectF(left, y, self._right - left + 4, above), Qt.ClipOperation.IntersectClip)
        flowed.layout.draw(self._painter, QPointF(left, y))
        self._painter.restore()
        start = flowed.layout.lineAt(flowed.lines - 1).textStart()
        text = flowed.layout.text()[start : start + 400].replace("\u2028", " ")
        height = line_pitch("body")
        more_width = text_width("more", "body")
        shown = elided(text, "body", self._right - left - more_width - px(at.GAP))
        if not shown.endswith("…"):
            shown += "…"
        draw_text(self._painter, QRectF(left, y + above, self._right - left, height), shown, "body", "text2")
        x = left + text_width(shown, "body") + px(6)
        draw_text(self._painter, QRectF(x, y + above, more_width + 1, height), "more", "body", "accent")


def caret_rect(row: RowLayout, top: float) -> QRectF:
    """Where the caret stands after a streaming text."""
    body = row.body
    pitch = line_pitch("body")
    lines, width = (max(1, body.lines), body.last_width) if body is not None else (1, 0.0)
    y = top + px(at.BODY_TOP) + (lines - 1) * pitch
    return QRectF(px(at.TEXT_LEFT) + width + px(2), y + px(2), px(at.CARET), pitch - px(4))
