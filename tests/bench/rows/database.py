"""Bytes of database a step. An agent's history must not be written again with every step."""

from tests.bench.conversation import new_bytes
from tests.bench.figures import Figure, Goal, Options, number
from tests.bench.worker import Service, Worker

LENGTHS = (50, 200, 500)
FLAT, TWICE = Goal(1.1), Goal(2)


def measure(options: Options) -> list[Figure]:
    """Growth from the shortest run to the longest, and what a step takes beside what it says."""
    a_step, content = {}, {}
    with Service() as service, Worker("tests.bench.loops.engine") as ours:
        for steps in LENGTHS:
            a_step[steps] = ours.do("bytes", url=service.url, steps=steps)["bytes"] / steps
            content[steps] = new_bytes(steps) / steps
    short, long = LENGTHS[0], LENGTHS[-1]
    grown = Figure(
        f"bytes a step: {long} steps by {short}",
        [a_step[long] / a_step[short]],
        FLAT,
        ours=f"{number(a_step[long])} B",
        beside=f"{number(a_step[short])} B",
    )
    return [grown, *(_beside(steps, a_step[steps], content[steps]) for steps in LENGTHS)]


def _beside(steps: int, taken: float, said: float) -> Figure:
    what = f"bytes a step, {steps} steps, by new content"
    return Figure(what, [taken / said], TWICE, ours=f"{number(taken)} B", beside=f"content {number(said)} B")
