"""Which stop reason belongs to which limit, and which runs can be taken up again."""

from agent_core.model.budget import LimitName
from agent_core.model.state import StopReason

STOP_OF_LIMIT: dict[LimitName, StopReason] = {
    LimitName.STEPS: StopReason.STEP_LIMIT,
    LimitName.TOOL_CALLS: StopReason.TOOL_CALL_LIMIT,
    LimitName.TOKENS: StopReason.TOKEN_LIMIT,
    LimitName.COST_USD: StopReason.COST_LIMIT,
    LimitName.SECONDS: StopReason.TIME_LIMIT,
}

LIMIT_STOPS = frozenset(STOP_OF_LIMIT.values())
"""Runs that ended so can be opened again through their budget card."""
