"""FieldDiff: what an action changes, field by field: sign, field, before (struck) → after (bold)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import Final, Literal

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from ui.hostile import visible
from ui.theme import px, theme
from ui.tokens import RADIUS_CHIP, ColorName
from ui.widgets.paint import draw_elided, draw_icon, draw_text, rounded_box, text_width
from ui.widgets.virtual_rows import VirtualRows
from ui.widgets.wrapping import expand_tabs, wrap_columns

ChangeKind = Literal["added", "changed", "removed", "same"]

_SIGNS: Final[Mapping[ChangeKind, tuple[str, ColorName]]] = MappingProxyType(
    {"added": ("+", "ok"), "changed": ("~", "text2"), "removed": ("−", "dang"), "same": ("", "text3")}
)
_PAIR_HEIGHT: Final = 28
_BLOCK_HEIGHT: Final = 20
_LONGEST_PAIR: Final = 400


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that changes. `before` and `after` are display text; the unused one is empty.

    Kind "same" is a fact that stays, in `after`.
    """

    kind: ChangeKind
    field: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class _Row:
    """A painted row: a whole change on one line, a field's name alone, or one wrapped line of a long value."""

    part: Literal["pair", "name", "before", "after"]
    change: FieldChange
    text: str = ""
    last: bool = False


def change_words(change: FieldChange) -> str:
    """The change as a screen reader says it: "changed Open balance from 24,720.00 to 24,308.00"."""
    if change.kind == "added":
        return f"added {change.field}: {change.after}"
    if change.kind == "removed":
        return f"removed {change.field}: {change.before}"
    if change.kind == "same":
        return f"{change.field}: {change.after}"
    return f"changed {change.field} from {change.before or 'nothing'} to {change.after or 'nothing'}"


