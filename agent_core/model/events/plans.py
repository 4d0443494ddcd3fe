"""Events of plans: adopted by a person's decision, and what was reported of their sub-goals."""

from agent_core.model.events.base import EventData
from agent_core.model.plan import PlanStep


class PlanAdopted(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A plan is in force: its steps may be carried out, each of them judged by itself. It replaces an earlier one."""

    kind = "plan_adopted"
    call_id: str
    steps: list[PlanStep]
    edited_by: str | None = None
    """Who edited it, when somebody did."""


class StepReported(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A report on a sub-goal of the plan in force, accepted because it fits what its calls came back with."""

    kind = "step_reported"
    step: str
    done: bool
    result: str
