"""Rules: whether one matches a call, what it says in exact words, and what is wrong with it.

Everything that cannot be told fails closed: an allow rule does not match then, a deny or ask rule does.
"""

import difflib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from agent_core.config.profile import Match, Rule, RuleScope
from agent_core.model.action import GateVerdict
from agent_core.policy.hosts import host_of
from agent_core.policy.patterns import check_regex
from agent_core.policy.predicates import CONDITIONS, Question, amount_of

DERIVED = {"domain": ("url", "to")}
"""Names that rules may use beside a tool's arguments: each is read off the first of these that the call has."""

PATH_ARGUMENTS = frozenset({"path", "source", "target", "cwd", "database"})
"""Arguments that are paths of the workspace, in every built-in tool."""

_SCOPE_WORDS = {RuleScope.AGENT: "for this agent", RuleScope.SESSION: "for this session", RuleScope.ALWAYS: "always"}
_CONDITION_WORDS = {
    "min": "is at least",
    "max": "is at most",
    "inside": "lies inside",
    "domain": "is on the host",
    "exact": "is exactly",
    "glob": "matches",
    "regex": "matches the expression",
}
_PLAIN_NAME = re.compile(r"[\w-]+(\.[\w-]+)*", re.ASCII)
_MATCH_WORDS = {Match.EXACT: "exact", Match.GLOB: "glob", Match.REGEX: "regex"}


def matches(
    rule: Rule,
    *,
    tool: str,
    arguments: Mapping[str, Any],
    facts: Mapping[str, Any],
    now: datetime,
    uses: int = 0,
    tree: bool = False,
) -> bool:
    """Whether the rule says something about this call.

    `facts` hold the resolved value of an argument and win over the raw one. `uses` is how often the rule has allowed a
    call so far. `tree` is set for calls that change things: a folder then stands for everything in it.
    """
    if rule.tool != tool or not _in_force(rule, now, uses):
        return False
    strict = rule.verdict is GateVerdict.ALLOW
    question = Question(rule.match, strict=strict, tree=tree)
    answers = [_ask(question, name, wanted, arguments, facts) for name, wanted in rule.when.items()]
    if strict:
        return all(answer is True for answer in answers)
    return all(answer is not False for answer in answers)


def granted_arguments(rules: Iterable[Rule]) -> dict[str, str]:
    """The arguments that these allow rules narrow, with the rule's text: the operator's own word on their values."""
    granted: dict[str, str] = {}
    for rule in rules:
        for name in rule.when if rule.verdict is GateVerdict.ALLOW else ():
            for argument in (name, *DERIVED.get(name, ())):
                granted.setdefault(argument, text(rule))
    return granted


def key(rule: Rule) -> str:
    """What the uses of a rule are counted under: its id, else its text."""
    return rule.rule_id or text(rule)


def count_uses(rules: Sequence[Rule], granted: Iterable[Sequence[str]]) -> dict[str, int]:
    """How often each rule was used up, from the matched texts of every call that ran because rules allowed it."""
    counts: dict[str, int] = {}
    for texts in granted:
        for matched in texts:
            counts[matched] = counts.get(matched, 0) + 1
    return {key(rule): counts.get(text(rule), 0) for rule in rules if rule.verdict is GateVerdict.ALLOW}


def text(rule: Rule) -> str:
    """The exact words of a rule: two rules that mean different things never read the same."""
    parts = [f"{rule.verdict.value} {rule.tool}"]
    if rule.when:
        parts.append("when " + " and ".join(conditions(rule)))
    parts.append(_SCOPE_WORDS[rule.scope])
    if rule.expires is not None:
        parts.append(f"until {rule.expires}")
    if rule.uses is not None:
        parts.append("once" if rule.uses == 1 else f"{rule.uses} times")
    return ", ".join(parts)


def conditions(rule: Rule) -> list[str]:
    """What a rule asks of the arguments, in exact words, one a predicate; empty for a rule on every call."""
    return [_condition_text(name, rule.when[name], rule.match) for name in sorted(rule.when)]


