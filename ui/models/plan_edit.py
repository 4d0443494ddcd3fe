"""Plan editing: a proposed plan as a person changes it, always complete, with what differs from the proposal. Pure."""

from collections.abc import Sequence
from typing import Any

import msgspec

from agent_core.model.plan import PlanStep
from agent_core.model.plan_diff import ComparedStep, compare_plans


class PlanDraft:
    """The steps as they are at the moment. Ids never change, so that dependencies and history stay true."""

    def __init__(self, proposed: Sequence[PlanStep], done: Sequence[str] = ()) -> None:
        """`done` are steps of earlier plans: new ones may wait for them."""
        self._proposed, self._done = list(proposed), list(done)
        self.steps = list(proposed)

    @property
    def changed(self) -> bool:
        """Whether anything differs from the proposal."""
        return self.steps != self._proposed

    def compared(self) -> list[ComparedStep]:
        """The steps with what happened to each, the ones taken out where they stood."""
        return list(compare_plans(self.steps, self._proposed))

    def arguments(self) -> dict[str, Any]:
        """The complete new arguments."""
        return {"steps": [msgspec.to_builtins(step) for step in self.steps]}

    def step(self, name: str) -> PlanStep | None:
        """The step of that id; None for one that was taken out."""
        return next((step for step in self.steps if step.id == name), None)

    def may_wait_for(self, name: str) -> list[str]:
        """What a step may wait for: every other step, and what is done already."""
        return [*(step.id for step in self.steps if step.id != name), *self._done]

    def change(self, name: str, **fields: Any) -> None:
        """Give a step other words, tools or dependencies."""
        self.steps = [
            msgspec.structs.replace(step, **fields) if step.id == name else step for step in self.steps
        ]  # fmt: skip

    def move(self, name: str, by: int) -> None:
        """Move a step up or down, as far as it goes."""
        place = self._place(name)
        if place is None or not 0 <= place + by < len(self.steps):
            return
        step = self.steps.pop(place)
        self.steps.insert(place + by, step)

    def take_out(self, name: str) -> None:
        """Take a step out; what waited for it waits for what it waited for."""
        gone = self.step(name)
        if gone is None:
            return
        left = [step for step in self.steps if step.id != name]
        self.steps = [_without(step, gone) for step in left]

    def put_back(self, name: str) -> None:
        """Put a step back where it stood, and in front of what waited for it."""
        place = next((at for at, step in enumerate(self._proposed) if step.id == name), None)
        if place is None or self.step(name) is not None:
            return
        known = {*self.may_wait_for(name)}
        back = self._proposed[place]
        waited = {step.id for step in self._proposed if name in step.after}
        self.steps = [_waiting_for(step, name) if step.id in waited else step for step in self.steps]
        before = [step.id for step in self._proposed[:place]]
        follows = next((at + 1 for at in reversed(range(len(self.steps))) if self.steps[at].id in before), 0)
        self.steps.insert(follows, msgspec.structs.replace(back, after=[one for one in back.after if one in known]))

    def add(self, after: str | None) -> str:
        """A new sub-goal behind that step, or at the end; gives its id."""
        taken = {*(step.id for step in [*self.steps, *self._proposed]), *self._done}
        name = next(f"new{number}" for number in range(1, len(taken) + 2) if f"new{number}" not in taken)
        place = self._place(after) if after is not None else None
        self.steps.insert(len(self.steps) if place is None else place + 1, PlanStep(id=name, goal=""))
        return name

    def _place(self, name: str) -> int | None:
        return next((at for at, step in enumerate(self.steps) if step.id == name), None)


def _without(step: PlanStep, gone: PlanStep) -> PlanStep:
    if gone.id not in step.after:
        return step
    place = step.after.index(gone.id)
    instead = [name for name in gone.after if name not in step.after and name != step.id]
    return msgspec.structs.replace(step, after=[*step.after[:place], *instead, *step.after[place + 1 :]])


def _waiting_for(step: PlanStep, name: str) -> PlanStep:
    return step if name in step.after else msgspec.structs.replace(step, after=[*step.after, name])
