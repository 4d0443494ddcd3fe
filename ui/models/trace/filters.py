"""Which rows a list shows: kinds that people choose, or what was said between operator and agent. Pure."""

from array import array
from bisect import bisect_left
from collections.abc import Callable
from enum import StrEnum

from agent_core.model import events as ev
from agent_core.model.proposal import Touchpoint, Verdict
from ui.models.trace.model import TraceModel
from ui.models.trace.rows import RowKind

Wanted = Callable[[TraceModel, int], bool]


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
    table = bytes(GROUP_OF.get(RowKind(kind)) in groups for kind in range(len(RowKind)))
    return lambda model, row: bool(table[model.rows.kinds[row]])


def is_conversation(model: TraceModel, row: int) -> bool:
    """Goal, messages, questions with their answers, what the agent says without calling a tool, results."""
    kind = model.rows.kinds[row]
    if kind == RowKind.MESSAGE:
        return True
    data = model.event(row).data if kind in _MAY_BE_SAID else None
    match data:
        case ev.SessionOpened() | ev.RunStopped():
            return True
        case ev.ProposalOpened(proposal=card):
            return card.touchpoint is Touchpoint.QUESTION
        case ev.DecisionMade(decision=decision):
            return decision.verdict in _SAID
        case ev.ModelResponded(calls=calls, content=content):
            return not calls and content[model.rows.blocks[row]].get("type") == "text"
    return False


_MAY_BE_SAID = frozenset({RowKind.SESSION, RowKind.STOP, RowKind.CARD, RowKind.DECISION, RowKind.THOUGHT})
_SAID = frozenset({Verdict.ASK, Verdict.ANSWER, Verdict.DECLINE})


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

    @property
    def filtered(self) -> bool:
        """Whether some rows are left out."""
        return self._wanted is not None

    def catch_up(self, model: TraceModel) -> int:
        """Take in the rows that are new to it; how many more are shown."""
        first, self._next = self._next, len(model)
        wanted = self._wanted
        if wanted is None:
            return self._next - first
        before = len(self._rows)
        for row in range(first, self._next):
            if model.rows.kinds[row] == RowKind.STEP:
                self._head = row if self._heads else -1
            elif wanted(model, row):
                if self._head >= 0 and model.rows.heads[row] == self._head:
                    self._rows.append(self._head)
                    self._head = -1
                self._rows.append(row)
        return len(self._rows) - before

    def row(self, place: int) -> int:
        """The row at a place."""
        return self._rows[place] if self._wanted is not None else place

    def place(self, row: int) -> int:
        """The place of a row, or of the next one that is shown."""
        return bisect_left(self._rows, row) if self._wanted is not None else row

    def __len__(self) -> int:
        return len(self._rows) if self._wanted is not None else self._next