def validate(rule: Rule, tool_names: Collection[str], argument_names: Collection[str]) -> list[str]:
    """What is wrong with a rule, one sentence each; empty when it can be loaded.

    `argument_names` are those of the rule's own tool, with the facts that the tool states beside them.
    """
    if rule.tool not in tool_names:
        return [f'The rule names an unknown tool "{rule.tool}"{_nearest(rule.tool, tool_names)}']
    problems: list[str] = []
    known = {*argument_names, *(name for name, sources in DERIVED.items() if any(s in argument_names for s in sources))}
    for name, wanted in rule.when.items():
        if name not in known:
            problems.append(f'{rule.tool} has no argument "{name}"{_nearest(name, known)}')
        else:
            problems += _wanted_problems(f"The rule on {rule.tool}.{name}", wanted, rule.match)
    if rule.expires is not None and _instant(rule.expires) is None:
        problems.append(f'The rule on {rule.tool} expires at "{rule.expires}", which is no instant with a time zone.')
    if rule.uses is not None and (rule.verdict is not GateVerdict.ALLOW or rule.uses < 1):
        problems.append(f"The rule on {rule.tool} counts uses, which only an allow rule can, from 1.")
    return problems


def _in_force(rule: Rule, now: datetime, uses: int) -> bool:
    strict = rule.verdict is GateVerdict.ALLOW
    if rule.expires is not None:
        end = _instant(rule.expires)
        if (end is None and strict) or (end is not None and now >= end):
            return False
    return not strict or rule.uses is None or uses < rule.uses


def _ask(
    question: Question, name: str, wanted: Any, arguments: Mapping[str, Any], facts: Mapping[str, Any]
) -> bool | None:
    for known in (facts, arguments):
        if name in known:
            return question.answer({"domain": wanted} if name == "domain" else wanted, known[name])
    for source in DERIVED.get(name, ()):
        for known in (facts, arguments):
            if source in known:
                return question.answer({"domain": wanted}, known[source])
    return None


def _condition_text(argument: str, wanted: Any, match: Match) -> str:
    name = _name(argument)
    if isinstance(wanted, Mapping):
        words = ((_CONDITION_WORDS.get(word, _json(word)), wanted[word]) for word in sorted(wanted))
        return " and ".join(f"{name} {word} {_json(bound)}" for word, bound in words) or f"{name} is {{}}"
    if isinstance(wanted, list):
        return f"{name} is one of {_json(wanted)} ({_MATCH_WORDS[match]})"
    if isinstance(wanted, str):
        return f"{name} matches {_json(wanted)} ({_MATCH_WORDS[match]})"
    return f"{name} is {_json(wanted)}"


def _wanted_problems(subject: str, wanted: Any, match: Match) -> list[str]:
    if isinstance(wanted, list):
        return [problem for option in wanted for problem in _wanted_problems(subject, option, match)] or (
            [] if wanted else [f"{subject} offers an empty list, which nothing can match."]
        )
    if isinstance(wanted, Mapping):
        if not wanted:
            return [f"{subject} has an empty table; name a condition such as max or inside."]
        return [p for name, bound in wanted.items() for p in _bound_problems(subject, name, bound)]
    if isinstance(wanted, str):
        reason = check_regex(wanted) if match is Match.REGEX else None
        return [f"{subject} has an expression that cannot be used: {reason}."] if reason else []
    if isinstance(wanted, bool) or amount_of(wanted) is not None:
        return []
    return [f"{subject} cannot be held against {_json(wanted)}."]


def _bound_problems(subject: str, name: str, bound: Any) -> list[str]:
    if name not in CONDITIONS:
        return [f'{subject} has an unknown condition "{name}"{_nearest(name, CONDITIONS)}']
    if name in ("min", "max"):
        return [] if amount_of(bound) is not None else [f"{subject} has a {name} that is no number: {_json(bound)}."]
    options = bound if isinstance(bound, list) and name != "inside" else [bound]
    if not options or not all(isinstance(option, str) for option in options):
        return [f"{subject} has a condition {name} that is no text: {_json(bound)}."]
    if name == "domain":
        bad = [option for option in options if host_of(option.removeprefix("*.")) is None]
        return [f"{subject} names {_json(option)}, which is no host." for option in bad]
    reasons = [check_regex(option) for option in options] if name == "regex" else []
    return [f"{subject} has an expression that cannot be used: {reason}." for reason in reasons if reason]


def _instant(written: str) -> datetime | None:
    try:
        instant = datetime.fromisoformat(written)
    except ValueError:
        return None
    return instant if instant.tzinfo is not None else None


def _nearest(name: str, names: Collection[str]) -> str:
    """The end of a sentence about a wrong name."""
    close = difflib.get_close_matches(name, sorted(names), n=1)
    return f'; did you mean "{close[0]}"?' if close else f"; known are {', '.join(sorted(names)) or 'none'}."


def _name(name: str) -> str:
    """An argument's name; one that could pass for other words is quoted."""
    return name if _PLAIN_NAME.fullmatch(name) else _json(name)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
