"""TextDiff: a unified diff with word marks, painted virtually: a megabyte or 100,000 lines open at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from PySide6.QtCore import QObject, QRectF, QRunnable, Qt, QThreadPool, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from ui.hostile import visible
from ui.theme import px, theme
from ui.tokens import ColorName
from ui.widgets.line_diff import DiffLine, Span, alike_ends, diff_lines, word_marks
from ui.widgets.paint import RIGHT, draw_icon, draw_text, text_width
from ui.widgets.virtual_rows import VirtualRows
from ui.widgets.wrapping import column_count, expand_tabs, wrap_columns, wrapped_row_count

_ROW_HEIGHT: Final = 20
_CONTEXT: Final = 3
_SHORTEST_FOLD: Final = 8
_BACKGROUND_SIZE: Final = 60_000
_LONGEST_ROW: Final = 1_000
_TINTS: Final[dict[str, tuple[str, ColorName, ColorName, ColorName]]] = {
    "removed": ("−", "dang", "dang_bg", "dang_line"),
    "added": ("+", "ok", "ok_bg", "ok_line"),
}


@dataclass(frozen=True, slots=True)
class _Block:
    """A line (first == last) or a fold of unchanged lines, as indexes into the diff."""

    first: int
    last: int

    @property
    def is_fold(self) -> bool:
        return self.last > self.first


class _Signals(QObject):
    ready = Signal(object, object)


class _Compare(QRunnable):
    """Compares two large texts away from the GUI thread."""

    def __init__(self, ticket: object, before: str, after: str) -> None:
        super().__init__()
        self.signals = _Signals()
        self._ticket = ticket
        self._texts = (before, after)

    def run(self) -> None:
        """Called by the pool."""
        self.signals.ready.emit(self._ticket, compare(*self._texts))


def compare(before: str, after: str) -> list[DiffLine]:
    """The diff of both texts as they are shown: hidden characters visible, tabs as spaces."""
    before, after = alike_ends(before, after)
    return diff_lines(expand_tabs(visible(before)), expand_tabs(visible(after)))


class TextDiff(VirtualRows):
    """Shows `before` → `after`. Unchanged stretches fold, a click opens one; long lines wrap, see `set_wrap`."""

    def __init__(self, *, max_height: int | None = None, parent: QWidget | None = None) -> None:
        self._lines: Sequence[DiffLine] = ()
        self._blocks: list[_Block] = []
        self._starts: list[int] = [0]
        self._marks: dict[int, list[Span]] = {}
        self._slices: dict[int, list[Span]] = {}
        self._columns = 80
        self._first = (1, 1)
        self._wrap = True
        self._ticket: object = None
        self._waiting = False
        super().__init__(max_height=max_height, parent=parent)
        self.viewport().setMouseTracking(True)

    # ---------------------------------------------------------------- contents

    def set_texts(self, before: str, after: str, *, first: tuple[int, int] = (1, 1)) -> None:
        """Compare and show. Large texts are compared on a worker thread; "Comparing…" shows meanwhile.

        `first` are the numbers of the first lines, where both texts are a region of larger ones.
        """
        self._ticket, self._first = object(), first
        if len(before) + len(after) <= _BACKGROUND_SIZE:
            self._show(self._ticket, compare(before, after))
            return
        self._waiting = True
        self._lines, self._blocks = (), []
        self.content_changed()
        task = _Compare(self._ticket, before, after)
        task.signals.ready.connect(self._show, Qt.ConnectionType.QueuedConnection)
        QThreadPool.globalInstance().start(task)

    @property
    def is_waiting(self) -> bool:
        """Whether a comparison is still under way."""
        return self._waiting

    def _note_seen(self) -> None:
        """A comparison under way has shown nothing yet."""
        if not self._waiting:
            super()._note_seen()

    def set_wrap(self, wrap: bool) -> None:
        """Wrap long lines, or scroll sideways (the end then counts as seen only with the right edge)."""
        self._wrap = wrap
        self.content_changed()

    def unfold_all(self) -> None:
        """Open every fold."""
        self._blocks = [_Block(i, i) for i in range(len(self._lines))]
        self.layout_changed()

    def _show(self, ticket: object, lines: Sequence[DiffLine]) -> None:
        if ticket is not self._ticket:
            return  # an older comparison that came back late
        self._waiting = False
        self._lines = lines
        self._marks.clear()
        self._blocks = _fold(lines)
        added = sum(line.kind == "added" for line in lines)
        removed = sum(line.kind == "removed" for line in lines)
        self.setAccessibleName(f"{added} lines added, {removed} lines removed")
        self.content_changed()

    # ---------------------------------------------------------------- layout

    def lay_out(self, width: int) -> None:
        """Count the rows of every block."""
        height = px(_ROW_HEIGHT)
        self._slices.clear()
        if self._waiting:
            self._starts = [0]
            self.set_tops(range(0, height + 1, height))
            return
        advance = text_width("0", "mono")
        content = 0
        if self._wrap:
            self._columns = max(8, int((width - self._gutter() - px(10)) / advance))
        else:
            self._columns = _LONGEST_ROW
            widest = max((column_count(line.text) for line in self._lines), default=0)
            content = self._gutter() + px(10) + round(min(widest, _LONGEST_ROW) * advance)
        self._starts = list(accumulate(map(self._rows_in, self._blocks), initial=0))
        self.set_tops(range(0, self._starts[-1] * height + 1, height), content)

    def _rows_in(self, block: _Block) -> int:
        return 1 if block.is_fold else wrapped_row_count(self._lines[block.first].text, self._columns)

    def _gutter(self) -> int:
        digits = len(str(max(self._first) - 1 + max(1, len(self._lines))))
        return round(text_width("0" * digits, "key_hint")) + px(42)

    def _slice(self, index: int, part: int) -> Span:
        """Which part of a line a row shows; kept, because a megabyte in one line has thousands of rows."""
        text = self._lines[index].text
        if len(text) <= self._columns and part == 0 and text.isascii():
            return 0, len(text)
        if index not in self._slices:
            self._slices[index] = wrap_columns(text, self._columns)
        return self._slices[index][part]

    def _block_at(self, row: int) -> tuple[_Block, int]:
        index = bisect_right(self._starts, row) - 1
        return self._blocks[index], row - self._starts[index]

    # ---------------------------------------------------------------- painting

    def row_text(self, row: int) -> str:
        """A row as a line of a patch."""
        if self._waiting:
            return "Comparing…"
        block, part = self._block_at(row)
        if block.is_fold:
            return _fold_words(block)
        line = self._lines[block.first]
        start, end = self._slice(block.first, part)
        sign = _TINTS[line.kind][0] if line.kind in _TINTS else " "
        return f"{sign if part == 0 else ' '} {line.text[start:end]}"

    def paint_row(self, painter: QPainter, row: int, rect: QRectF) -> None:
        """One row of a line, or a fold."""
        if self._waiting:
            draw_text(painter, rect.adjusted(px(12), 0, 0, 0), "Comparing…", "secondary", "text3")
            return
        block, _ = self._block_at(row)
        if block.is_fold:
            self._paint_fold(painter, block, rect)
        else:
            self._paint_line(painter, row, rect)

    def _paint_fold(self, painter: QPainter, block: _Block, rect: QRectF) -> None:
        painter.fillRect(rect, theme().color("bg_sunken"))
        draw_icon(painter, "chevron-right", "text3", rect.x() + px(10), rect.center().y() - px(6), px(12))
        draw_text(painter, rect.adjusted(px(28), 0, 0, 0), _fold_words(block), "meta", "text3")

    def _paint_line(self, painter: QPainter, row: int, rect: QRectF) -> None:
        block, part = self._block_at(row)
        index = block.first
        line = self._lines[index]
        tint = _TINTS.get(line.kind)
        if tint:
            painter.fillRect(rect, theme().color(tint[2]))
        left = rect.x() + self._gutter()
        start, end = self._slice(index, part)
        if tint:
            self._paint_marks(
                painter, index, (start, end), QRectF(left, rect.y(), rect.width(), rect.height()), tint[3]
            )
        if part == 0:
            gutter = QRectF(rect.x(), rect.y(), self._gutter() - px(28), rect.height())
            draw_text(painter, gutter, str(self.number(row)), "key_hint", "text3", RIGHT)
            if tint:
                sign = QRectF(left - px(16), rect.y(), px(14), rect.height())
                draw_text(painter, sign, tint[0], "mono_strong", tint[1])
        color: ColorName = "text2" if line.kind == "same" else "text"
        draw_text(painter, QRectF(left, rect.y(), rect.width(), rect.height()), line.text[start:end], "mono", color)

    def number(self, row: int) -> int:
        """The number of a row's line as its file counts: afterwards, or before for a line that goes."""
        line = self._lines[self._block_at(row)[0].first]
        if line.after is not None:
            return line.after + self._first[1] - 1
        return (line.before or 0) + self._first[0] - 1

    def _paint_marks(self, painter: QPainter, index: int, part: Span, rect: QRectF, color: ColorName) -> None:
        text = self._lines[index].text
        for mark_start, mark_end in self._marks_of(index):
            start, end = max(mark_start, part[0]), min(mark_end, part[1])
            if start < end:
                x = rect.x() + text_width(text[part[0] : start], "mono")
                width = text_width(text[start:end], "mono")
                painter.fillRect(QRectF(x, rect.y() + 2, width, rect.height() - 4), theme().color(color))

    def _marks_of(self, index: int) -> list[Span]:
        """Word marks are found when a line first comes into view: most never do."""
        line = self._lines[index]
        if line.partner is None:
            return []
        if index not in self._marks:
            old, new = sorted((index, line.partner))
            self._marks[old], self._marks[new] = word_marks(self._lines[old].text, self._lines[new].text)
        return self._marks[index]

    # ---------------------------------------------------------------- folds

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Taken, so that the release comes here as well."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on a fold opens it."""
        row = self.row_at(event.position().y())
        if row >= 0 and not self._waiting:
            block, _ = self._block_at(row)
            if block.is_fold:
                self._unfold(block)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A hand over folds."""
        row = self.row_at(event.position().y())
        over_fold = row >= 0 and not self._waiting and self._block_at(row)[0].is_fold
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if over_fold else Qt.CursorShape.ArrowCursor)

    def _unfold(self, block: _Block) -> None:
        at = self._blocks.index(block)
        self._blocks[at : at + 1] = [_Block(i, i) for i in range(block.first, block.last + 1)]
        self.layout_changed()


def _fold_words(block: _Block) -> str:
    return f"{block.last - block.first + 1:,} unchanged lines"


def _fold(lines: Sequence[DiffLine]) -> list[_Block]:
    """Single lines near changes, folds for long unchanged stretches away from them."""
    blocks: list[_Block] = []
    start, total = 0, len(lines)
    while start < total:
        end = start
        while end < total and lines[end].kind == "same":
            end += 1
        if end == start:
            blocks.append(_Block(start, start))
            start += 1
            continue
        first = start + (_CONTEXT if start > 0 else 0)
        last = end - (_CONTEXT if end < total else 0)
        if last - first >= _SHORTEST_FOLD:
            blocks += [_Block(i, i) for i in range(start, first)]
            blocks.append(_Block(first, last - 1))
            blocks += [_Block(i, i) for i in range(last, end)]
        else:
            blocks += [_Block(i, i) for i in range(start, end)]
        start = end
    return blocks
