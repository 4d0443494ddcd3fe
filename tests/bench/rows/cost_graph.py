"""An update of the cost graph with a million steps behind it against one with a thousand."""

from tests.bench.figures import Figure, Goal, Options, millis, pairs
from tests.bench.worker import Worker

MANY, FEW = 1_000_000, 1_000
FLAT = Goal(1.3)


def measure(options: Options) -> list[Figure]:
    """One more step, drawn."""
    many = options.of(MANY, 100_000)
    with Worker("tests.bench.screens.cost") as worker:

        def seconds(points: int) -> float:
            took: float = worker.do("update", points=points)["seconds"]
            return took

        for points in (many, FEW):
            seconds(points)
        took = pairs(options.of(25, 5), lambda: seconds(many), lambda: seconds(FEW))
    ours, other = ([pair[side] for pair in took] for side in (0, 1))
    what = f"cost graph, one more of {many:,} steps"
    return [Figure(what, [a / b for a, b in took], FLAT, ours=millis(ours), beside=f"of {FEW:,}: {millis(other)}")]
