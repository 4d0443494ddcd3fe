"""The gate: may this call run, must a person decide, or is it refused? The model proposes; this disposes. Pure.

The most restrictive answer wins: not in the manifest → deny · invalid → error · deny rules → deny · irreversible → ask,
which no rule can lower · stale or low confidence → ask · ask rules → ask · allow rules → allow · default: reads and the
engine's own calls run, everything else asks.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from agent_core.config.profile import Rule
from agent_core.model.action import TIER_OF, EffectClass, GateVerdict, Reversibility, Tier, ToolError
from agent_core.model.proposal import Confidence, Touchpoint
from agent_core.policy import rules as rule_book
from agent_core.policy.containment import DENIED

_OPENS = {
    Touchpoint.QUESTION: "It is a question to a person.",
    Touchpoint.PLAN: "Nothing of a plan starts before a person approved it.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GateInput:
    """Everything that the gate looks at, and nothing else."""

    tool: str
    now: datetime
    in_manifest: bool = True
    """In the agent's manifest and in the phase that it is in."""
    available: Sequence[str] = ()
    """Names of the tools that it could call."""
    contained: str | None = None
    """Why the tool is switched off for this run."""
    out_of_plan: ToolError | None = None
    """Why the plan in force does not allow it at this point, or why it cannot be a plan."""
    invalid: ToolError | None = None
    denied: ToolError | None = None
    """Set by the tool's own look at the world: a denied path, out of the workspace."""
    effect_class: EffectClass = EffectClass.NON_IDEMPOTENT
    reversibility: Reversibility = Reversibility.IRREVERSIBLE
    """The gravest of the tool's own and what the preview found."""
    open_world: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Resolved values of arguments: these are what rules see."""
    rules: Sequence[Rule] = ()
    rule_uses: Mapping[str, int] = field(default_factory=dict)
    """How often each rule has allowed a call so far, by `rules.key`."""
    confidence: Confidence | None = None
    stale_sources: bool = False
    repeat_of: str | None = None
    """What it looks like a repeat of: a call of unknown outcome or a refused one, as "step 7 (outcome unknown)"."""
    already_answered: bool = False
    """A person has approved exactly this call or modified it into this: that answers an ask."""
    answered_tier: Tier | None = None
    """The tier of the card that was answered; a graver call now opens a fresh card all the same."""
    people: int = 1
    """How many people must approve it: with two no rule can let it through."""
    opens: Touchpoint | None = None
    """The card that every call of the tool opens: a person answers it, whatever rules say."""
    staged: bool = False
    """Its drafts wait in the staging area: only a person's release lets one out, whatever rules say."""
    demo: bool = False
    real: bool = False
    """The tool reaches the real world, which demo sessions may not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the gate says. `touchpoint` is the card to open: None for allow, deny, and an ask that is answered."""

    verdict: GateVerdict
    reasons: list[str]
    """One sentence each, the weightiest first."""
    rules: list[str]
    """The exact text of every rule that matched."""
    tier: Tier
    touchpoint: Touchpoint | None = None
    error: ToolError | None = None
    """What the model is told of a call that is refused."""

    @property
    def may_run(self) -> bool:
        """Allowed, or an ask that a person has answered."""
        return self.verdict is GateVerdict.ALLOW or (self.verdict is GateVerdict.ASK and self.touchpoint is None)


def judge(call: GateInput) -> Judgement:
    """Put one call before the gate."""
    if error := _not_available(call) or call.out_of_plan or call.invalid:
        return _refused(call, error, error.message, [])
    matched = [rule for rule in call.rules if _matches(rule, call)]
    texts = [rule_book.text(rule) for rule in matched]
    if error := _denied(call, matched):
        return _refused(call, error, error.message, texts)
    grounds = _grounds_to_ask(call, matched)
    free = runs_by_default(call.effect_class, open_world=call.open_world)
    low = call.confidence is not None and call.confidence.below_threshold and not free
    allowing = [rule for rule in matched if rule.verdict is GateVerdict.ALLOW]
    if not grounds and not low and (allowing or free):
        return Judgement(
            verdict=GateVerdict.ALLOW, reasons=[_why_allowed(call, allowing)], rules=texts, tier=_tier(call)
        )
    touchpoint = Touchpoint.CONFIDENCE if low and allowing and not grounds else Touchpoint.APPROVAL
    if call.staged:
        touchpoint = Touchpoint.QUALITY_REVIEW
    if call.opens is not None:
        touchpoint = call.opens
    if low and call.confidence is not None:
        grounds.append(f"Its computed confidence is {call.confidence.score}, below {call.confidence.threshold}.")
    tier = max(_tier(call), Tier.R1)
    answered = call.already_answered and (call.answered_tier is None or tier <= call.answered_tier)
    return Judgement(
        verdict=GateVerdict.ASK,
        reasons=grounds or [_why_asked_by_default(call)],
        rules=texts,
        tier=tier,
        touchpoint=None if answered else touchpoint,
    )


