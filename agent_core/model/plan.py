"""Plans: steps with what they need before them, and how far each has come. Pure; the engine says which are done.

A plan in force is a value of the fold (`PlanState`): the steps as they were adopted, the calls that serve each, and
what was reported of sub-goals. Everything else is computed from it and from the calls themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import msgspec

from agent_core.model.action import ToolError

PLAN_SUBMIT, PLAN_REPORT, FINISH = "plan_submit", "plan_report", "finish"
PLAN_TOOLS = (PLAN_SUBMIT, PLAN_REPORT)
NO_STEPS = frozenset({*PLAN_TOOLS, FINISH})
"""Tools that are about the plan itself, and so never a step of it."""


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
class PlanState:
    """One adopted plan: the newest of a run is in force."""

    call_id: str
    """Of the call that submitted it."""
    steps: list[PlanStep]
    edited_by: str | None = None
    calls: dict[str, list[str]] = field(default_factory=dict)
    """By step, the calls that serve it, in order."""
    reports: dict[str, StepReport] = field(default_factory=dict)


class StepCall(Protocol):
    """What is looked at of a call that serves a step."""

    @property
    def waits(self) -> bool:
        """For a person."""
        ...

    @property
    def answer(self) -> bool | None:
        """Whether it came back well; None while it has not come back."""
        ...

    @property
    def error(self) -> ToolError | None:
        """What it came back with instead of a result."""
        ...


@dataclass(frozen=True, slots=True)
class StepState:
    """One step with how far it has come; `detail` says what came of it, or what it waits for."""

    step: PlanStep
    status: StepStatus
    detail: str = ""
    calls: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """A call may serve it now."""
        return self.status in (StepStatus.READY, StepStatus.RUNNING, StepStatus.ASKING)


NOT_TRIED = frozenset({"limit_reached", "cancelled"})
"""Errors of calls that never came to run for reasons of the run: the step is as it was."""


def steps_of(plan: PlanState, earlier: Sequence[PlanState], calls: Mapping[str, StepCall]) -> list[StepState]:
    """How far each step of a plan has come, in its order."""
    outcome = {step.id: _outcome(step, plan, calls) for step in plan.steps}
    done = {name for name, (status, _) in outcome.items() if status is StepStatus.DONE} | done_before(earlier, calls)
    found = []
    for step in plan.steps:
        status, detail = outcome[step.id]
        missing = [name for name in step.after if name not in done]
        if status is StepStatus.READY and missing:
            status, detail = StepStatus.WAITING, f"waits for {', '.join(missing)}"
        found.append(StepState(step, status, detail, tuple(plan.calls.get(step.id, ()))))
    return found


def done_before(plans: Sequence[PlanState], calls: Mapping[str, StepCall]) -> set[str]:
    """Ids of the steps that were done under these plans."""
    return {
        step.id for plan in plans for step in plan.steps if _outcome(step, plan, calls)[0] is StepStatus.DONE
    }  # fmt: skip


def phase_of(plans: Sequence[PlanState], calls: Mapping[str, StepCall]) -> PlanPhase:
    """What a run is about after these plans: the newest is in force."""
    if not plans:
        return PlanPhase.UNPLANNED
    statuses = {step.status for step in steps_of(plans[-1], plans[:-1], calls)}
    if StepStatus.FAILED in statuses:
        return PlanPhase.FAILED
    return PlanPhase.DONE if statuses == {StepStatus.DONE} else PlanPhase.EXECUTING


def _outcome(step: PlanStep, plan: PlanState, calls: Mapping[str, StepCall]) -> tuple[StepStatus, str]:
    """What came of a step, its dependencies left aside: READY also stands for not tried."""
    made = [call for name in plan.calls.get(step.id, ()) if (call := calls[name]) and not _never_ran(call)]
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


def _never_ran(call: StepCall) -> bool:
    return call.error is not None and call.error.code in NOT_TRIED
