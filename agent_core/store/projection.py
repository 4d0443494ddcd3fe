"""What the tables beside the events keep of them, written in the events' own transaction.

`cards` finds a proposal's session and lists what is open over all sessions; `spend` adds up a day or a tree and
`reservations` what is set aside in it; `trees` says what was forked from what; `alerts` lists what is out of the
ordinary; `terms` is what a search looks through. All of it can be made again from the events.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

from agent_core.model import events as ev
from agent_core.model.proposal import OPEN_VERDICTS, Proposal, ProposalStatus, Verdict
from agent_core.store import statements as sql
from agent_core.store.batch import Batch
from agent_core.store.codec import micros
from agent_core.store.money import from_nano, to_nano
from agent_core.store.shares import root_of

LONGEST_TERM = 300
"""Characters: goals, paths and reasons are found by what they begin with, not by a whole document."""


def project(batch: Batch, row: int, event: ev.Event) -> None:
    """Bring the tables up to date with one event; `row` is its number in `events`."""
    handler = _HANDLERS.get(type(event.data))
    if handler is not None:
        handler(batch, row, event, event.data)


def fold_case(text: str) -> str:
    """How terms and searches are compared."""
    return text[:LONGEST_TERM].casefold()


def _session_opened(batch: Batch, row: int, event: ev.Event, data: ev.SessionOpened) -> None:
    _terms(batch, event, data.goal, data.agent)


def _session_forked(batch: Batch, row: int, event: ev.Event, data: ev.SessionForked) -> None:
    batch.now(sql.INSERT_TREE, (event.session, root_of(batch.connection, data.source)))


def _requested(batch: Batch, row: int, event: ev.Event, data: ev.ModelRequested | ev.SideAsked) -> None:
    if data.reserved_cost_usd is not None:
        values = (data.request_id, event.session, event.run or "", micros(event.at), to_nano(data.reserved_cost_usd))
        batch.now(sql.INSERT_RESERVATION, values)


def _model_responded(batch: Batch, row: int, event: ev.Event, data: ev.ModelResponded) -> None:
    _answered(batch, row, event, data.request_id, data.cost_usd)


def _model_failed(batch: Batch, row: int, event: ev.Event, data: ev.ModelFailed) -> None:
    _lost(batch, row, event, data.request_id, data.cost_bound_usd)


def _side_answered(batch: Batch, row: int, event: ev.Event, data: ev.SideAnswered) -> None:
    if data.fault is None:
        _answered(batch, row, event, data.request_id, data.cost_usd)
    else:
        _lost(batch, row, event, data.request_id, data.cost_bound_usd)


def _answered(batch: Batch, row: int, event: ev.Event, request: str, cost: Decimal | None) -> None:
    """What an answer cost; where that is not known, the money set aside for it counts as a bound."""
    bound = None
    if cost is None:
        reserved = batch.connection.execute(sql.SELECT_RESERVATION, (request,)).fetchone()
        bound = from_nano(reserved[0]) if reserved is not None else None
    batch.now(sql.DELETE_RESERVATION, (request,))
    _spend(batch, row, event, None if cost is None else to_nano(cost), bound)


def _lost(batch: Batch, row: int, event: ev.Event, request: str, bound: Decimal | None) -> None:
    batch.now(sql.DELETE_RESERVATION, (request,))
    if bound:
        _spend(batch, row, event, 0, bound)


def _context_edited(batch: Batch, row: int, event: ev.Event, data: ev.ContextEdited) -> None:
    if data.cost_usd:
        _spend(batch, row, event, to_nano(data.cost_usd), None)


def _call_judged(batch: Batch, row: int, event: ev.Event, data: ev.CallJudged) -> None:
    _terms(batch, event, data.tool, *_short_texts(data.arguments))


def _proposal_opened(batch: Batch, row: int, event: ev.Event, data: ev.ProposalOpened) -> None:
    card = data.proposal
    opened = micros(card.opened_at)
    values = (card.proposal, event.session, card.touchpoint.value, card.tier.value, opened, _due(card), row)
    batch.now(sql.OPEN_CARD, values)


def _proposal_changed(batch: Batch, row: int, event: ev.Event, data: ev.ProposalChanged) -> None:
    card = data.revised
    batch.now(sql.REVISE_CARD, (card.touchpoint.value, card.tier.value, _due(card), row, data.proposal))
    if data.answers is not None:
        batch.now(sql.PASS_CARD, (0, data.proposal))


def _proposal_withdrawn(batch: Batch, row: int, event: ev.Event, data: ev.ProposalWithdrawn) -> None:
    batch.now(sql.MARK_CARD, (ProposalStatus.WITHDRAWN.value, 0, data.proposal))


def _proposal_expired(batch: Batch, row: int, event: ev.Event, data: ev.ProposalExpired) -> None:
    batch.now(sql.MARK_CARD, (ProposalStatus.EXPIRED.value, 0, data.proposal))


def _decision_made(batch: Batch, row: int, event: ev.Event, data: ev.DecisionMade) -> None:
    verdict = data.decision.verdict
    if verdict is Verdict.POSTPONE:
        batch.now(sql.SNOOZE_CARD, (_until(data.decision.details.get("until")), data.proposal))
    if verdict is Verdict.ASK:
        batch.now(sql.PASS_CARD, (1, data.proposal))
    if verdict not in OPEN_VERDICTS and not data.decision.awaits_second:
        batch.now(sql.MARK_CARD, (ProposalStatus.DECIDED.value, 0, data.proposal))
    if data.reason:
        _terms(batch, event, data.reason)


def _decision_undone(batch: Batch, row: int, event: ev.Event, data: ev.DecisionUndone) -> None:
    batch.now(sql.MARK_CARD, (ProposalStatus.OPEN.value, 0, data.proposal))


def _alert_raised(batch: Batch, row: int, event: ev.Event, data: ev.AlertRaised) -> None:
    values = (event.session, data.alert, micros(event.at), event.step, data.level, data.message)
    batch.now(sql.RAISE_ALERT, values)


def _alert_acknowledged(batch: Batch, row: int, event: ev.Event, data: ev.AlertAcknowledged) -> None:
    batch.now(sql.ACKNOWLEDGE_ALERT, (data.by, micros(event.at), event.session, data.alert))


def _spend(batch: Batch, row: int, event: ev.Event, nano: int | None, bound: Decimal | None) -> None:
    bound_nano = 0 if bound is None else to_nano(bound)
    batch.later(sql.INSERT_SPEND, (micros(event.at), row, event.session, event.run or "", nano, bound_nano))


def _terms(batch: Batch, event: ev.Event, *texts: str) -> None:
    for text in texts:
        batch.later(sql.INSERT_TERM, (event.session, fold_case(text)))


def _short_texts(arguments: dict[str, Any]) -> Iterator[str]:
    """Paths, recipients and the like; not bodies."""
    for value in arguments.values():
        if isinstance(value, str) and 0 < len(value) <= LONGEST_TERM:
            yield value


def _due(card: Proposal) -> int | None:
    return None if card.approve_by is None else micros(card.approve_by)


def _until(value: object) -> int | None:
    return micros(datetime.fromisoformat(value)) if isinstance(value, str) else None


_HANDLERS: dict[type[ev.EventData], Callable[[Batch, int, ev.Event, Any], None]] = {
    ev.SessionOpened: _session_opened,
    ev.SessionForked: _session_forked,
    ev.ModelRequested: _requested,
    ev.SideAsked: _requested,
    ev.ModelResponded: _model_responded,
    ev.ModelFailed: _model_failed,
    ev.SideAnswered: _side_answered,
    ev.ContextEdited: _context_edited,
    ev.CallJudged: _call_judged,
    ev.ProposalOpened: _proposal_opened,
    ev.ProposalChanged: _proposal_changed,
    ev.ProposalWithdrawn: _proposal_withdrawn,
    ev.ProposalExpired: _proposal_expired,
    ev.DecisionMade: _decision_made,
    ev.DecisionUndone: _decision_undone,
    ev.AlertRaised: _alert_raised,
    ev.AlertAcknowledged: _alert_acknowledged,
}
