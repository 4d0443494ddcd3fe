"""Trace: a whole session as rows, of which only pages near the screen are in memory.

The outline says how many rows each page has and of what kinds. The last page is always there, and takes in what happens
now; others are asked for through `wanted` when somebody looks at them, and let go when many have been looked at since.
Until a page comes its rows have a kind and no words.
"""

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Final

from agent_core.engine.facade import StreamDelta
from agent_core.model import events as ev
from agent_core.model.outline import KIND, RowKind
from agent_core.model.standing import Opening
from ui.models.trace.line import Line, StepLine, TraceLine
from ui.models.trace.lines import line_of
from ui.models.trace.model import Change, TraceModel
from ui.models.trace.streaming import Streaming

MOST_READ: Final = 12
"""Pages that are kept besides the last one."""
UNREAD: Final = -1
"""In place of a row: a page that was asked for just now may know."""


class Trace:
    """Rows by number over all pages."""

    def __init__(self, opening: Opening | None = None) -> None:
        standing = opening.standing if opening is not None else None
        self._outline = standing.outline if standing is not None else None
        self.wanted: Callable[[int], None] | None = None
        """Told of a page that somebody wants to see; `arrive` follows."""
        self.tail = TraceModel()
        self._seqs, self._rows = array("I"), array("I")
        if self._outline is not None:
            self._seqs.extend(self._outline.pages.seqs)
            self._rows.extend(self._outline.pages.rows)
        self._seqs.append(self._outline.first_seq if self._outline is not None else 1)
        self._rows.append(self._outline.first_row if self._outline is not None else 0)
        self._read: OrderedDict[int, TraceModel] = OrderedDict()
        """Pages with their events, the one that was looked at last at the end."""
        self._lived: dict[int, TraceModel] = {}
        """Pages that went by while they were watched: their rows are not quite those of the outline."""
        self._bytes: dict[int, bytes] = {}
        self._asked: set[int] = set()
        if opening is not None:
            self.tail.load(opening.events)

    # ---------------------------------------------------------------- taking in

    def apply(
        self,
        events: Sequence[ev.Event],
        streamed: Sequence[tuple[StreamDelta, str]] = (),
        now: datetime | None = None,
    ) -> Change:
        """Take in new events and, after them, streamed text. Says which rows are new and which look different."""
        change = Change(len(self))
        start = 0
        for end in [*self._turns(events), len(events)]:
            if end > start or end == len(events):
                last = end == len(events)
                self._note(change, self.tail.apply(events[start:end], streamed if last else (), now))
            if end < len(events):
                self._turn_page(events[end].seq)
            start = end
        change.changed = {row for row in change.changed if row < change.first_new}
        return change

    def _note(self, change: Change, part: Change) -> None:
        base = self._rows[-1]
        change.changed |= {base + row for row in part.changed}
        change.gone = change.gone or part.gone

    def _turns(self, events: Sequence[ev.Event]) -> list[int]:
        """Where in these events pages begin."""
        outline = self._outline
        if outline is None or outline.first_seq == self._seqs[-1]:
            return []
        begins = {*outline.pages.seqs[len(self._seqs) :], outline.first_seq}
        return [index for index, event in enumerate(events) if event.seq in begins]

    def _turn_page(self, seq: int) -> None:
        number = len(self._rows) - 1
        self._bytes[number] = self.bytes_of(number)
        self._lived[number] = self.tail
        self._seqs.append(seq)
        self._rows.append(len(self))
        self._keep(number, self.tail)
        self.tail = TraceModel()

    def arrive(self, number: int, events: Iterable[ev.Event]) -> range:
        """The events of a page that was wanted; gives its rows."""
        self._asked.discard(number)
        model = self._lived.get(number)
        if model is None:
            model = TraceModel()
            model.load(events)
        else:
            model.events = list(events)
        self._keep(number, model)
        return range(self._rows[number], self._rows[number + 1])

    def _keep(self, number: int, model: TraceModel) -> None:
        self._read[number] = model
        self._read.move_to_end(number)
        if len(self._read) > MOST_READ:
            number, gone = self._read.popitem(last=False)
            if number in self._lived:
                gone.events = []

    def events_of(self, number: int) -> tuple[int, int]:
        """After which event a page begins, and how many it has."""
        return self._seqs[number] - 1, self._seqs[number + 1] - self._seqs[number]

    # ---------------------------------------------------------------- looking up

    def __len__(self) -> int:
        return self._rows[-1] + len(self.tail)

    def at(self, row: int) -> tuple[TraceModel, int] | None:
        """The page of a row and its number there; None until it comes, which this asks for."""
        number = self.page_of(row)
        found = self._found(number, row)
        if found is None:
            self.want(number)
        elif number in self._read:
            self._read.move_to_end(number)
        return found

    def peek(self, row: int) -> tuple[TraceModel, int] | None:
        """The same for somebody who does not need it."""
        return self._found(self.page_of(row), row)

    def _found(self, number: int, row: int) -> tuple[TraceModel, int] | None:
        model = self.tail if number == self.last_page else self._read.get(number)
        local = row - self._rows[number]
        return None if model is None or local >= len(model) else (model, local)

    def want(self, number: int) -> None:
        """Ask for a page, if it is not there."""
        missing = 0 <= number < self.last_page and number not in self._read and number not in self._asked
        if missing and self.wanted is not None:
            self._asked.add(number)
            self.wanted(number)

    def give_up(self, number: int) -> None:
        """A page that was wanted will not come; it is asked for again when somebody looks."""
        self._asked.discard(number)

    def page_of(self, row: int) -> int:
        """The page of a row."""
        return self.last_page if row >= self._rows[-1] else bisect_right(self._rows, row) - 1

    @property
    def last_page(self) -> int:
        """The page that goes on."""
        return len(self._rows) - 1

    def kind(self, row: int) -> RowKind:
        """What a row stands for."""
        number = self.page_of(row)
        local = row - self._rows[number]
        model = self.tail if number == self.last_page else self._lived.get(number)
        return model.kind(local) if model is not None else RowKind(self.bytes_of(number)[local] & KIND)

    def bytes_of(self, number: int, start: int = 0) -> bytes:
        """The rows of a page as an outline has them, from a row on."""
        if number == self.last_page:
            return bytes(map(self.tail.byte, range(start, len(self.tail))))
        known = self._bytes.get(number)
        if known is None:
            assert self._outline is not None
            known = self._bytes[number] = self._outline.rows_of(number)
        return known[start:]

    def byte(self, row: int) -> int:
        """One row as an outline has it."""
        number = self.page_of(row)
        local = row - self._rows[number]
        return self.tail.byte(local) if number == self.last_page else self.bytes_of(number)[local]

    def first_row(self, number: int) -> int:
        """Where a page begins."""
        return self._rows[number]

    def line(self, row: int) -> Line:
        """What a row shows."""
        found = self.at(row)
        if found is not None:
            return line_of(*found)
        return READING_STEP if self.kind(row) is RowKind.STEP else READING

    def event(self, row: int) -> ev.Event | None:
        """The event that a row stands for; None until it comes."""
        found = self.at(row)
        return None if found is None else found[0].event(found[1])

    def head(self, row: int) -> int | None:
        """The head of the step that a row belongs to."""
        while row >= 0 and self.kind(row) is not RowKind.STEP:
            found = self.peek(row)
            if found is not None:
                head = found[0].head(found[1])
                return None if head is None else row - found[1] + head
            row -= 1
        return row if row >= 0 else None

    def row_of_step(self, step: int) -> int | None:
        """The newest head of that step; a later run counts its steps anew. UNREAD while a page is on its way."""
        row = self.tail.row_of_step(step)
        if row is not None:
            return self._rows[-1] + row
        for number in range(self.last_page - 1, -1, -1):
            if not self._may_hold(number, step):
                continue
            model = self._read.get(number)
            if model is None:
                self.want(number)
                return UNREAD
            row = model.row_of_step(step)
            if row is not None:
                return self._rows[number] + row
        return None

    def _may_hold(self, number: int, step: int) -> bool:
        assert self._outline is not None
        pages = self._outline.pages
        return pages.steps_from[number] <= step <= pages.steps_to[number]

    @property
    def has_steps(self) -> bool:
        """Whether a first step has begun."""
        return self.last_page > 0 or RowKind.STEP in self.tail.rows.kinds

    @property
    def streaming(self) -> dict[int, Streaming]:
        """The rows whose text is still arriving."""
        base = self._rows[-1]
        return {base + row: streaming for row, streaming in self.tail.streaming.items()}

    def place_of(self, row: int) -> tuple[int, int] | None:
        """What stays the same when a trace is made anew: the number of a row's event, and its block."""
        found = self.peek(row)
        return None if found is None else (found[0].event(found[1]).seq, found[0].rows.blocks[found[1]])

    def row_at(self, place: tuple[int, int]) -> int | None:
        """The row of the last page that stands at such a place."""
        base = self._rows[-1]
        return next((row for row in range(base, len(self)) if self.place_of(row) == place), None)


READING: Final = TraceLine("ellipsis", "", "…", text_color="text3")
READING_STEP: Final = StepLine("Step", "…")
"""What stands in place of rows that are being read."""
