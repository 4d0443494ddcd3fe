"""Painting the open part of a row: sections of facts, words, code and checks on a sunken ground."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from agent_core.model.proposal import CheckResult
from ui import formatting
from ui.models.trace.detail_rows import FACT_SHARE, DetailRow, DetailRows
from ui.theme import px, theme
from ui.tokens import RADIUS_CONTROL, ColorName
from ui.views.trace import geometry as at
from ui.widgets.paint import RIGHT, draw_elided, draw_icon, draw_text, rounded_box, text_width

_CHECKS: dict[CheckResult, tuple[str, ColorName, ColorName]] = {
    CheckResult.PASS: ("check", "text3", "text"),
    CheckResult.WARN: ("triangle-alert", "attn", "attn"),
    CheckResult.FAIL: ("x", "dang", "dang"),
    CheckResult.NOT_APPLICABLE: ("circle-dashed", "text3", "text3"),
}
CHECK_SHARE = 0.45


def paint_detail(painter: QPainter, rows: DetailRows, place: QRectF, exposed: tuple[float, float]) -> None:
    """The detail that fills `place`; of its rows only those inside `exposed` (top and bottom) are looked at."""
    box = place.adjusted(0, px(at.DETAIL_TOP), 0, -px(at.DETAIL_BOTTOM))
    rounded_box(painter, box, px(RADIUS_CONTROL), theme().color("code_bg"), theme().color("line"))
    pitch, start = px(at.DETAIL_ROW), box.y() + px(at.DETAIL_PAD)
    first = max(0, int((exposed[0] - start) // pitch))
    last = min(rows.count, int((exposed[1] - start) // pitch) + 1)
    inside = QRectF(box.x() + px(at.DETAIL_INSET), start, box.width() - 2 * px(at.DETAIL_INSET), pitch)
    for number in range(first, last):
        _paint_row(painter, rows.row(number), inside.translated(0, number * pitch))
    if not rows.complete and last == rows.count:
        words = f"Reading on, {formatting.percent(rows.share)} of this text so far"
        draw_text(painter, inside.translated(0, rows.count * pitch), words, "meta", "text3")


def _paint_row(painter: QPainter, row: DetailRow, rect: QRectF) -> None:
    if row.style == "head":
        draw_text(painter, rect, row.text, "meta_strong", "text2")
        if row.remark:
            draw_text(painter, rect, row.remark, "meta", "text3", RIGHT)
    elif row.style == "fact":
        _paint_fact(painter, row, rect)
    elif row.style == "words":
        draw_text(painter, rect, row.text, "secondary", "text")
    elif row.style == "check":
        _paint_check(painter, row, rect)
    elif row.style != "gap":
        _paint_code(painter, row, rect)


def _paint_fact(painter: QPainter, row: DetailRow, rect: QRectF) -> None:
    label_width = rect.width() * (1 - FACT_SHARE)
    label = rect.adjusted(0, 0, label_width - px(at.GAP) - rect.width(), 0)
    draw_elided(painter, label, row.label, "secondary", "text3")
    draw_text(painter, rect.adjusted(label_width, 0, 0, 0), row.text, "mono" if row.mono else "secondary", "text")


def _paint_code(painter: QPainter, row: DetailRow, rect: QRectF) -> None:
    indent = text_width("  " * row.depth, "mono")
    if row.style == "quote":
        line = QRectF(round(rect.x() + indent - px(8)), rect.y(), 1, rect.height())
        painter.fillRect(line, theme().color("line_mid"))
    draw_text(painter, rect.adjusted(indent, 0, 0, 0), row.text, "mono", "text2")


def _paint_check(painter: QPainter, row: DetailRow, rect: QRectF) -> None:
    color: ColorName = "text"
    if row.result is not None:
        icon, tint, color = _CHECKS[row.result]
        draw_icon(painter, icon, tint, rect.x(), rect.center().y() - px(6), px(12))
    draw_text(painter, rect.adjusted(px(20), 0, 0, 0), row.label, "secondary", color)
    draw_text(painter, rect.adjusted(rect.width() * (1 - CHECK_SHARE), 0, 0, 0), row.text, "secondary", "text2")
