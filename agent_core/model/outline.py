"""Outline: which rows a session's events make in the trace, one byte a row, folded from the events. Pure.

Rows stand in pages. A page begins with a request of the model at which nothing was open, so that what is inside says
everything about its rows: whoever reads the events of one page can show it without knowing any other. A session that
never comes to rest gets a new page in time all the same; a card that is open across such a border is then shown as a
row on either side.
"""

import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from agent_core.model import events as ev
from agent_core.model.action import GateVerdict
from agent_core.model.proposal import OPEN_VERDICTS, Touchpoint, Verdict

PAGE_EVENTS = 512
"""A page has at least so many events, if another follows it."""
FULL_PAGE = 8 * PAGE_EVENTS
"""With so many it ends at the next request, whatever is open."""
_FULL = FULL_PAGE // PAGE_EVENTS

KIND = 0x1F
"""The bits of a row's byte that say its kind."""
SAID = 0x80
"""Part of what operator and agent told each other."""
HEADLESS = 0x40
"""Belongs to no step."""


class RowKind(IntEnum):
    """What a row stands for. GONE rows are not shown: text that streamed and was cut off."""

    GONE = 0
    STEP = 1
    THOUGHT = 2
    CALL = 3
    OBSERVATION = 4
    CARD = 5
    DECISION = 6
    RULE = 7
    RETRY = 8
    UNKNOWN = 9
    CONTEXT = 10
    LIMIT = 11
    LOOP = 12
    ALERT = 13
    MESSAGE = 14
    NOTE = 15
    TOOL = 16
    HALT = 17
    RUN = 18
    STOP = 19
    SESSION = 20
    PLAN = 21


ONE_ROW: dict[type[ev.EventData], RowKind] = {
    ev.SessionOpened: RowKind.SESSION,
    ev.ModelFailed: RowKind.RETRY,
    ev.CallRetried: RowKind.RETRY,
    ev.CallFinished: RowKind.OBSERVATION,
    ev.CallUnknown: RowKind.UNKNOWN,
    ev.ProposalOpened: RowKind.CARD,
    ev.ProposalChanged: RowKind.DECISION,
    ev.DecisionUndone: RowKind.DECISION,
    ev.DecisionRegretted: RowKind.NOTE,
    ev.SideAsked: RowKind.NOTE,
    ev.SideAnswered: RowKind.NOTE,
    ev.SideRead: RowKind.NOTE,
    ev.ContextEdited: RowKind.CONTEXT,
    ev.LimitChanged: RowKind.LIMIT,
    ev.LimitReached: RowKind.LIMIT,
    ev.LoopDetected: RowKind.LOOP,
    ev.AlertRaised: RowKind.ALERT,
    ev.AlertAcknowledged: RowKind.NOTE,
    ev.MessageAdded: RowKind.MESSAGE,
    ev.NoteWritten: RowKind.NOTE,
    ev.PlanAdopted: RowKind.PLAN,
    ev.StepReported: RowKind.PLAN,
    ev.HaltSet: RowKind.HALT,
    ev.HaltReleased: RowKind.HALT,
    ev.ToolContained: RowKind.TOOL,
    ev.ToolReleased: RowKind.TOOL,
    ev.ClockJumped: RowKind.RUN,
    ev.RunPaused: RowKind.RUN,
    ev.RunResumed: RowKind.RUN,
    ev.RunStopped: RowKind.STOP,
    ev.SessionForked: RowKind.SESSION,
    ev.Restored: RowKind.SESSION,
    ev.OperatorKeyAdded: RowKind.SESSION,
    ev.RulesChanged: RowKind.SESSION,
    ev.SettingChanged: RowKind.SESSION,
}
"""Events that always make one row, of this kind."""

_SAID_VERDICTS = frozenset({Verdict.ASK, Verdict.ANSWER, Verdict.DECLINE})


def kind_of_block(block: dict[str, Any]) -> RowKind | None:
    """The row of a response's block; None for blocks that say nothing."""
    kind = block.get("type")
    if kind == "tool_use":
        return RowKind.CALL
    if kind == "text":
        return RowKind.THOUGHT if str(block.get("text") or "").strip() else None
    if kind == "thinking":
        return RowKind.THOUGHT if str(block.get("thinking") or "").strip() else None
    return RowKind.THOUGHT


def makes_rule_row(data: ev.CallJudged) -> bool:
    """Whether a verdict is worth a row: refused, or let through by a rule."""
    return data.verdict is GateVerdict.DENY or (data.verdict is GateVerdict.ALLOW and bool(data.rules))


def is_said(data: ev.EventData, kind: int, block: int = 0) -> bool:
    """Goal, messages, questions with their answers, what the agent says without calling a tool, results."""
    if kind == RowKind.MESSAGE:
        return True
    match data:
        case ev.SessionOpened() | ev.RunStopped():
            return True
        case ev.ProposalOpened(proposal=card):
            return card.touchpoint is Touchpoint.QUESTION
        case ev.DecisionMade(decision=decision):
            return decision.verdict in _SAID_VERDICTS
        case ev.ModelResponded(calls=calls, content=content):
            return not calls and block < len(content) and content[block].get("type") == "text"
    return False


