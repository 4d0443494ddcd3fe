"""Progress: one line of plain text for each event that a person wants to follow. Pure."""

import math
from collections.abc import Iterator

from agent_core.model import events as ev
from ui.formatting import money
from ui.hostile import visible, visible_line
from ui.models.trace.words import FAULTS, plain

_LONGEST = 160


def lines_for(event: ev.Event) -> Iterator[str]:
    """The lines of one event; none for those that say nothing to a reader of the terminal."""
    match event.data:
        case ev.SessionOpened() as data:
            demo = " (demo)" if data.demo else ""
            yield visible_line(f"session {event.session}{demo}: {data.agent} in {data.workspace}")
            yield visible_line(f"goal: {data.goal}")
        case ev.ModelResponded() as data:
            yield from _response(event.step, data)
        case ev.ModelFailed() as data:
            yield visible_line(f"{event.step:>3}  attempt {data.attempt}{_failure(event, data)}")
        case ev.RunPaused() as data:
            yield visible_line(f"paused ({data.reason}){f': {data.detail}' if data.detail else ''}")
        case ev.RunResumed() as data:
            yield visible_line(f"goes on, by {data.by}")
        case ev.RunStopped() as data:
            yield from _stop(data)
        case ev.ProposalChanged() as data:
            yield visible_line(f"     ◇ the card changed: {data.why}")
            yield from (visible_line(f"       {one.answer}") for one in data.revised.answers[-1:] if data.answers)
        case data:
            inside = _inside_a_step(data)
            if inside is not None:
                yield visible_line(f"     {inside}")


def _failure(event: ev.Event, data: ev.ModelFailed) -> str:
    """What went wrong: the whole sentence where another attempt follows, else the pause or the end tells it."""
    if data.retry_at is None:
        return f" failed: {FAULTS.get(data.fault, plain(data.fault))}"
    wait = math.ceil((data.retry_at - event.at).total_seconds())
    return f": {data.message.rstrip('.')}. Trying again in {max(1, wait)} s."


def _inside_a_step(data: ev.EventData) -> str | None:
    """What happens between a response and the next request, with a mark of its own."""
    match data:
        case ev.CallStarted():
            return f"→ {data.tool}"
        case ev.CallFinished():
            mark = "✓" if data.ok else "✗"
            said = data.summary or (data.error.message if data.error else "done")
            return f"{mark} {data.tool}: {_short(said)}"
        case ev.CallUnknown():
            return f"? {data.tool}: {data.why}"
        case ev.ProposalOpened():
            card = data.proposal
            return f"■ {card.touchpoint.value.replace('_', ' ')}: {card.summary} [{card.proposal}]"
        case ev.DecisionMade():
            reason = f": {data.reason}" if data.reason else ""
            return f"◆ {data.by} says {data.verdict.replace('_', ' ')}{reason}"
        case ev.ProposalExpired():
            return f"◇ nobody decided in time; outcome: {data.outcome.value}"
        case ev.ProposalWithdrawn():
            return f"◇ withdrawn: {data.why}"
        case ev.LimitReached():
            return f"! limit reached: {data.limit.value} ({data.spent} of {data.value})"
        case ev.LimitChanged():
            return f"! {data.limit.value}: {data.old} → {data.new}, by {data.by}"
        case ev.LoopDetected():
            return f"! {data.tool} repeats itself"
        case ev.ClockJumped():
            return "! the machine slept, or its clock was set; that time is not counted"
        case ev.PlanAdopted():
            edited = f", edited by {data.edited_by}" if data.edited_by else ""
            return f"◆ the plan is in force{edited}: {', '.join(step.id for step in data.steps)}"
        case ev.StepReported():
            return f"{'✓' if data.done else '✗'} step {data.step}: {_short(data.result)}"
        case ev.AlertRaised():
            return f"! {data.message}"
        case _:
            return None


def _response(step: int, data: ev.ModelResponded) -> Iterator[str]:
    cost = money(data.cost_usd) if data.cost_usd is not None else "cost unknown"
    texts = [str(block.get("text", "")) for block in data.content if block.get("type") == "text"]
    text = "\n".join(texts).strip() or f"calls {', '.join(call.tool for call in data.calls)}"
    first, *rest = visible(text).split("\n")
    yield f"{step:>3}  {first}  ({cost})"
    yield from (f"     {line}" for line in rest)


def _stop(data: ev.RunStopped) -> Iterator[str]:
    state = "completed" if data.completed else f"ended: {data.stop_reason.replace('_', ' ')}"
    told = any(data.detail in gap for gap in data.gaps)
    yield visible_line(f"{state} (confidence {data.confidence}){'' if told or not data.detail else f', {data.detail}'}")
    if data.output:
        yield visible(data.output)
    yield from (visible_line(f"missing: {gap}") for gap in data.gaps)


def _short(text: str) -> str:
    """The first line of a summary. What matters for a decision is on the card, which is never shortened."""
    first = text.split("\n", 1)[0]
    return first if len(first) <= _LONGEST else first[: _LONGEST - 1] + "…"
