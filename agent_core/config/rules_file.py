"""Rules as profiles and settings write them: [[rules]] tables."""

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from agent_core.config.profile import Match, Rule, RuleScope
from agent_core.config.section import Section, one_of
from agent_core.config.toml_source import nearest
from agent_core.config.tool_names import LATER_TOOLS, RULE_ARGUMENTS, RULE_CONDITIONS
from agent_core.config.values import BadValue, as_count, as_duration, as_instant, as_text, shown
from agent_core.model.action import GateVerdict

RULE_KEYS = ("tool", "verdict", "when", "match", "scope", "expires", "uses", "because")


def read_rules(holder: Section, saved_at: datetime, tool_names: Sequence[str], scope: RuleScope) -> list[Rule]:
    """The [[rules]] of a file that was last saved at `saved_at`: durations of `expires` count from then."""
    return [_rule(section, saved_at, tool_names, scope) for section in holder.sections("rules", RULE_KEYS)]


def rule_id(rule: Rule) -> str:
    """An id that stays the same while the rule's text does, so that its uses are counted over restarts."""
    bare = msgspec.structs.replace(rule, rule_id="", because="")
    return "u-" + hashlib.sha256(msgspec.json.encode(bare, order="deterministic")).hexdigest()[:12]


def check_tool(section: Section, key: str, name: str, tool_names: Sequence[str]) -> None:
    """Refuse a tool that this version does not have."""
    if name in tool_names:
        return
    if name in LATER_TOOLS:
        raise section.source.not_yet((*section.path, key), f'the tool "{name}"')
    raise section.refusal(key, f'unknown tool "{name}"{nearest(name, tool_names)}')


def _rule(section: Section, saved_at: datetime, tool_names: Sequence[str], scope: RuleScope) -> Rule:
    tool = section.need("tool", as_text)
    check_tool(section, "tool", tool, tool_names)
    verdict = section.need("verdict", lambda value: one_of(value, GateVerdict))
    match = section.choice("match", Match, Match.GLOB)
    nothing: dict[str, object] = {}
    rule = Rule(
        tool=tool,
        verdict=verdict,
        when=section.take("when", lambda value: _predicates(value, tool, match), nothing),
        match=match,
        scope=section.choice("scope", RuleScope, scope),
        expires=section.take("expires", lambda value: _expiry(value, saved_at), None),
        uses=section.take("uses", lambda value: as_count(value, lowest=1), None),
        because=section.take("because", as_text, ""),
    )
    if rule.uses is not None and verdict is not GateVerdict.ALLOW:
        raise section.refusal("uses", "only a rule that allows can count its uses")
    return msgspec.structs.replace(rule, rule_id=rule_id(rule))


def _expiry(value: object, saved_at: datetime) -> str | None:
    if isinstance(value, str) and value.strip()[-1:].isalpha() and not value.strip().endswith("Z"):
        return (saved_at + timedelta(seconds=as_duration(value))).isoformat()
    return as_instant(value).isoformat()


def _predicates(value: object, tool: str, match: Match) -> dict[str, object]:
    if not isinstance(value, dict):
        raise BadValue(f'must be a table such as {{ path = "reports/**" }}, not {shown(value)}')
    for argument, wanted in value.items():
        known = RULE_ARGUMENTS.get(tool, (argument,))
        if argument not in known:
            raise BadValue(f'names "{argument}", which {tool} does not have{nearest(argument, known)}')
        _check_wanted(argument, wanted, match)
    return value


def _check_wanted(argument: str, wanted: object, match: Match) -> None:
    """A text, a number, true or false; a list of them; or a table of conditions."""
    if isinstance(wanted, list):
        if not wanted:
            raise BadValue(f"cannot match {argument} against an empty list")
        for option in wanted:
            _check_wanted(argument, option, match)
    elif isinstance(wanted, dict):
        for condition, bound in wanted.items():
            if condition not in RULE_CONDITIONS:
                raise BadValue(f'has an unknown condition "{condition}"{nearest(condition, RULE_CONDITIONS)}')
            _check_wanted(argument, bound, Match.REGEX if condition == "regex" else Match.EXACT)
        if not wanted:
            raise BadValue(f"has no condition for {argument}; name one of {', '.join(RULE_CONDITIONS)}")
    elif isinstance(wanted, str) and match is Match.REGEX:
        _check_expression(argument, wanted)
    elif not isinstance(wanted, str | int | float | bool) or wanted != wanted:
        raise BadValue(f"cannot match {argument} against {shown(wanted)}")


def _check_expression(argument: str, expression: str) -> None:
    try:
        re.compile(expression)
    except re.error as error:
        raise BadValue(f"has a regular expression for {argument} that does not compile: {error}") from None
