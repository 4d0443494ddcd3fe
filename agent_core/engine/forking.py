"""Forking: a session that begins with what another one had come to at the end of a step. Pure.

The history is carried word for word, with what came of each call: nothing is run, asked about or counted again. Cards,
approvals and spend stay with the source. The workspace is not rewound, and the fork is told what happened in it since.
"""

from typing import Any

import msgspec

from agent_core.context.notes import fork_note
from agent_core.engine.summary import profile_of
from agent_core.model.action import EffectClass
from agent_core.model.engine_tools import NOTES_WRITE
from agent_core.model.errors import InputError
from agent_core.model.events import CarriedCall, CarriedTurn, Said, SessionForked
from agent_core.model.intents import ForkPlan, ForkPoint
from agent_core.model.run import HistoryKind, RequestState
from agent_core.model.state import CallState, CallStatus, SessionState

MOST_TOLD = 20
"""Effects of later steps that the fork is told one by one."""
_WORDS = 80
"""Letters of a step in the picker."""


def plan_of(state: SessionState) -> ForkPlan:
    """What a fork of this session can begin with."""
    if state.opened is None or not state.runs:
        raise InputError(f"{state.session} is no session that can be forked")
    points = [ForkPoint(step=0, words="The goal alone")]
    why_not = ""
    for request in _answered(state):
        unsettled = [state.calls[c] for c in request.calls if state.calls[c].status is not CallStatus.FINISHED]
        if unsettled:
            why_not = f"Step {request.step} is not whole: {_unsettled_words(unsettled[0])}"
            break
        point = ForkPoint(step=request.step, words=_words(state, request))
        if points[-1].step == request.step:
            points.pop()
        points.append(point)
    return ForkPlan(
        session=state.session,
        goal=state.opened.goal,
        limits=msgspec.structs.replace(profile_of(state).limits, tree_cost_usd=state.run.limits.tree_cost_usd),
        points=points,
        why_not_later=why_not,
    )


def forked(state: SessionState, step: int | None, by: str) -> SessionForked:
    """The event that a fork after that step begins with. Raises InputError for a step that cannot be taken over."""
    plan = plan_of(state)
    steps = [point.step for point in plan.points]
    last = steps[-1] if step is None else step
    if last not in steps:
        offer = f"{steps[0]} to {steps[-1]}" if len(steps) > 1 else "0"
        why = f"; {plan.why_not_later[:1].lower()}{plan.why_not_later[1:]}" if plan.why_not_later else ""
        raise InputError(f"Session {state.session} can be forked after the steps {offer}, not after {last}{why}")
    return SessionForked(
        source=state.session,
        seq=state.seq,
        by=by,
        step=last,
        turns=_turns(state, last),
        notes=_notes(state, last),
        note=_workspace_note(state, last),
    )


def _answered(state: SessionState) -> list[RequestState]:
    """Every request with a response, in the order of the history."""
    entries = (entry for entry in state.history if entry.kind is HistoryKind.RESPONSE)
    return [state.requests[entry.request_id] for entry in entries]


def _turns(state: SessionState, last: int) -> list[CarriedTurn]:
    turns: list[CarriedTurn] = []
    said: list[Said] = []
    for entry in state.history[1:]:  # the first is the goal: the fork has one of its own
        if entry.kind in (HistoryKind.OPERATOR, HistoryKind.NOTE):
            said.append(Said(text=entry.text, note=entry.kind is HistoryKind.NOTE))
        elif entry.kind is HistoryKind.RESPONSE:
            request = state.requests[entry.request_id]
            if request.step > last:
                break
            turns.append(_turn(state, request, said))
            said = []
    return turns


def _turn(state: SessionState, request: RequestState, said: list[Said]) -> CarriedTurn:
    assert request.responded is not None
    assert request.responded_at is not None
    return CarriedTurn(
        step=request.step,
        said=said,
        requested=msgspec.structs.replace(request.requested, note=""),  # it stands in `said`
        requested_at=request.requested_at,
        requested_seq=request.requested_seq,
        responded=request.responded,
        responded_at=request.responded_at,
        calls=[_call(state.calls[call_id]) for call_id in request.calls],
    )


def _call(call: CallState) -> CarriedCall:
    assert call.finished is not None
    assert call.finished_at is not None
    judged = call.judged
    if judged is not None:  # what it ran with, without what the gate looked at to let it
        bare: dict[str, Any] = {"reasons": [], "rules": [], "seen": {}, "rationale": None, "confidence": None}
        judged = msgspec.structs.replace(judged, arguments=call.arguments, digest=None, **bare)
    return CarriedCall(
        asked_at=call.asked_at,
        judged=judged,
        finished=call.finished,
        finished_at=call.finished_at,
        finished_seq=call.finished_seq,
    )


def _notes(state: SessionState, last: int) -> dict[str, str]:
    """The agent's notes as they stood at the end of that step."""
    notes: dict[str, str] = {}
    run = next((run for run in reversed(state.runs) if any(state.calls[c].step <= last for c in run.calls)), None)
    for call in (state.calls[c] for c in (run.calls if run is not None else ())):
        wrote = call.tool == NOTES_WRITE and call.finished is not None and call.finished.ok
        if wrote and call.step <= last:
            notes[str(call.arguments.get("key"))] = str(call.arguments.get("text"))
    return notes


def _workspace_note(state: SessionState, last: int) -> str:
    later = [call for call in state.calls.values() if call.step > last and _may_have_happened(call)]
    told = [f"step {call.step}: {_effect_words(call)}" for call in later[:MOST_TOLD]]
    if len(later) > len(told):
        told.append(f"and {len(later) - len(told)} more")
    return fork_note(state.session, last, "; ".join(told))


def _may_have_happened(call: CallState) -> bool:
    changes = call.judged is not None and call.judged.effect_class not in (EffectClass.READ_ONLY, EffectClass.ENGINE)
    ran = call.finished.ran and call.finished.ok if call.finished is not None else call.started is not None
    return changes and ran


def _effect_words(call: CallState) -> str:
    if call.finished is None:
        return f"{call.tool}, which may or may not have happened"
    return call.finished.summary or call.tool


def _words(state: SessionState, request: RequestState) -> str:
    done = [state.calls[c] for c in request.calls]
    if done:
        words = "; ".join((call.finished.summary if call.finished else "") or call.tool for call in done)
    else:
        content = request.responded.content if request.responded is not None else []
        words = " ".join(str(block.get("text", "")) for block in content if block.get("type") == "text")
    flat = " ".join(words.split())
    return flat if len(flat) <= _WORDS else flat[: _WORDS - 1] + "…"


def _unsettled_words(call: CallState) -> str:
    if call.status is CallStatus.UNKNOWN:
        return f"nobody has said yet whether {call.tool} happened"
    if call.status is CallStatus.WAITING:
        return f"{call.tool} waits for a decision"
    return f"{call.tool} has not ended yet"
