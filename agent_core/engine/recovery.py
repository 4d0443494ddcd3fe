"""Recovery: what becomes of a call that started and whose end nobody recorded. Nothing is guessed.

read_only            run again
idempotent_by_key    run again with the same key
non_idempotent       ask its probe; where that cannot tell, a person is asked, and it is never run again by itself
"""

from dataclasses import replace
from enum import StrEnum

from agent_core.engine import answers
from agent_core.engine.call_events import unknown_events
from agent_core.engine.equipment import Equipment
from agent_core.model.action import EffectClass, ToolError
from agent_core.model.events import CallFinished, EventData
from agent_core.model.state import CallState, SessionState
from agent_core.tools.base import ProbeAnswer

CUT_OFF = "The process that ran it ended before its outcome was recorded."


class Resolution(StrEnum):
    """How the outcome of such a call is found out."""

    RUN_AGAIN = "run_again"
    PROBE = "probe"


def resolution(call: CallState) -> Resolution:
    """What to do about a started call without an outcome."""
    effect = call.judged.effect_class if call.judged is not None else EffectClass.NON_IDEMPOTENT
    return Resolution.PROBE if effect is EffectClass.NON_IDEMPOTENT else Resolution.RUN_AGAIN


async def probed(equipment: Equipment, state: SessionState, call: CallState) -> ProbeAnswer | None:
    """What the tool's own check says of the call; None where the tool has none, or is gone."""
    if call.tool not in equipment.registry:
        return None
    tool = equipment.registry.find(call.tool)
    # What it was judged on is what there was before it: a check can tell that nothing of that has changed.
    seen = dict(call.judged.seen) if call.judged is not None else {}
    context = replace(equipment.context(state, call.call_id), expected=seen)
    return await equipment.executor.probe(tool, call.arguments, context)


async def by_probe(equipment: Equipment, state: SessionState, call: CallState) -> list[EventData]:
    """The events that a probe settles a call with, or the card that asks a person."""
    answer = await probed(equipment, state, call)
    if answer is None or answer.happened is None:
        return unknown_events(equipment, state, call, CUT_OFF, answer)
    return [settled(call, answer)]


async def while_it_may_run(equipment: Equipment, state: SessionState, call: CallState, why: str) -> list[EventData]:
    """As `by_probe`, for a call that was given up just now: it may still be at work, so only an effect settles it."""
    answer = await probed(equipment, state, call)
    if answer is not None and answer.happened:
        return [settled(call, answer)]
    return unknown_events(equipment, state, call, why, answer)


def settled(call: CallState, answer: ProbeAnswer) -> CallFinished:
    """The answer of a call whose probe could tell."""
    if answer.happened:
        result = {"happened": True, "note": f"It was interrupted; a check found that it took effect: {answer.detail}"}
        return answers.answered(call, result, "It happened: found by its check.", ran=True)
    error = ToolError(
        code="did_not_happen",
        message=f"It was interrupted; a check found that it took no effect: {answer.detail}",
        suggestion="Ask for it again if it is still needed.",
    )
    return answers.failed(call, error, ran=True)
