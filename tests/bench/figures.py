"""Figures: what a row of the benchmark says. A ratio is taken of two measurements made one after the other, and given
as the median of several, with the smallest and the largest beside it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

T = TypeVar("T")
TIMES = "×"


@dataclass(frozen=True, slots=True)
class Goal:
    """What docs/benchmarks.md promises: at most this, or at least this."""

    limit: float
    at_least: bool = False

    def met(self, value: float) -> bool:
        """Whether a value keeps the promise."""
        return value >= self.limit if self.at_least else value <= self.limit

    def text(self, unit: str) -> str:
        """As the table prints it."""
        return f"{'≥' if self.at_least else '≤'} {number(self.limit)} {unit}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table: several values of one ratio (or of one size), and what it was made of."""

    what: str
    values: Sequence[float]
    goal: Goal | None = None
    unit: str = TIMES
    ours: str = ""
    beside: str = ""

    @property
    def value(self) -> float:
        """The median."""
        return median(self.values)

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None for a figure without one."""
        return None if self.goal is None else self.goal.met(self.value)


@dataclass(frozen=True, slots=True)
class Options:
    """How long to measure, and against whom."""

    quick: bool = False
    peers: bool = False

    def of(self, whole: int, quick: int) -> int:
        """The number for this run."""
        return quick if self.quick else whole


Row = Callable[[Options], list[Figure]]


def pairs(count: int, ours: Callable[[], T], other: Callable[[], T]) -> list[tuple[T, T]]:
    """Measure two things in turns, so that whatever else the machine does hits both. Who is first alternates."""
    measured = []
    for turn in range(count):
        if turn % 2:
            second = other()
            measured.append((ours(), second))
        else:
            first = ours()
            measured.append((first, other()))
    return measured


def ratios(measured: Sequence[tuple[float, float]]) -> list[float]:
    """Ours by the other's, pair by pair."""
    return [ours / other for ours, other in measured]


def number(value: float) -> str:
    """Three figures, no exponent: 0.372, 12.4, 1,260."""
    if value >= 100:
        return f"{value:,.0f}"
    places = 1 if value >= 10 else 2 if value >= 1 else 3
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def millis(seconds: Sequence[float]) -> str:
    """The median of some times, in milliseconds."""
    return f"{number(median(seconds) * 1000)} ms"
