"""Rules as profiles and settings write them: [[rules]] tables."""

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from agent_core.config.profile import Match, Rule, RuleScope
from agent_core.config.section import Section
from agent_core.config.toml_source import nearest
from agent_core.config.tool_names import LATER_TOOLS
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
    if "verdict" not in section:
        section.need("verdict", as_text)
    match = section.choice("match", Match, Match.GLOB)
    nothing: dict[str, object] = {}
    when = section.take("when", lambda value: _predicates(value, match), nothing)
    rule = Rule(
        tool=tool,
        verdict=section.choice("verdict", GateVerdict, GateVerdict.ASK),
        when=when,
        match=match,
        scope=section.choice("scope", RuleScope, scope),
        expires=section.take("expires", lambda value: _expiry(value, saved_at), None),
        uses=section.take("uses", lambda value: as_count(value, lowest=1), None),
        because=section.take("because", as_text, ""),
    )
    return msgspec.structs.replace(rule, rule_id=rule_id(rule))


def _expiry(value: object, saved_at: datetime) -> str | None:
    if isinstance(value, str) and value.strip()[-1:].isalpha() and not value.strip().endswith("Z"):
        return (saved_at + timedelta(seconds=as_duration(value))).isoformat()
    return as_instant(value).isoformat()


def _predicates(value: object, match: Match) -> dict[str, object]:
    if not isinstance(value, dict):
        raise BadValue(f'must be a table such as {{ path = "reports/**" }}, not {shown(value)}')
    for argument, wanted in value.items():
        options = wanted if isinstance(wanted, list) else [wanted]
        for option in options:
            _check_predicate(argument, option, match)
        if not options:
            raise BadValue(f"cannot match {argument} against an empty list")
    return value


def _check_predicate(argument: str, wanted: object, match: Match) -> None:
    if not isinstance(wanted, str | int | float | bool | dict):
        raise BadValue(f"cannot match {argument} against {shown(wanted)}")
    if isinstance(wanted, str) and match is Match.REGEX:
        try:
            re.compile(wanted)
        except re.error as error:
            raise BadValue(f"has a regular expression for {argument} that does not compile: {error}") from None
