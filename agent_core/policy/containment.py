"""Containment: a tool that keeps asking for what it may not have is switched off for the run."""

from agent_core.model.action import GateVerdict, ToolError

DENIALS = 3
"""Refusals by the gate after which a tool is off until an operator lifts it."""

DENIED = "denied"
"""The code of refusals that count. A person's reject, an expiry, an invalid call and an error do not."""


def counts(verdict: GateVerdict, error: ToolError | None) -> bool:
    """Whether a judgement counts towards switching its tool off."""
    return verdict is GateVerdict.DENY and (error is None or error.code == DENIED)


def why_contained(tool: str, denials: int) -> str | None:
    """Why a tool with that many refusals is off, in one sentence; None while it is not."""
    if denials < DENIALS:
        return None
    return f"{tool} was refused {denials} times in this run and is off until an operator lifts it."
