"""The queue of decisions with five hundred open cards against one that is nearly empty."""

from tests.bench.figures import Figure, Options, millis, pairs
from tests.bench.worker import Worker

MANY = 500


def measure(options: Options) -> list[Figure]:
    """From the event to the card on the screen, and from the key to the next card."""
    found = []
    with Worker("tests.bench.screens.decisions") as worker:
        for task, few, what in (("come", 1, "from event to card"), ("step", 2, "from key to next card")):
            for cards in (MANY, few):
                worker.do(task, cards=cards)
            took = pairs(
                options.of(15, 4),
                lambda task=task: worker.do(task, cards=MANY)["seconds"],
                lambda task=task, few=few: worker.do(task, cards=few)["seconds"],
            )
            ours, other = ([pair[side] for pair in took] for side in (0, 1))
            found.append(
                Figure(
                    f"{what}, {MANY} open",
                    [a / b for a, b in took],
                    ours=millis(ours),
                    beside=f"{few} open: {millis(other)}",
                )
            )
    return found
