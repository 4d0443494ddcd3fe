"""Scoring: the computed confidence of one call, from the checks that apply to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agent_core.config.profile import Rule
from agent_core.engine.equipment import Policy
from agent_core.model.action import Rationale
from agent_core.model.proposal import EDITING, Confidence, Verdict
from agent_core.model.state import SessionState
from agent_core.policy.confidence import PastDecisions, generic_checks, score
from agent_core.policy.gate import runs_by_default
from agent_core.policy.provenance import Provenance
from agent_core.policy.rules import granted_arguments
from agent_core.tools.base import Preview, Tool

_APPROVED = (Verdict.APPROVE, Verdict.BEST_EFFORT, Verdict.RELEASE)
_REFUSED = (Verdict.REJECT, Verdict.SEND_BACK, Verdict.ABANDON)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a score is computed from."""

    arguments: dict[str, Any]
    rationale: Rationale | None
    preview: Preview | None
    provenance: Provenance
    allowing: Sequence[Rule]
    """The allow rules that match the call."""


def confidence_of(policy: Policy, state: SessionState, tool: Tool, evidence: Evidence) -> Confidence:
    """The score of one call against the threshold of its tool."""
    checks = generic_checks(
        arguments=evidence.arguments,
        sensitive=tool.sensitive,
        provenance=evidence.provenance,
        previewed=evidence.preview is not None,
        evidence=evidence.rationale.evidence if evidence.rationale is not None else (),
        past=past_decisions(state, tool.name),
        granted=granted_arguments(evidence.allowing),
    )
    own = evidence.preview.checks if evidence.preview is not None else []
    return score([*checks, *own], threshold(policy, tool.name))


def is_scored(tool: Tool) -> bool:
    """Only calls that change something are scored, and reads from outside."""
    return not runs_by_default(tool.effect_class, open_world=tool.open_world)


def threshold(policy: Policy, tool: str) -> float:
    """The score that a call of this tool needs: the tool's own, else the profile's."""
    own = next((entry.confidence for entry in policy.profile.tools if entry.name == tool), None)
    return policy.profile.gate.confidence if own is None else own


def past_decisions(state: SessionState, tool: str) -> PastDecisions:
    """How people decided on this session's calls of the tool before."""
    given = [
        card.closing.verdict
        for card in state.proposals.values()
        if card.closing is not None and card.proposal.tool == tool
    ]
    return PastDecisions(
        approved=sum(verdict in _APPROVED for verdict in given),
        edited=sum(verdict in EDITING for verdict in given),
        refused=sum(verdict in _REFUSED for verdict in given),
    )
