"""Standing: what screens need of a session, small however long it is. Pure, and made of the events alone.

Whenever a page of the outline begins, the state forgets what came to its end before. Later events never speak of it,
but for remarks on closed cards, which change nothing that a standing tells. So a standing is the same wherever its
fold began: with the first event, or with any earlier standing of the session.
"""

import sys
import zlib
from array import array
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from agent_core.model import events as ev
from agent_core.model.bills import Bills
from agent_core.model.outline import PAGE_EVENTS, Outline
from agent_core.model.proposal import ProposalStatus, Verdict
from agent_core.model.run import CallState, CallStatus, ProposalState, RequestState, RunState, SessionState
from agent_core.model.state import FOLD_VERSION, advance

STANDING_VERSION = FOLD_VERSION * 1000 + 2
"""Raise the last figures when a standing is made or kept otherwise: kept ones of another version are thrown away."""

_OF_CARDS = (
    ev.ProposalPresented,
    ev.ProposalChanged,
    ev.ProposalWithdrawn,
    ev.ProposalExpired,
    ev.DecisionMade,
    ev.DecisionUndone,
    ev.DecisionRegretted,
)


class Standing:
    """`state` holds what is open, the newest run, and everything since the open page of `outline` began."""

    def __init__(self, session: str, page: int = PAGE_EVENTS) -> None:
        self.state = SessionState(session)
        self.outline = Outline(page)
        self.bills = Bills()

    @property
    def seq(self) -> int:
        """The newest event that was taken in."""
        return self.state.seq

    def begins_page(self, event: ev.Event) -> bool:
        """Whether a page begins with this event, which comes next."""
        outline = self.outline
        return outline.is_due(event) and (is_settled(self.state) or outline.is_overdue(event))

    def turn_page(self, seq: int) -> None:
        """Begin a page with the event of that number, which comes next."""
        self.outline.begin_page(seq)
        self.state = forgetful(self.state)

    def take(self, event: ev.Event) -> None:
        """Take one more event."""
        if self.begins_page(event):
            self.turn_page(event.seq)
        state = self.state
        if isinstance(event.data, _OF_CARDS) and event.data.proposal not in state.proposals:
            state.seq, state.head, state.updated_at = event.seq, event.digest, event.at
        else:
            advance(state, event)
        self.outline.take(event)
        self.bills.take(event)


@dataclass(slots=True)
class Opening:
    """What a session is opened with: how it stands, and the events since the open page began.

    `standing` is None while it is not known yet; `events` are then the newest ones.
    """

    standing: Standing | None
    events: list[ev.Event]

    @property
    def newest(self) -> int:
        """The newest event that is part of it."""
        return self.events[-1].seq if self.events else self.standing.seq if self.standing is not None else 0

    def take(self, event: ev.Event) -> None:
        """Take one more event."""
        standing = self.standing
        if standing is not None:
            if standing.begins_page(event):
                standing.turn_page(event.seq)
                self.events = []
            standing.take(event)
        self.events.append(event)


def is_settled(state: SessionState) -> bool:
    """Whether nothing is under way and nobody waits: no card is open, and every call of the last response has ended."""
    if state.open_cards or not state.runs or state.run.in_flight:
        return False
    return not any(_is_open(call) for call in state.calls.values())


def _is_open(call: CallState) -> bool:
    return call.status is not CallStatus.FINISHED


def forgetful(state: SessionState) -> SessionState:
    """A state without what has come to its end: earlier runs, answered requests, finished calls, closed cards.

    It takes over the members of the one that it is given.
    """
    calls = {name: call for name, call in state.calls.items() if _is_open(call)}
    cards = {
        name: card
        for name, card in state.proposals.items()
        if card.status is ProposalStatus.OPEN or card.proposal.call_id in calls
    }
    requests = {
        name: request
        for name, request in state.requests.items()
        if request.open or any(call in calls for call in request.calls)
    }
    for request in requests.values():
        request.calls = [call for call in request.calls if call in calls]
    for run in state.runs[-1:]:
        run.requests = [name for name in run.requests if name in requests]
        run.calls = [name for name in run.calls if name in calls]
    return SessionState(
        state.session,
        seq=state.seq,
        head=state.head,
        opened=state.opened,
        opened_at=state.opened_at,
        updated_at=state.updated_at,
        runs=state.runs[-1:],
        requests=requests,
        calls=calls,
        proposals=cards,
        pending_messages=state.pending_messages,
        open_cards=state.open_cards,
        unknown_calls=[name for name in state.unknown_calls if name in calls],
        closed_by=state.closed_by,
    )


