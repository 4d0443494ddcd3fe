"""The head of a step: when it began, what it did, how it stands, what it read and cost."""

from datetime import datetime

from agent_core.model import events as ev
from agent_core.model.proposal import Touchpoint
from ui import formatting
from ui.models.trace.line import ChipText, StepLine
from ui.models.trace.model import CHARACTERS_A_TOKEN, TraceModel

_CUT_OFF = {"max_tokens": "answer cut off", "refusal": "model refused", "model_context_window_exceeded": "context full"}


def step_line(model: TraceModel, row: int, now: datetime | None = None) -> StepLine:
    """The head of one step. `now` gives the pace of a stream."""
    event, later = model.event(row), model.later(row)
    requested = event.data
    assert isinstance(requested, ev.ModelRequested)
    responded = next((e.data for e in later if isinstance(e.data, ev.ModelResponded)), None)
    facts = [formatting.clock_time(event.at.astimezone())]
    if responded is not None:
        facts += _calls(responded, later)
    took = _took(event, later)
    if took is not None:
        facts.append(formatting.duration(took))
    return StepLine(
        name="Closing request" if requested.closing else f"Step {event.step}",
        facts=" · ".join(facts),
        figures=_figures(responded) if responded is not None else "",
        chip=_chip(model, row, responded, later, now),
    )


def _calls(responded: ev.ModelResponded, later: list[ev.Event]) -> list[str]:
    number = len(responded.calls)
    if number < 2:
        return []
    return [f"{number} calls in parallel" if _overlap(later) else f"{number} calls"]


def _overlap(later: list[ev.Event]) -> bool:
    running: set[str] = set()
    for event in later:
        if isinstance(event.data, ev.CallStarted):
            running.add(event.data.call_id)
            if len(running) > 1:
                return True
        elif isinstance(event.data, ev.CallFinished):
            running.discard(event.data.call_id)
    return False


def _took(event: ev.Event, later: list[ev.Event]) -> float | None:
    """Seconds from request to the last answer; None while it is open, when a person was waited for, or time stood."""
    last: ev.Event | None = None
    for one in later:
        if isinstance(one.data, ev.ProposalOpened | ev.ClockJumped):
            return None
        if isinstance(one.data, ev.ModelResponded | ev.CallFinished):
            last = one
    if last is None:
        return None
    responded = next((e.data for e in later if isinstance(e.data, ev.ModelResponded)), None)
    answered = sum(isinstance(e.data, ev.CallFinished) for e in later)
    if responded is None or answered < len(responded.calls):
        return None
    return max(0.0, (last.at - event.at).total_seconds())


def _figures(responded: ev.ModelResponded) -> str:
    usage = responded.usage
    read = usage.context_tokens
    at_least = "" if usage.complete else "at least "
    words = [f"{at_least}{formatting.compact_count(read)} in"]
    if read:
        words.append(f"{formatting.percent(usage.cache_read_tokens / read)} cached")
    words.append(f"{formatting.compact_count(usage.output_tokens)} out")
    words.append("cost unknown" if responded.cost_usd is None else formatting.money(responded.cost_usd))
    return " · ".join(words)


def _chip(
    model: TraceModel, row: int, responded: ev.ModelResponded | None, later: list[ev.Event], now: datetime | None
) -> ChipText | None:  # fmt: skip
    waiting = model.waiting.get(row)
    if waiting:
        return _waiting_chip(next(iter(waiting)), later)
    if responded is not None:
        words = _CUT_OFF.get(responded.finish_reason)
        return ChipText(words, "attn", "triangle-alert") if words else None
    since = model.streams_since(row)
    if since is None:
        return None
    pace = _pace(since, now)
    return ChipText(f"Streaming · {pace}" if pace else "Streaming", "plain", "circle-play")


def _waiting_chip(proposal: str, later: list[ev.Event]) -> ChipText:
    cards = (event.data.proposal for event in later if isinstance(event.data, ev.ProposalOpened))
    card = next(card for card in cards if card.proposal == proposal)
    if card.touchpoint is Touchpoint.OUTCOME_UNKNOWN:
        return ChipText("Outcome unknown", "unk", "circle-question-mark", since=card.opened_at)
    return ChipText("Waiting for you", "attn", "hand", since=card.opened_at)


def _pace(since: tuple[datetime, int], now: datetime | None) -> str:
    """Tokens a second, estimated from characters: the service counts tokens only at the end."""
    began, characters = since
    seconds = (now - began).total_seconds() if now is not None else 0.0
    return f"~{characters / CHARACTERS_A_TOKEN / seconds:.0f} tok/s" if seconds >= 0.5 else ""
