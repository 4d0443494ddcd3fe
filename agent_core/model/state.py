"""State: the fold of a session's events. Pure: no clock, no randomness, no I/O.

`fold(events)` builds a state; `advance(state, event)` takes one more event and changes the state that it is given.
For every split, ``fold(a + b)`` equals `fold(a)` advanced by each of ``b``.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import msgspec

from agent_core.model import events as ev
from agent_core.model.action import GateVerdict
from agent_core.model.budget import MONEY_LIMITS, AtLimit, LimitName, Limits, Spend, Usage
from agent_core.model.carrying import carry_in
from agent_core.model.plan import PlanState, ServingCall, StepReport
from agent_core.model.proposal import (
    OPEN_VERDICTS,
    DeadlineOutcome,
    Decision,
    ProposalStatus,
    Touchpoint,
    Verdict,
)
from agent_core.model.run import (
    CallState,
    CallStatus,
    HistoryEntry,
    HistoryKind,
    ProposalState,
    RequestState,
    RunState,
    SessionState,
    SessionStatus,
    StopReason,
)

__all__ = [
    "FOLD_VERSION",
    "CallState",
    "CallStatus",
    "HistoryEntry",
    "HistoryKind",
    "ProposalState",
    "RequestState",
    "RunState",
    "SessionState",
    "SessionStatus",
    "StopReason",
    "advance",
    "fold",
    "replace_spend",
    "with_limit",
]

FOLD_VERSION = 3
"""Raise it when the fold changes: cached states of another version are thrown away."""


def fold(events: Iterable[ev.Event], session: str = "") -> SessionState:
    """The state after all events of one session, in order of `seq`."""
    state = SessionState(session)
    for event in events:
        advance(state, event)
    return state


def advance(state: SessionState, event: ev.Event) -> None:
    """Take one more event. Events must come in order; kinds that say nothing about the state only move its head."""
    state.session = state.session or event.session
    state.seq, state.head, state.updated_at = event.seq, event.digest, event.at
    handler = _HANDLERS.get(type(event.data))
    if handler is not None:
        handler(state, event, event.data)
        if state.runs and state.runs[-1].plans:
            _follow_plan(state)


def _follow_plan(state: SessionState) -> None:
    """Keep with the plan in force what came of its calls: the calls themselves may be forgotten."""
    for name, serving in state.run.plans[-1].serving:
        call = state.calls.get(name)
        if call is not None and serving.answer is None:
            serving.waits, serving.answer, serving.error = call.waits, call.answer, call.error


def _session_opened(state: SessionState, event: ev.Event, data: ev.SessionOpened) -> None:
    state.opened, state.opened_at = data, event.at
    state.history.append(HistoryEntry(HistoryKind.OPERATOR, data.goal))


def _run_started(state: SessionState, event: ev.Event, data: ev.RunStarted) -> None:
    run = RunState(event.run or "", event.at, data.limits, data.agent_version, data.by)
    if len(state.runs) == 1 and state.runs[0].inherited:
        run.step, run.notes = state.runs[0].step, dict(state.runs[0].notes)
    state.runs.append(run)
    if data.message:
        state.pending_messages.append(data.message)


def _model_requested(state: SessionState, event: ev.Event, data: ev.ModelRequested) -> None:
    run = state.run
    _begin(run, data.request_id, event.at)
    known = state.requests.get(data.request_id)
    if known is not None:
        known.requested, known.requested_seq = data, event.seq
        return
    run.requests.append(data.request_id)
    run.step = event.step
    request = RequestState(data.request_id, run.run, event.step, data, event.at, event.seq)
    state.requests[data.request_id] = request
    state.history.extend(HistoryEntry(HistoryKind.OPERATOR, text) for text in state.pending_messages)
    state.pending_messages.clear()
    if data.note:
        state.history.append(HistoryEntry(HistoryKind.NOTE, data.note))


def _model_failed(state: SessionState, event: ev.Event, data: ev.ModelFailed) -> None:
    run, request = state.run, state.requests[data.request_id]
    request.failures.append(data)
    _end(run, data.request_id, event.at)
    spend = replace_spend(run.spend, lost_tokens=run.spend.lost_tokens + data.lost_tokens)
    run.spend = replace_spend(spend, cost_bound_usd=spend.cost_bound_usd + (data.cost_bound_usd or Decimal(0)))


def _model_responded(state: SessionState, event: ev.Event, data: ev.ModelResponded) -> None:
    run, request = state.run, state.requests[data.request_id]
    request.responded, request.responded_at = data, event.at
    _end(run, data.request_id, event.at)
    run.spend = _with_usage(run.spend, data.usage, data.cost_usd, counts_step=not request.requested.closing)
    state.history.append(HistoryEntry(HistoryKind.RESPONSE, request_id=data.request_id))
    for asked in data.calls:
        block = data.content[asked.block]
        given = block.get("input")
        call = CallState(
            call_id=asked.call_id,
            tool_use_id=asked.tool_use_id,
            tool=asked.tool,
            run=run.run,
            step=event.step,
            asked_input=given if isinstance(given, dict) else {},
            asked_at=event.at,
        )
        state.calls[asked.call_id] = call
        request.calls.append(asked.call_id)
        run.calls.append(asked.call_id)
    if data.calls:
        state.history.append(HistoryEntry(HistoryKind.RESULTS, request_id=data.request_id))


def _call_judged(state: SessionState, event: ev.Event, data: ev.CallJudged) -> None:
    call = state.calls[data.call_id]
    call.judged, call.status = data, CallStatus.JUDGED
    # Judged again, because what was approved no longer holds: nothing ran, and the earlier approval is spent.
    call.decision = call.started = None
    _end(state.run, data.call_id, event.at)
    if data.plan_step is not None and state.run.plans:
        serving = state.run.plans[-1].calls.setdefault(data.plan_step, {})
        serving.setdefault(data.call_id, ServingCall(event.step))
    if data.verdict is GateVerdict.DENY and (data.error is None or data.error.code == "denied"):
        denials = state.run.denials
        denials[data.tool] = denials.get(data.tool, 0) + 1


def _proposal_opened(state: SessionState, event: ev.Event, data: ev.ProposalOpened) -> None:
    card = data.proposal
    state.proposals[card.proposal] = ProposalState(card, versions=[card])
    state.open_cards[card.proposal] = None
    if card.call_id is not None and card.call_id in state.calls:
        call = state.calls[card.call_id]
        call.proposals.append(card.proposal)
        if card.touchpoint is not Touchpoint.OUTCOME_UNKNOWN:
            call.status = CallStatus.WAITING
    elif card.call_id is None:
        state.run.card = card.proposal


def _proposal_presented(state: SessionState, event: ev.Event, data: ev.ProposalPresented) -> None:
    card = state.proposals[data.proposal]
    if card.presented_at is None:
        card.presented_at, card.presented_by = event.at, data.by


def _proposal_changed(state: SessionState, event: ev.Event, data: ev.ProposalChanged) -> None:
    card = state.proposals[data.proposal]
    card.proposal = data.revised
    card.versions.append(data.revised)
    if card.asked is not None and card.asked.decision == data.answers:
        card.asked = None


def _proposal_withdrawn(state: SessionState, event: ev.Event, data: ev.ProposalWithdrawn) -> None:
    card = state.proposals[data.proposal]
    card.status, card.closed_at, card.withdrawn_because = ProposalStatus.WITHDRAWN, event.at, data.why
    state.open_cards.pop(data.proposal, None)


def _proposal_expired(state: SessionState, event: ev.Event, data: ev.ProposalExpired) -> None:
    card = state.proposals[data.proposal]
    card.status, card.closed_at = ProposalStatus.EXPIRED, event.at
    state.open_cards.pop(data.proposal, None)
    if data.outcome is DeadlineOutcome.FINISH and state.run.card == data.proposal:
        state.run.closing_because = "deadline"


def _decision_made(state: SessionState, event: ev.Event, data: ev.DecisionMade) -> None:
    card, decision = state.proposals[data.proposal], data.decision
    card.decisions.append(decision)
    if decision.verdict is Verdict.POSTPONE:
        card.snoozed_until = _instant(decision.details.get("until"))
    elif decision.verdict is Verdict.ASK:
        card.asked = decision
    if decision.verdict in OPEN_VERDICTS or decision.awaits_second:
        return
    card.status, card.closing, card.closed_at = ProposalStatus.DECIDED, decision, event.at
    state.open_cards.pop(data.proposal, None)
    state.closed_by[decision.verdict] = state.closed_by.get(decision.verdict, 0) + 1
    if state.runs and state.run.card == data.proposal:
        _run_card_decided(state.run, decision)
    call = state.calls.get(card.proposal.call_id or "")
    if call is not None:
        call.decision = decision
        if decision.verdict in (Verdict.REJECT, Verdict.SEND_BACK):
            state.refused_calls.append(call.call_id)
        if call.status is CallStatus.WAITING:
            call.status = CallStatus.APPROVED if decision.digest else CallStatus.JUDGED


def _run_card_decided(run: RunState, decision: Decision) -> None:
    if decision.verdict is Verdict.FINISH:
        run.closing_because = "decision"
    elif decision.verdict is Verdict.EXTEND:
        run.limit_reached = None
    elif decision.verdict not in (Verdict.STOP, Verdict.ABANDON):
        run.loop = None


def _decision_undone(state: SessionState, event: ev.Event, data: ev.DecisionUndone) -> None:
    card = state.proposals[data.proposal]
    card.undone.append(data.decision)
    if card.closing is not None:
        state.closed_by[card.closing.verdict] -= 1
    state.open_cards[data.proposal] = None
    card.status, card.closing, card.closed_at = ProposalStatus.OPEN, None, None
    call = state.calls.get(card.proposal.call_id or "")
    if call is not None:
        call.decision, call.status = None, CallStatus.WAITING


def _decision_regretted(state: SessionState, event: ev.Event, data: ev.DecisionRegretted) -> None:
    state.proposals[data.proposal].regret = data if data.why else None


def _call_started(state: SessionState, event: ev.Event, data: ev.CallStarted) -> None:
    call, run = state.calls[data.call_id], state.run
    first = call.attempts == 0
    call.started, call.started_at = data, event.at
    call.status, call.attempts, call.retry_at = CallStatus.STARTED, data.attempt, None
    _begin(run, data.call_id, event.at)
    if first:
        run.spend = replace_spend(run.spend, tool_calls=run.spend.tool_calls + 1)


def _call_retried(state: SessionState, event: ev.Event, data: ev.CallRetried) -> None:
    state.calls[data.call_id].retry_at = data.retry_at
    _end(state.run, data.call_id, event.at)


def _call_finished(state: SessionState, event: ev.Event, data: ev.CallFinished) -> None:
    call = state.calls[data.call_id]
    call.finished, call.finished_at, call.finished_seq = data, event.at, event.seq
    call.status = CallStatus.FINISHED
    _end(state.run, data.call_id, event.at)


def _call_unknown(state: SessionState, event: ev.Event, data: ev.CallUnknown) -> None:
    call = state.calls[data.call_id]
    call.unknown, call.status = data, CallStatus.UNKNOWN
    state.unknown_calls.append(data.call_id)
    _end(state.run, data.call_id, event.at)


def _side_asked(state: SessionState, event: ev.Event, data: ev.SideAsked) -> None:
    state.sides.setdefault(data.decision, []).append(data)
    _begin(state.run, data.request_id, event.at)


def _side_answered(state: SessionState, event: ev.Event, data: ev.SideAnswered) -> None:
    state.sides.setdefault(data.decision, []).append(data)
    run = state.run
    _end(run, data.request_id, event.at)
    if data.fault is None:
        run.spend = _with_usage(run.spend, data.usage, data.cost_usd, counts_step=False)
        return
    spend = replace_spend(run.spend, lost_tokens=run.spend.lost_tokens + data.lost_tokens)
    run.spend = replace_spend(spend, cost_bound_usd=spend.cost_bound_usd + (data.cost_bound_usd or Decimal(0)))


def _side_read(state: SessionState, event: ev.Event, data: ev.SideRead) -> None:
    state.sides.setdefault(data.decision, []).append(data)
    if data.ran:
        run = state.run
        run.spend = replace_spend(run.spend, tool_calls=run.spend.tool_calls + 1)


def _limit_changed(state: SessionState, event: ev.Event, data: ev.LimitChanged) -> None:
    run = state.run
    run.limits = with_limit(run.limits, data.limit, data.new)
    if run.limit_reached is not None and run.limit_reached.limit is data.limit:
        run.limit_reached = run.closing_because = None


def _limit_reached(state: SessionState, event: ev.Event, data: ev.LimitReached) -> None:
    state.run.limit_reached, state.run.card = data, None
    if data.then is AtLimit.FINISH:
        state.run.closing_because = "limit"


def _loop_detected(state: SessionState, event: ev.Event, data: ev.LoopDetected) -> None:
    state.run.loop, state.run.card = data, None


def _message_added(state: SessionState, event: ev.Event, data: ev.MessageAdded) -> None:
    state.pending_messages.append(data.text)


def _note_written(state: SessionState, event: ev.Event, data: ev.NoteWritten) -> None:
    state.run.notes[data.key] = data.text


def _plan_adopted(state: SessionState, event: ev.Event, data: ev.PlanAdopted) -> None:
    state.run.plans.append(PlanState(data.call_id, list(data.steps), data.edited_by))


def _step_reported(state: SessionState, event: ev.Event, data: ev.StepReported) -> None:
    state.run.plans[-1].reports[data.step] = StepReport(done=data.done, result=data.result)


def _context_edited(state: SessionState, event: ev.Event, data: ev.ContextEdited) -> None:
    state.edits.append(data)


def _alert_raised(state: SessionState, event: ev.Event, data: ev.AlertRaised) -> None:
    state.alerts.append(data)


def _alert_acknowledged(state: SessionState, event: ev.Event, data: ev.AlertAcknowledged) -> None:
    state.acknowledged.add(data.alert)


def _tool_contained(state: SessionState, event: ev.Event, data: ev.ToolContained) -> None:
    state.run.contained[data.tool] = data.why


def _tool_released(state: SessionState, event: ev.Event, data: ev.ToolReleased) -> None:
    state.run.contained.pop(data.tool, None)
    state.run.denials.pop(data.tool, None)


def _clock_jumped(state: SessionState, event: ev.Event, data: ev.ClockJumped) -> None:
    run = state.run
    if run.active_since is not None:
        run.active_since += max(timedelta(), event.at - max(data.since, run.active_since))


def _run_paused(state: SessionState, event: ev.Event, data: ev.RunPaused) -> None:
    run = state.run
    run.paused = data
    for name in list(run.in_flight):
        _end(run, name, event.at)


def _run_resumed(state: SessionState, event: ev.Event, data: ev.RunResumed) -> None:
    run = state.run
    run.paused = None
    if run.stopped is not None:
        # Stopped by a limit and opened again: its budget card comes with this event.
        run.stopped = run.stopped_at = run.closing_because = run.card = None
    # A crash leaves work without an end; what it took until the last event is counted, the time after it is not.
    run.in_flight.clear()
    run.active_since = None


def _run_stopped(state: SessionState, event: ev.Event, data: ev.RunStopped) -> None:
    run = state.run
    for name in list(run.in_flight):
        _end(run, name, event.at)
    run.stopped, run.stopped_at, run.paused = data, event.at, None


def _begin(run: RunState, name: str, at: datetime) -> None:
    if not run.in_flight:
        run.active_since = at
    run.in_flight.add(name)


def _end(run: RunState, name: str, at: datetime) -> None:
    if name not in run.in_flight:
        return
    run.in_flight.discard(name)
    if not run.in_flight and run.active_since is not None:
        seconds = max(0.0, (at - run.active_since).total_seconds())
        run.spend = replace_spend(run.spend, active_seconds=run.spend.active_seconds + seconds)
        run.active_since = None


def _with_usage(spend: Spend, usage: Usage, cost: Decimal | None, *, counts_step: bool) -> Spend:
    return replace_spend(
        spend,
        steps=spend.steps + (1 if counts_step else 0),
        input_tokens=spend.input_tokens + usage.input_tokens,
        output_tokens=spend.output_tokens + usage.output_tokens,
        cache_read_tokens=spend.cache_read_tokens + usage.cache_read_tokens,
        cache_write_tokens=spend.cache_write_tokens + usage.cache_write_tokens,
        reasoning_tokens=spend.reasoning_tokens + usage.reasoning_tokens,
        cost_usd=None if cost is None or spend.cost_usd is None else spend.cost_usd + cost,
    )


def replace_spend(spend: Spend, **changes: Any) -> Spend:
    """A copy of a spend with some figures changed."""
    return msgspec.structs.replace(spend, **changes)


def with_limit(limits: Limits, name: LimitName, value: str) -> Limits:
    """A copy with one limit set from its journaled text; "none" lifts a limit in money."""
    if name in MONEY_LIMITS:
        parsed: Decimal | float | int | None = None if value == "none" else Decimal(value)
    elif name is LimitName.SECONDS:
        parsed = float(value)
    else:
        parsed = int(value)
    return msgspec.structs.replace(limits, **{name.value: parsed})


def _instant(value: object) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None


_HANDLERS: dict[type[ev.EventData], Callable[[SessionState, ev.Event, Any], None]] = {
    ev.SessionOpened: _session_opened,
    ev.SessionForked: carry_in,
    ev.RunStarted: _run_started,
    ev.ModelRequested: _model_requested,
    ev.ModelFailed: _model_failed,
    ev.ModelResponded: _model_responded,
    ev.CallJudged: _call_judged,
    ev.ProposalOpened: _proposal_opened,
    ev.ProposalPresented: _proposal_presented,
    ev.ProposalChanged: _proposal_changed,
    ev.ProposalWithdrawn: _proposal_withdrawn,
    ev.ProposalExpired: _proposal_expired,
    ev.DecisionMade: _decision_made,
    ev.DecisionUndone: _decision_undone,
    ev.DecisionRegretted: _decision_regretted,
    ev.CallStarted: _call_started,
    ev.CallRetried: _call_retried,
    ev.CallFinished: _call_finished,
    ev.CallUnknown: _call_unknown,
    ev.SideAsked: _side_asked,
    ev.SideAnswered: _side_answered,
    ev.SideRead: _side_read,
    ev.ContextEdited: _context_edited,
    ev.LimitChanged: _limit_changed,
    ev.LimitReached: _limit_reached,
    ev.LoopDetected: _loop_detected,
    ev.AlertRaised: _alert_raised,
    ev.AlertAcknowledged: _alert_acknowledged,
    ev.MessageAdded: _message_added,
    ev.NoteWritten: _note_written,
    ev.PlanAdopted: _plan_adopted,
    ev.StepReported: _step_reported,
    ev.ToolContained: _tool_contained,
    ev.ToolReleased: _tool_released,
    ev.ClockJumped: _clock_jumped,
    ev.RunPaused: _run_paused,
    ev.RunResumed: _run_resumed,
    ev.RunStopped: _run_stopped,
}
