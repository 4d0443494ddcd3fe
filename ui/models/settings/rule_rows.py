"""Rules as a table and as a form: rows of argument, condition and value, and back again without loss. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from agent_core.config.profile import Match, Rule, RuleScope
from agent_core.config.values import BadValue, as_count, as_duration, as_instant, shown
from agent_core.engine.outlook import rule_conditions, rule_problems
from agent_core.model.action import GateVerdict
from agent_core.model.strict_json import read_json

VERDICT_WORDS = {GateVerdict.ALLOW: "Allow", GateVerdict.ASK: "Ask", GateVerdict.DENY: "Deny"}
VERDICT_ICONS = {GateVerdict.ALLOW: "check", GateVerdict.ASK: "hand", GateVerdict.DENY: "lock"}
SCOPE_WORDS = {RuleScope.ALWAYS: "always", RuleScope.SESSION: "session", RuleScope.AGENT: "agent"}
MATCH_WORDS = {
    Match.GLOB: "with wildcards (reports/**)",
    Match.EXACT: "exactly",
    Match.REGEX: "as a regular expression",
}


class Condition(StrEnum):
    """How a row holds its value against the argument."""

    MATCHES = "matches"
    ONE_OF = "one_of"
    IS = "is"
    MIN = "min"
    MAX = "max"
    INSIDE = "inside"
    DOMAIN = "domain"
    JSON = "json"


CONDITION_WORDS = {
    Condition.MATCHES: "matches",
    Condition.ONE_OF: "matches one of",
    Condition.IS: "is the number or yes/no",
    Condition.MIN: "is at least",
    Condition.MAX: "is at most",
    Condition.INSIDE: "lies inside",
    Condition.DOMAIN: "is on the host",
    Condition.JSON: "as written in JSON",
}
_BOUNDS = {Condition.MIN: "min", Condition.MAX: "max", Condition.INSIDE: "inside", Condition.DOMAIN: "domain"}


@dataclass(frozen=True, slots=True)
class Predicate:
    """One row of the form."""

    argument: str
    condition: Condition = Condition.MATCHES
    value: str = ""


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """A rule as it is being typed."""

    tool: str
    verdict: GateVerdict
    predicates: Sequence[Predicate] = ()
    match: Match = Match.GLOB
    scope: RuleScope = RuleScope.ALWAYS
    expires: str = ""
    uses: str = ""
    because: str = ""


def draft_of(rule: Rule) -> RuleDraft:
    """A rule as the form shows it."""
    return RuleDraft(
        tool=rule.tool,
        verdict=rule.verdict,
        predicates=[_predicate(argument, wanted) for argument, wanted in rule.when.items()],
        match=rule.match,
        scope=rule.scope,
        expires=rule.expires or "",
        uses="" if rule.uses is None else str(rule.uses),
        because=rule.because,
    )


def rule_of(draft: RuleDraft, now: datetime) -> tuple[Rule | None, list[str]]:
    """The rule that a draft comes to, or what is wrong with it, one sentence each."""
    problems: list[str] = []

    def read(convert: Any, *given: Any) -> Any:
        try:
            return convert(*given)
        except BadValue as error:
            problems.append(f"{error}.")
            return None

    when = read(_when, draft.predicates)
    expires = read(_expiry, draft.expires, now)
    uses = read(_uses, draft.uses, draft.verdict)
    if problems:
        return None, problems
    rule = Rule(
        tool=draft.tool,
        verdict=draft.verdict,
        when=when,
        match=draft.match,
        scope=draft.scope,
        expires=expires,
        uses=uses,
        because=draft.because.strip(),
    )
    found = rule_problems(rule)
    return (None, found) if found else (rule, [])


def when_words(rule: Rule) -> str:
    """The conditions, or that there are none."""
    return rule_conditions(rule) or "any call"


def expires_words(rule: Rule, now: datetime) -> str:
    """Until when a rule holds."""
    if rule.expires is None:
        return "never"
    try:
        end = datetime.fromisoformat(rule.expires)
    except ValueError:
        return rule.expires
    return f"{end.astimezone():%d %b %Y %H:%M}" if end > now else "over"


def _predicate(argument: str, wanted: Any) -> Predicate:
    if isinstance(wanted, str):
        return Predicate(argument, Condition.MATCHES, wanted)
    if isinstance(wanted, bool | int | float):
        return Predicate(argument, Condition.IS, json.dumps(wanted))
    if isinstance(wanted, list) and all(isinstance(each, str) and _lists(each) for each in wanted):
        return Predicate(argument, Condition.ONE_OF, ", ".join(wanted))
    if isinstance(wanted, Mapping) and len(wanted) == 1:
        name, bound = next(iter(wanted.items()))
        for condition, word in _BOUNDS.items():
            if word == name and isinstance(bound, str | int | float) and _bound(condition, str(bound)) == bound:
                return Predicate(argument, condition, str(bound))
    return Predicate(argument, Condition.JSON, json.dumps(wanted, ensure_ascii=False))


def _lists(text: str) -> bool:
    """Whether a text survives being one of a comma-separated list."""
    return bool(text) and "," not in text and text == text.strip()


def _when(predicates: Sequence[Predicate]) -> dict[str, Any]:
    when: dict[str, Any] = {}
    for predicate in predicates:
        wanted = _wanted(predicate)
        before = when.get(predicate.argument)
        if before is None:
            when[predicate.argument] = wanted
        elif isinstance(before, dict) and isinstance(wanted, dict) and not before.keys() & wanted.keys():
            when[predicate.argument] = before | wanted
        else:
            raise BadValue(f'"{predicate.argument}" stands in two rows that cannot be one condition')
    return when


def _wanted(predicate: Predicate) -> Any:
    value, condition = predicate.value, predicate.condition
    if not value.strip():
        raise BadValue(f'The condition on "{predicate.argument}" needs a value')
    if condition is Condition.MATCHES:
        return value
    if condition is Condition.ONE_OF:
        return [part.strip() for part in value.split(",") if part.strip()]
    if condition is Condition.JSON:
        return _json(predicate.argument, value)
    if condition is Condition.IS:
        wanted = _json(predicate.argument, {"yes": "true", "no": "false"}.get(value.strip().lower(), value))
        if isinstance(wanted, bool | int | float):
            return wanted
        raise BadValue(f'"{predicate.argument}" can only be a number, yes or no here, not {shown(value)}')
    return {_BOUNDS[condition]: _bound(condition, value.strip())}


def _bound(condition: Condition, value: str) -> Any:
    if condition not in (Condition.MIN, Condition.MAX):
        return value
    try:
        number = json.loads(value)
    except ValueError:
        return value
    return number if isinstance(number, int | float) and not isinstance(number, bool) else value


def _json(argument: str, value: str) -> Any:
    try:
        return read_json(value)
    except ValueError:
        raise BadValue(f'The value of "{argument}" is not valid: {shown(value)}') from None


def _expiry(typed: str, now: datetime) -> str | None:
    """An instant, from one or from a duration that counts from now."""
    bare = typed.strip()
    if not bare:
        return None
    try:
        if bare[-1:].isalpha() and not bare.endswith("Z"):
            return (now + timedelta(seconds=as_duration(bare))).astimezone(UTC).isoformat(timespec="seconds")
        return as_instant(bare).isoformat()
    except BadValue as error:
        raise BadValue(f"Expires {error}, or a duration such as 30d") from None


def _uses(typed: str, verdict: GateVerdict) -> int | None:
    bare = typed.strip()
    if not bare:
        return None
    if verdict is not GateVerdict.ALLOW:
        raise BadValue("Only a rule that allows can count its uses")
    try:
        return as_count(int(bare) if bare.isascii() and bare.isdigit() else bare, lowest=1)
    except BadValue as error:
        raise BadValue(f"Uses {error}") from None
