"""The trace of a session of a million events against one of ten thousand, and against one of a thousand rows."""

from tests.bench.figures import Figure, Goal, Options, millis, pairs
from tests.bench.worker import Worker

MANY, FEW = 1_000_000, 10_000
ROWS, SHORT = 1_000, 1_250
"""A session of a thousand rows has so many events."""
TWICE, APPENDS, WEIGHT = Goal(2), Goal(1.5), Goal(64)


def measure(options: Options) -> list[Figure]:
    """Opening, painting, scrolling, reading, adding; and the memory that it takes."""
    many = options.of(MANY, 100_000)
    found = []
    with Worker("tests.bench.screens.trace") as worker:
        for task, what, few, goal, times in (
            ("open", "opened", FEW, TWICE, 9),
            ("paint", "painted", FEW, TWICE, 9),
            ("scroll", "scrolled, a frame", FEW, TWICE, 9),
            ("read", "scrolled, read", many // 10, TWICE, 9),
            ("append", f"{ROWS:,} rows more", SHORT, APPENDS, 9),
        ):
            for events in (many, few):
                worker.do(task, events=events)
            took = pairs(
                options.of(times, min(times, 3)),
                lambda task=task: worker.do(task, events=many)["seconds"],
                lambda task=task, few=few: worker.do(task, events=few)["seconds"],
            )
            ours, other = ([pair[side] for pair in took] for side in (0, 1))
            found.append(
                Figure(
                    f"trace of {many:,} events, {what}",
                    [a / b for a, b in took],
                    goal,
                    ours=millis(ours),
                    beside=f"{f'{ROWS:,} rows' if few == SHORT else f'{few:,}'}: {millis(other)}",
                )
            )
        weight = worker.do("weigh", events=many)["bytes"]
    return [*found, Figure("trace, memory a row, all in all", [weight], WEIGHT, unit="B")]