# ---------------------------------------------------------------------------------------------- keeping one


@dataclass(slots=True)
class _KeptState:
    """The members of a state that outlive a page."""

    session: str
    seq: int
    head: str
    opened: ev.SessionOpened | None
    opened_at: datetime | None
    updated_at: datetime | None
    runs: list[RunState]
    requests: dict[str, RequestState]
    calls: dict[str, CallState]
    proposals: dict[str, ProposalState]
    pending_messages: list[str]
    open_cards: dict[str, None]
    unknown_calls: list[str]
    closed_by: dict[Verdict, int] = field(default_factory=dict)


_MEMBERS = tuple(_KeptState.__slots__)


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    state: bytes
    bills: bytes
    seqs: bytes
    rows: bytes
    steps_from: bytes
    steps_to: bytes
    chunks: list[bytes]
    next_row: int
    headless: bool


_JSON = msgspec.json.Encoder(decimal_format="string")
_STATE = msgspec.json.Decoder(_KeptState)
_BILLS = msgspec.json.Decoder(Bills)
_PACKED = msgspec.msgpack.Decoder(_Kept)


def pack(standing: Standing) -> bytes:
    """A standing as bytes, right after a page was turned."""
    outline, pages = standing.outline, standing.outline.pages
    assert not outline.open_rows, "a standing is kept where a page begins"
    kept = _KeptState(**{name: getattr(standing.state, name) for name in _MEMBERS})
    return msgspec.msgpack.encode(
        _Kept(
            state=zlib.compress(_JSON.encode(kept)),
            bills=zlib.compress(_JSON.encode(standing.bills)),
            seqs=_column(pages.seqs),
            rows=_column(pages.rows),
            steps_from=_column(pages.steps_from),
            steps_to=_column(pages.steps_to),
            chunks=pages.chunks,
            next_row=outline.first_row,
            headless=outline.headless,
        )
    )


def unpack(packed: bytes, page: int = PAGE_EVENTS) -> Standing:
    """The standing that was packed. Raises msgspec.MsgspecError or ValueError for bytes that are none."""
    kept = _PACKED.decode(packed)
    state = _STATE.decode(_inflated(kept.state))
    standing = Standing(state.session, page)
    standing.state = SessionState(**{name: getattr(state, name) for name in _MEMBERS})
    standing.bills = _BILLS.decode(_inflated(kept.bills))
    outline, pages = standing.outline, standing.outline.pages
    columns = kept.seqs, kept.rows, kept.steps_from, kept.steps_to
    pages.seqs, pages.rows, pages.steps_from, pages.steps_to = map(_array, columns)
    pages.chunks = kept.chunks
    if len({len(pages.seqs), len(pages.rows), len(pages.steps_from), len(pages.steps_to), len(pages.chunks)}) != 1:
        raise ValueError("its pages do not fit together")
    outline.seq, outline.first_seq, outline.first_row = state.seq, state.seq + 1, kept.next_row
    outline.headless = kept.headless
    return standing


def _inflated(packed: bytes) -> bytes:
    try:
        return zlib.decompress(packed)
    except zlib.error as error:
        raise ValueError(f"a part of it cannot be unpacked: {error}") from error


def _column(numbers: "array[int]") -> bytes:
    little = numbers if sys.byteorder == "little" else array("I", numbers)
    if little is not numbers:
        little.byteswap()
    return little.tobytes()


def _array(column: bytes) -> "array[int]":
    numbers = array("I")
    numbers.frombytes(column)
    if sys.byteorder != "little":
        numbers.byteswap()
    return numbers
