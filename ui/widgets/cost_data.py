"""What the cost graph draws, worked out without Qt: cleaning, merging of steps, sums and axis ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

MOST_BARS: Final = 240
PARTS: Final = ("cache read", "cache write", "fresh input", "output")


@dataclass(frozen=True, slots=True)
class StepCost:
    """What one step cost, in dollars, by kind of token. With `last_step` it stands for all steps up to that one."""

    step: int
    cache_read: float = 0.0
    cache_write: float = 0.0
    fresh_input: float = 0.0
    output: float = 0.0
    last_step: int | None = None

    @property
    def last(self) -> int:
        """The last step that this cost stands for."""
        return self.step if self.last_step is None else self.last_step

    @property
    def parts(self) -> tuple[float, float, float, float]:
        """In the order of `PARTS`, from the bottom of a bar up; anything that is no cost counts 0."""
        return (_cost(self.cache_read), _cost(self.cache_write), _cost(self.fresh_input), _cost(self.output))


@dataclass(frozen=True, slots=True)
class CostState:
    """All steps so far, the budget and the projection (total cost at a future step), in dollars."""

    steps: Sequence[StepCost] = ()
    budget: float | None = None
    projected_total: float | None = None
    projected_step: int | None = None
    cache_read_share: float | None = None

    @property
    def total(self) -> float:
        """Cost so far."""
        return math.fsum(part for step in self.steps for part in step.parts)

    @property
    def known_budget(self) -> float | None:
        """The budget if it is one: a finite amount above 0."""
        return _cost(self.budget) or None if self.budget is not None else None

    @property
    def projection(self) -> tuple[int, float] | None:
        """Step and total of the projection, if it is one."""
        total = _cost(self.projected_total) if self.projected_total is not None else 0.0
        if not total or self.projected_step is None or self.projected_step < 1:
            return None
        return self.projected_step, total


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars ready to draw: first and last step of each, the height of each part, the cumulative cost after each."""

    first: tuple[int, ...]
    last: tuple[int, ...]
    parts: tuple[tuple[float, float, float, float], ...]
    cumulative: tuple[float, ...]

    @property
    def positions(self) -> tuple[float, ...]:
        """Middle of each bar on the step axis."""
        return tuple((a + b) / 2 for a, b in zip(self.first, self.last, strict=True))

    @property
    def highest(self) -> float:
        """Height of the tallest bar in dollars."""
        return max((sum(parts) for parts in self.parts), default=0.0)


def make_bars(steps: Sequence[StepCost], most: int = MOST_BARS) -> Bars:
    """One bar for each step; with many steps, neighbours merge so that at most `most` bars remain.

    A merged bar is the sum of its steps, so that the picture still adds up to the total.
    """
    size = max(1, -(-len(steps) // most))
    groups = [steps[start : start + size] for start in range(0, len(steps), size)]
    parts = tuple(_summed(group) for group in groups)
    cumulative: list[float] = []
    for bar in parts:
        cumulative.append((cumulative[-1] if cumulative else 0.0) + sum(bar))
    return Bars(tuple(g[0].step for g in groups), tuple(g[-1].last for g in groups), parts, tuple(cumulative))


def nice_ticks(highest: float, wanted: int = 2) -> list[float]:
    """Round tick values above 0 up to `highest`, about `wanted` of them: 0.02, 0.04."""
    if not math.isfinite(highest) or highest <= 0:
        return []
    raw = highest / max(1, wanted)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.75)
    return [step * i for i in range(1, int(highest / step + 1e-9) + 1)]


def step_ticks(first: int, last: int, wanted: int = 10) -> list[int]:
    """Step numbers to name on the axis: 1, 3, 5 … for short runs, 1, 100, 200 … for long ones."""
    span = max(1, last - first)
    if span <= 2 * wanted:
        return list(range(first, last + 1, 1 if span <= wanted else 2))
    step = round(nice_ticks(span, wanted)[0])
    return [first, *range(first // step * step + step, last + 1, step)]


def cost_label(dollars: float) -> str:
    """A tick of the left axis: cents below a dollar ("2¢", "0.5¢"), else dollars."""
    if dollars >= 1:
        return f"${dollars:,.2f}".removesuffix(".00")
    cents = dollars * 100
    return f"{cents:.4f}".rstrip("0").rstrip(".") + "¢"


def _summed(group: Iterable[StepCost]) -> tuple[float, float, float, float]:
    read, write, fresh, output = (math.fsum(column) for column in zip(*(step.parts for step in group), strict=True))
    return read, write, fresh, output


def _cost(value: float) -> float:
    return float(value) if math.isfinite(value) and value > 0 else 0.0
