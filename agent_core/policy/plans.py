"""Plans before the gate: which plan may be proposed, and which call a plan in force allows. Pure.

Every refusal is a sentence that the model can act on. A plan grants nothing: a call that it allows is judged like any
other.
"""

import difflib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from agent_core.model.action import EffectClass, ToolError
from agent_core.model.engine_tools import NO_STEPS
from agent_core.model.plan import (
    PlanPhase,
    PlanStep,
    StepState,
    StepStatus,
    done_before,
    phase_of,
    steps_of,
)
from agent_core.model.state import SessionState

MOST_STEPS = 40
"""Steps of one plan: more than that nobody judges in a minute."""

OUT_OF_PLAN = "not_in_plan"
_LAST = "The plan comes first: submit one that covers it with plan_submit. Reading is free meanwhile."


@dataclass(frozen=True, slots=True)
class PlanStanding:
    """Where a run under `plan_execute` stands: what it is about, and the steps of the plan in force."""

    phase: PlanPhase
    steps: Sequence[StepState] = ()
    done_before: Collection[str] = ()
    """Ids of steps that were done under earlier plans."""

    def step(self, name: str) -> StepState | None:
        """The step of that id."""
        return next((state for state in self.steps if state.step.id == name), None)

    @property
    def ready(self) -> list[str]:
        """Ids of the steps that can be worked at now."""
        return [state.step.id for state in self.steps if state.open]

    @property
    def done(self) -> set[str]:
        """Ids of every step that was done, under whichever plan."""
        return {*self.done_before, *(s.step.id for s in self.steps if s.status is StepStatus.DONE)}

    @property
    def unfinished(self) -> list[StepState]:
        """The steps of the plan in force that are not done."""
        return [state for state in self.steps if state.status is not StepStatus.DONE]


