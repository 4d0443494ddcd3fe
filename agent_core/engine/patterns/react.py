"""ReAct: one turn at a time. Ask the model, judge every call, run what may run, answer all of them, repeat."""

from datetime import datetime

from agent_core.engine.commands import (
    AnswerCalls,
    AnswerQuestion,
    AwaitDecisions,
    Command,
    Idle,
    JudgeCalls,
    OpenProposal,
    RequestModel,
    ResolveUnknown,
    RunCalls,
    Stop,
    WaitUntil,
)
from agent_core.model.action import EffectClass
from agent_core.model.engine_tools import FINISH, PLAN_REPORT, PLAN_SUBMIT
from agent_core.model.proposal import DeadlineOutcome, Decision, ProposalStatus, Touchpoint, Verdict
from agent_core.model.state import CallState, CallStatus, RequestState, SessionState, StopReason
from agent_core.policy.limits import STOP_REASONS

_LATE = {PLAN_REPORT: 1, PLAN_SUBMIT: 2, FINISH: 3}
"""Calls that say what came of the others of their response, so they run when those are answered, in this order."""
PARALLEL = 8
"""Read-only calls that may run side by side."""

_GOES_ON = frozenset({"max_tokens", "pause_turn"})
"""Finish reasons after which the model simply speaks on."""
_ENDS = frozenset({"end_turn", "stop_sequence", "tool_use"})


def next_command(state: SessionState, now: datetime) -> Command:
    """What the newest run needs next. Pure: the same state and instant give the same command."""
    if not state.runs or state.run.stopped is not None or state.run.paused is not None:
        return Idle()
    request = latest_request(state)
    calls = [state.calls[c] for c in request.calls] if request is not None else []
    if any(call.status is not CallStatus.FINISHED for call in calls):
        return _for_calls(state, calls, now)
    return _for_run_card(state) or _for_turn(state, request, calls)


def latest_request(state: SessionState) -> RequestState | None:
    """The newest request of the session, in whichever run it was made."""
    for run in reversed(state.runs):
        if run.requests:
            return state.requests[run.requests[-1]]
    return None


def _for_calls(state: SessionState, calls: list[CallState], now: datetime) -> Command:
    asked = tuple(c.call_id for c in calls if c.status is CallStatus.ASKED)
    if asked:
        return JudgeCalls(asked)
    adrift = tuple(c.call_id for c in calls if c.status is CallStatus.STARTED)
    if adrift:
        return ResolveUnknown(adrift)
    stop = _stop_by_a_call(state, calls)
    if stop is not None:
        return stop
    answerable = tuple(c.call_id for c in calls if answered_by_a_card(state, c))
    if answerable:
        return AnswerCalls(answerable)
    runnable = [c for c in calls if _may_run(c, calls, now)]
    if runnable:
        return RunCalls(_first_group(runnable))
    question = next((p for p in state.open_cards if state.proposals[p].with_agent), None)
    if question is not None:
        return AnswerQuestion(question)
    later = [instant for c in calls if (instant := _runs_at(c)) is not None and instant > now]
    if later:
        return WaitUntil(min(later))
    return AwaitDecisions(tuple(state.open_proposals))


def _stop_by_a_call(state: SessionState, calls: list[CallState]) -> Stop | None:
    for call in calls:
        decision = call.decision
        if call.status is CallStatus.FINISHED:
            continue
        if decision is not None and decision.verdict is Verdict.REJECT and decision.details.get("then") == "stop":
            return Stop(StopReason.REJECTED, detail=decision.reason or "")
        if decision is not None and decision.verdict is Verdict.ABANDON:
            return Stop(StopReason.REJECTED, detail=decision.reason or "")
        card = state.proposals[call.proposals[-1]] if call.proposals else None
        expired = card is not None and card.status is ProposalStatus.EXPIRED
        if card is not None and expired and card.proposal.deadline_outcome is DeadlineOutcome.STOP:
            return Stop(StopReason.DEADLINE_PASSED, detail=card.proposal.summary)
    return None