class FieldDiff(VirtualRows):
    """The list of changed fields. A value too long for its line gets lines of its own, all of it, wrapped."""

    def __init__(
        self, changes: Sequence[FieldChange] = (), *, max_height: int = 420, parent: QWidget | None = None
    ) -> None:
        self._changes: tuple[FieldChange, ...] = ()
        self._rows: list[_Row] = []
        super().__init__(max_height=max_height, parent=parent)
        self.set_changes(changes)

    def set_changes(self, changes: Sequence[FieldChange]) -> None:
        """Show other changes."""
        self._changes = tuple(_shown(change) for change in changes)
        self.setAccessibleName("; ".join(change_words(c)[:300] for c in self._changes[:40]) or "No changes")
        self.content_changed()

    # ---------------------------------------------------------------- layout

    def lay_out(self, width: int) -> None:
        """One line where it fits, a block of wrapped lines where it does not."""
        self._rows = [row for change in self._changes for row in self._rows_of(change, width)]
        heights = (px(_PAIR_HEIGHT if r.part in ("pair", "name") else _BLOCK_HEIGHT) + (px(6) if r.last else 0)
                   for r in self._rows)  # fmt: skip
        self.set_tops(list(accumulate(heights, initial=0)))

    def _rows_of(self, change: FieldChange, width: int) -> Iterator[_Row]:
        if self._fits(change, width):
            yield _Row("pair", change)
            return
        yield _Row("name", change)
        columns = int((width - px(42)) / text_width("0", "mono"))
        before = list(_wrapped(change.before, columns)) if change.before else []
        after = list(_wrapped(change.after, columns)) if change.after else []
        for index, text in enumerate(before):
            yield _Row("before", change, text, not after and index == len(before) - 1)
        for index, text in enumerate(after):
            yield _Row("after", change, text, index == len(after) - 1)

    def _fits(self, change: FieldChange, width: int) -> bool:
        value = change.before + change.after
        if len(value) > _LONGEST_PAIR or "\n" in value:
            return False
        values = text_width(change.before, "mono") + text_width(change.after, "mono_strong") + px(44)
        return values <= width - self._field_width(width) and text_width(change.field, "secondary") <= (
            self._field_width(width) - px(34)
        )

    def _field_width(self, width: float) -> int:
        return round(min(width * 0.4, px(340)))

    # ---------------------------------------------------------------- painting

    def row_text(self, row: int) -> str:
        """The change of a row, or the line of a long value."""
        item = self._rows[row]
        return change_words(item.change) if item.part == "pair" else item.text or f"{item.change.field}:"

    def paint_row(self, painter: QPainter, row: int, rect: QRectF) -> None:
        """One row."""
        item = self._rows[row]
        if item.part == "pair":
            self._paint_name(painter, item.change, rect, self._field_width(self.viewport().width()))
            self._paint_values(painter, item.change, rect)
        elif item.part == "name":
            self._paint_name(painter, item.change, rect, round(rect.width()))
        else:
            self._paint_block(painter, item, rect)

    def _paint_name(self, painter: QPainter, change: FieldChange, rect: QRectF, width: int) -> None:
        sign, color = _SIGNS[change.kind]
        draw_text(painter, QRectF(rect.x() + px(10), rect.y(), px(14), rect.height()), sign, "mono_strong", color)
        name = QRectF(rect.x() + px(27), rect.y(), width - px(31), rect.height())
        draw_elided(painter, name, change.field, "secondary", "text2")

    def _paint_values(self, painter: QPainter, change: FieldChange, rect: QRectF) -> None:
        x = rect.x() + self._field_width(self.viewport().width()) + px(4)
        if change.before:
            x = self._paint_before(painter, change.before, x, rect) + px(8)
        if change.before and change.after:
            draw_icon(painter, "arrow-right", "text3", x, rect.center().y() - px(12) / 2, px(12))
            x += px(12) + px(8)
        if change.after and change.kind == "same":
            draw_text(painter, rect.adjusted(x + px(4) - rect.x(), 0, 0, 0), change.after, "mono", "text2")
        elif change.after:
            self._paint_after(painter, change.after, x, rect)

    def _paint_before(self, painter: QPainter, text: str, x: float, rect: QRectF) -> float:
        width = text_width(text, "mono")
        self._tint(painter, QRectF(x, rect.center().y() - px(9), width + px(8), px(18)), "dang_bg")
        draw_text(painter, QRectF(x + px(4), rect.y(), width + 2, rect.height()), text, "mono", "text2")
        painter.setPen(QPen(theme().color("text3"), 1))
        y = round(rect.center().y()) + 0.5
        painter.drawLine(QPointF(x + px(4), y), QPointF(x + px(4) + width, y))
        return x + width + px(8)

    def _paint_after(self, painter: QPainter, text: str, x: float, rect: QRectF) -> None:
        width = text_width(text, "mono_strong")
        self._tint(painter, QRectF(x, rect.center().y() - px(9), width + px(8), px(18)), "ok_bg")
        draw_text(painter, QRectF(x + px(4), rect.y(), width + 2, rect.height()), text, "mono_strong", "text")

    def _paint_block(self, painter: QPainter, row: _Row, rect: QRectF) -> None:
        removed = row.part == "before"
        line = QRectF(rect.x() + px(27), rect.y(), rect.width() - px(37), px(_BLOCK_HEIGHT))
        if row.change.kind != "same":
            painter.fillRect(line, theme().color("dang_bg" if removed else "ok_bg"))
        text = line.adjusted(px(5), 0, 0, 0)
        draw_text(painter, text, row.text, "mono", "text2" if removed else "text")

    def _tint(self, painter: QPainter, rect: QRectF, color: ColorName) -> None:
        rounded_box(painter, rect, px(RADIUS_CHIP) - 1, theme().color(color), None)


def _shown(change: FieldChange) -> FieldChange:
    return FieldChange(change.kind, visible(change.field), visible(change.before), visible(change.after))


def _wrapped(text: str, columns: int) -> Iterator[str]:
    for line in expand_tabs(text).split("\n"):
        yield from (line[start:end] for start, end in wrap_columns(line, columns))
