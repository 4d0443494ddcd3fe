"""TraceArea: the scrolled list. It lays out and paints only the rows in view, whatever their number.

The place of the view is a row and an offset into it, never a distance from the top: what is above may turn out higher
or lower than thought without moving anything on screen. While following, it holds on to the end of the last row.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from ui.models.trace.filters import Group, Shown
from ui.models.trace.heights import Heights
from ui.models.trace.line import Link, StepLine, TraceLine
from ui.models.trace.model import Change, TraceModel
from ui.models.trace.rows import RowKind
from ui.theme import px, theme
from ui.tokens import RADIUS_CONTROL, ColorName
from ui.views.trace import geometry as at
from ui.views.trace.detail_painting import paint_detail
from ui.views.trace.layouts import Layouts
from ui.views.trace.painting import RowPainter, caret_rect
from ui.widgets.paint import draw_icon, focus_ring, rounded_box

_BLINK_MS: Final = 530
_CLOCK_MS: Final = 1_000
_READ_MS: Final = 30
_READ_SECONDS: Final = 0.004
_READ_ROWS: Final = 500


@dataclass(frozen=True, slots=True)
class Placed:
    """A row in view: its place in the list, its number, its top in the viewport and its height."""

    place: int
    row: int
    top: int
    height: int

    @property
    def bottom(self) -> int:
        """Where the next one begins."""
        return self.top + self.height


class TraceArea(QAbstractScrollArea):
    """Shows a TraceModel. `following_changed` fires when following or the number of new rows below changes."""

    following_changed = Signal()
    current_changed = Signal()
    card_wanted = Signal(str)

    def __init__(self, now: Callable[[], datetime], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.now = now
        self.layouts = Layouts(TraceModel(), now)
        self.shown = Shown()
        self.heights = Heights(self._guess, at.ROW)
        self.marked: frozenset[int] = frozenset()
        """Rows that the find bar has hits in, of those in view or near."""
        self.current: int | None = None
        self._following = True
        self._paused = False
        self._below_from = 0
        self._below = 0
        self._anchor, self._anchor_offset = 0, 0
        self._visible: list[Placed] = []
        self._links: list[tuple[QRectF, Link]] = []
        self._hovered = -1
        self._keyboard_focus = False
        self._caret_on = True
        self._moving = False
        self._set_up()

    def _set_up(self) -> None:
        self.setObjectName("trace")
        self.setAccessibleName("Trace")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setMouseTracking(True)
        self._blink = QTimer(self, interval=_BLINK_MS)
        self._blink.timeout.connect(self._blinked)
        self._clock = QTimer(self, interval=_CLOCK_MS)
        self._clock.timeout.connect(self._ticked)
        self._reader = QTimer(self, interval=_READ_MS)
        self._reader.timeout.connect(self._read_on)
        theme().follow(self.restyle)

    @property
    def model(self) -> TraceModel:
        """What is shown."""
        return self.layouts.model

    def _guess(self, place: int) -> int:
        return self.layouts.guess(self.shown.row(place))

    # ---------------------------------------------------------------- content

    def set_model(self, model: TraceModel) -> None:
        """Show another session from its end."""
        width = self.layouts.width
        self.layouts = Layouts(model, self.now)
        self.layouts.set_width(width)
        self.current, self._hovered = None, -1
        self.marked = frozenset()
        self._paused = False
        self._show_groups(self.shown.groups)
        self.follow()

    def apply(self, change: Change) -> None:
        """The model has taken something in."""
        for row in change.changed:
            self.layouts.forget(row)
            if row in self.layouts.expanded or self.model.rows.kinds[row] == RowKind.GONE:
                self._height_changed(row)
        if change.gone and self.current is not None and self.model.kind(self.current) is RowKind.GONE:
            self.current = None
        self.heights.append(self.shown.catch_up(self.model))
        self._lay_out()

    def _height_changed(self, row: int) -> None:
        place = self.shown.place(row)
        if place < len(self.shown) and self.shown.row(place) == row and place < self.heights.count:
            self.heights.set(place, self.layouts.height(row))

    def show_groups(self, groups: Iterable[Group]) -> None:
        """Show only rows of these kinds; the row at the top stays as near as it can."""
        top = self._visible[0].row if self._visible else 0
        self._show_groups(frozenset(groups))
        self._anchor, self._anchor_offset = min(self.shown.place(top), max(0, len(self.shown) - 1)), 0
        self._lay_out()

    def _show_groups(self, groups: frozenset[Group]) -> None:
        self.shown.choose(groups)
        self.shown.catch_up(self.model)
        self.heights.clear(len(self.shown), px(at.ROW + 6))

    # ---------------------------------------------------------------- following

    @property
    def following(self) -> bool:
        """Whether new rows scroll into view."""
        return self._following

    @property
    def below(self) -> int:
        """How many rows have come since following ended that are still below the view."""
        return self._below

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._paused = False
        self._set_following(True)
        self._lay_out()

    def stop_following(self, *, pause: bool = False) -> None:
        """Hold still; with `pause` also when the view is scrolled to the end."""
        self._paused = self._paused or pause
        self._set_following(False)

    def _set_following(self, following: bool) -> None:
        if following != self._following:
            self._following = following
            self._below_from, self._below = len(self.shown), 0
            self.following_changed.emit()

    def _count_below(self) -> None:
        last = self._visible[-1].place if self._visible else -1
        below = 0 if self._following else max(0, len(self.shown) - max(self._below_from, last + 1))
        if below != self._below:
            self._below = below
            self.following_changed.emit()

    # ---------------------------------------------------------------- layout

    def restyle(self) -> None:
        """Lay out again after a theme change."""
        self.layouts.set_width(self.viewport().width())
        self.heights.new_width()
        self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Texts wrap anew when the width changes."""
        super().resizeEvent(event)
        width = self.viewport().width()
        if width != self.layouts.width:
            self.layouts.set_width(width)
            self.heights.new_width()
        self._lay_out()

    def _lay_out(self) -> None:
        """Place the rows in view, from the end while following, else from the anchor."""
        if self.layouts.width <= 0 or not self.heights.count:
            self._visible = []
            self.viewport().update()
            return
        if self._following:
            self._hold_end()
        self._anchor = min(self._anchor, self.heights.count - 1)
        self._place_rows()
        if not self._following and self._gap_at_end():
            self._hold_end()
            self._place_rows()
        self._move_bar()
        self._count_below()
        self._set_timers()
        self.viewport().update()

    def _hold_end(self) -> None:
        """Anchor so that the last row ends at the bottom."""
        room = self.viewport().height() - px(at.BOTTOM)
        place = self.heights.count
        while place > 0 and room > 0:
            place -= 1
            room -= self._measure(place)
        self._anchor = place
        self._anchor_offset = -room if room < 0 or place > 0 else -px(at.TOP)

    def _measure(self, place: int) -> int:
        height = self.layouts.height(self.shown.row(place))
        self.heights.set(place, height)
        return height

    def _place_rows(self) -> None:
        visible, top, place = [], -self._anchor_offset, self._anchor
        bottom = self.viewport().height()
        while place < self.heights.count and top < bottom:
            height = self._measure(place)
            if height:
                visible.append(Placed(place, self.shown.row(place), top, height))
            top += height
            place += 1
        self._visible = visible

    def _gap_at_end(self) -> bool:
        if not self._visible or self._visible[-1].place < self.heights.count - 1:
            return False
        gap = self.viewport().height() - px(at.BOTTOM) - self._visible[-1].bottom
        return gap > 0 and (self._anchor > 0 or self._anchor_offset > 0)

    def _move_bar(self) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height()
        whole = self.heights.total + px(at.TOP) + px(at.BOTTOM)
        self._moving = True
        bar.setRange(0, max(0, whole - height))
        bar.setPageStep(height)
        bar.setSingleStep(px(at.ROW))
        bar.setValue(self.heights.top(self._anchor) + self._anchor_offset + px(at.TOP))
        self._moving = False

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """The bar was moved: by hand it gives the new anchor, by us it only follows."""
        if self._moving or not self.heights.count:
            return
        bar = self.verticalScrollBar()
        value = bar.value()
        if value >= bar.maximum() and not self._paused:
            self._set_following(True)
        else:
            self._set_following(False)
            place, offset = self.heights.at(value - px(at.TOP))
            self._anchor, self._anchor_offset = place, offset if value >= px(at.TOP) else value - px(at.TOP)
        self._lay_out()

    # ---------------------------------------------------------------- places

    @property
    def visible(self) -> list[Placed]:
        """The rows in view."""
        return self._visible

    def placed_at(self, y: float) -> Placed | None:
        """The row at a height of the viewport."""
        return next((placed for placed in self._visible if placed.top <= y < placed.bottom), None)

    def placed(self, row: int) -> Placed | None:
        """Where a row is in view."""
        return next((placed for placed in self._visible if placed.row == row), None)

    def link_at(self, position: QPointF) -> Link | None:
        """The link at a point of the viewport."""
        return next((link for rect, link in self._links if rect.contains(position)), None)

    def show_row(self, row: int, *, at_top: bool = False) -> None:
        """Scroll until a row is in view; stops following unless it is the last one."""
        place = self.shown.place(row)
        if not self.heights.count:
            return
        place = min(place, self.heights.count - 1)
        self._set_following(False)
        placed = self.placed(self.shown.row(place))
        view = self.viewport().height()
        height = self._measure(place)
        if at_top or placed is None or placed.top < 0:
            self._anchor, self._anchor_offset = place, (-px(at.TOP) if place == 0 else 0)
            if not at_top and (placed is None and self._visible and place > self._visible[-1].place):
                self._anchor_offset = min(0, height - view + px(at.BOTTOM))
                self._from_offset()
        elif placed.bottom > view:
            self._anchor, self._anchor_offset = place, min(0, height - view + px(at.BOTTOM))
            self._from_offset()
        self._lay_out()

    def _from_offset(self) -> None:
        """Turn a negative offset into an earlier anchor."""
        while self._anchor_offset < 0 and self._anchor > 0:
            self._anchor -= 1
            self._anchor_offset += self._measure(self._anchor)

    def select(self, row: int | None, *, show: bool = True) -> None:
        """Make a row the current one."""
        if row != self.current:
            self.current = row
            self.current_changed.emit()
            self.viewport().update()
        if row is not None and show:
            self.show_row(row)

    def set_marked(self, rows: frozenset[int]) -> None:
        """Mark the rows that the find bar has hits in."""
        if rows != self.marked:
            self.marked = rows
            self.viewport().update()

    # ---------------------------------------------------------------- expanding

    def is_expanded(self, row: int) -> bool:
        """Whether a row is open."""
        return row in self.layouts.expanded

    def set_expanded(self, row: int, expanded: bool) -> None:
        """Open or close a row; its top stays where it is."""
        placed = self.placed(row)
        if expanded:
            self.layouts.expand(row)
        else:
            self.layouts.collapse(row)
        self._height_changed(row)
        if placed is not None:
            self._set_following(False)
            self._anchor, self._anchor_offset = placed.place, -placed.top
            self._from_offset()
        self._lay_out()

    def _read_on(self) -> None:
        """Find more rows of open details, a few milliseconds at a time."""
        until = time.perf_counter() + _READ_SECONDS
        for row, rows in self.layouts.expanded.items():
            if rows.complete:
                continue
            while not rows.complete and time.perf_counter() < until:
                rows.extend(_READ_ROWS)
            self._height_changed(row)
            break
        self._lay_out()

    # ---------------------------------------------------------------- clocks

    def _set_timers(self) -> None:
        self._run(self._blink, bool(self._streaming_rows()) and not theme().reduced_motion)
        if not self._blink.isActive():
            self._caret_on = True
        self._run(self._clock, any(self._ticks(placed.row) for placed in self._visible))
        self._run(self._reader, any(not rows.complete for rows in self.layouts.expanded.values()))

    @staticmethod
    def _run(timer: QTimer, wanted: bool) -> None:
        if wanted and not timer.isActive():
            timer.start()
        elif not wanted:
            timer.stop()

    def _streaming_rows(self) -> list[Placed]:
        return [placed for placed in self._visible if placed.row in self.model.streaming]

    def _ticks(self, row: int) -> bool:
        line = self.layouts.get(row).line
        return isinstance(line, StepLine) and line.chip is not None and line.chip.since is not None

    def _blinked(self) -> None:
        self._caret_on = not self._caret_on
        for placed in self._streaming_rows():
            self.viewport().update(caret_rect(self.layouts.get(placed.row), placed.top).toAlignedRect())

    def _ticked(self) -> None:
        for placed in self._visible:
            if self._ticks(placed.row):
                self.viewport().update(0, placed.top, self.viewport().width(), placed.height)

    # ---------------------------------------------------------------- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """The exposed rows."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), theme().color("bg_raised"))
        self._links = []
        paint = RowPainter(painter, self.layouts.right, self.now(), lambda rect, link: self._links.append((rect, link)))
        exposed = event.rect()
        for number, placed in enumerate(self._visible):
            if placed.bottom > exposed.top() and placed.top <= exposed.bottom():
                self._paint_row(painter, paint, number, placed)
        if self.hasFocus() and self._keyboard_focus and self.current is None:
            focus_ring(painter, QRectF(self.viewport().rect()), px(RADIUS_CONTROL))
        painter.end()

    def _paint_row(self, painter: QPainter, paint: RowPainter, number: int, placed: Placed) -> None:
        row = self.layouts.get(placed.row)
        self._paint_ground(painter, placed)
        if isinstance(row.line, StepLine):
            paint.head(row.line, placed.top)
        else:
            self._paint_event(paint, number, placed, row.line)
        detail = self.layouts.expanded.get(placed.row)
        if detail is not None and detail.count:
            left, top = px(at.TEXT_LEFT), placed.top + row.height
            place = QRectF(left, top, self.layouts.right - left, placed.bottom - top)
            paint_detail(painter, detail, place, (0, self.viewport().height()))

    def _paint_event(self, paint: RowPainter, number: int, placed: Placed, line: TraceLine) -> None:
        before = placed.place - 1
        after = placed.place + 1
        first = before < 0 or self._is_head(before)
        last = after >= len(self.shown) or self._is_head(after)
        paint.rail(line, placed.top, placed.bottom, first=first, last=last)
        paint.line(line, placed.top)
        row = self.layouts.get(placed.row)
        if row.body is not None:
            paint.body(row, placed.top, caret=line.streaming and self._caret_on)

    def _is_head(self, place: int) -> bool:
        return self.model.rows.kinds[self.shown.row(place)] == RowKind.STEP

    def _paint_ground(self, painter: QPainter, placed: Placed) -> None:
        current = placed.row == self.current
        hovered = placed.row == self._hovered
        found = placed.row in self.marked
        if not (current or hovered or found):
            return
        height = self.layouts.get(placed.row).height
        rect = QRectF(px(8), placed.top + 1, self.layouts.right - px(8) + px(10), height - 2)
        color: ColorName = "bg_selected" if current else "attn_bg" if found else "bg_hover"
        rounded_box(painter, rect, px(RADIUS_CONTROL), theme().color(color), None)
        if current and self.hasFocus():
            focus_ring(painter, rect, px(RADIUS_CONTROL))
        if current or hovered:
            icon = "chevron-down" if self.is_expanded(placed.row) else "chevron-right"
            y = placed.top + px(at.HEAD_TOP + 4 if self._is_head(placed.place) else at.LINE_TOP + 4)
            draw_icon(painter, icon, "text3", self.layouts.right - px(2), y, px(12))
