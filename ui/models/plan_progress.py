"""Plan progress: how far the plan in force of a session is, in words. Pure; the engine's own fold says it."""

from agent_core.model.plan import StepState, StepStatus, steps_of
from agent_core.model.state import SessionState


def steps_in_force(state: SessionState | None) -> list[StepState]:
    """The steps of the newest run's plan; none where there is none."""
    plans = state.run.plans if state is not None and state.runs else []
    return steps_of(plans[-1], plans[:-1]) if plans else []


def progress_words(steps: list[StepState]) -> str:
    """How far it is, in one line."""
    done = sum(one.status is StepStatus.DONE for one in steps)
    failed = [one.step.id for one in steps if one.status is StepStatus.FAILED]
    return f"{done} of {len(steps)} steps done" + (f", {', '.join(failed)} failed" if failed else "") if steps else ""


def plan_note(state: SessionState | None) -> str:
    """Which plan of the run it is, and who edited it."""
    plans = state.run.plans if state is not None and state.runs else []
    if not plans:
        return ""
    edited = f"edited by {plans[-1].edited_by}" if plans[-1].edited_by else ""
    number = f"plan {len(plans)} of this run" if len(plans) > 1 else ""
    return " · ".join(part for part in (number, edited) if part)
