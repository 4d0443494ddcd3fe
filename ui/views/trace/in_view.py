"""RowsInView: which rows lie in the viewport and where.

The place of the view is a row and an offset into it, never a distance from the top: what is above may turn out higher
or lower than thought without moving anything on screen. While following, it holds on to the end of the last row.
"""

from __future__ import annotations

from dataclasses import dataclass

from ui.models.trace.filters import Shown
from ui.models.trace.heights import Heights
from ui.theme import px
from ui.views.trace import geometry as at
from ui.views.trace.layouts import Layouts

_NEAR = 4
"""Viewports: scrolling less far measures every row on the way."""


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


class RowsInView:
    """Places the rows of `layouts` that `shown` lets through in a viewport of `height` px."""

    def __init__(self, layouts: Layouts, shown: Shown) -> None:
        self.layouts, self.shown = layouts, shown
        self.heights = Heights(lambda place: self.layouts.guess(self.shown.row(place)), px(at.ROW))
        self.height = 0
        self.rows: list[Placed] = []
        self._anchor, self._offset = 0, 0

    # ---------------------------------------------------------------- content

    def restart(self, layouts: Layouts) -> None:
        """Show other rows, or the same through another filter."""
        self.layouts = layouts
        self.rows = []
        self._anchor, self._offset = 0, -px(at.TOP)
        self.shown.catch_up(layouts.model)
        self.heights.clear(len(self.shown), px(at.ROW))

    def catch_up(self) -> None:
        """Take in the rows that are new."""
        self.heights.append(self.shown.catch_up(self.layouts.model))

    def height_changed(self, row: int) -> None:
        """A row is higher or lower than it was, in view or not."""
        place = self.shown.place(row)
        if place < self.heights.count and self.shown.row(place) == row:
            self.heights.set(place, self.layouts.height(row))

    def heights_unknown(self, rows: range) -> None:
        """More is known of these rows than before; their heights are found out when somebody looks."""
        self.heights.look_again(self.shown.place(rows.start), self.shown.place(rows.stop))

    # ---------------------------------------------------------------- placing

    def lay_out(self, *, at_end: bool) -> None:
        """Place the rows: from the end, or from the anchor."""
        if not self.heights.count or self.layouts.width <= 0:
            self.rows = []
            return
        if at_end:
            self._hold_end()
        self._anchor = min(self._anchor, self.heights.count - 1)
        self._place()
        if not at_end and self._gap_at_end():
            self._hold_end()
            self._place()

    def _hold_end(self) -> None:
        room = self.height - px(at.BOTTOM)
        place = self.heights.count
        while place > 0 and room > 0:
            place -= 1
            room -= self._measure(place)
        self._anchor = place
        self._offset = -room if room <= 0 else -px(at.TOP)

    def _measure(self, place: int) -> int:
        height = self.layouts.height(self.shown.row(place))
        self.heights.set(place, height)
        return height

    def _place(self) -> None:
        rows, top, place = [], -self._offset, self._anchor
        while place < self.heights.count and top < self.height:
            height = self._measure(place)
            if height:
                rows.append(Placed(place, self.shown.row(place), top, height))
            top += height
            place += 1
        self.rows = rows

    def _gap_at_end(self) -> bool:
        if not self.rows or self.rows[-1].place < self.heights.count - 1:
            return False
        gap = self.height - px(at.BOTTOM) - self.rows[-1].bottom
        return gap > 0 and (self._anchor > 0 or self._offset > 0)

    # ---------------------------------------------------------------- the scroll bar's view of it

    @property
    def value(self) -> int:
        """How far from the top the view is."""
        return self.heights.top(self._anchor) + self._offset + px(at.TOP) if self.heights.count else 0

    @property
    def maximum(self) -> int:
        """How far it can go."""
        return max(0, self.heights.total + px(at.TOP) + px(at.BOTTOM) - self.height)

    def scroll_to(self, value: int) -> None:
        """Go to a distance from the top: near ones as so much further up or down, so that no guess shows.

        The top itself is always reached, whatever the rows above turn out to be.
        """
        if not self.heights.count:
            return
        further = value - self.value
        if value <= 0:
            self._anchor, self._offset = 0, -px(at.TOP)
        elif abs(further) < _NEAR * self.height:
            self._offset += further
            self._settle()
        else:
            self._anchor, self._offset = self.heights.at(value - px(at.TOP))

    def _settle(self) -> None:
        """Hold on to the row at the top of the view."""
        while self._offset < 0 and self._anchor > 0:
            self._anchor -= 1
            self._offset += self._measure(self._anchor)
        while self._anchor < self.heights.count - 1 and self._offset >= (height := self._measure(self._anchor)):
            self._offset -= height
            self._anchor += 1
        if self._anchor == 0:
            self._offset = max(self._offset, -px(at.TOP))

    # ---------------------------------------------------------------- rows

    def at(self, y: float) -> Placed | None:
        """The row at a height of the viewport."""
        return next((placed for placed in self.rows if placed.top <= y < placed.bottom), None)

    def of(self, row: int) -> Placed | None:
        """Where a row is in view."""
        return next((placed for placed in self.rows if placed.row == row), None)

    def hold(self, place: int, top: int = 0) -> None:
        """Hold on to a row with its top at that height of the viewport."""
        if self.heights.count:
            self._anchor, self._offset = min(place, self.heights.count - 1), -top
            self._settle()

    def reveal(self, row: int, *, at_top: bool) -> None:
        """Hold on so that a row is in view: where it is if it can stay, else at the nearer edge, or at the top."""
        place = min(self.shown.place(row), self.heights.count - 1)
        placed = self.of(self.shown.row(place))
        height = self._measure(place)
        lowest = max(0, self.height - px(at.BOTTOM) - height)
        is_below = place > self.rows[-1].place if self.rows else False
        if at_top or (placed is None and not is_below):
            self.hold(place)
        elif placed is None:
            self.hold(place, lowest)
        else:
            self.hold(place, max(0, min(placed.top, lowest)))
