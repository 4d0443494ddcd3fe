"""Notes: the volatile tail of a request, in the program's own voice. What was once sent stays in the history."""

from decimal import Decimal

from agent_core.model.budget import Limits, Spend
from agent_core.model.plan import PlanPhase, StepState, StepStatus
from agent_core.policy.plans import PlanStanding

_VOICE = "[Pilothouse: {}]"


def budget_note(limits: Limits, spend: Spend) -> str:
    """What is used of each limit, in one line."""
    parts = [
        f"step {spend.steps + 1} of {limits.steps}",
        f"{spend.tool_calls} of {limits.tool_calls} tool calls",
        f"{_thousands(spend.tokens)} of {_thousands(limits.tokens)} tokens",
    ]
    if limits.cost_usd is not None:
        parts.append(f"{_dollars(spend.cost_usd)} of {limits.cost_usd:.2f} USD")
    parts.append(f"{spend.active_seconds:.0f} of {limits.seconds:.0f} seconds")
    return _VOICE.format("; ".join(parts) + " used")


def plan_note(standing: PlanStanding) -> str:
    """Where the plan stands and what comes next, as the engine knows it."""
    match standing.phase:
        case PlanPhase.UNPLANNED:
            return _VOICE.format("no plan is in force: look around by reading, then submit one with plan_submit")
        case PlanPhase.DONE:
            return _VOICE.format("every step of the plan is done: finish, or submit a plan for what is still missing")
        case PlanPhase.FAILED:
            return _VOICE.format(_what_failed(standing))
        case PlanPhase.EXECUTING:
            return _VOICE.format(_what_is_next(standing))


def _what_failed(standing: PlanStanding) -> str:
    failed = [f'step "{s.step.id}" failed ({s.detail})' for s in standing.steps if s.status is StepStatus.FAILED]
    left = [s.step.id for s in standing.unfinished]
    return (
        f"{'; '.join(failed)}. The plan no longer holds; not done: {', '.join(left)}. Submit a new plan for what "
        "remains with plan_submit, or finish and name the gap"
    )


def _what_is_next(standing: PlanStanding) -> str:
    ready = [_ready(state) for state in standing.steps if state.open]
    waiting = [f"{s.step.id} {s.detail}" for s in standing.steps if s.status is StepStatus.WAITING]
    done = len(standing.steps) - len(standing.unfinished)
    parts = [f"{done} of {len(standing.steps)} steps of the plan are done", f"ready: {', '.join(ready)}"]
    parts += [f"not yet: {', '.join(waiting)}"] if waiting else []
    return "; ".join(parts) + ". Make the calls of all ready steps in one response, each with its plan_step"


def _ready(state: StepState) -> str:
    return f"{state.step.id} ({state.step.tool or 'sub-goal, ends with plan_report'})"


def fork_note(session: str, step: int, done_since: str) -> str:
    """What a fork has to know of its workspace: it is as it is now, and later steps did there what they did."""
    since = f". Done there after it, and not taken back: {done_since}. Do not do it again without need"
    return _VOICE.format(
        f"this session goes on from step {step} of session {session}. The workspace is as it is now, not as it was "
        f"then: look before you rely on what you read{since if done_since else ''}."
    )


def closing_note(reason: str) -> str:
    """What the last request says: tools are over, sum up. `reason` is one sentence."""
    return _VOICE.format(
        f"{reason.strip()} This is your last message and no tool can be called. Sum up for the operator what was done, "
        "what was found, and what is missing and why"
    )


def _thousands(tokens: int) -> str:
    return f"{tokens / 1000:.0f}k" if tokens >= 10_000 else f"{tokens:,}"


def _dollars(cost: Decimal | None) -> str:
    return "an unknown part" if cost is None else f"{cost:.2f}"
