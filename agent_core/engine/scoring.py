"""Scoring: the computed confidence of one call, from the checks that apply to it."""

from typing import Any

from agent_core.engine.equipment import Equipment, Policy
from agent_core.model.action import EffectClass
from agent_core.model.proposal import Check, CheckResult, Confidence
from agent_core.model.state import CallState, SessionState
from agent_core.policy.confidence import score
from agent_core.tools.base import Tool
from agent_core.tools.executor import Examined


def confidence_of(
    equipment: Equipment,
    policy: Policy,
    state: SessionState,
    call: CallState,
    tool: Tool,
    arguments: dict[str, Any],
    examined: Examined,
) -> Confidence | None:
    """The score of a call that changes something or reads from outside; None for the others."""
    if not is_scored(tool):
        return None
    checks = [Check(name="arguments", result=CheckResult.PASS, weight=1.0, detail="They fit the tool's schema.")]
    if examined.preview is not None:
        checks.extend(examined.preview.checks)
    return score(checks, threshold(policy, tool.name))


def is_scored(tool: Tool) -> bool:
    """Only calls that are not read-only are scored, and reads from outside."""
    return tool.effect_class not in (EffectClass.READ_ONLY, EffectClass.ENGINE) or tool.open_world


def threshold(policy: Policy, tool: str) -> float:
    """The score that a call of this tool needs: the tool's own, else the profile's."""
    own = next((entry.confidence for entry in policy.profile.tools if entry.name == tool), None)
    return policy.profile.gate.confidence if own is None else own
