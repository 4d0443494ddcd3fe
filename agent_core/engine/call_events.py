"""Call events: how the start, the end and the unknown end of a call are journaled. Pure but for new identifiers."""

from typing import Any

import msgspec

from agent_core.engine import openings
from agent_core.engine.equipment import Equipment
from agent_core.model.engine_tools import NOTES_WRITE, PLAN_REPORT, PLAN_SUBMIT
from agent_core.model.events import (
    CallFinished,
    CallStarted,
    CallUnknown,
    EventData,
    NoteWritten,
    PlanAdopted,
    ProposalOpened,
    StepReported,
)
from agent_core.model.plan import PlanStep
from agent_core.model.state import CallState, SessionState
from agent_core.tools.authorised import Authorised
from agent_core.tools.base import Outcome, ProbeAnswer


def unknown_events(
    equipment: Equipment, state: SessionState, call: CallState, why: str, found: ProbeAnswer | None = None
) -> list[EventData]:
    """The events of a call that may or may not have happened: it says so, and its card shows what a check `found`."""
    unknown = CallUnknown(call_id=call.call_id, tool_use_id=call.tool_use_id, tool=call.tool, why=why)
    frame = equipment.frame(state, call.step, equipment.profile.gate)
    return [unknown, ProposalOpened(proposal=openings.outcome_unknown(frame, state, call, unknown, found))]


def started(call: CallState, token: Authorised) -> CallStarted:
    """The intent of one effect, exactly as it was authorised."""
    return CallStarted(
        call_id=call.call_id,
        tool_use_id=call.tool_use_id,
        tool=token.tool,
        arguments=token.arguments,
        idempotency_key=token.idempotency_key,
        digest=token.digest,
        attempt=token.attempt,
        decision=token.decision,
    )


def finished(call: CallState, outcome: Outcome, millis: int, changed: tuple[str, str] | None) -> CallFinished:
    """The answer of a call that ran to its end. `changed` names who modified it, and how, for the model."""
    result = outcome.result
    if changed is not None:
        result = {"operator": changed[1], **(result if isinstance(result, dict) else {"result": result})}
    return CallFinished(
        call_id=call.call_id,
        tool_use_id=call.tool_use_id,
        tool=call.tool,
        ok=True,
        result=result,
        duration_ms=millis,
        summary=outcome.summary,
        undo=outcome.undo,
        sources=outcome.sources,
        changed_by=changed[0] if changed is not None else None,
    )


def journaled_with(call: CallState, arguments: dict[str, Any], changed_by: str | None) -> list[EventData]:
    """What an engine call that came back well means beside its answer, in the same transaction."""
    if call.tool == NOTES_WRITE:
        return [NoteWritten(key=str(arguments["key"]), text=str(arguments["text"]))]
    if call.tool == PLAN_SUBMIT:
        steps = msgspec.convert(arguments["steps"], list[PlanStep])
        return [PlanAdopted(call_id=call.call_id, steps=steps, edited_by=changed_by)]
    if call.tool == PLAN_REPORT:
        done, result = arguments["done"] is True, str(arguments["result"])
        return [StepReported(step=str(arguments["step"]), done=done, result=result)]
    return []
