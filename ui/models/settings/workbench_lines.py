"""What trying rules out says, line by line. Pure."""

from collections.abc import Sequence
from datetime import datetime

from agent_core.config.rule_trials import Fault, LintFinding, NeverNo, RuleEffect, RulesVersion, Simulation
from ui import formatting

_FAULTS = {
    Fault.NEVER: "Can never match",
    Fault.SHADOWED: "Shadowed",
    Fault.REDUNDANT: "Changes nothing",
    Fault.BROAD: "Broader than its example",
    Fault.BEYOND: "Broader than what was approved",
}


def effect_words(effect: RuleEffect) -> str:
    """ "would have allowed 37, of which people refused 2 and edited 1"."""
    if effect.would_allow == 0:
        return f"matched {formatting.plural(effect.matched, 'call')}, would have allowed none"
    doubts = [f"refused {effect.refused}" if effect.refused else "", f"edited {effect.edited}" if effect.edited else ""]
    told = " and ".join(doubt for doubt in doubts if doubt)
    return f"would have allowed {effect.would_allow}" + (f", of which people {told}" if told else ", none was refused")


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
    counts = ", ".join(f"{after.get(word, 0)} {word}" for word in ("allow", "ask", "deny"))
    return f"{formatting.plural(simulation.calls, 'call')} of the last 30 days: {counts}."


def finding_words(finding: LintFinding) -> str:
    """One finding, with what kind it is."""
    return f"{_FAULTS[finding.fault]}: {finding.text}"


def never_no_words(found: NeverNo) -> str:
    """A gate that never says no."""
    return (
        f"{found.agent} · {found.tool}: {found.approved} of {found.approved} approved. Is this question worth asking?"
    )


def version_words(version: RulesVersion, now: datetime) -> str:
    """Who saved a set of rules, when and why, and what changed."""
    changes = [f"+ {text}" for text in version.added] + [f"− {text}" for text in version.removed]
    when = formatting.day_and_time(version.at.astimezone(), now.astimezone())
    head = f"{when} by {version.by}: {version.why}"
    return "\n".join([head, *changes]) if changes else head


def shown_versions(versions: Sequence[RulesVersion], most: int = 8) -> Sequence[RulesVersion]:
    """The newest ones."""
    return versions[:most]
