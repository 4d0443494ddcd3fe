"""Workbench: what a draft of rules would have meant, what is wrong with it, and rules made from decisions. Pure.

History is judged by the gate itself, so a simulation says what would happen and not what somebody thinks it would.
"""

import posixpath
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from agent_core.config.profile import Match, Rule, RuleScope
from agent_core.config.rule_trials import Fault, LintFinding, NeverNo, PastCall, RuleEffect, Simulation
from agent_core.model.action import GateVerdict, Reversibility
from agent_core.model.proposal import APPROVING, EDITING, REFUSING
from agent_core.policy import breadth
from agent_core.policy import rules as rule_book
from agent_core.policy.confidence import with_granted
from agent_core.policy.gate import GateInput, Judgement, judge
from agent_core.policy.predicates import amount_of

LEAST_CARDS = 20
LONGEST_VALUE = 200
"""Characters of a value that a rule made from a decision names; longer ones are content."""


def simulate(draft: Sequence[Rule], current: Sequence[Rule], history: Sequence[PastCall], now: datetime) -> Simulation:
    """The draft of the standing rules against past calls, beside the rules that hold today."""
    before = [_judged(call, current, now) for call in history]
    after = [_judged(call, draft, now) for call in history]
    fresh = [
        call
        for call, old, new in zip(history, before, after, strict=True)
        if new.verdict is GateVerdict.ALLOW and old.verdict is not GateVerdict.ALLOW
    ]
    return Simulation(
        calls=len(history),
        rules=[_effect(rule, history, after, now) for rule in draft],
        before=_counted(before),
        after=_counted(after),
        newly_allowed=len(fresh),
        newly_allowed_refused=sum(call.given in REFUSING for call in fresh),
    )


def effect_of(rule: Rule, standing: Sequence[Rule], history: Sequence[PastCall], now: datetime) -> RuleEffect:
    """What one more rule would have meant beside those that hold."""
    return _effect(rule, history, [_judged(call, [*standing, rule], now) for call in history], now)


def lint(
    rules: Sequence[Rule],
    *,
    now: datetime,
    reversibility: Mapping[str, Reversibility],
    sensitive: Mapping[str, Sequence[str]],
    examples: Mapping[str, PastCall] | None = None,
    history: Sequence[PastCall] = (),
) -> list[LintFinding]:
    """Rules that can never match, that others make void, or that cover more than what people said yes to.

    `reversibility` and `sensitive` are the tools' own, by name; `examples` the call behind a rule, by `rules.key`. A
    rule without one is held against `history`.
    """
    found: list[LintFinding] = []
    for place, rule in enumerate(rules):
        never = _why_never(rule, now, reversibility)
        if never is not None:
            found.append(LintFinding(place=place, fault=Fault.NEVER, text=never))
            continue
        found += _shadows(place, rule, rules, now, reversibility)
        example = (examples or {}).get(rule_book.key(rule))
        if rule.verdict is not GateVerdict.ALLOW:
            continue
        names = sensitive.get(rule.tool, ())
        beyond = breadth.beyond(rule, history, names, lambda rule, call: _matches(rule, call, now))
        if example is not None:
            found += _breadth(place, rule, example, names)
        elif beyond is not None:
            found.append(LintFinding(place=place, fault=Fault.BEYOND, text=beyond))
    return found


def rule_from(call: PastCall, sensitive: Sequence[str]) -> Rule:
    """The narrowest useful rule that a decision suggests: this tool with exactly these paths and sensitive values."""
    telling = [name for name in call.arguments if name in sensitive or name in rule_book.PATH_ARGUMENTS]
    names = telling or [name for name, value in call.arguments.items() if _is_short(value)]
    when = {name: call.arguments[name] for name in names if _is_short(call.arguments[name])}
    because = f"Made from the decision of {call.by or 'nobody'} on {call.at:%Y-%m-%d}"
    verdict = GateVerdict.DENY if call.given in REFUSING else GateVerdict.ALLOW
    return Rule(tool=call.tool, verdict=verdict, when=when, match=Match.EXACT, scope=RuleScope.ALWAYS, because=because)


def never_no(history: Sequence[PastCall], least: int = LEAST_CARDS) -> list[NeverNo]:
    """Tools of an agent whose cards were all approved as they were: asking there teaches people to say yes."""
    decided = [call for call in history if call.given is not None]
    asked = Counter((call.agent, call.tool) for call in decided)
    yes = Counter((call.agent, call.tool) for call in decided if call.given in APPROVING - EDITING)
    return [
        NeverNo(agent=agent, tool=tool, approved=count)
        for (agent, tool), count in sorted(asked.items())
        if count >= least and yes[agent, tool] == count
    ]


