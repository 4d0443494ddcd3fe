"""Roll-up: what a session used, by step and in all, folded from its events. Pure; takes one event at a time."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from statistics import median
from typing import Any

import msgspec

from agent_core.model import events as ev
from agent_core.model.action import GateVerdict
from agent_core.model.budget import CostParts, Spend, Usage


def high(history: Sequence[Spend], share: float = 0.95) -> Spend | None:
    """What that share of earlier runs stayed within (nearest rank), figure by figure; None for fewer than three.

    The cost is None where that of a run is not known.
    """
    if len(history) < FEWEST_RUNS:
        return None
    place = math.ceil(len(history) * share) - 1
    costs = [spend.cost_usd for spend in history if spend.cost_usd is not None]
    counts = {name: sorted(getattr(spend, name) for spend in history)[place] for name in _COUNTS}
    return msgspec.structs.replace(
        Spend(),
        **counts,
        cost_usd=sorted(costs)[place] if len(costs) == len(history) else None,
        active_seconds=sorted(spend.active_seconds for spend in history)[place],
    )


FEWEST_RUNS = 3
"""Runs without which nothing is usual."""

_COUNTS = (
    "steps", "tool_calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens",
    "reasoning_tokens", "lost_tokens",
)  # fmt: skip


@dataclass(slots=True)
class StepFigures:
    """One step: its model request with all attempts, and the calls of its response."""

    step: int
    run: str
    began_at: datetime
    ended_at: datetime
    usage: Usage = field(default_factory=Usage)
    cost_usd: Decimal | None = None
    """None while there is no response, and where its price is not known."""
    cost_parts: CostParts | None = None
    first_token_ms: int | None = None
    duration_ms: int = 0
    finish_reason: str = ""
    attempts: int = 0
    input_estimate: int = 0
    slots: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    failed_calls: int = 0
    call_retries: int = 0
    call_ms: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)
    """Gate verdicts of its calls."""
    decision_seconds: list[float] = field(default_factory=list)
    """How long each of its cards was open until a person decided."""

    @property
    def seconds(self) -> float:
        """From its first event to its last, waiting for people included."""
        return (self.ended_at - self.began_at).total_seconds()

    def utilisation(self, ceiling: int) -> float:
        """How full the context was against the design ceiling (1.0 is full)."""
        known = self.usage.context_tokens or self.input_estimate
        return known / ceiling if ceiling > 0 else 0.0


@dataclass(slots=True)
class Rollup:
    """Figures of one session, by step in order."""

    steps: dict[int, StepFigures] = field(default_factory=dict)

    def take(self, event: ev.Event) -> StepFigures | None:
        """Take one more event; gives the step that it changed, None where it belongs to none."""
        handler = _HANDLERS.get(type(event.data))
        if handler is None:
            return None
        figures = self.steps.get(event.step)
        if figures is None:
            figures = self.steps[event.step] = StepFigures(event.step, event.run or "", event.at, event.at)
        figures.ended_at = event.at
        handler(figures, event.data)
        return figures

    @property
    def cost_usd(self) -> Decimal | None:
        """The sum of all steps' costs; None once one of an answered step is unknown."""
        answered = [step.cost_usd for step in self.steps.values() if step.finish_reason]
        known = [cost for cost in answered if cost is not None]
        return sum(known, Decimal(0)) if len(known) == len(answered) else None


def _requested(step: StepFigures, data: ev.ModelRequested) -> None:
    step.attempts += 1
    step.input_estimate, step.slots = data.input_estimate, data.slots


def _responded(step: StepFigures, data: ev.ModelResponded) -> None:
    step.usage, step.cost_usd, step.cost_parts = data.usage, data.cost_usd, data.cost_parts
    step.first_token_ms, step.duration_ms = data.first_token_ms, data.duration_ms
    step.finish_reason = data.finish_reason
    step.calls = len(data.calls)


def _failed(step: StepFigures, data: ev.ModelFailed) -> None:
    """A failure is an attempt that was counted already; it only moves the end of the step."""


def _judged(step: StepFigures, data: ev.CallJudged) -> None:
    name = GateVerdict(data.verdict).value
    step.verdicts[name] = step.verdicts.get(name, 0) + 1


def _retried(step: StepFigures, data: ev.CallRetried) -> None:
    step.call_retries += 1


def _finished(step: StepFigures, data: ev.CallFinished) -> None:
    step.call_ms += data.duration_ms
    step.failed_calls += int(not data.ok and data.ran)


def _decided(step: StepFigures, data: ev.DecisionMade) -> None:
    step.decision_seconds.append(data.open_seconds)


_HANDLERS: dict[type[ev.EventData], Callable[[StepFigures, Any], None]] = {
    ev.ModelRequested: _requested,
    ev.ModelResponded: _responded,
    ev.ModelFailed: _failed,
    ev.CallJudged: _judged,
    ev.CallRetried: _retried,
    ev.CallFinished: _finished,
    ev.DecisionMade: _decided,
}


def rollup(events: Sequence[ev.Event]) -> Rollup:
    """The figures of a whole session."""
    figures = Rollup()
    for event in events:
        figures.take(event)
    return figures


def projected(spend: Spend, typical: Spend | None) -> Spend | None:
    """What a run will have used at its end, if its steps go on costing what they did and it takes the usual number.

    None before the first step, and where nothing is known of earlier runs.
    """
    if typical is None or spend.steps == 0:
        return None
    factor = Decimal(max(typical.steps, spend.steps)) / spend.steps
    whole = {name: int(getattr(spend, name) * factor) for name in _COUNTS}
    return msgspec.structs.replace(
        spend,
        **whole,
        cost_usd=None if spend.cost_usd is None else spend.cost_usd * factor,
        active_seconds=spend.active_seconds * float(factor),
    )


def usual(history: Sequence[Spend]) -> Spend | None:
    """The median of each figure over an agent's earlier runs; None for fewer than three. Unknown costs are left out."""
    if len(history) < FEWEST_RUNS:
        return None
    costs = [spend.cost_usd for spend in history if spend.cost_usd is not None]
    counts = {name: int(median(getattr(spend, name) for spend in history)) for name in _COUNTS}
    return msgspec.structs.replace(
        Spend(),
        **counts,
        cost_usd=median(costs) if len(costs) >= FEWEST_RUNS else None,
        active_seconds=median(spend.active_seconds for spend in history),
    )
