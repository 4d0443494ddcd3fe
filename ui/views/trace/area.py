"""TraceArea: the scrolled list. It lays out and paints only the rows in view, whatever their number."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from ui.models.trace.filters import Shown, Wanted
from ui.models.trace.line import Link, StepLine, TraceLine
from ui.models.trace.model import Change
from ui.models.trace.rows import RowKind
from ui.models.trace.whole import UNREAD, Trace
from ui.theme import px, theme
from ui.tokens import RADIUS_CONTROL, ColorName
from ui.views.trace import geometry as at
from ui.views.trace.detail_painting import paint_detail
from ui.views.trace.in_view import Placed, RowsInView
from ui.views.trace.layouts import Layouts
from ui.views.trace.painting import RowPainter, caret_rect
from ui.widgets.paint import draw_icon, draw_text, focus_ring, rounded_box

_BLINK_MS: Final = 530
_CLOCK_MS: Final = 1_000
_READ_MS: Final = 30
_READ_SECONDS: Final = 0.004
_READ_ROWS: Final = 500


class TraceArea(QAbstractScrollArea):
    """Shows a Trace. `following_changed` fires when following or the number of new rows below changes."""

    following_changed = Signal()
    current_changed = Signal()

    def __init__(
        self, now: Callable[[], datetime], shown: Shown | None = None, parent: QWidget | None = None
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.now = now
        self.layouts = Layouts(Trace(), now)
        self.view = RowsInView(self.layouts, Shown() if shown is None else shown)
        self.current: int | None = None
        self._marked: frozenset[int] = frozenset()
        self._following = True
        self._paused = False
        self._below_from = 0
        self._below = 0
        self._note = ""
        self._links: list[tuple[QRectF, Link]] = []
        self._hovered = -1
        self._sought: int | None = None
        """A step that is to be shown once its page has been read."""
        self._keyboard_focus = False
        self._caret_on = True
        self._moving = self._width_moved = False
        self.setObjectName("trace")
        self.setAccessibleName("Trace")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setMouseTracking(True)
        self._blink = self._timer(_BLINK_MS, self._blinked)
        self._clock = self._timer(_CLOCK_MS, self._ticked)
        self._reader = self._timer(_READ_MS, self._read_on)
        theme().follow(self.restyle)

    def _timer(self, interval: int, act: Callable[[], None]) -> QTimer:
        timer = QTimer(self, interval=interval)
        timer.timeout.connect(act)
        return timer

    # ---------------------------------------------------------------- content

    @property
    def model(self) -> Trace:
        """What is shown."""
        return self.layouts.model

    @property
    def shown(self) -> Shown:
        """Which of its rows are."""
        return self.view.shown

    def set_model(self, model: Trace) -> None:
        """Show another session from its end."""
        width = self.layouts.width
        self.layouts = Layouts(model, self.now)
        self.layouts.set_width(width)
        self.current, self._hovered, self._marked, self._sought = None, -1, frozenset(), None
        self.shown.restart()
        self.view.restart(self.layouts)
        self.follow()

    def apply(self, change: Change) -> None:
        """The model has taken something in."""
        for row in change.changed:
            self.layouts.forget(row)
            if self.is_expanded(row) or self.model.kind(row) is RowKind.GONE:
                self.view.height_changed(row)
        if self.current is not None and self.model.kind(self.current) is RowKind.GONE:
            self.select(None)
        if self.shown.misses(self.model, change.changed):
            self._filter_anew()
        self.view.catch_up()
        self.lay_out()

    def arrived(self, rows: range) -> None:
        """A page that was looked at has been read."""
        self.view.heights_unknown(rows)
        if self._sought is not None:
            step, self._sought = self._sought, None
            self.go_to_step(step)
        if self.current in rows:
            self.current_changed.emit()
        self.lay_out()

    def go_to_step(self, step: int) -> bool:
        """Scroll to a step and choose it, once it has been read; False when there is none of that number."""
        row = self.model.row_of_step(step)
        if row is None:
            return False
        if row == UNREAD:
            self._sought = step
            return True
        self.select(row, show=False)
        self.show_row(row, at_top=True)
        return True

    def filter_rows(self, wanted: Wanted | None) -> None:
        """Show only some rows; the row at the top stays as near as it can."""
        self.shown.choose(wanted)
        self._filter_anew()
        self.lay_out()

    def _filter_anew(self) -> None:
        top = self.view.rows[0].row if self.view.rows else 0
        self.shown.restart()
        self.view.restart(self.layouts)
        self.view.hold(self.shown.place(top))

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
        self.lay_out()

    def pause_following(self) -> None:
        """Hold still, also when the view is scrolled to the end."""
        self._paused = True
        self._set_following(False)

    def _set_following(self, following: bool) -> None:
        if following != self._following:
            self._following = following
            self._below_from, self._below = len(self.shown), 0
            self.following_changed.emit()

    def _count_below(self) -> None:
        last = self.view.rows[-1].place if self.view.rows else -1
        below = 0 if self._following else max(0, len(self.shown) - max(self._below_from, last + 1))
        if below != self._below:
            self._below = below
            self.following_changed.emit()

    # ---------------------------------------------------------------- layout

    def restyle(self) -> None:
        """Lay out again after a theme change."""
        self._new_width(self.viewport().width())
        self.lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Texts wrap anew when the width changes."""
        super().resizeEvent(event)
        if self.viewport().width() != self.layouts.width:
            self._new_width(self.viewport().width())
        self.lay_out()

    def _new_width(self, width: int) -> None:
        self.layouts.set_width(width)
        self.view.heights.new_width()

    def lay_out(self) -> None:
        """Place the rows in view and say so to the scroll bar; when that comes or goes, the width changes under it."""
        if self._moving:
            self._width_moved = True
            return
        self.view.height = self.viewport().height()
        self.view.lay_out(at_end=self._following)
        bar = self.verticalScrollBar()
        self._moving = True
        bar.setRange(0, self.view.maximum)
        bar.setPageStep(self.view.height)
        bar.setSingleStep(px(at.ROW))
        bar.setValue(self.view.value)
        self._moving = False
        if self._width_moved:
            self._width_moved = False
            self.lay_out()
            return
        self._count_below()
        self._set_timers()
        self.viewport().update()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """The bar was moved: by hand it gives the new place, by us it only follows."""
        if self._moving:
            return
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self._set_following(at_end and not self._paused)
        if not at_end or self._paused:
            self.view.scroll_to(bar.value())
        self.lay_out()

    # ---------------------------------------------------------------- rows

    def link_at(self, position: QPointF) -> Link | None:
        """The link at a point of the viewport."""
        return next((link for rect, link in self._links if rect.contains(position)), None)

    def show_row(self, row: int, *, at_top: bool = False) -> None:
        """Scroll until a row is in view; following ends."""
        if len(self.shown):
            self._set_following(False)
            self.view.reveal(row, at_top=at_top)
            self.lay_out()

    def select(self, row: int | None, *, show: bool = True) -> None:
        """Make a row the current one."""
        if row != self.current:
            self.current = row
            self.current_changed.emit()
            self.viewport().update()
        if row is not None and show:
            self.show_row(row)

    def set_note(self, note: str) -> None:
        """Words below the last row; "" for none."""
        if note != self._note:
            self._note = note
            self.setAccessibleDescription(note)
            self.viewport().update()

    @property
    def note(self) -> str:
        """The words below the last row."""
        return self._note

    def set_marked(self, rows: frozenset[int]) -> None:
        """Mark the rows that the find bar has hits in."""
        if rows != self._marked:
            self._marked = rows
            self.viewport().update()

    def is_expanded(self, row: int) -> bool:
        """Whether a row is open."""
        return row in self.layouts.expanded

    def set_expanded(self, row: int, expanded: bool) -> None:
        """Open or close a row; its top stays where it is."""
        placed = self.view.of(row)
        if expanded:
            self.layouts.expand(row)
        else:
            self.layouts.collapse(row)
        self.view.height_changed(row)
        if placed is not None:
            self._set_following(False)
            self.view.hold(placed.place, placed.top)
        self.lay_out()

    def _read_on(self) -> None:
        """Find more rows of open details, a few milliseconds at a time."""
        until = time.perf_counter() + _READ_SECONDS
        row = next((row for row, rows in self.layouts.expanded.items() if not rows.complete), None)
        if row is not None:
            rows = self.layouts.expanded[row]
            while not rows.complete and time.perf_counter() < until:
                rows.extend(_READ_ROWS)
            self.view.height_changed(row)
        self.lay_out()

    # ---------------------------------------------------------------- clocks

    def _set_timers(self) -> None:
        streaming = self.model.streaming
        streams = any(placed.row in streaming for placed in self.view.rows)
        self._run(self._blink, streams and not theme().reduced_motion)
        self._caret_on = self._caret_on or not self._blink.isActive()
        self._run(self._clock, any(self._ticks(placed.row) for placed in self.view.rows))
        self._run(self._reader, any(not rows.complete for rows in self.layouts.expanded.values()))

    @staticmethod
    def _run(timer: QTimer, wanted: bool) -> None:
        if wanted and not timer.isActive():
            timer.start()
        elif not wanted:
            timer.stop()

    def _ticks(self, row: int) -> bool:
        line = self.layouts.get(row).line
        return isinstance(line, StepLine) and line.chip is not None and line.chip.since is not None

    def _blinked(self) -> None:
        self._caret_on = not self._caret_on
        streaming = self.model.streaming
        for placed in self.view.rows:
            if placed.row in streaming:
                caret = caret_rect(self.layouts.get(placed.row), placed.top)
                self.viewport().update(caret.toAlignedRect())

    def _ticked(self) -> None:
        for placed in self.view.rows:
            if self._ticks(placed.row):
                self.update_row(placed)

    def update_row(self, placed: Placed | None) -> None:
        """Paint a row again."""
        if placed is not None:
            self.viewport().update(0, placed.top, self.viewport().width(), placed.height)

    # ---------------------------------------------------------------- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """The exposed rows."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        exposed = event.rect()
        painter.fillRect(exposed, theme().color("bg_raised"))
        if exposed.height() >= self.viewport().height():
            self._links.clear()
        paint = RowPainter(painter, self.layouts.right, self.now(), lambda rect, link: self._links.append((rect, link)))
        for placed in self.view.rows:
            if placed.bottom > exposed.top() and placed.top <= exposed.bottom():
                self._paint_row(painter, paint, placed)
        if self._note:
            y = (self.view.rows[-1].bottom if self.view.rows else 0) + px(at.BODY_BOTTOM)
            place = QRectF(px(at.TEXT_LEFT), y, self.layouts.text_width, px(at.LINE))
            draw_text(painter, place, self._note, "body", "text3")
        if self.hasFocus() and self._keyboard_focus and self.current is None:
            focus_ring(painter, QRectF(self.viewport().rect()), px(RADIUS_CONTROL))
        painter.end()

    def _paint_row(self, painter: QPainter, paint: RowPainter, placed: Placed) -> None:
        row = self.layouts.get(placed.row)
        self._paint_ground(painter, placed, row.height)
        if isinstance(row.line, StepLine):
            paint.head(row.line, placed.top)
        else:
            self._paint_rail(paint, placed, row.line)
            paint.line(row.line, placed.top)
            if row.body is not None:
                paint.body(row, placed.top, caret=row.line.streaming and self._caret_on)
        detail = self.layouts.expanded.get(placed.row)
        if detail is not None and detail.count:
            left, top = px(at.TEXT_LEFT), placed.top + row.height
            place = QRectF(left, top, self.layouts.right - left, placed.bottom - top)
            paint_detail(painter, detail, place, (0, self.viewport().height()))

    def _paint_rail(self, paint: RowPainter, placed: Placed, line: TraceLine) -> None:
        first = placed.place == 0 or self._is_head(placed.place - 1)
        last = placed.place + 1 >= len(self.shown) or self._is_head(placed.place + 1)
        paint.rail(line, placed.top, placed.bottom, first=first, last=last)

    def _is_head(self, place: int) -> bool:
        return self.model.kind(self.shown.row(place)) is RowKind.STEP

    def _paint_ground(self, painter: QPainter, placed: Placed, height: int) -> None:
        current, hovered = placed.row == self.current, placed.row == self._hovered
        if not (current or hovered or placed.row in self._marked):
            return
        lift = px(at.HEAD_TOP - at.LINE_TOP) if self._is_head(placed.place) else 0
        rect = QRectF(px(6), placed.top + lift + 1, self.layouts.right + px(10) - px(6), height - lift - 2)
        color: ColorName = "bg_selected" if current else "bg_hover" if hovered else "attn_bg"
        rounded_box(painter, rect, px(RADIUS_CONTROL), theme().color(color), None)
        if current and self.hasFocus():
            focus_ring(painter, rect, px(RADIUS_CONTROL))
        if (current or hovered) and not self._is_head(placed.place):
            icon = "chevron-down" if self.is_expanded(placed.row) else "chevron-right"
            draw_icon(painter, icon, "text3", px(9), placed.top + px(at.LINE_TOP + 4), px(12))