def answered_by_a_card(state: SessionState, call: CallState) -> bool:
    """Whether the call's newest card settles it without running: decided so, or expired."""
    if call.status is CallStatus.FINISHED or not call.proposals:
        return False
    card = state.proposals[call.proposals[-1]]
    if card.status is ProposalStatus.EXPIRED:
        return True
    return card.status is ProposalStatus.DECIDED and not _approves(card.closing)


def _approves(decision: Decision | None) -> bool:
    return decision is not None and decision.digest is not None


def _may_run(call: CallState, calls: list[CallState], now: datetime) -> bool:
    late = _LATE.get(call.tool, 0)
    if late and any(_LATE.get(c.tool, 0) < late and c.status is not CallStatus.FINISHED for c in calls):
        return False
    instant = _runs_at(call)
    if call.status is CallStatus.APPROVED:
        return instant is None or instant <= now
    return call.status is CallStatus.JUDGED and call.decision is None


def _runs_at(call: CallState) -> datetime | None:
    approved = call.status is CallStatus.APPROVED and call.decision is not None
    return call.decision.effective_at if approved and call.decision is not None else None


def _first_group(runnable: list[CallState]) -> tuple[str, ...]:
    """Neighbouring read-only calls together, any other call alone: a read after a write sees what was written."""
    group: list[str] = []
    for call in runnable:
        if not _read_only(call):
            break
        group.append(call.call_id)
    return tuple(group[:PARALLEL]) or (runnable[0].call_id,)


def _read_only(call: CallState) -> bool:
    return call.judged is not None and call.judged.effect_class is EffectClass.READ_ONLY


def _for_run_card(state: SessionState) -> Command | None:
    """A limit or a loop holds the run: through its card, or on to what the card was answered with."""
    run = state.run
    if run.limit_reached is not None and run.closing_because is None:
        ended = STOP_REASONS[run.limit_reached.limit]
        return _by_card(state, Touchpoint.BUDGET, run.limit_reached.limit.value, ended)
    if run.loop is not None and run.loop.stops:
        return _by_card(state, Touchpoint.EXCEPTION, StopReason.LOOP_DETECTED.value, StopReason.LOOP_DETECTED)
    return None


def _by_card(state: SessionState, touchpoint: Touchpoint, because: str, ended: StopReason) -> Command:
    card = state.proposals.get(state.run.card or "")
    if card is None or card.status is ProposalStatus.WITHDRAWN:
        return OpenProposal(touchpoint, because)
    if card.status is ProposalStatus.OPEN:
        return AwaitDecisions((card.proposal.proposal,))
    return Stop(ended, detail=(card.closing.reason if card.closing else None) or "")


def _for_turn(state: SessionState, request: RequestState | None, calls: list[CallState]) -> Command:
    run = state.run
    closing = run.closing_because is not None
    if request is None or request.run != run.run:
        return RequestModel(closing)
    if request.responded is None:
        return RequestModel(closing or request.requested.closing)
    if request.requested.closing:
        return Stop(STOP_REASONS[run.limit_reached.limit]) if closing and run.limit_reached else RequestModel(closing)
    finish = next((c for c in calls if c.tool == FINISH and c.finished is not None and c.finished.ok), None)
    if finish is not None:
        return Stop(StopReason.COMPLETED, finish=finish.call_id)
    if calls or state.pending_messages or closing:
        return RequestModel(closing)
    return _by_finish_reason(state, request, request.responded.finish_reason)


def _by_finish_reason(state: SessionState, request: RequestState, reason: str) -> Command:
    if reason in _ENDS:
        return Stop(StopReason.COMPLETED)
    if reason in _GOES_ON:
        return RequestModel()
    if reason == "refusal":
        return Stop(StopReason.REFUSED)
    if reason == "model_context_window_exceeded":
        return Stop(StopReason.CONTEXT_FULL)
    card = state.proposals.get(state.run.card or "")
    if card is None or card.proposal.step != request.step:
        return OpenProposal(Touchpoint.EXCEPTION, f"finish_reason:{reason}")
    command = _by_card(state, Touchpoint.EXCEPTION, reason, StopReason.FAILED)
    went_on = card.closing is not None and card.closing.verdict is not Verdict.ABANDON
    return RequestModel() if isinstance(command, Stop) and went_on else command
