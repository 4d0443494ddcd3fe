"""WrappedText: a text of any length broken into rows, found piece by piece and looked up from any place. Pure.

A mark for every 128th row is all that is kept, so that fifty megabytes cost no more than what has been read of them.
"""

from array import array
from typing import Final

from ui.hostile import visible
from ui.widgets.wrapping import column_count, expand_tabs

_EVERY: Final = 128


class WrappedText:
    """Rows of at most `columns` columns, as they are shown: hidden characters as escapes, tabs as four spaces."""

    def __init__(self, text: str, columns: int) -> None:
        self.text, self.columns = text, max(8, columns)
        self.count = 0
        """Rows found so far."""
        self.complete = False
        self._marks = array("Q")
        self._at = 0
        self._last = (0, 0)

    def extend(self, rows: int) -> int:
        """Find up to that many more rows; how many there were."""
        found = 0
        while found < rows and not self.complete:
            if self.count % _EVERY == 0:
                self._marks.append(self._at)
            _, self._at = self._next(self._at)
            self.count += 1
            found += 1
            self.complete = self._at >= len(self.text)
        return found

    @property
    def share(self) -> float:
        """How much of the text has been read, 0 to 1."""
        return self._at / len(self.text) if self.text else 1.0

    def row(self, number: int) -> str:
        """A row as it is shown."""
        start = self._start_of(number)
        end, after = self._next(start)
        self._last = (number + 1, after)
        return expand_tabs(visible(self.text[start:end]))

    def _start_of(self, number: int) -> int:
        known, at = self._last
        if not 0 <= number - known < _EVERY:
            known, at = number - number % _EVERY, self._marks[number // _EVERY]
        for _ in range(number - known):
            _, at = self._next(at)
        return at

    def _next(self, start: int) -> tuple[int, int]:
        """End of the row that begins at `start`, and where the next one begins."""
        text = self.text
        stop = min(len(text), start + self.columns)
        newline = text.find("\n", start, stop + 1)
        if newline >= 0:
            end, after = newline, newline + 1
        elif stop == len(text):
            end = after = stop
        else:
            end = after = self._break(start, stop)
        part = text[start:end]
        if part.endswith("\r") and after > end:
            end -= 1
            part = part[:-1]
        if part.isascii() and part.isprintable():
            return end, after
        fits = self._fit(part)
        return (end, after) if fits == len(part) else (start + fits, start + fits)

    def _break(self, start: int, stop: int) -> int:
        space = self.text.rfind(" ", start + self.columns // 2, stop)
        return space + 1 if space >= 0 else stop

    def _fit(self, part: str) -> int:
        """How many characters fit as they are shown: an escape is wider than the character that it stands for."""
        if column_count(expand_tabs(visible(part))) <= self.columns:
            return len(part)
        used = 0
        for index, character in enumerate(part):
            used += column_count(expand_tabs(visible(character)))
            if used > self.columns and index:
                return index
        return len(part)
