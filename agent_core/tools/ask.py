"""ask_operator: a question to the person in charge. The engine opens its card and answers the call."""

from pydantic import Field

from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.engine_tools import ASK_OPERATOR
from agent_core.model.proposal import FieldChange, FieldsChange, Sign, Touchpoint, WhatChanges
from agent_core.tools.base import Arguments, Outcome, Preview, Privileges, Tool, ToolContext
from agent_core.tools.shared.words import shown

TITLE = 120
"""Characters of a question that a title shows; the whole stands in the card."""


class AskArguments(Arguments):
    """A question, and answers to choose from where there are some."""

    question: str = Field(min_length=1, max_length=4000, description="One question, with what is needed to answer it.")
    options: list[str] = Field(
        default_factory=list, max_length=12, description="Answers to choose from; the operator may answer freely too."
    )


class AskOperator(Tool[AskArguments]):
    """Ask the operator."""

    name = ASK_OPERATOR
    description = (
        "Asks the operator one question and returns the answer, or that it was declined or not answered in time. Use "
        "it when a fact or a choice is missing that no file holds. Not for permission: calls that need one are asked "
        "about by themselves."
    )
    arguments = AskArguments
    effect_class = EffectClass.ENGINE
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(reads=["operator"])
    real = False
    opens = Touchpoint.QUESTION

    def preview(self, arguments: AskArguments, context: ToolContext) -> Preview:
        """The question with its answers."""
        rows = [FieldChange(sign=Sign.SAME, field="Question", after=arguments.question)]
        rows += [FieldChange(sign=Sign.SAME, field="Possible answer", after=option) for option in arguments.options]
        first = shown(" ".join(arguments.question.split()))
        return Preview(
            summary=first if len(first) <= TITLE else f"{first[:TITLE].rstrip()}…",
            what_changes=WhatChanges(headline="A question", parts=[FieldsChange(title="Asked", rows=rows)]),
            way_back="The answer is a fact for the agent, not a permission.",
            system="operator",
        )

    def run(self, arguments: AskArguments, context: ToolContext) -> Outcome:
        """What is asked, as the engine puts it to the operator."""
        result = {"question": arguments.question, "options": arguments.options}
        return Outcome(result=result, summary="Asked the operator")
