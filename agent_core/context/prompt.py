"""The system prompt: the profile's own, then the invariants. No time and no figures, so that its bytes never change."""

from functools import cache
from importlib.resources import files

from agent_core.config.profile import PatternName
from agent_core.model.text import clean

_LONG_GOAL = 4000
"""Characters above which the goal stands only where it was given: in the first message."""


def system_prompt(own: str, goal: str, pattern: PatternName = PatternName.REACT) -> str:
    """The whole system prompt of a session: `own` is the profile's."""
    goal = goal.strip() if len(goal) <= _LONG_GOAL else "it stands in the first message."
    parts = [own.strip(), _bundled("invariants").replace("{{goal}}", goal).strip()]
    if pattern is not PatternName.REACT:
        parts.append(_bundled(pattern.value).strip())
    return clean("\n\n".join(part for part in parts if part))


@cache
def _bundled(name: str) -> str:
    return files("resources").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
