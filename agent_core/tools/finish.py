"""finish: the agent's own end of a run, with what it has and what is missing."""

from pydantic import Field

from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.engine_tools import FINISH
from agent_core.model.proposal import FieldChange, FieldsChange, Sign, WhatChanges
from agent_core.tools.base import Arguments, Outcome, Preview, Privileges, Tool, ToolContext
from agent_core.tools.shared.words import count


class FinishArguments(Arguments):
    """The result of the run."""

    output: str = Field(max_length=200_000, description="The result, or what there is of it.")
    completed: bool = Field(description="Whether the goal is reached in full.")
    gaps: list[str] = Field(default_factory=list, max_length=50, description="What is missing, and why.")


class Finish(Tool[FinishArguments]):
    """End the run."""

    name = FINISH
    description = (
        "Ends the run with its result, after the other calls of the same response. Say honestly whether the goal is "
        "reached, and name every gap. Not for interim reports."
    )
    arguments = FinishArguments
    effect_class = EffectClass.ENGINE
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(writes=["journal"])
    real = False

    def preview(self, arguments: FinishArguments, context: ToolContext) -> Preview:
        """The result as it would stand."""
        rows = [FieldChange(sign=Sign.SAME, field="Result", after=arguments.output)]
        rows += [FieldChange(sign=Sign.SAME, field="Missing", after=gap) for gap in arguments.gaps]
        return Preview(
            summary="Finish the run" if arguments.completed else "Finish the run without having reached the goal",
            what_changes=WhatChanges(headline="The run ends", parts=[FieldsChange(title="Result", rows=rows)]),
            way_back="A message starts a new run of the session.",
            system="session",
        )

    def run(self, arguments: FinishArguments, context: ToolContext) -> Outcome:
        """The result, as the engine ends the run with it."""
        gaps = count(len(arguments.gaps), "gap")
        return Outcome(
            result={"output": arguments.output, "completed": arguments.completed, "gaps": arguments.gaps},
            summary="Finished" if arguments.completed and not arguments.gaps else f"Finished with {gaps}",
        )
