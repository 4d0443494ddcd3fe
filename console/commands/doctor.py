"""`pilothouse doctor`: what works here and what does not, and why; with --agent, what a profile may do."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from agent_core.config.profile import Profile, Rule
from agent_core.config.profile_file import load_profile
from agent_core.config.settings import Settings
from agent_core.model.action import EffectClass
from agent_core.model.budget import LimitName
from console.installation import Health, findings
from console.output import Output
from console.paths import find_home


def examine(environ: Mapping[str, str], output: Output, agent: str | None) -> int:
    """Check everything; exit 5 when something is at fault. A profile that is refused is refused as everywhere."""
    home = find_home(environ)
    profile, standing = None, list[Rule]()
    if agent is not None:
        settings = Settings.open(home)
        profile = load_profile(agent, home, price_known=_price_known, settings=settings)
        standing = settings.rules
    found = findings(home, environ)
    if profile is not None:
        from console.agent_check import agent_findings

        found += agent_findings(profile, environ)
    tools = _manifest(profile) if profile is not None else None
    ok = all(finding.health is not Health.FAULT for finding in found)
    if output.as_json:
        report: dict[str, Any] = {"ok": ok, "checks": msgspec.to_builtins(found)}
        if profile is not None:
            limits = {name.value: _limit(profile, name) for name in LimitName}
            report["agent"] = {
                "name": profile.name, "model": profile.model, "version": profile.version, "limits": limits,
                "tools": tools,
            }  # fmt: skip
        output.value(report)
    for finding in found:
        output.line(f"{finding.health.value:<6} {finding.name}: {finding.detail}")
        if finding.advice:
            output.line(f"       {finding.advice}")
    for line in _profile_lines(profile, standing, tools or []):
        output.line(line)
    return 0 if ok else 5


def _price_known(model: str) -> bool:
    from agent_core.providers.pricing import PriceBook

    return PriceBook().price(model, datetime.now(UTC)) is not None


def _manifest(profile: Profile) -> list[dict[str, Any]]:
    from agent_core.tools.registry import Registry

    because = {entry.name: entry.because for entry in profile.tools}
    facts = Registry().for_profile(profile, demo=profile.scripted).facts()
    of_pattern = f"comes with the pattern {profile.pattern.value}"
    return [{**tool, "because": because.get(tool["name"], of_pattern)} for tool in facts]


def _limit(profile: Profile, name: LimitName) -> str | None:
    """A limit as `[limits]` writes it; None where there is none."""
    value = profile.limits.get(name)
    return None if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _profile_lines(profile: Profile | None, standing: Sequence[Rule], tools: list[dict[str, Any]]) -> Iterator[str]:
    if profile is None:
        return
    from agent_core.policy.limits import LIMIT_WORDS
    from ui.models.trace.words import EFFECTS, limit_value, plain

    yield ""
    yield f"{profile.name} · {profile.model} · version {profile.version}"
    limits = (f"{LIMIT_WORDS[name]} {limit_value(name, _limit(profile, name) or 'none')}" for name in LimitName)
    yield f"  limits: {', '.join(limits)}"
    for tool in tools:
        effect = EFFECTS[EffectClass(tool["effect_class"])]
        yield f"  {tool['name']} ({effect}, {plain(tool['reversibility'])}): {tool['because']}"
    yield from _outlook_lines(profile, standing)


def _outlook_lines(profile: Profile, standing: Sequence[Rule]) -> Iterator[str]:
    from agent_core.engine.outlook import outlook
    from ui.models.prospects import never_words, prospect_words

    found = outlook(profile, standing, datetime.now(UTC))
    yield f"  without asking: {prospect_words(found.free)}"
    yield f"  after asking: {prospect_words(found.asked)}"
    yield f"  never: {never_words(found, profile)}"
