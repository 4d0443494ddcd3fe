"""Plan differences: what became of each step between two plans, in the order of the newer one. Pure."""

from collections.abc import Iterator, Sequence

from agent_core.model.plan import PlanStep
from agent_core.model.proposal import Sign

ComparedStep = tuple[PlanStep, Sign, PlanStep | None]
"""A step, what happened to it, and what it was where it is a changed one."""


def compare_plans(steps: Sequence[PlanStep], before: Sequence[PlanStep]) -> Iterator[ComparedStep]:
    """Every step of either plan, once; the ones that were taken out stand where they stood."""
    places = {step.id: place for place, step in enumerate(before)}
    kept = {step.id for step in steps}
    removed = [step for step in before if step.id not in kept]
    for at, step in enumerate(steps):
        place = places.get(step.id)
        follows = next((places[later.id] for later in steps[at:] if later.id in places), len(before))
        while removed and places[removed[0].id] < follows:
            yield removed.pop(0), Sign.REMOVED, None
        old = before[place] if place is not None else None
        sign = Sign.ADDED if old is None else Sign.SAME if old == step else Sign.CHANGED
        yield step, sign, old if sign is Sign.CHANGED else None
    yield from ((step, Sign.REMOVED, None) for step in removed)
