"""What the fork dialog shows and asks for. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent_core.model.budget import LimitName, Limits
from agent_core.model.intents import ForkPlan, ForkPoint, ForkSession
from ui import formatting
from ui.models.new_run import goal_problem, limit_problem, limit_value


@dataclass(frozen=True, slots=True)
class ForkForm:
    """What the fields hold. `limits` as typed, by name; that of the tree is none of them."""

    step: int
    goal: str
    limits: Mapping[LimitName, str]


def point_words(point: ForkPoint) -> str:
    """A step in the picker."""
    return point.words if point.step == 0 else f"Step {point.step} · {point.words}"


def problems(form: ForkForm) -> dict[str, str]:
    """One sentence for each field that keeps the fork from starting."""
    found = {"goal": goal_problem(form.goal)}
    found |= {f"limits.{name.value}": limit_problem(name, typed) for name, typed in form.limits.items()}
    return {name: problem for name, problem in found.items() if problem}


def tree_words(plan: ForkPlan) -> str:
    """What holds for the source and its forks together."""
    limit = plan.limits.tree_cost_usd
    if limit is None:
        return "Its limits count from nought. No limit holds for all forks together."
    return f"Its limits count from nought; {formatting.money(limit)} hold for this session and all forks together."


def fork_intent(plan: ForkPlan, form: ForkForm, by: str) -> ForkSession:
    """The intent; only for a form without problems. What is as before is left to the engine."""
    values: dict[str, Any] = {name.value: limit_value(name, typed) for name, typed in form.limits.items()}
    limits, goal = Limits(**values, tree_cost_usd=plan.limits.tree_cost_usd), form.goal.strip()
    return ForkSession(
        session=plan.session,
        by=by,
        step=form.step,
        goal=None if goal == plan.goal else goal,
        limits=None if limits == plan.limits else limits,
    )