def _matches(rule: Rule, call: GateInput) -> bool:
    return rule_book.matches(
        rule,
        tool=call.tool,
        arguments=call.arguments,
        facts=call.facts,
        now=call.now,
        uses=call.rule_uses.get(rule_book.key(rule), 0),
        tree=call.effect_class is not EffectClass.READ_ONLY,
    )


def _not_available(call: GateInput) -> ToolError | None:
    if not call.in_manifest:
        return _unknown_tool(call)
    if call.contained is not None:
        return ToolError(code="contained", message=call.contained, suggestion="Go on without it, or ask the operator.")
    if call.demo and call.real:
        return ToolError(code="not_in_demo", message=f"{call.tool} reaches the real world; a demo session may not.")
    return None


def _unknown_tool(call: GateInput) -> ToolError:
    names = sorted(call.available)
    close = difflib.get_close_matches(call.tool, names, n=1)
    hint = f' Did you mean "{close[0]}"?' if close else ""
    listed = ", ".join(names) if names else "none"
    return ToolError(
        code="unknown_tool",
        message=f'There is no tool "{call.tool}" here.{hint}',
        suggestion=f"Available tools: {listed}.",
    )


def _denied(call: GateInput, matched: Sequence[Rule]) -> ToolError | None:
    if call.denied is not None:
        return msgspec.structs.replace(call.denied, code=DENIED, retryable=False)
    for rule in matched:
        if rule.verdict is GateVerdict.DENY:
            because = f" ({rule.because})" if rule.because else ""
            return ToolError(
                code=DENIED,
                message=f"A rule denies this call: {rule_book.text(rule)}{because}.",
                suggestion="Do not try it another way; go on without it, or ask the operator.",
            )
    return None


def _refused(call: GateInput, error: ToolError, reason: str, texts: list[str]) -> Judgement:
    return Judgement(verdict=GateVerdict.DENY, reasons=[reason], rules=texts, tier=_tier(call), error=error)


def _grounds_to_ask(call: GateInput, matched: Sequence[Rule]) -> list[str]:
    """Why a person must decide, apart from the score and the default."""
    if call.opens is not None:
        return [_OPENS[call.opens]]
    grounds: list[str] = []
    if call.reversibility is Reversibility.IRREVERSIBLE:
        grounds.append("It cannot be undone, so a person decides; no rule can lower that.")
    if call.staged:
        grounds.append("It is meant for outside, so its draft waits until a person releases it.")
    if call.people > 1:
        grounds.append("Two people must approve it.")
    if call.repeat_of is not None:
        grounds.append(f"It looks like a repeat of {call.repeat_of}.")
    if call.effect_class is EffectClass.ENGINE:
        return grounds
    if call.stale_sources and call.effect_class is not EffectClass.READ_ONLY:
        grounds.append("A fact that it rests on is older than its limit.")
    asking = [rule for rule in matched if rule.verdict is GateVerdict.ASK]
    return grounds + [f"A rule asks: {rule_book.text(rule)}." for rule in asking]


def runs_by_default(effect_class: EffectClass, *, open_world: bool) -> bool:
    """Whether a call runs where no rule says anything. Every other is scored: it changes something or looks outside."""
    reads_inside = effect_class is EffectClass.READ_ONLY and not open_world
    return effect_class is EffectClass.ENGINE or reads_inside


def _why_allowed(call: GateInput, allowing: Sequence[Rule]) -> str:
    if allowing:
        return f"A rule allows it: {rule_book.text(allowing[0])}."
    if call.effect_class is EffectClass.ENGINE:
        return "It has no effect outside the journal."
    return "It only reads."


def _why_asked_by_default(call: GateInput) -> str:
    if call.effect_class is EffectClass.READ_ONLY:
        return "It reads from outside, and no rule allows that."
    return "It changes something, and no rule allows it."


def _tier(call: GateInput) -> Tier:
    if not call.effect_class.changes and call.reversibility is not Reversibility.IRREVERSIBLE:
        return Tier.R0
    return TIER_OF[call.reversibility]
