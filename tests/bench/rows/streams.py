"""Thirty-two agents that stream into one window, against a window that is idle, and against one agent."""

from tests.bench.figures import Figure, Goal, Options, millis
from tests.bench.worker import Service, Worker

STREAMS = 32
MEDIAN, LATE, STALL, COST = Goal(1.05), Goal(2.5), Goal(5), Goal(1.5)


def measure(options: Options) -> list[Figure]:
    """Frames under load by frames at rest, from one window; and the window's own CPU at many streams by one."""
    seconds = options.of(6, 3)
    with Service() as service, Worker("tests.bench.screens.streams") as worker:
        took = [worker.do("frames", url=service.url, streams=STREAMS, seconds=seconds) for _ in range(options.of(3, 1))]
        costs = [
            tuple(worker.do("cost", streams=streams, seconds=seconds)["cpu"] / seconds for streams in (STREAMS, 1))
            for _ in range(options.of(3, 1))
        ]
    found = []
    for name, what, goal in (("p50", "p50", MEDIAN), ("p99", "p99", LATE), ("longest", "longest stall", STALL)):
        busy, idle = ([one[state][name] for one in took] for state in ("busy", "idle"))
        found.append(
            Figure(
                f"{STREAMS} streams in one window, frame {what}",
                [a / b for a, b in zip(busy, idle, strict=True)],
                goal,
                ours=millis(busy),
                beside=f"idle {millis(idle)}",
            )
        )
    many, one = zip(*costs, strict=True)
    return [
        *found,
        Figure(
            f"window's CPU a second, {STREAMS} streams by 1",
            [a / b for a, b in costs],
            COST,
            ours=millis(many),
            beside=millis(one),
        ),
    ]
