"""Layouts of rows: their lines, wrapped bodies and details, made when they come into view and kept for a while."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from agent_core.model import events as ev
from ui.models.trace.detail import detail_of
from ui.models.trace.detail_rows import DetailRows
from ui.models.trace.line import BODY_CHARACTERS, Line, TraceLine
from ui.models.trace.lines import thought_text
from ui.models.trace.model import TraceModel
from ui.models.trace.rows import RowKind
from ui.models.trace.step_line import step_line
from ui.models.trace.whole import READING, READING_STEP, Trace
from ui.theme import px, theme
from ui.views.trace import geometry as at
from ui.views.trace.flow import Flowed, Tail, flow, line_texts
from ui.widgets.paint import line_pitch, text_width

_KEPT: Final = 400
_FIRST_DETAIL_ROWS: Final = 400
_MOST_AT_ONCE: Final = 5_000


@dataclass(slots=True)
class RowLayout:
    """One row ready to paint. `body` is None without one."""

    line: Line
    height: int
    body: Flowed | None = None


class Layouts:
    """Makes and keeps row layouts for one width. `expanded` holds the details of rows that are open."""

    def __init__(self, model: Trace, now: Callable[[], datetime]) -> None:
        self.model, self._now = model, now
        self.width = 0
        self.expanded: dict[int, DetailRows] = {}
        self._kept: OrderedDict[int, RowLayout] = OrderedDict()
        self._tails: dict[int, Tail] = {}

    # ---------------------------------------------------------------- width and change

    def set_width(self, width: int) -> None:
        """Lay out for another width, or again after a theme change."""
        self.width = width
        self._kept.clear()
        self._tails.clear()
        for row, before in self.expanded.items():
            self.expanded[row] = self._make_detail(row)
            self.expanded[row].extend(min(before.count, _MOST_AT_ONCE))

    def forget(self, row: int) -> None:
        """A row has changed."""
        self._kept.pop(row, None)
        if row in self.expanded and row not in self.model.streaming:
            rows = self._make_detail(row)
            rows.extend(min(self.expanded[row].count, _MOST_AT_ONCE))
            self.expanded[row] = rows

    @property
    def right(self) -> int:
        """Right edge of the text column."""
        return min(self.width - px(at.MARGIN), px(at.TEXT_LEFT + at.WIDEST))

    @property
    def text_width(self) -> int:
        """Width of the text column."""
        return max(px(80), self.right - px(at.TEXT_LEFT))

    # ---------------------------------------------------------------- expanding

    def expand(self, row: int) -> None:
        """Open a row, if it has been read."""
        if row not in self.expanded and self.model.at(row) is not None:
            self.expanded[row] = self._make_detail(row)
            self._kept.pop(row, None)

    def collapse(self, row: int) -> None:
        """Close a row."""
        if self.expanded.pop(row, None) is not None:
            self._kept.pop(row, None)

    def _make_detail(self, row: int) -> DetailRows:
        columns = int((self.text_width - 2 * px(at.DETAIL_INSET)) / text_width("0", "mono"))
        found = self.model.at(row)
        rows = DetailRows([] if found is None else detail_of(*found), columns, self._break)
        rows.extend(_FIRST_DETAIL_ROWS)
        return rows

    def _break(self, text: str, share: float) -> list[str]:
        width = (self.text_width - 2 * px(at.DETAIL_INSET)) * share
        return line_texts(text, "secondary", width)

    def detail_height(self, row: int) -> int:
        """Height of an open row's detail with its surroundings; 0 for rows without one."""
        rows = self.expanded.get(row)
        if rows is None or not rows.count:
            return 0
        lines = rows.count + (0 if rows.complete else 1)
        return lines * px(at.DETAIL_ROW) + px(at.DETAIL_TOP + 2 * at.DETAIL_PAD + at.DETAIL_BOTTOM)

    # ---------------------------------------------------------------- rows

    def get(self, row: int) -> RowLayout:
        """The layout of a row."""
        known = self._kept.get(row)
        if known is None:
            found = self.model.at(row)
            if found is None:
                return self._reading(row)
            known = self._kept[row] = self._make(row, *found)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(row)
        return known

    def height(self, row: int) -> int:
        """Height of a row with its detail."""
        if self.model.kind(row) is RowKind.GONE:
            return 0
        return self.get(row).height + self.detail_height(row)

    def _reading(self, row: int) -> RowLayout:
        is_step = self.model.kind(row) is RowKind.STEP
        return RowLayout(READING_STEP, px(at.HEAD)) if is_step else RowLayout(READING, px(at.ROW))

    def _make(self, row: int, page: TraceModel, local: int) -> RowLayout:
        if page.kind(local) is RowKind.STEP:
            return RowLayout(step_line(page, local, self._now()), px(at.HEAD))
        line = self.model.line(row)
        assert isinstance(line, TraceLine)
        if not line.body:
            return RowLayout(line, px(at.ROW))
        if line.streaming:
            return self._make_tail(row, line)
        body = self._flow_body(row, line)
        height = body.lines * line_pitch("body")
        return RowLayout(line, px(at.BODY_TOP) + height + px(at.BODY_BOTTOM), body)

    def _flow_body(self, row: int, line: TraceLine) -> Flowed:
        whole = row in self.expanded and len(line.body) < BODY_CHARACTERS  # longer ones are paged by their detail
        return flow(line.body, "body", self.text_width, None if whole else at.BODY_LINES)

    def _make_tail(self, row: int, line: TraceLine) -> RowLayout:
        tail = self._tails.get(row)
        if tail is None:
            tail = self._tails[row] = Tail("body", self.text_width - px(at.CARET + 4), at.BODY_LINES)
        body = tail.grow(line.body)
        height = max(1, body.lines) * line_pitch("body")
        return RowLayout(line, px(at.BODY_TOP) + height + px(at.BODY_BOTTOM), body)

    # ---------------------------------------------------------------- guesses

    def guess(self, row: int) -> int:
        """About how high a row is, without laying it out; exact for everything but running text."""
        kind = self.model.kind(row)
        if kind is RowKind.GONE:
            return 0
        if row in self.expanded or row in self._kept:
            return self.height(row)
        if kind is RowKind.STEP:
            return px(at.HEAD)
        found = self.model.peek(row)
        length = 0 if found is None else _body_length(*found, kind)
        if not length:
            return px(at.ROW)
        per_line = max(1.0, self.text_width / (theme().metrics("body").averageCharWidth() or 7))
        lines = min(at.BODY_LINES, math.ceil(length / per_line))
        return px(at.BODY_TOP) + lines * line_pitch("body") + px(at.BODY_BOTTOM)


def _body_length(page: TraceModel, row: int, kind: RowKind) -> int:
    if kind is RowKind.THOUGHT:
        return len(thought_text(page, row))
    if kind not in (RowKind.MESSAGE, RowKind.SESSION, RowKind.STOP):
        return 0
    match page.event(row).data:
        case ev.MessageAdded(text=text) | ev.SessionOpened(goal=text):
            return len(text)
        case ev.RunStarted(message=message):
            return len(message or "")
        case ev.RunStopped(output=output):
            return len(output or "")
    return 0
