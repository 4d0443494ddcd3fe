"""Plan-execute: as react, but for who speaks. The planner plans and plans anew; an executor may carry out the steps.

What a plan allows is the gate's to say, and which steps are done follows from their calls: there is nothing else here
that a turn of this pattern does otherwise.
"""

from datetime import datetime

from agent_core.engine.commands import Command, RequestModel
from agent_core.engine.patterns import react
from agent_core.model.plan import PlanPhase
from agent_core.model.state import SessionState
from agent_core.policy.plans import standing_of


def next_command(state: SessionState, now: datetime) -> Command:
    """What the newest run needs next. Pure: the same state and instant give the same command."""
    command = react.next_command(state, now)
    if isinstance(command, RequestModel) and not command.closing and standing_of(state).phase is PlanPhase.EXECUTING:
        return RequestModel(executing=True)
    return command
