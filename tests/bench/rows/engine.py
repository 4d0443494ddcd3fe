"""A step of the engine against a step of the loop that people write by hand, on the same service."""

from collections.abc import Sequence
from typing import Any

from tests.bench.figures import Figure, Goal, Options, millis, pairs, ratios
from tests.bench.worker import Service, Worker

LENGTHS = (50, 200, 500)
SIDE_BY_SIDE = 32
STEPS_OF_MANY = 50
HALF, FLAT = Goal(0.5), Goal(1.25)

_Pairs = Sequence[tuple[dict[str, Any], dict[str, Any]]]


def measure(options: Options) -> list[Figure]:
    """CPU and wall per step, alone at several lengths and with many runs at once; and how CPU grows with the length."""
    found: list[Figure] = []
    a_step: dict[int, list[float]] = {}
    with Service() as service, Worker("tests.bench.loops.engine") as ours, Worker("tests.bench.loops.bare") as bare:

        def measured(steps: int, runs: int, count: int) -> _Pairs:
            asked = {"url": service.url, "steps": steps, "runs": runs}
            return pairs(count, lambda: ours.do("run", **asked), lambda: bare.do("run", **asked))

        for steps in LENGTHS:
            took = measured(steps, 1, options.of({50: 7, 200: 5, 500: 3}[steps], 1))
            a_step[steps] = [one["cpu"] / steps for one, _ in took]
            found += _figures(f"1 run of {steps} steps", took, steps)
        took = measured(STEPS_OF_MANY, SIDE_BY_SIDE, options.of(3, 1))
        found += _figures(f"{SIDE_BY_SIDE} runs of {STEPS_OF_MANY} steps", took, STEPS_OF_MANY * SIDE_BY_SIDE)
    short, long = a_step[LENGTHS[0]], a_step[LENGTHS[-1]]
    grown = [later / sooner for later, sooner in zip(sorted(long), sorted(short)[: len(long)], strict=True)]
    what = f"CPU a step: {LENGTHS[-1]} steps by {LENGTHS[0]}"
    return [*found, Figure(what, grown, FLAT, ours=millis(long), beside=millis(short))]


def _figures(name: str, took: _Pairs, steps: int) -> list[Figure]:
    found = []
    for unit, goal in (("cpu", HALF), ("wall", None)):
        times = [(one[unit] / steps, other[unit] / steps) for one, other in took]
        ours, bare = zip(*times, strict=True)
        what = f"{'CPU' if unit == 'cpu' else 'wall'} a step, {name}"
        found.append(Figure(what, ratios(times), goal, ours=millis(ours), beside=f"bare SDK {millis(bare)}"))
    return found
