"""Which rows a list shows: kinds that people choose, or what was said between operator and agent. Pure."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from enum import StrEnum
from functools import cache

from agent_core.model.outline import HEADLESS, KIND, SAID, RowKind
from ui.models.trace.whole import Trace

Wanted = bytes
"""For each byte that an outline has for a row: whether such rows are shown."""


class Group(StrEnum):
    """Kinds of rows as people choose them."""

    THOUGHTS = "Thoughts"
    CALLS = "Tool calls"
    OBSERVATIONS = "Observations"
    DECISIONS = "Decisions and rules"
    TROUBLE = "Limits, alerts and retries"
    CONTEXT = "Context"
    MESSAGES = "Messages and notes"
    RUN = "Run and session"


ALL_GROUPS = frozenset(Group)
GROUP_OF: dict[RowKind, Group] = {
    RowKind.THOUGHT: Group.THOUGHTS,
    RowKind.CALL: Group.CALLS,
    RowKind.OBSERVATION: Group.OBSERVATIONS,
    RowKind.UNKNOWN: Group.OBSERVATIONS,
    RowKind.CARD: Group.DECISIONS,
    RowKind.DECISION: Group.DECISIONS,
    RowKind.RULE: Group.DECISIONS,
    RowKind.RETRY: Group.TROUBLE,
    RowKind.LIMIT: Group.TROUBLE,
    RowKind.LOOP: Group.TROUBLE,
    RowKind.ALERT: Group.TROUBLE,
    RowKind.TOOL: Group.TROUBLE,
    RowKind.CONTEXT: Group.CONTEXT,
    RowKind.MESSAGE: Group.MESSAGES,
    RowKind.NOTE: Group.MESSAGES,
    RowKind.PLAN: Group.RUN,
    RowKind.HALT: Group.RUN,
    RowKind.RUN: Group.RUN,
    RowKind.STOP: Group.RUN,
    RowKind.SESSION: Group.RUN,
}


def of_groups(groups: frozenset[Group]) -> Wanted | None:
    """Rows of these groups; None for all of them."""
    if groups == ALL_GROUPS:
        return None
    return bytes(GROUP_OF.get(_KINDS.get(byte & KIND, RowKind.GONE)) in groups for byte in range(256))


_KINDS = {kind.value: kind for kind in RowKind}
_HEADS = bytes(byte & KIND == RowKind.STEP for byte in range(256))

CONVERSATION: Wanted = bytes(bool(byte & SAID) and byte & KIND != RowKind.GONE for byte in range(256))
"""Goal, messages, questions with their answers, what the agent says without calling a tool, results."""


_WORTH = re.compile(b"\x01")


@cache
def _marks(wanted: Wanted) -> bytes:
    """The same with the heads of steps."""
    return bytes(map(max, wanted, _HEADS))


class Shown:
    """The rows of a list, by place. Without a filter place and row are the same number and nothing is stored.

    With `heads` the head of a step stands before the first of its rows that is shown.
    """

    def __init__(self, wanted: Wanted | None = None, *, heads: bool = True) -> None:
        self._wanted, self._heads = wanted, heads
        self.restart()

    def choose(self, wanted: Wanted | None) -> None:
        """Filter in another way; None shows every row. `catch_up` follows."""
        self._wanted = wanted
        self.restart()

    def restart(self) -> None:
        """Begin anew; `catch_up` follows."""
        self._rows = array("I")
        self._next, self._head = 0, -1

    def catch_up(self, model: Trace) -> int:
        """Take in the rows that are new to it; how many more are shown."""
        first, self._next = self._next, len(model)
        if self._wanted is None:
            return self._next - first
        before = len(self._rows)
        for page in range(model.page_of(first), model.last_page + 1):
            start = max(first, model.first_row(page))
            self._take(model.bytes_of(page, start - model.first_row(page)), start)
        return len(self._rows) - before

    def _take(self, page: bytes, start: int) -> None:
        assert self._wanted is not None
        for found in _WORTH.finditer(page.translate(_marks(self._wanted))):
            at = found.start()
            if page[at] & KIND == RowKind.STEP:
                self._head = start + at if self._heads else -1
                continue
            if self._head >= 0 and not page[at] & HEADLESS:
                self._rows.append(self._head)
                self._head = -1
            self._rows.append(start + at)

    def misses(self, model: Trace, rows: Iterable[int]) -> bool:
        """Whether one of these rows, which have changed, belongs among those that are shown, and is not there."""
        wanted = self._wanted
        return wanted is not None and any(wanted[model.byte(row)] and self._lacks(row) for row in rows)

    def _lacks(self, row: int) -> bool:
        place = bisect_left(self._rows, row)
        return row < self._next and (place == len(self._rows) or self._rows[place] != row)

    def row(self, place: int) -> int:
        """The row at a place."""
        return self._rows[place] if self._wanted is not None else place

    def place(self, row: int) -> int:
        """The place of a row, or of the next one that is shown."""
        return bisect_left(self._rows, row) if self._wanted is not None else row

    def __len__(self) -> int:
        return len(self._rows) if self._wanted is not None else self._next
