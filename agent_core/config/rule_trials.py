"""Rule trials: what trying out rules takes and gives. Frozen values that survive JSON."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from agent_core.config.profile import Rule
from agent_core.model.action import EffectClass, GateVerdict, Reversibility
from agent_core.model.proposal import Confidence, Verdict


class PastCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call as the gate judged it once, and what a person said to it; `given` is None where nobody did."""

    session: str
    agent: str
    call_id: str
    step: int
    at: datetime
    tool: str
    arguments: dict[str, Any]
    gate: GateVerdict
    effect_class: EffectClass
    reversibility: Reversibility
    rules: list[str] = []
    """The text of each rule that matched then."""
    confidence: Confidence | None = None
    open_world: bool = False
    given: Verdict | None = None
    by: str | None = None
    agent_rules: list[Rule] = []
    """The rules of the agent's own profile, which hold beside the standing ones."""


class RuleEffect(msgspec.Struct, frozen=True, kw_only=True):
    """What one rule would have meant for past calls."""

    text: str
    verdict: GateVerdict
    matched: int
    given: int
    """Calls that this rule matched and to which the whole draft would have given its verdict."""
    approved: int
    """Of those: calls that a person approved as they were."""
    refused: int
    edited: int


class Simulation(msgspec.Struct, frozen=True, kw_only=True):
    """A draft of the standing rules against history: how many calls each verdict would have met, before and after."""

    calls: int
    rules: list[RuleEffect]
    before: dict[str, int]
    after: dict[str, int]
    """By allow, ask, deny."""
    newly_allowed: int
    newly_allowed_refused: int
    """Of the newly allowed: calls that a person refused."""


class Fault(StrEnum):
    """What is wrong with a rule."""

    NEVER = "never_matches"
    SHADOWED = "shadowed"
    REDUNDANT = "redundant"
    BROAD = "broader_than_its_example"
    BEYOND = "broader_than_what_was_approved"


class LintFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing about one rule, by its place in the draft."""

    place: int
    fault: Fault
    text: str


class RuleDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A rule made from a past decision, before anyone saves it: its exact words and what it would have meant."""

    rule: Rule
    text: str
    effect: RuleEffect
    findings: list[LintFinding] = []


class RulesVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One saved set of the standing rules, and what it changed."""

    seq: int
    at: datetime
    by: str
    why: str
    rules: list[Rule]
    added: list[str]
    removed: list[str]
    """Texts of rules, against the version before."""


class NeverNo(msgspec.Struct, frozen=True, kw_only=True):
    """A gate that never says no: every one of so many cards was approved as it was."""

    agent: str
    tool: str
    approved: int
