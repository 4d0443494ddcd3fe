"""Outlook: what rules and tools come to, in words for screens, before any call is made. Pure; the gate's own words."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache

import msgspec

from agent_core.config.profile import Profile, Rule
from agent_core.model.action import EffectClass, GateVerdict, Reversibility
from agent_core.model.proposal import StepAsks
from agent_core.policy import rules as rule_book
from agent_core.policy.gate import runs_by_default
from agent_core.policy.two_people import people_needed
from agent_core.tools.base import Tool
from agent_core.tools.registry import DEMO_TOOLS, TOOLS


class ToolFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as its manifest states it."""

    name: str
    arguments: list[str]
    effect_class: EffectClass
    reversibility: Reversibility
    open_world: bool

    @property
    def irreversible(self) -> bool:
        """No rule can lower the asking below a person's decision."""
        return self.reversibility is Reversibility.IRREVERSIBLE

    @property
    def runs_by_default(self) -> bool:
        """Where no rule says anything it runs without asking."""
        return runs_by_default(self.effect_class, open_world=self.open_world)


class Prospect(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of one tool: those that meet `when` (exact words); "" for all of them, or for all others with `rest`."""

    tool: str
    when: str = ""
    rest: bool = False


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent may do without asking, after asking, and never."""

    free: list[Prospect]
    asked: list[Prospect]
    never: list[Prospect]


@cache
def tool_facts() -> dict[str, ToolFacts]:
    """Every tool of this version, by name; the demo's stand-ins last."""
    return {
        tool.name: ToolFacts(
            name=tool.name,
            arguments=list(tool.arguments.model_fields),
            effect_class=tool.effect_class,
            reversibility=tool.reversibility,
            open_world=tool.open_world,
        )
        for tool in (*TOOLS, *DEMO_TOOLS)
    }


def rule_text(rule: Rule) -> str:
    """The exact words of a rule, as cards and the audit give them."""
    return rule_book.text(rule)


def rule_conditions(rule: Rule) -> str:
    """What a rule asks of the arguments; "" for a rule on every call."""
    return " and ".join(rule_book.conditions(rule))


def rule_problems(rule: Rule) -> list[str]:
    """What is wrong with a rule, one sentence each; empty when it can be saved."""
    facts = tool_facts()
    known = facts.get(rule.tool)
    return rule_book.validate(rule, facts, known.arguments if known is not None else ())


def outlook(profile: Profile, standing: Sequence[Rule], now: datetime) -> Outlook:
    """What an agent of this profile may do. Confidence and stale sources may ask on top of it."""
    found = Outlook(free=[], asked=[], never=[])
    rules = [rule for rule in (*standing, *profile.rules) if _in_force(rule, now)]
    for entry in profile.tools:
        facts = tool_facts().get(entry.name)
        if facts is not None:
            _place(found, facts, [rule for rule in rules if rule.tool == entry.name])
    return found


def may_ask(tool: Tool, profile: Profile, rules: Sequence[Rule], now: datetime) -> tuple[StepAsks, str]:
    """Whether the calls of a tool will wait for a person, before their arguments are known; and why."""
    own = [rule for rule in rules if rule.tool == tool.name and _in_force(rule, now)]
    whole = {rule.verdict for rule in own if not rule.when and rule.uses is None}
    some = {rule.verdict for rule in own}
    free = runs_by_default(tool.effect_class, open_world=tool.open_world)
    if tool.opens is not None:
        return StepAsks.YES, "It puts a question to you."
    if GateVerdict.DENY in whole:
        return StepAsks.NEVER, "A rule denies it."
    if tool.effect_class is EffectClass.ENGINE:
        return StepAsks.NO, "It has no effect outside the journal."
    if tool.reversibility is Reversibility.IRREVERSIBLE:
        return StepAsks.YES, "It cannot be undone."
    if any(entry.staging for entry in profile.tools if entry.name == tool.name):
        return StepAsks.YES, "Its draft waits until you release it."
    if people_needed(profile.gate, tool.reversibility, tool.name) > 1:
        return StepAsks.YES, "Two people must approve it."
    if GateVerdict.ASK in whole:
        return StepAsks.YES, "A rule asks."
    if GateVerdict.ALLOW in whole or (free and not some):
        return (StepAsks.NO, "It only reads.") if free else (StepAsks.MAYBE, "A rule allows it unless in doubt.")
    if some:
        return StepAsks.MAYBE, "Rules look at its arguments."
    return StepAsks.YES, "It reads from outside." if not tool.effect_class.changes else "No rule allows it."


def _place(found: Outlook, facts: ToolFacts, rules: Sequence[Rule]) -> None:
    denied, asked, allowed = (
        [rule for rule in rules if rule.verdict is verdict]
        for verdict in (GateVerdict.DENY, GateVerdict.ASK, GateVerdict.ALLOW)
    )
    if facts.effect_class is EffectClass.ENGINE:
        asked = []  # the gate never asks about what has no effect outside the journal
    found.never.extend(_prospects(facts.name, denied))
    if any(not rule.when for rule in denied):
        return
    if facts.irreversible or any(not rule.when for rule in asked):
        found.asked.append(Prospect(tool=facts.name))
        return
    found.asked.extend(_prospects(facts.name, asked))
    if facts.runs_by_default or any(not rule.when and rule.uses is None for rule in allowed):
        found.free.append(Prospect(tool=facts.name))
        return
    found.free.extend(_prospects(facts.name, allowed))
    found.asked.append(Prospect(tool=facts.name, rest=bool(asked or allowed)))


def _prospects(tool: str, rules: Iterable[Rule]) -> list[Prospect]:
    return [Prospect(tool=tool, when=_when(rule)) for rule in rules]


def _when(rule: Rule) -> str:
    words = rule_conditions(rule)
    if rule.uses is None:
        return words
    times = "once" if rule.uses == 1 else f"{rule.uses} times"
    return f"{words}, {times}" if words else times


def _in_force(rule: Rule, now: datetime) -> bool:
    """A deny or ask rule whose end cannot be read stays in force, an allow rule does not: as the gate has it."""
    if rule.expires is None:
        return True
    try:
        return now < datetime.fromisoformat(rule.expires)
    except (ValueError, TypeError):
        return rule.verdict is not GateVerdict.ALLOW