def _judged(call: PastCall, standing: Sequence[Rule], now: datetime) -> Judgement:
    rules = [*standing, *call.agent_rules]
    granted = rule_book.granted_arguments([rule for rule in rules if _matches(rule, call, now)])
    return judge(
        GateInput(
            tool=call.tool,
            now=now,
            effect_class=call.effect_class,
            reversibility=call.reversibility,
            open_world=call.open_world,
            arguments=call.arguments,
            facts=_facts(call.arguments),
            rules=rules,
            confidence=with_granted(call.confidence, granted) if call.confidence is not None else None,
        )
    )


def _facts(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Paths in normal form. Links were followed then and cannot be followed now."""
    paths = {name: value for name, value in arguments.items() if name in rule_book.PATH_ARGUMENTS}
    return {name: posixpath.normpath(value) for name, value in paths.items() if isinstance(value, str)}


def _counted(judgements: Sequence[Judgement]) -> dict[str, int]:
    counts = Counter(judgement.verdict for judgement in judgements)
    return {verdict.value: counts[verdict] for verdict in GateVerdict}


def _effect(rule: Rule, history: Sequence[PastCall], after: Sequence[Judgement], now: datetime) -> RuleEffect:
    text = rule_book.text(rule)
    matched = [(call, new) for call, new in zip(history, after, strict=True) if _matches(rule, call, now)]
    given = [call for call, new in matched if new.verdict is rule.verdict]
    return RuleEffect(
        text=text,
        verdict=rule.verdict,
        matched=len(matched),
        given=len(given),
        approved=sum(call.given in APPROVING - EDITING for call in given),
        refused=sum(call.given in REFUSING for call in given),
        edited=sum(call.given in EDITING for call in given),
    )


def _matches(rule: Rule, call: PastCall, now: datetime) -> bool:
    return rule_book.matches(
        rule,
        tool=call.tool,
        arguments=call.arguments,
        facts=_facts(call.arguments),
        now=now,
        tree=call.effect_class.value != "read_only",
    )


def _why_never(rule: Rule, now: datetime, reversibility: Mapping[str, Reversibility]) -> str | None:
    if rule.tool not in reversibility:
        return f'There is no tool "{rule.tool}".'
    if rule.expires is not None and _passed(rule.expires, now):
        return f"It expired at {rule.expires}."
    if rule.uses is not None and rule.uses < 1:
        return "It has no uses."
    for name, wanted in rule.when.items():
        if isinstance(wanted, Mapping) and "min" in wanted and "max" in wanted:
            least, most = amount_of(wanted["min"]), amount_of(wanted["max"])
            if least is not None and most is not None and least > most:
                return f"No {name} is at least {wanted['min']} and at most {wanted['max']}."
    if rule.verdict is GateVerdict.ALLOW and reversibility[rule.tool] is Reversibility.IRREVERSIBLE:
        return f"{rule.tool} cannot be undone, so a person is asked whatever rules allow."
    return None


def _passed(expires: str, now: datetime) -> bool:
    try:
        end = datetime.fromisoformat(expires)
    except ValueError:
        return False
    return end.tzinfo is not None and now >= end


def _shadows(
    place: int, rule: Rule, rules: Sequence[Rule], now: datetime, reversibility: Mapping[str, Reversibility]
) -> list[LintFinding]:
    for other_place, other in enumerate(rules):
        if other_place == place or not _covers(other, rule) or _why_never(other, now, reversibility) is not None:
            continue
        text = rule_book.text(other)
        if _STRICTNESS[other.verdict] > _STRICTNESS[rule.verdict]:
            return [LintFinding(place=place, fault=Fault.SHADOWED, text=f"A stricter rule covers it: {text}.")]
        same = other.verdict is rule.verdict and (not _covers(rule, other) or other_place < place)
        if same:
            return [LintFinding(place=place, fault=Fault.REDUNDANT, text=f"A wider rule says the same: {text}.")]
    return []


_STRICTNESS = {GateVerdict.ALLOW: 0, GateVerdict.ASK: 1, GateVerdict.DENY: 2}


def _covers(wide: Rule, narrow: Rule) -> bool:
    """Whether `wide` surely matches every call that `narrow` matches, as long as either holds."""
    if wide.tool != narrow.tool or wide.uses is not None:
        return False
    if wide.expires is not None and (narrow.expires is None or wide.expires < narrow.expires):
        return False
    if wide.when and wide.match is not narrow.match:
        return False
    return all(name in narrow.when and narrow.when[name] == wanted for name, wanted in wide.when.items())


def _breadth(place: int, rule: Rule, example: PastCall, sensitive: Sequence[str]) -> list[LintFinding]:
    if not rule.when:
        text = f"It covers every call of {rule.tool}; it was made from one."
        return [LintFinding(place=place, fault=Fault.BROAD, text=text)]
    open_names = [name for name in sensitive if name in example.arguments and not breadth.narrows(rule, name)]
    if not open_names:
        return []
    text = f"It leaves {', '.join(open_names)} open, which its example had as one value."
    return [LintFinding(place=place, fault=Fault.BROAD, text=text)]


def _is_short(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_is_short(item) for item in value)
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_VALUE and "\n" not in value
    return isinstance(value, int | float)
