"""Heights: where each of a million rows lies, with work only for the rows that are looked at. Pure.

Rows stand in blocks. A block that nobody has looked at counts with the average height; one that was looked at knows its
rows. After a change of width the old figures stand until a block is looked at again. What is above the view may turn
out higher or lower than thought: the view therefore holds on to a row and asks for its top, never the other way round.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Final

BLOCK: Final = 256


class Heights:
    """Heights in px by place. `guess(place)` gives a height at first sight; `average` serves for unseen blocks."""

    def __init__(self, guess: Callable[[int], int], average: int) -> None:
        self._guess, self._average = guess, average
        self.count = 0
        self._sums: list[int] = []
        self._tops: list[int] = [0]
        self._sure = 1
        """How many members of `_tops` are right."""
        self._seen: dict[int, array[int]] = {}
        self._round: dict[int, int] = {}
        self._now = 0

    def clear(self, count: int, average: int | None = None) -> None:
        """Forget everything: there are `count` rows now."""
        self._average = average or self._average
        full, rest = divmod(count, BLOCK)
        self.count = count
        self._sums = [BLOCK * self._average] * full + ([rest * self._average] if rest else [])
        self._tops, self._sure = [0], 1
        self._seen.clear()
        self._round.clear()

    def append(self, number: int) -> None:
        """More rows at the end."""
        first, self.count = self.count, self.count + number
        while first < self.count:
            block = first // BLOCK
            end = min(self.count, (block + 1) * BLOCK)
            if block == len(self._sums):
                self._sums.append(0)
            if block in self._seen and self._round[block] == self._now:
                fresh = [self._guess(place) for place in range(first, end)]
                self._seen[block].extend(fresh)
                self._sums[block] += sum(fresh)
            else:
                self._forget(block)
                self._sums[block] += (end - first) * self._average
            self._doubt(block)
            first = end

    def new_width(self) -> None:
        """All heights are to be looked at again; until then they stand as they were."""
        self._now += 1

    def look_again(self, first: int, end: int) -> None:
        """The heights from one place up to another are to be looked at again; until then they stand as they were."""
        for block in range(first // BLOCK, max(first, end - 1) // BLOCK + 1):
            if block in self._round:
                self._round[block] = -1

    def set(self, place: int, height: int) -> int:
        """A row's height is known now; by how much it changed."""
        rows = self._look(place // BLOCK)
        change = height - rows[place % BLOCK]
        if change:
            rows[place % BLOCK] = height
            self._sums[place // BLOCK] += change
            self._doubt(place // BLOCK)
        return change

    def height(self, place: int) -> int:
        """A row's height, as far as known."""
        return self._look(place // BLOCK)[place % BLOCK]

    def top(self, place: int) -> int:
        """Where a row begins. The place after the last row gives the whole height."""
        if place >= self.count:
            return self.total
        block = place // BLOCK
        rows = self._look(block)
        return self._top_of(block) + sum(rows[: place % BLOCK])

    def at(self, y: int) -> tuple[int, int]:
        """The row at a height and how far into it; the last row below everything. Needs at least one row."""
        self._settle()
        block = min(max(0, bisect_right(self._tops, max(0, y)) - 1), len(self._sums) - 1)
        left = max(0, y) - self._tops[block]
        rows = self._look(block)
        for place, height in enumerate(rows):
            if left < height:
                return block * BLOCK + place, left
            left -= height
        if block + 1 < len(self._sums):
            return (block + 1) * BLOCK, 0
        return self.count - 1, max(0, rows[-1] - 1)

    @property
    def total(self) -> int:
        """Height of all rows."""
        self._settle()
        return self._tops[-1]

    # ---------------------------------------------------------------- blocks

    def _look(self, block: int) -> "array[int]":
        """The heights of a block's rows, guessed where they are not known for this width."""
        rows = self._seen.get(block)
        if rows is None or self._round[block] != self._now:
            first = block * BLOCK
            rows = array("i", map(self._guess, range(first, min(self.count, first + BLOCK))))
            self._seen[block], self._round[block] = rows, self._now
            self._sums[block] = sum(rows)
            self._doubt(block)
        return rows

    def _forget(self, block: int) -> None:
        self._seen.pop(block, None)
        self._round.pop(block, None)

    def _doubt(self, block: int) -> None:
        self._sure = min(self._sure, block + 1)

    def _top_of(self, block: int) -> int:
        self._settle()
        return self._tops[block]

    def _settle(self) -> None:
        if self._sure <= len(self._sums):
            start = self._tops[self._sure - 1]
            self._tops[self._sure - 1 :] = accumulate(self._sums[self._sure - 1 :], initial=start)
            self._sure = len(self._tops)
