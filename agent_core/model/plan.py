"""Plans: steps with what they need before them, and how far each has come. Pure; the engine says which are done.

A plan in force is a value of the fold (`PlanState`): the steps as they were adopted, what came of the calls that serve
each, and what was reported of sub-goals. Everything else is computed from it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

from agent_core.model.action import ToolError


class PlanStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step: a single call of `tool`, or without one a sub-goal that may use `tools` besides reading."""

    id: str
    goal: str
    tool: str | None = None
    tools: list[str] = []
    after: list[str] = []
    """Ids of the steps that must be done before it, of this plan or done under an earlier one."""


class StepStatus(StrEnum):
    """How far a step has come."""

    WAITING = "waiting"
    READY = "ready"
    RUNNING = "running"
    ASKING = "asking"
    """A call of it waits for a person."""
    DONE = "done"
    FAILED = "failed"


class PlanPhase(StrEnum):
    """What a run under `plan_execute` is about. Effects are only for steps of a plan that is being carried out."""

    UNPLANNED = "unplanned"
    EXECUTING = "executing"
    FAILED = "failed"
    """A step failed: what remains has to be planned again."""
    DONE = "done"


class StepReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was reported of a sub-goal, and accepted."""

    done: bool
    result: str


@dataclass(slots=True)
class ServingCall:
    """A call that serves a step, as far as that matters: kept with the plan, whatever becomes of the call's results."""

    run_step: int
    """The step of the run in which it was made."""
    waits: bool = False
    """For a person."""
    answer: bool | None = None
    """Whether it came back well; None while it has not come back."""
    error: ToolError | None = None


@dataclass(slots=True)
class PlanState:
    """One adopted plan: the newest of a run is in force."""

    call_id: str
    """Of the call that submitted it."""
    steps: list[PlanStep]
    edited_by: str | None = None
    calls: dict[str, dict[str, ServingCall]] = field(default_factory=dict)
    """By step, the calls that serve it by their ids, in order."""
    reports: dict[str, StepReport] = field(default_factory=dict)

    @property
    def serving(self) -> Iterator[tuple[str, ServingCall]]:
        """Every call that serves a step."""
        return ((name, call) for calls in self.calls.values() for name, call in calls.items())


@dataclass(frozen=True, slots=True)
class StepState:
    """One step with how far it has come; `detail` says what came of it, or what it waits for."""

    step: PlanStep
    status: StepStatus
    detail: str = ""
    run_step: int | None = None
    """The step of the run in which it was last worked at."""

    @property
    def open(self) -> bool:
        """A call may serve it now."""
        return self.status in (StepStatus.READY, StepStatus.RUNNING, StepStatus.ASKING)


NOT_TRIED = frozenset({"limit_reached", "cancelled"})
"""Errors of calls that never came to run for reasons of the run: the step is as it was."""


def steps_of(plan: PlanState, earlier: Sequence[PlanState]) -> list[StepState]:
    """How far each step of a plan has come, in its order."""
    outcome = {step.id: _outcome(step, plan) for step in plan.steps}
    done = {name for name, (status, _) in outcome.items() if status is StepStatus.DONE} | done_before(earlier)
    found = []
    for step in plan.steps:
        status, detail = outcome[step.id]
        missing = [name for name in step.after if name not in done]
        if status is StepStatus.READY and missing:
            status, detail = StepStatus.WAITING, f"waits for {', '.join(missing)}"
        made = list(plan.calls.get(step.id, {}).values())
        found.append(StepState(step, status, detail, made[-1].run_step if made else None))
    return found


def done_before(plans: Sequence[PlanState]) -> set[str]:
    """Ids of the steps that were done under these plans."""
    return {step.id for plan in plans for step in plan.steps if _outcome(step, plan)[0] is StepStatus.DONE}


def phase_of(plans: Sequence[PlanState]) -> PlanPhase:
    """What a run is about after these plans: the newest is in force."""
    if not plans:
        return PlanPhase.UNPLANNED
    statuses = {step.status for step in steps_of(plans[-1], plans[:-1])}
    if StepStatus.FAILED in statuses:
        return PlanPhase.FAILED
    return PlanPhase.DONE if statuses == {StepStatus.DONE} else PlanPhase.EXECUTING


def _outcome(step: PlanStep, plan: PlanState) -> tuple[StepStatus, str]:
    """What came of a step, its dependencies left aside: READY also stands for not tried."""
    made = [call for call in plan.calls.get(step.id, {}).values() if not _never_ran(call)]
    under_way = [call for call in made if call.answer is None]
    if any(call.waits for call in under_way):
        return StepStatus.ASKING, "waits for you"
    if under_way:
        return StepStatus.RUNNING, ""
    if step.tool is None:
        return _reported(plan.reports.get(step.id), tried=bool(made))
    if not made:
        return StepStatus.READY, ""
    error = made[-1].error
    return (StepStatus.DONE, "") if error is None else (StepStatus.FAILED, error.message)


def _reported(report: StepReport | None, *, tried: bool) -> tuple[StepStatus, str]:
    if report is None:
        return (StepStatus.RUNNING if tried else StepStatus.READY), ""
    return (StepStatus.DONE if report.done else StepStatus.FAILED), report.result


def _never_ran(call: ServingCall) -> bool:
    return call.error is not None and call.error.code in NOT_TRIED
