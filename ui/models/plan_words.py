"""Plan words: what screens and the terminal say of the steps of a plan. Pure."""

from collections.abc import Mapping

from agent_core.model.plan import PlanStep, StepStatus
from agent_core.model.proposal import PlannedStep, StepAsks

STATUS: Mapping[StepStatus, tuple[str, str]] = {
    StepStatus.WAITING: ("not yet", "circle-dashed"),
    StepStatus.READY: ("ready", "circle"),
    StepStatus.RUNNING: ("running", "circle-play"),
    StepStatus.ASKING: ("waits for you", "hand"),
    StepStatus.DONE: ("done", "check"),
    StepStatus.FAILED: ("failed", "octagon-alert"),
}
"""The word and the icon of each state."""

_ASKS = {
    StepAsks.NO: "will not ask",
    StepAsks.MAYBE: "may ask you",
    StepAsks.YES: "will ask you",
    StepAsks.NEVER: "will be denied",
}


def means(step: PlanStep) -> str:
    """With what a step is done: one tool, or a sub-goal and what it may use."""
    if step.tool is not None:
        return step.tool
    return f"sub-goal with {', '.join(step.tools)}" if step.tools else "sub-goal, reading only"


def step_words(number: int, step: PlanStep) -> str:
    """A step in one line: its number, what it reaches, with what, and what it waits for."""
    after = f", after {', '.join(step.after)}" if step.after else ""
    return f"{number}. {step.id}: {step.goal} ({means(step)}{after})"


def asks(planned: PlannedStep) -> str:
    """Whether its calls will wait for a person."""
    return _ASKS[planned.asks]