class Pages:
    """The closed pages as columns, and the rows of each, packed."""

    __slots__ = ("chunks", "rows", "seqs", "steps_from", "steps_to")

    def __init__(self) -> None:
        self.seqs = array("I")
        """The first event of each page."""
        self.rows = array("I")
        """Its first row."""
        self.steps_from = array("I")
        self.steps_to = array("I")
        """The lowest and the highest number of a step that begins in it; from 1 to 0 where none does."""
        self.chunks: list[bytes] = []

    def __len__(self) -> int:
        return len(self.seqs)


class Outline:
    """The rows so far. The last page is the open one."""

    def __init__(self, page: int = PAGE_EVENTS) -> None:
        self._page = page
        self.pages = Pages()
        self.first_seq = 1
        """The event that the open page begins with."""
        self.first_row = 0
        self.open_rows = bytearray()
        self.seq = 0
        self._steps: tuple[int, int] | None = None
        self._asked: str | None = None
        """The request that has a head and no response."""
        self._last_card: str | None = None
        """The card whose row is the last one."""
        self.headless = True
        """Whether the next row belongs to no step."""

    def __len__(self) -> int:
        return self.first_row + len(self.open_rows)

    @property
    def steps(self) -> tuple[int, int]:
        """The lowest and the highest number of a step that begins in the open page."""
        return self._steps or (1, 0)

    def is_due(self, event: ev.Event) -> bool:
        """Whether a page may begin with this event, if nothing is open."""
        return event.seq - self.first_seq >= self._page and self._begins_step(event.data)

    def is_overdue(self, event: ev.Event) -> bool:
        """Whether a page begins with this event in any case."""
        return event.seq - self.first_seq >= _FULL * self._page and self._begins_step(event.data)

    def _begins_step(self, data: ev.EventData) -> bool:
        return isinstance(data, ev.ModelRequested) and data.request_id != self._asked

    def begin_page(self, seq: int) -> None:
        """Close the open page; the next event begins another."""
        pages = self.pages
        pages.seqs.append(self.first_seq)
        pages.rows.append(self.first_row)
        low, high = self.steps
        pages.steps_from.append(low)
        pages.steps_to.append(high)
        pages.chunks.append(zlib.compress(bytes(self.open_rows), 6))
        self.first_row += len(self.open_rows)
        self.first_seq, self.open_rows, self._steps = seq, bytearray(), None
        self._asked = self._last_card = None

    def rows_of(self, page: int) -> bytes:
        """The rows of a page, a byte each."""
        return zlib.decompress(self.pages.chunks[page]) if page < len(self.pages) else bytes(self.open_rows)

    def page_of(self, row: int) -> int:
        """The page that a row stands in."""
        return len(self.pages) if row >= self.first_row else bisect_right(self.pages.rows, row) - 1

    def take(self, event: ev.Event) -> None:
        """Take one more event."""
        self.seq = event.seq
        for byte in self._made(event):
            self._last_card = None
            self.open_rows.append(byte | HEADLESS if self.headless else byte)
        if isinstance(event.data, ev.ProposalOpened):
            self._last_card = event.data.proposal.proposal

    def _made(self, event: ev.Event) -> Iterator[int]:
        data = event.data
        kind = ONE_ROW.get(type(data))
        if kind is not None:
            if isinstance(data, ev.RunPaused | ev.RunStopped):
                self._asked = None
            yield _byte(data, kind)
            return
        match data:
            case ev.ModelRequested(request_id=request_id):
                if request_id != self._asked:
                    self._asked, self.headless = request_id, False
                    low, high = self._steps or (event.step, event.step)
                    self._steps = min(low, event.step), max(high, event.step)
                    yield RowKind.STEP
            case ev.ModelResponded():
                if data.request_id == self._asked:
                    self._asked = None
                for number, block in enumerate(data.content):
                    of_block = kind_of_block(block)
                    if of_block is not None:
                        yield _byte(data, of_block, number)
            case ev.RunStarted(message=message):
                self.headless = True
                yield RowKind.RUN
                if message:
                    yield RowKind.MESSAGE | SAID
            case ev.CallJudged():
                if makes_rule_row(data):
                    yield RowKind.RULE
            case ev.DecisionMade(decision=decision):
                if decision.verdict in OPEN_VERDICTS or self._last_card != data.proposal:
                    yield _byte(data, RowKind.DECISION)
            case ev.ProposalWithdrawn() | ev.ProposalExpired():
                if self._last_card != data.proposal:
                    yield RowKind.DECISION


def _byte(data: ev.EventData, kind: RowKind, block: int = 0) -> int:
    return kind | SAID if is_said(data, kind, block) else kind
