"""Which rows a filter lets through. A step's head stays when a row of its step does. Pure."""

from array import array
from dataclasses import dataclass
from enum import StrEnum

from ui.models.trace.model import TraceModel
from ui.models.trace.rows import RowKind


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
    RowKind.HALT: Group.RUN,
    RowKind.RUN: Group.RUN,
    RowKind.STOP: Group.RUN,
    RowKind.SESSION: Group.RUN,
}


@dataclass(slots=True)
class Shown:
    """The rows that are shown, by place. Without a filter place and row are the same number and nothing is stored."""

    groups: frozenset[Group] = frozenset(Group)
    rows: "array[int] | None" = None
    _next: int = 0
    _head: int = -1

    @property
    def filtered(self) -> bool:
        """Whether some kinds are left out."""
        return self.rows is not None

    def choose(self, groups: frozenset[Group]) -> None:
        """Let these kinds through; `catch_up` follows."""
        self.groups = groups
        self.rows = None if groups == frozenset(Group) else array("I")
        self._next, self._head = 0, -1

    def catch_up(self, model: TraceModel) -> int:
        """Take in the rows that are new to it; how many more are shown."""
        first, self._next = self._next, len(model)
        if self.rows is None:
            return self._next - first
        before = len(self.rows)
        wanted = bytes(1 if GROUP_OF.get(RowKind(kind)) in self.groups else 0 for kind in range(len(RowKind)))
        kinds = model.rows.kinds
        for row in range(first, self._next):
            kind = kinds[row]
            if kind == RowKind.STEP:
                self._head = row
            elif wanted[kind]:
                head = model.rows.heads[row]
                if head == self._head:
                    self.rows.append(head)
                    self._head = -1
                self.rows.append(row)
        return len(self.rows) - before

    def row(self, place: int) -> int:
        """The row at a place."""
        return place if self.rows is None else self.rows[place]

    def place(self, row: int) -> int:
        """The place of a row, or of the next one that is shown."""
        if self.rows is None:
            return row
        low, high = 0, len(self.rows)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.rows[middle] < row else (low, middle)
        return low

    def __len__(self) -> int:
        return self._next if self.rows is None else len(self.rows)