def standing_of(state: SessionState) -> PlanStanding:
    """Where the newest run stands with its plan."""
    plans = state.run.plans if state.runs else []
    if not plans:
        return PlanStanding(PlanPhase.UNPLANNED)
    return PlanStanding(phase_of(plans), steps_of(plans[-1], plans[:-1]), done_before(plans[:-1]))


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call as a plan looks at it. `claimed` are steps that earlier calls of the same response serve."""

    tool: str
    effect_class: EffectClass
    step: str | None
    claimed: Collection[str] = ()


def plan_fault(steps: Sequence[PlanStep], tools: Collection[str], done: Collection[str]) -> str | None:
    """Why these steps cannot be a plan, in one sentence; None when they can. `done` was done under earlier plans."""
    if not steps:
        return "The plan has no steps: submit at least one, or finish without a plan"
    if len(steps) > MOST_STEPS:
        return (
            f"The plan has {len(steps):,} steps and the most is {MOST_STEPS}: join steps that belong together into "
            "sub-goals, and plan the rest when these are done"
        )
    return next(_faults(steps, tools, done), None)


def _faults(steps: Sequence[PlanStep], tools: Collection[str], done: Collection[str]) -> Iterator[str]:
    ids = [step.id for step in steps]
    for place, step in enumerate(steps):
        if step.id in ids[:place]:
            yield f'Two steps are called "{step.id}": every step needs an id of its own'
        if step.id in done:
            yield f'"{step.id}" is the id of a step that is done already: give the new step another one'
        yield from _tool_faults(step, tools)
        for name in step.after:
            if name == step.id:
                yield f'Step "{step.id}" waits for itself: take it out of its "after"'
            elif name not in ids and name not in done:
                known = [*ids, *sorted(done)]
                yield f'Step "{step.id}" waits for "{name}", which is no step{_meant(name, known)}'
        if len(set(step.after)) < len(step.after):
            yield f'Step "{step.id}" names a step twice in its "after": once is enough'
    circle = _circle(steps)
    if circle:
        yield f"The steps {' → '.join(circle)} wait for each other in a circle: take one of these dependencies out"


def _tool_faults(step: PlanStep, tools: Collection[str]) -> Iterator[str]:
    if step.tool is not None and step.tools:
        yield f'Step "{step.id}" has a tool and tools: a single call has "tool", a sub-goal has "tools"'
    for name in (*([step.tool] if step.tool is not None else []), *step.tools):
        if name in NO_STEPS:
            yield f'Step "{step.id}" cannot use {name}: it is about the plan itself'
        elif name not in tools:
            listed = sorted(set(tools) - NO_STEPS)
            yield f'Step "{step.id}" uses "{name}", which is no tool here{_meant(name, listed)}'


def _meant(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f'; the nearest is "{close[0]}"' if close else f"; there is {', '.join(known[:20]) or 'none'}"


def _circle(steps: Sequence[PlanStep]) -> list[str]:
    """The ids along a circle of dependencies, the first again at the end; empty when there is none."""
    after = {step.id: list(step.after) for step in steps}
    left = dict(after)
    while free := [name for name, needs in left.items() if not any(need in left for need in needs)]:
        for name in free:
            del left[name]
    if not left:
        return []
    trail = [next(iter(left))]
    while True:
        following = next(need for need in left[trail[-1]] if need in left)
        if following in trail:
            return [*trail[trail.index(following) :], following]
        trail.append(following)


def call_fault(standing: PlanStanding, call: AskedCall) -> ToolError | None:
    """Why a plan does not allow a call at this point; None where it does."""
    if call.tool in NO_STEPS:
        return None
    if standing.phase is not PlanPhase.EXECUTING:
        return _outside(standing, call)
    if call.step is None:
        if call.effect_class is EffectClass.ENGINE:
            return None
        return _refused(f"{call.tool} does not say which step of the plan it serves", _name_a_step(standing))
    state = standing.step(call.step)
    if state is None:
        known = [step.step.id for step in standing.steps]
        return _refused(
            f'The plan in force has no step "{call.step}"{_meant(call.step, known)}', _name_a_step(standing)
        )
    return _for_step(standing, call, state)


def _outside(standing: PlanStanding, call: AskedCall) -> ToolError | None:
    """Before a plan, after it, and when it failed: reading only."""
    if call.effect_class in (EffectClass.READ_ONLY, EffectClass.ENGINE):
        if call.step is None:
            return None
        return _refused(f'No plan is in force, so there is no step "{call.step}"', 'Leave "plan_step" out.')
    if standing.phase is PlanPhase.UNPLANNED:
        return _refused(f"{call.tool} changes something, and no plan is approved yet", _LAST)
    failed = [state for state in standing.steps if state.status is StepStatus.FAILED]
    if failed:
        why = f'Step "{failed[0].step.id}" failed, so the plan no longer holds and {call.tool} was not run'
        return _refused(why, "Submit a new plan for what remains with plan_submit, or finish and name the gap.")
    return _refused(f"Every step of the plan is done, and {call.tool} belongs to none", _LAST)


def _for_step(standing: PlanStanding, call: AskedCall, state: StepState) -> ToolError | None:
    step = state.step
    if not state.open:
        why = "is done already" if state.status is StepStatus.DONE else state.detail
        return _refused(f'{call.tool} was not run: step "{step.id}" {why}', _name_a_step(standing))
    if step.tool is None:
        if call.effect_class in (EffectClass.READ_ONLY, EffectClass.ENGINE) or call.tool in step.tools:
            return None
        allowed = ", ".join(step.tools) or "reading tools"
        why = f'Step "{step.id}" was planned with {allowed} only, not with {call.tool}'
        return _refused(why, "Do it that way, or submit a new plan that names the tool.")
    if call.tool != step.tool:
        return _refused(f'Step "{step.id}" is a call of {step.tool}, not of {call.tool}', _name_a_step(standing))
    if call.step in call.claimed or state.status is not StepStatus.READY:
        why = f'Step "{step.id}" is one call of {step.tool}, and it has it already'
        return _refused(why, "Plan a sub-goal where several calls are needed.")
    return None


def report_fault(standing: PlanStanding, name: str, *, done: bool, last_error: ToolError | None) -> ToolError | None:
    """Why a report on a sub-goal is not accepted; None where it fits. `last_error` is of the step's newest call."""
    state = standing.step(name) if standing.phase is PlanPhase.EXECUTING else None
    if state is None:
        return _refused(f'There is no step "{name}" to report on', _name_a_step(standing))
    if state.step.tool is not None:
        message = f'Step "{name}" is a call of {state.step.tool}: what it comes back with says whether it is done'
        return _refused(message, "Report on sub-goals only.")
    if not state.open:
        why = "was reported already" if state.status is not StepStatus.WAITING else state.detail
        return _refused(f'Step "{name}" {why}', _name_a_step(standing))
    if done and last_error is not None:
        message = f'Step "{name}" is not done: its last call came back with "{last_error.message}"'
        return _refused(message, "Make a call that succeeds, or report it as not done and plan anew.")
    return None


def _name_a_step(standing: PlanStanding) -> str:
    if standing.phase is not PlanPhase.EXECUTING:
        return "Submit a plan first, with plan_submit."
    return f'Steps that can be worked at now: {", ".join(standing.ready)}. Name one as "plan_step".'


def _refused(message: str, suggestion: str) -> ToolError:
    return ToolError(code=OUT_OF_PLAN, message=f"{message}.", suggestion=suggestion)
