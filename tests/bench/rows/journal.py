"""Appends to the journal against rows that are committed one by one by bare SQLite, both fully synchronised."""

from tests.bench.figures import Figure, Goal, Options, number, pairs
from tests.bench.worker import Worker

WRITERS = 32
GROUPED = Goal(12, at_least=True)


def measure(options: Options) -> list[Figure]:
    """Events a second of many writers together, and of one that waits for each."""
    found = []
    with Worker("tests.bench.loops.appends") as worker:
        for writers, each, goal in ((WRITERS, options.of(250, 60), GROUPED), (1, options.of(1500, 300), None)):
            took = pairs(
                options.of(7, 2),
                lambda writers=writers, each=each: worker.do("journal", writers=writers, each=each)["rate"],
                lambda: worker.do("raw", rows=options.of(1500, 300))["rate"],
            )
            ours, raw = ([pair[side] for pair in took] for side in (0, 1))
            name = f"{writers} writers" if writers > 1 else "1 writer"
            found.append(
                Figure(
                    f"events a second, {name}",
                    [a / b for a, b in took],
                    goal,
                    ours=f"{number(sorted(ours)[len(ours) // 2])}/s",
                    beside=f"one-row commits {number(sorted(raw)[len(raw) // 2])}/s",
                )
            )
    return found
