"""plan_submit and plan_report: the agent's plan, and its reports on sub-goals. The engine judges both and adopts none
unasked: a plan is a card, and a report has to fit what the calls of its step came back with."""

from pydantic import Field

from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.engine_tools import PLAN_REPORT, PLAN_SUBMIT
from agent_core.model.plan import PlanStep
from agent_core.model.proposal import FieldChange, FieldsChange, Sign, Touchpoint, WhatChanges
from agent_core.tools.base import Arguments, Outcome, Preview, Privileges, Tool, ToolContext, given
from agent_core.tools.shared.words import count

LONGEST_GOAL = 500
"""Characters of what one step is to reach."""


class StepArguments(Arguments):
    """One step of a plan."""

    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,32}$", description="A short name for the step, such as s1.")
    goal: str = Field(min_length=1, max_length=LONGEST_GOAL, description="What the step reaches, in one sentence.")
    tool: str | None = Field(
        default=None, description="The one tool that is called once for it. Leave it out for a sub-goal."
    )
    tools: list[str] = Field(
        default_factory=list, max_length=20, description="Of a sub-goal: the tools it may use besides reading ones."
    )
    after: list[str] = Field(
        default_factory=list,
        description="Ids of the steps that must be done before it. Leave out what it can do without.",
    )


class PlanArguments(Arguments):
    """The steps of a plan."""

    steps: list[StepArguments] = Field(
        description="At most 40. Steps that do not wait for each other may run together."
    )


class ReportArguments(Arguments):
    """What came of a sub-goal."""

    step: str = Field(min_length=1, max_length=32, description="The id of the sub-goal.")
    done: bool = Field(description="Whether it is reached. Say false when it cannot be: what remains is planned anew.")
    result: str = Field(min_length=1, max_length=20_000, description="What was found or done, or why it failed.")


class PlanSubmit(Tool[PlanArguments]):
    """Submit a plan."""

    name = PLAN_SUBMIT
    description = (
        "Submits the plan for what remains, as steps with their dependencies. The operator approves, edits or rejects "
        "it, and the answer holds the plan as it was adopted. Nothing may be changed without one. Submit a new plan, "
        "with the remaining steps only, after a step failed or when the plan has to change. Not for plans in words."
    )
    arguments = PlanArguments
    effect_class = EffectClass.ENGINE
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(writes=["journal"])
    real = False
    opens = Touchpoint.PLAN

    def preview(self, arguments: PlanArguments, context: ToolContext) -> Preview:
        """The steps as they would be adopted."""
        rows = [FieldChange(sign=Sign.SAME, field=step.id, after=step.goal) for step in arguments.steps]
        return Preview(
            summary=f"Carry out a plan of {count(len(rows), 'step')}",
            what_changes=WhatChanges(headline="The plan", parts=[FieldsChange(title="Steps", rows=rows)]),
            way_back="The run can be stopped, or planned anew, at any step.",
            system="run",
        )

    def run(self, arguments: PlanArguments, context: ToolContext) -> Outcome:
        """The plan as it is in force from now on."""
        result = {"plan": "adopted", **given(arguments)}
        return Outcome(result=result, summary=f"Adopted a plan of {count(len(arguments.steps), 'step')}")


class PlanReport(Tool[ReportArguments]):
    """Report on a sub-goal."""

    name = PLAN_REPORT
    description = (
        "Reports on a sub-goal of the plan in force, after its calls came back: reached or not, and with what result. "
        "Not for steps that are a single call: what the call comes back with says whether they are done."
    )
    arguments = ReportArguments
    effect_class = EffectClass.ENGINE
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(writes=["journal"])
    real = False

    def preview(self, arguments: ReportArguments, context: ToolContext) -> Preview:
        """The report as it would stand."""
        rows = [FieldChange(sign=Sign.SAME, field=arguments.step, after=arguments.result)]
        return Preview(
            summary=f"Report on step {arguments.step}",
            what_changes=WhatChanges(headline="A report", parts=[FieldsChange(title="Reported", rows=rows)]),
            way_back="What remains can be planned anew.",
            system="run",
        )

    def run(self, arguments: ReportArguments, context: ToolContext) -> Outcome:
        """The report, accepted."""
        state = "done" if arguments.done else "failed"
        return Outcome(result={"step": arguments.step, "is": state}, summary=f"Step {arguments.step} is {state}")


def plan_steps(arguments: PlanArguments) -> list[PlanStep]:
    """The steps as the engine keeps them."""
    return [
        PlanStep(id=step.id, goal=step.goal, tool=step.tool, tools=list(step.tools), after=list(step.after))
        for step in arguments.steps
    ]
