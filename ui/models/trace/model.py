"""TraceModel: events and streaming text in, rows out: one page of a trace. Each event is looked at once.

Rows stand in the order of their events. What belongs to a row that is there already changes it: a call's start and end,
the decision of a card, the response of a step.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agent_core.engine.facade import StreamDelta
from agent_core.model import events as ev
from agent_core.model.outline import HEADLESS, ONE_ROW, SAID, is_said, kind_of_block, makes_rule_row
from agent_core.model.proposal import OPEN_VERDICTS
from ui.models.trace.rows import NONE, RowKind, RowStore
from ui.models.trace.streaming import Streaming, Streams

CHARACTERS_A_TOKEN = 4.0
SETTLED_BELOW = 1
"""In the `blocks` of a card's row: what closed it has a row of its own."""


@dataclass(slots=True)
class Change:
    """What one `apply` did: rows from `first_new` on are new, `changed` rows before it look different."""

    first_new: int
    changed: set[int] = field(default_factory=set)
    gone: bool = False
    """A row became GONE."""


class TraceModel:
    """Rows of one page, or of a short session. The modules beside this one give their words."""

    def __init__(self) -> None:
        self.events: list[ev.Event] = []
        self.rows = RowStore()
        self._streams = Streams()
        self.waiting: dict[int, dict[str, None]] = {}
        """By head of a step: its open cards."""
        self._head = NONE
        self._heads_by_request: dict[str, int] = {}
        self._heard: set[str] = set()
        """Requests whose beginning was seen live."""
        self._calls: dict[str, int] = {}
        self._cards: dict[str, int] = {}
        self._change = Change(0)

    # ---------------------------------------------------------------- taking in

    def load(self, events: Iterable[ev.Event]) -> None:
        """Take in the stored events of a session: what streams now may have begun before."""
        self._take(events)
        self._heard.clear()
        self._change = Change(len(self.rows))

    def apply(
        self,
        events: Iterable[ev.Event],
        streamed: Sequence[tuple[StreamDelta, str]] = (),
        now: datetime | None = None,
    ) -> Change:
        """Take in new events and, after them, streamed text. Says which rows are new and which look different."""
        change = self._take(events)
        for first, text in streamed:
            self._stream(first, text, now)
        change.changed = {row for row in change.changed if row < change.first_new}
        return change

    def _take(self, events: Iterable[ev.Event]) -> Change:
        self._change = Change(len(self.rows))
        for event in events:
            self.events.append(event)
            _HANDLERS[type(event.data)](self, len(self.events) - 1, event.data)
        return self._change

    # ---------------------------------------------------------------- looking up

    def __len__(self) -> int:
        return len(self.rows)

    def kind(self, row: int) -> RowKind:
        """What a row stands for."""
        return RowKind(self.rows.kinds[row])

    def event(self, row: int) -> ev.Event:
        """The event that a row stands for."""
        return self.events[self.rows.anchors[row]]

    def later(self, row: int) -> list[ev.Event]:
        """The later events that say more about a row, oldest first."""
        return [self.events[index] for index in self.rows.links(row)]

    def head(self, row: int) -> int | None:
        """The head of the step that a row belongs to."""
        head = self.rows.heads[row]
        return None if head == NONE else head

    def calls_of_step(self, row: int) -> int:
        """How many calls the response of a row's step asked for."""
        head = self.rows.heads[row]
        responses = (event.data for event in self.later(head)) if head != NONE else ()
        return next((len(data.calls) for data in responses if isinstance(data, ev.ModelResponded)), 0)

    def row_of_step(self, step: int) -> int | None:
        """The newest head of that step; a later run counts its steps anew."""
        kinds = self.rows.kinds
        row = kinds.rfind(RowKind.STEP)
        while row >= 0:
            if self.event(row).step == step:
                return row
            row = kinds.rfind(RowKind.STEP, 0, row)
        return None

    def byte(self, row: int) -> int:
        """A row as an outline has it."""
        kind = self.rows.kinds[row]
        headless = HEADLESS if self.rows.heads[row] == NONE and kind != RowKind.STEP else 0
        said = SAID if is_said(self.event(row).data, kind, self.rows.blocks[row]) else 0
        return kind | headless | said

    def row_of_card(self, proposal: str) -> int | None:
        """The row of a card."""
        return self._cards.get(proposal)

    @property
    def streaming(self) -> dict[int, Streaming]:
        """The rows whose text is still arriving."""
        return self._streams.by_row

    def streams_since(self, row: int) -> tuple[datetime, int] | None:
        """When the text of a head's request began to arrive, and how many characters have."""
        data = self.event(row).data
        return self._streams.since(data.request_id) if isinstance(data, ev.ModelRequested) else None

    # ---------------------------------------------------------------- rows

    def _append(self, kind: RowKind, index: int, block: int = 0, *, head: int | None = None) -> int:
        return self.rows.append(kind, index, self._head if head is None else head, block)

    def _link(self, row: int, index: int) -> None:
        self.rows.link(row, index)
        self._change.changed.add(row)

    def _link_head(self, head: int, index: int) -> None:
        if head != NONE:
            self._link(head, index)

    # ---------------------------------------------------------------- streaming

    def _stream(self, first: StreamDelta, text: str, now: datetime | None) -> None:
        head = self._heads_by_request.get(first.request_id)
        if head is None:
            return  # answered or cut off meanwhile
        row = self._streams.row(first)
        if row is None:
            kind = RowKind.CALL if first.delta.kind == "input" else RowKind.THOUGHT
            row = self._append(kind, self.rows.anchors[head], first.delta.block, head=head)
            self._streams.open(row, first, late=first.request_id not in self._heard)
        self._streams.add(row, first, text, now)
        self._change.changed |= {row, head}

    def _cut(self, request_id: str) -> None:
        """The text of a request will never be a response: its rows go."""
        for row in self._streams.close(request_id).values():
            self._remove(row)

    def _cut_all(self) -> None:
        for request_id in self._streams.requests:
            self._cut(request_id)
        self._heads_by_request.clear()

    def _remove(self, row: int) -> None:
        self.rows.kinds[row] = RowKind.GONE
        self._change.changed.add(row)
        self._change.gone = True

    # ---------------------------------------------------------------- events of a run

    def _run_started(self, index: int, data: ev.RunStarted) -> None:
        self._head = NONE
        self._append(RowKind.RUN, index)
        if data.message:
            self._append(RowKind.MESSAGE, index)

    def _model_requested(self, index: int, data: ev.ModelRequested) -> None:
        self._heard.add(data.request_id)
        known = self._heads_by_request.get(data.request_id)
        if known is not None:
            self._link(known, index)
            return
        self._cut_all()
        self._head = NONE
        self._head = self._append(RowKind.STEP, index)
        self._heads_by_request[data.request_id] = self._head

    def _model_failed(self, index: int, data: ev.ModelFailed) -> None:
        self._cut(data.request_id)
        self._link_head(self._heads_by_request.get(data.request_id, NONE), index)
        self._append(RowKind.RETRY, index)

    def _model_responded(self, index: int, data: ev.ModelResponded) -> None:
        head = self._heads_by_request.pop(data.request_id, self._head)
        self._heard.discard(data.request_id)
        streamed = self._streams.close(data.request_id)
        self._link_head(head, index)
        calls = {call.block: call.call_id for call in data.calls}
        for block, content in enumerate(data.content):
            kind = kind_of_block(content)
            if kind is None:
                continue
            row = streamed.pop(block, None)
            if row is None:
                row = self._append(kind, index, block, head=head)
            else:
                self.rows.anchors[row], self.rows.kinds[row] = index, kind
                self._change.changed.add(row)
            if block in calls:
                self._calls[calls[block]] = row
        for row in streamed.values():
            self._remove(row)

    def _clock_jumped(self, index: int, data: ev.ClockJumped) -> None:
        self._link_head(self._head, index)
        self._append(RowKind.RUN, index)

    def _run_paused(self, index: int, data: ev.RunPaused) -> None:
        self._cut_all()
        self._append(RowKind.RUN, index)

    def _run_stopped(self, index: int, data: ev.RunStopped) -> None:
        self._cut_all()
        self._append(RowKind.STOP, index)

    # ---------------------------------------------------------------- events of calls

    def _call_judged(self, index: int, data: ev.CallJudged) -> None:
        self._call_event(index, data.call_id)
        if makes_rule_row(data):
            self._append(RowKind.RULE, index)

    def _call_event(self, index: int, call_id: str) -> None:
        row = self._calls.get(call_id)
        if row is not None:
            self._link(row, index)

    def _call_started(self, index: int, data: ev.CallStarted) -> None:
        self._call_event(index, data.call_id)
        row = self._calls.get(data.call_id)
        if row is not None:
            self._link_head(self.rows.heads[row], index)

    def _call_retried(self, index: int, data: ev.CallRetried) -> None:
        self._call_event(index, data.call_id)
        self._append(RowKind.RETRY, index)

    def _call_finished(self, index: int, data: ev.CallFinished) -> None:
        row = self._calls.pop(data.call_id, None)
        head = self._head
        if row is not None:
            self._link(row, index)
            head = self.rows.heads[row]
            self._link_head(head, index)
        self._append(RowKind.OBSERVATION, index, head=head)

    def _call_unknown(self, index: int, data: ev.CallUnknown) -> None:
        self._call_event(index, data.call_id)
        self._append(RowKind.UNKNOWN, index)

    # ---------------------------------------------------------------- events of cards

    def _proposal_opened(self, index: int, data: ev.ProposalOpened) -> None:
        card = data.proposal
        call = self._calls.get(card.call_id or "")
        head = self.rows.heads[call] if call is not None else self._head
        self._cards[card.proposal] = self._append(RowKind.CARD, index, head=head)
        if call is not None:
            self._link(call, index)
        self._set_waiting(head, index, card.proposal, waits=True)

    def _set_waiting(self, head: int, index: int, proposal: str, *, waits: bool) -> None:
        if head == NONE:
            return
        self._link(head, index)
        if waits:
            self.waiting.setdefault(head, {})[proposal] = None
            return
        self.waiting.get(head, {}).pop(proposal, None)
        if not self.waiting.get(head):
            self.waiting.pop(head, None)

    def _card_event(self, index: int, proposal: str, *, closes: bool = False, opens: bool = False) -> None:
        row = self._cards.get(proposal)
        if row is None:
            return
        self._link(row, index)
        if closes or opens:
            self._set_waiting(self.rows.heads[row], index, proposal, waits=opens)
            call = self._calls.get(_proposal(self.event(row)).call_id or "")
            if call is not None:
                self._link(call, index)

    def _proposal_presented(self, index: int, data: ev.ProposalPresented) -> None:
        self._card_event(index, data.proposal)

    def _proposal_changed(self, index: int, data: ev.ProposalChanged) -> None:
        self._card_event(index, data.proposal)
        self._append(RowKind.DECISION, index)

    def _proposal_closed(self, index: int, data: ev.ProposalWithdrawn | ev.ProposalExpired | ev.DecisionMade) -> None:
        """What is decided at once takes the place of "held"; what comes after other rows stands where it happened."""
        row = self._cards.get(data.proposal)
        self._card_event(index, data.proposal, closes=True)
        if row is None or row != len(self.rows) - 1:
            if row is not None:
                self.rows.blocks[row] = SETTLED_BELOW
            self._append(RowKind.DECISION, index)

    def _decision_made(self, index: int, data: ev.DecisionMade) -> None:
        if data.decision.verdict not in OPEN_VERDICTS:
            self._proposal_closed(index, data)
            return
        self._card_event(index, data.proposal)
        self._append(RowKind.DECISION, index)

    def _decision_undone(self, index: int, data: ev.DecisionUndone) -> None:
        self._card_event(index, data.proposal, opens=True)
        row = self._cards.get(data.proposal)
        if row is not None:
            self.rows.blocks[row] = 0
        self._append(RowKind.DECISION, index)


