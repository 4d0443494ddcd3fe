"""What trying rules out says, line by line. Pure."""

from collections.abc import Sequence
from datetime import datetime

from agent_core.config.rule_trials import Fault, LintFinding, NeverNo, RuleEffect, RulesVersion, Simulation
from agent_core.model.action import GateVerdict
from ui import formatting

_FAULTS = {
    Fault.NEVER: "Never applies",
    Fault.SHADOWED: "Shadowed",
    Fault.REDUNDANT: "Changes nothing",
    Fault.BROAD: "Broader than its example",
    Fault.BEYOND: "Broader than what was approved",
}
_WOULD = {GateVerdict.ALLOW: "allowed", GateVerdict.ASK: "asked about", GateVerdict.DENY: "denied"}
_AGREED = {GateVerdict.ALLOW: ", none was refused", GateVerdict.ASK: "", GateVerdict.DENY: ", none was approved"}


def is_doubtful(effect: RuleEffect) -> bool:
    """Whether people said otherwise: an allowing rule on what they refused or edited, a denying one on their yes."""
    return bool(_against(effect))


def effect_words(effect: RuleEffect) -> str:
    """ "would have allowed 37, of which people refused 2 and edited 1"."""
    would = f"would have {_WOULD[effect.verdict]}"
    if effect.given == 0:
        return f"matched {formatting.plural(effect.matched, 'call')} and {would} none of them"
    told = " and ".join(f"{word} {count}" for word, count in _against(effect).items())
    return f"{would} {effect.given}" + (f", of which people {told}" if told else _AGREED[effect.verdict])


def _against(effect: RuleEffect) -> dict[str, int]:
    """What people said of these calls that speaks against the rule."""
    said = {
        GateVerdict.ALLOW: {"refused": effect.refused, "edited": effect.edited},
        GateVerdict.ASK: {},
        GateVerdict.DENY: {"approved": effect.approved, "edited": effect.edited},
    }
    return {word: count for word, count in said[effect.verdict].items() if count}


def tried_words(simulation: Simulation, findings: Sequence[LintFinding], place: int) -> list[str]:
    """What one rule of a draft would have meant, and what is odd about it: the first line is the effect."""
    if simulation.calls == 0:
        return ["No call was judged in the last 30 days, so there is nothing to try it on."]
    odd = [finding_words(finding) for finding in findings if finding.place == place]
    return [f"In the last 30 days it {effect_words(simulation.rules[place])}.", *odd]


def origins(versions: Sequence[RulesVersion]) -> dict[str, RulesVersion]:
    """The version that brought each rule, by the rule's exact text. `versions` come newest first."""
    return {text: version for version in reversed(versions) for text in version.added}


def origin_words(version: RulesVersion | None, now: datetime) -> str:
    """Who saved a rule and when, in a few words."""
    if version is None:
        return "in the file"
    when = formatting.day_and_time(version.at.astimezone(), now.astimezone())
    return f"before {when}" if version.by == "system" else f"{version.by}, {when}"


def simulation_words(simulation: Simulation) -> str:
    """The rules against history in one line."""
    if simulation.calls == 0:
        return "No call was judged in the last 30 days, so there is nothing to try the rules on."
    after = simulation.after
    counts = ", ".join(f"{after.get(verdict.value, 0)} {words}" for verdict, words in _WOULD.items())
    return f"{formatting.plural(simulation.calls, 'call')} of the last 30 days: {counts}."


def finding_words(finding: LintFinding) -> str:
    """One finding, with what kind it is."""
    return f"{_FAULTS[finding.fault]}: {finding.text}"


def never_no_words(found: NeverNo) -> str:
    """A gate that never says no."""
    return (
        f"{found.agent} · {found.tool}: {found.approved} of {found.approved} approved. Is this question worth asking?"
    )


def version_when(version: RulesVersion, now: datetime) -> str:
    """When a set of rules was saved, and by whom."""
    return f"{formatting.day_and_time(version.at.astimezone(), now.astimezone())} by {version.by}"


def version_words(version: RulesVersion, now: datetime) -> str:
    """Who saved a set of rules, when and why, and what changed."""
    changes = [f"+ {text}" for text in version.added] + [f"− {text}" for text in version.removed]
    head = f"{version_when(version, now)}: {version.why}"
    return "\n".join([head, *changes]) if changes else head


def shown_versions(versions: Sequence[RulesVersion], most: int = 8) -> Sequence[RulesVersion]:
    """The newest ones."""
    return versions[:most]
