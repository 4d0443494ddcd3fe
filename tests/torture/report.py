"""What a point of the torture measured: figures with what they had to be, and the table that shows them."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """How a point is run: from which seed, how thoroughly, in which folder, and on which recordings."""

    seed: int = 1
    quick: bool = False
    """A short slice, for every change; otherwise the figures that the guarantees name."""
    scratch: Path = Path()
    """An empty folder of the point's own."""
    recordings: Path | None = None
    trajectories: Path | None = None

    def size(self, full: int, slice_: int) -> int:
        """How many times: in full, or in a slice."""
        return slice_ if self.quick else full


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number. `holds` says whether it is what `wanted` promises."""

    name: str
    measured: str
    wanted: str
    holds: bool


@dataclass(slots=True)
class Point:
    """What one point found. `problems` are sentences about what went wrong, the first of each kind."""

    figures: list[Figure] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def none(self, name: str, count: int, of: int | None = None) -> None:
        """A figure that must be 0."""
        among = f" of {of:,}" if of is not None else ""
        self.figures.append(Figure(name, f"{count:,}{among}", "0", count == 0))

    def all(self, name: str, count: int, of: int) -> None:
        """A figure that must reach the whole, which is not empty."""
        self.figures.append(Figure(name, f"{count:,} of {of:,}", "all", count == of and of > 0))

    def most(self, name: str, value: float, bound: float, unit: str = "") -> None:
        """A figure that may not be above a bound."""
        self.figures.append(Figure(name, f"{value:,.4g}{unit}", f"≤ {bound:,.4g}{unit}", value <= bound))

    def least(self, name: str, value: int, bound: int) -> None:
        """A figure that may not be below a bound."""
        self.figures.append(Figure(name, f"{value:,}", f"≥ {bound:,}", value >= bound))

    def shown(self, name: str, value: object) -> None:
        """A figure that is told without a bound."""
        self.figures.append(Figure(name, str(value), "", True))

    def sure(self, name: str, holds: bool) -> None:
        """Something that must be so."""
        self.figures.append(Figure(name, "yes" if holds else "no", "yes", holds))

    def problem(self, sentence: str) -> None:
        """Note what went wrong; a hundred are enough to see the kind."""
        if len(self.problems) < 100:
            self.problems.append(sentence)

    @property
    def holds(self) -> bool:
        """Whether every figure is what it has to be."""
        return bool(self.figures) and all(figure.holds for figure in self.figures)


Measure = Callable[[Options], Point]


@dataclass(frozen=True, slots=True)
class Named:
    """A point by its number and title."""

    number: int
    title: str
    measure: Measure


@dataclass(frozen=True, slots=True)
class Took:
    """How long something took: by the clock, and in the time of processors, its child processes included."""

    seconds: float = 0.0
    cpu: float = 0.0

    @classmethod
    def now(cls) -> "Took":
        """Since some moment in the past; the difference of two tells what lies between."""
        spent = os.times()
        return cls(time.monotonic(), spent.user + spent.system + spent.children_user + spent.children_system)

    def __sub__(self, other: "Took") -> "Took":
        return Took(self.seconds - other.seconds, self.cpu - other.cpu)

    def __add__(self, other: "Took") -> "Took":
        return Took(self.seconds + other.seconds, self.cpu + other.cpu)

    def __str__(self) -> str:
        return f"{self.seconds:.0f} s (cpu {self.cpu:.0f} s)"


def table(rows: Sequence[tuple[Named, Point, Took]]) -> str:
    """All figures as one table: number, title, how long it took, figure, measured, wanted, and whether it holds."""
    lines: list[tuple[str, str, str, str]] = []
    for named, point, took in rows:
        lines.append((f"{named.number:>2}  {named.title}", str(took), "", ""))
        lines += [
            (f"      {figure.name}", figure.measured, figure.wanted, "ok" if figure.holds else "FAILED")
            for figure in point.figures
        ]
    holding = sum(point.holds for _, point, _ in rows)
    whole = sum((took for _, _, took in rows), Took())
    lines.append((f"{holding} of {len(rows)} points hold", str(whole), "", ""))
    widths = [max((len(line[column]) for line in lines), default=0) for column in range(4)]
    rule = "-" * (sum(widths) + 6)
    body = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([rule, *body, rule])
