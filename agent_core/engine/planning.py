"""Planning: where a run stands with its plan, what the plan says of a call, and the steps as a card shows them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from agent_core.config.profile import PatternName
from agent_core.engine.equipment import Equipment, Policy
from agent_core.engine.outlook import may_ask
from agent_core.model.action import Reversibility, ToolError
from agent_core.model.engine_tools import NO_STEPS
from agent_core.model.plan import PlanStep
from agent_core.model.plan_diff import compare_plans
from agent_core.model.proposal import KeyFigure, PlanChange, PlannedStep, Sign, StepAsks, WhatChanges
from agent_core.model.state import CallState, SessionState
from agent_core.policy.plans import AskedCall, PlanStanding, call_fault, plan_fault, report_fault, standing_of
from agent_core.tools.base import Arguments, Preview
from agent_core.tools.plan import PlanArguments, ReportArguments, plan_steps
from agent_core.tools.registry import Registry
from agent_core.tools.shared.words import count

_GRAVITY = tuple(Reversibility)
_ASKING = tuple(StepAsks)
_HARMLESS = Reversibility.REVERSIBLE
_READS = "It only reads."
_NOTHING_HAPPENS = "Approving the plan approves no step of it: every call is judged when it is made."


@dataclass(frozen=True, slots=True)
class Planned:
    """What a plan says of one call: the step that it serves, or why it may not be made."""

    step: str | None = None
    fault: ToolError | None = None


def step_tools(registry: Registry) -> list[str]:
    """Names of the tools that steps of a plan may use."""
    return [name for name in registry.names if name not in NO_STEPS]


def plan_look(
    equipment: Equipment,
    state: SessionState,
    call: CallState,
    step: str | None,
    arguments: Arguments | None,
    claimed: Collection[str],
) -> Planned:
    """What the plan in force says of a call. A call that was let in stays in: its step cannot be taken away."""
    if equipment.profile.pattern is not PatternName.PLAN_EXECUTE or call.call_id not in state.calls:
        return Planned()
    known = call.judged.plan_step if call.judged is not None else None
    if known is not None:
        return Planned(known)
    now = standing_of(state)
    if isinstance(arguments, PlanArguments):
        return Planned(fault=_plan_fault(equipment.registry, now, arguments))
    if isinstance(arguments, ReportArguments):
        return Planned(fault=_report_fault(state, now, arguments))
    tool = equipment.registry.find(call.tool)
    asked = AskedCall(call.tool, tool.effect_class, step, claimed)
    return Planned(step, call_fault(now, asked))


def _plan_fault(registry: Registry, now: PlanStanding, arguments: PlanArguments) -> ToolError | None:
    fault = plan_fault(plan_steps(arguments), registry.names, now.done)
    if fault is None:
        return None
    return ToolError(code="invalid", message=f"{fault}.", suggestion="Submit the whole plan again.")


def _report_fault(state: SessionState, now: PlanStanding, arguments: ReportArguments) -> ToolError | None:
    made = list(state.run.plans[-1].calls.get(arguments.step, {}).values()) if state.run.plans else []
    last = made[-1].error if made else None
    return report_fault(now, arguments.step, done=arguments.done, last_error=last)


def plan_preview(
    equipment: Equipment, policy: Policy, state: SessionState, arguments: PlanArguments, proposed: dict[str, Any] | None
) -> Preview:
    """The plan as its card shows it: against the one that was `proposed`, where a person edited it, else against what
    was left of the plan before."""
    now, steps = standing_of(state), plan_steps(arguments)
    before, against = _baseline(now, proposed)
    shown = [
        _planned(equipment, policy, step, sign, old)
        for step, sign, old in (
            compare_plans(steps, before) if against else ((step, Sign.SAME, None) for step in steps)
        )
    ]
    kept = [one for one in shown if one.sign is not Sign.REMOVED]
    gravest = max((one.reversibility for one in kept if one.reversibility), key=_GRAVITY.index, default=_HARMLESS)
    final = [one.step.id for one in kept if one.reversibility is Reversibility.IRREVERSIBLE]
    return Preview(
        summary=f"Carry out a plan of {count(len(kept), 'step')}",
        what_changes=WhatChanges(
            headline=_headline(kept, len(final)),
            parts=[PlanChange(steps=shown, against=against, done=sorted(now.done))],
            not_happening=[_NOTHING_HAPPENS],
        ),
        could_go_wrong=[f"What step {name} does cannot be undone once its call is approved." for name in final],
        way_back="Nothing has run yet. The run can be stopped, or planned anew, at any step.",
        key_figure=KeyFigure(label="number of steps", value=str(len(kept))),
        system="run",
        reversibility=gravest,
    )


def _baseline(now: PlanStanding, proposed: dict[str, Any] | None) -> tuple[list[PlanStep], str]:
    if proposed is not None:
        return msgspec.convert(proposed["steps"], list[PlanStep]), "the plan as it was proposed"
    return [state.step for state in now.unfinished], "the plan before" if now.steps else ""


def _headline(steps: Sequence[PlannedStep], final: int) -> str:
    asking = sum(one.asks is not StepAsks.NO for one in steps)
    said = [count(len(steps), "step"), f"{asking} may ask you" if asking else "none asks you"]
    return ", ".join([*said, f"{final} cannot be undone"] if final else said)


def _planned(equipment: Equipment, policy: Policy, step: PlanStep, sign: Sign, before: PlanStep | None) -> PlannedStep:
    registry, now = equipment.registry, equipment.clock.now()
    names = [step.tool] if step.tool is not None else step.tools
    tools = [registry.find(name) for name in names if name in registry]
    changing = [tool.reversibility for tool in tools if tool.effect_class.changes]
    outlooks = [may_ask(tool, policy.profile, policy.rules, now) for tool in tools]
    asks, because = max(outlooks, key=lambda found: _ASKING.index(found[0]), default=(StepAsks.NO, _READS))
    return PlannedStep(
        sign=sign,
        step=step,
        reversibility=max(changing, key=_GRAVITY.index, default=None),
        asks=asks,
        asks_because=because,
        before=before,
    )
