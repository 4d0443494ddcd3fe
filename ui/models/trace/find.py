"""Finding text in a trace: a million rows in slices of a few milliseconds, long texts in pieces. Pure.

It ignores case and sees what rows and their details say: titles, arguments, results, reasons, the model's words.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from agent_core.model import events as ev
from ui.models.trace.lines import thought_text
from ui.models.trace.model import TraceModel
from ui.models.trace.rows import RowKind
from ui.models.trace.whole import Trace

_PIECE: Final = 200_000
_LATER: Final = (ev.CallJudged, ev.DecisionMade, ev.ProposalExpired, ev.ProposalWithdrawn, ev.CallRetried)


class Search:
    """One search. `advance` looks at more rows; `hits` are row numbers in order."""

    def __init__(self, model: Trace, needle: str) -> None:
        self._model, self._needle = model, needle.casefold()
        self.hits = array("I")
        self._next = 0
        self._again: set[int] = set()
        self._pending: Iterator[bool] | None = None
        self.waits = False
        """The next row is in a page that is on its way."""

    @property
    def complete(self) -> bool:
        """Whether every row that there is has been looked at."""
        return not self._needle or (self._next >= len(self._model) and not self._again)

    def look_again(self, rows: set[int]) -> None:
        """These rows say something new: those that were passed without a hit are looked at once more."""
        self._again |= {row for row in rows if row < self._next and not self._has(row)}

    def _has(self, row: int) -> bool:
        index = bisect_left(self.hits, row)
        return index < len(self.hits) and self.hits[index] == row

    def advance(self, enough: Callable[[], bool]) -> None:
        """Look on until the end or until `enough()`; a row with a long text is left in the middle when time is up."""
        self.waits = False
        while self._again and self._needle:
            row = self._again.pop()
            if self._model.peek(row) is not None and any(self._found_in(row)):
                self.hits.insert(bisect_left(self.hits, row), row)
            if enough():
                return
        while not self.complete:
            if self._pending is None:
                if self._model.at(self._next) is None:
                    self.waits = True
                    return
                self._pending = self._found_in(self._next)
            for found in self._pending:
                if found:
                    self.hits.append(self._next)
                    break
                if enough():
                    return
            self._pending = None
            self._next += 1
            if enough():
                return

    def _found_in(self, row: int) -> Iterator[bool]:
        """False for each piece without a hit, True at the first one with."""
        place = self._model.peek(row)
        overlap = len(self._needle) - 1
        for text in texts_of(*place) if place is not None else ():
            for start in range(0, max(1, len(text)), _PIECE):
                yield self._needle in text[start : start + _PIECE + overlap].casefold()


def texts_of(model: TraceModel, row: int) -> Iterator[str]:
    """All words of a row, long ones as they are, without joining anything."""
    kind = model.kind(row)
    if kind is RowKind.GONE:
        return
    event = model.event(row)
    if kind is RowKind.THOUGHT:
        yield thought_text(model, row)
    elif kind is RowKind.STEP:
        yield f"Step {event.step}"
    elif kind is RowKind.CALL:
        stream = model.streaming.get(row)
        if stream is not None:
            yield stream.text
        elif isinstance(event.data, ev.ModelResponded):
            block = event.data.content[model.rows.blocks[row]]
            yield str(block.get("name", ""))
            yield from _strings(block.get("input"))
    else:
        yield from _strings(msgspec.structs.asdict(event.data))
    for later in model.later(row):
        if isinstance(later.data, _LATER):
            yield from _strings(msgspec.structs.asdict(later.data))


def _strings(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(item.values())
            yield from (str(key) for key in item)
        elif isinstance(item, (list, tuple)):
            waiting.extend(item)
        elif isinstance(item, msgspec.Struct):
            waiting.extend(msgspec.structs.asdict(item).values())
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield str(item)