def _proposal(event: ev.Event) -> Any:
    assert isinstance(event.data, ev.ProposalOpened)
    return event.data.proposal


def _one_row(kind: RowKind) -> Callable[[TraceModel, int, Any], None]:
    """The handler of an event that is a row of its own."""

    def handle(model: TraceModel, index: int, _data: Any) -> None:
        model._append(kind, index)

    return handle


_HANDLERS: dict[type[ev.EventData], Callable[[TraceModel, int, Any], None]] = {
    **{event: _one_row(kind) for event, kind in ONE_ROW.items()},
    ev.RunStarted: TraceModel._run_started,
    ev.ModelRequested: TraceModel._model_requested,
    ev.ModelFailed: TraceModel._model_failed,
    ev.ModelResponded: TraceModel._model_responded,
    ev.CallJudged: TraceModel._call_judged,
    ev.ProposalOpened: TraceModel._proposal_opened,
    ev.ProposalPresented: TraceModel._proposal_presented,
    ev.ProposalChanged: TraceModel._proposal_changed,
    ev.ProposalWithdrawn: TraceModel._proposal_closed,
    ev.ProposalExpired: TraceModel._proposal_closed,
    ev.DecisionMade: TraceModel._decision_made,
    ev.DecisionUndone: TraceModel._decision_undone,
    ev.CallStarted: TraceModel._call_started,
    ev.CallRetried: TraceModel._call_retried,
    ev.CallFinished: TraceModel._call_finished,
    ev.CallUnknown: TraceModel._call_unknown,
    ev.ClockJumped: TraceModel._clock_jumped,
    ev.RunPaused: TraceModel._run_paused,
    ev.RunStopped: TraceModel._run_stopped,
}
