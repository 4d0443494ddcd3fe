"""Agent profiles from TOML: found by name or path, and read strictly. Every refusal is one sentence with its line."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

from agent_core.config.home import Home
from agent_core.config.profile import (
    AVAILABLE_PATTERNS,
    SCRIPTED,
    ExecutorModel,
    GateSettings,
    PatternName,
    Price,
    Profile,
    RuleScope,
    ToolEntry,
)
from agent_core.config.rules_file import check_tool, read_rules
from agent_core.config.section import Section
from agent_core.config.settings import Settings
from agent_core.config.toml_source import TomlSource, nearest
from agent_core.config.tool_names import DEMO_TOOL_NAMES, TOOL_NAMES
from agent_core.config.values import (
    BadValue,
    as_count,
    as_duration,
    as_money,
    as_seconds,
    as_share,
    as_switch,
    as_text,
    shown,
)
from agent_core.model.action import Reversibility
from agent_core.model.budget import MONEY_LIMITS, LimitName, Limits
from agent_core.model.context import Worksheet
from agent_core.model.errors import PilothouseError, ProfileError
from agent_core.model.proposal import DeadlineOutcome

PROFILE_KEYS = (
    "name", "model", "pattern", "system_prompt", "system_prompt_file", "max_tokens", "thinking", "effort",
    "limits", "price", "context", "gate", "executor", "tools", "rules", "mcp_servers",
)  # fmt: skip
EFFORTS = ("low", "medium", "high", "xhigh", "max")
LARGEST_PROMPT = 200_000
"""Characters."""

PriceKnown = Callable[[str], bool]
"""Whether the price of a model of that name is known."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,63}")
_SILENCES = (DeadlineOutcome.CANCEL, DeadlineOutcome.ESCALATE, DeadlineOutcome.STOP)


@dataclass(frozen=True, slots=True)
class ProfileListing:
    """One profile on offer; `problem` is the sentence that refuses it, where it is refused."""

    name: str
    path: Path
    profile: Profile | None
    problem: str | None = None


def load_profile(
    name_or_path: str,
    home: Home,
    *,
    tool_names: Sequence[str] = TOOL_NAMES,
    price_known: PriceKnown | None = None,
    settings: Settings | None = None,
) -> Profile:
    """The profile of that name (the home's own first, then the bundled ones) or at that path.

    `settings` hold where the file says nothing of limits or the gate. With `price_known`, a cost limit written by hand
    for a model of unknown price is refused. Raises ProfileError or NotInThisVersion.
    """
    path = find_profile(name_or_path, home)
    source = TomlSource.read(path)
    saved_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    limits, gate = (settings.limits, settings.gate) if settings is not None else (Limits(), GateSettings())
    profile = read_profile(source, path, saved_at, tool_names, limits, gate)
    if price_known is not None:
        check_price(profile, source, price_known)
    return profile


def find_profile(name_or_path: str, home: Home) -> Path:
    """Where a profile lies; raises ProfileError that names the nearest one on offer."""
    if not name_or_path.strip():
        raise ProfileError("The agent profile has no name; give a name or the path of a .toml file")
    if "\0" in name_or_path:
        raise ProfileError("The name of the agent profile holds a NUL character")
    looks_like_path = name_or_path.endswith(".toml") or "/" in name_or_path or "\\" in name_or_path
    if looks_like_path:
        path = Path(name_or_path).expanduser()
        if not path.is_file():
            raise ProfileError(f"There is no agent profile at {path}")
        return path.absolute()
    known = {path.stem: path for path in profile_paths(home)}
    if name_or_path not in known:
        raise ProfileError(f'There is no agent profile "{name_or_path}"{nearest(name_or_path, known)}')
    return known[name_or_path]


def profile_paths(home: Home) -> list[Path]:
    """Every profile file on offer, by name; the home's own hide bundled ones of the same name."""
    bundled = Path(str(files("resources") / "agents"))
    found = {path.stem: path for folder in (bundled, home.agents) for path in sorted(folder.glob("*.toml"))}
    return [found[name] for name in sorted(found)]


def list_profiles(home: Home, settings: Settings | None = None) -> list[ProfileListing]:
    """Every profile on offer, the refused ones with the reason. `settings` as for `load_profile`."""
    listings = []
    for path in profile_paths(home):
        try:
            listings.append(ProfileListing(path.stem, path, load_profile(str(path), home, settings=settings)))
        except PilothouseError as error:
            listings.append(ProfileListing(path.stem, path, None, str(error)))
    return listings


def read_profile(
    source: TomlSource, path: Path, saved_at: datetime, tool_names: Sequence[str], limits: Limits, gate: GateSettings
) -> Profile:
    """The profile that a parsed file holds; `limits` and `gate` fill in what it does not say."""
    top = Section(source, (), source.data, PROFILE_KEYS)
    if "mcp_servers" in top:
        raise source.not_yet(("mcp_servers",), "the use of MCP servers")
    name, model = top.need("name", _name), _model(top, path)
    if model.startswith(SCRIPTED):
        tool_names = (*tool_names, *DEMO_TOOL_NAMES)
    return Profile(
        name=name,
        model=model,
        pattern=_pattern(top),
        system_prompt=_system_prompt(top, path),
        max_tokens=top.take("max_tokens", lambda value: as_count(value, 1, 1_000_000), 8192),
        thinking=top.take("thinking", _thinking, None),
        effort=top.take("effort", _effort, None),
        limits=read_limits(top.section("limits", LimitName), limits),
        cost_limit_by_hand=any(name in top.section("limits", LimitName) for name in MONEY_LIMITS),
        price=_price(top) if "price" in top else None,
        context=_worksheet(top),
        gate=_gate(top, gate, tool_names),
        tools=_tools(top, tool_names),
        rules=read_rules(top, saved_at, tool_names, RuleScope.AGENT),
        executor=_executor(top, path) if "executor" in top else None,
        path=str(path),
    )


def check_price(profile: Profile, source: TomlSource, price_known: PriceKnown) -> None:
    """Refuse a cost limit that was written by hand and could never be held."""
    if not profile.cost_limit_by_hand or profile.scripted:
        return
    written = next(name.value for name in LimitName if name in MONEY_LIMITS and name in source.data["limits"])
    for speaking, table in ((profile, "[price]"), (profile.executing, "[executor.price]")):
        if speaking.price is None and not price_known(speaking.model):
            raise source.refusal(
                ("limits", written),
                f'the price of "{speaking.model}" is not known, so {written} cannot be held; '
                f"state it in {table} (input, output: USD per million tokens) or remove the limit",
            )


def read_limits(section: Section, defaults: Limits) -> Limits:
    """Limits from a [limits] table; those that are missing come from the defaults."""
    return Limits(
        steps=section.take("steps", as_count, defaults.steps),
        tool_calls=section.take("tool_calls", as_count, defaults.tool_calls),
        tokens=section.take("tokens", as_count, defaults.tokens),
        cost_usd=section.take("cost_usd", as_money, defaults.cost_usd),
        seconds=section.take("seconds", as_seconds, defaults.seconds),
        tree_cost_usd=section.take("tree_cost_usd", as_money, defaults.tree_cost_usd),
    )


def _name(value: object) -> str:
    name = as_text(value, 64)
    if not _NAME.fullmatch(name):
        raise BadValue(f"must be letters, digits, spaces and . _ -, starting with a letter or digit, not {shown(name)}")
    return name


def _model(top: Section, path: Path) -> str:
    """The model's name. A script's path becomes absolute, from the profile's folder or from here: resume finds it."""
    model = top.need("model", as_text)
    script = model.removeprefix(SCRIPTED)
    if script == model or not script.endswith(".json"):
        return model
    for folder in (path.parent, Path.cwd()):
        if (folder / script).is_file():
            return f"{SCRIPTED}{(folder / script).absolute()}"
    return model


def _pattern(top: Section) -> PatternName:
    pattern = top.choice("pattern", PatternName, PatternName.REACT)
    if pattern not in AVAILABLE_PATTERNS:
        raise top.source.not_yet(("pattern",), f'the pattern "{pattern.value}"')
    return pattern


def _system_prompt(top: Section, path: Path) -> str:
    if "system_prompt" in top and "system_prompt_file" in top:
        raise top.refusal("system_prompt_file", "give system_prompt or system_prompt_file, not both")
    if "system_prompt_file" not in top:
        return top.take("system_prompt", lambda value: as_text(value, LARGEST_PROMPT), "")
    name = top.need("system_prompt_file", as_text)
    try:
        return as_text((path.parent / name).read_text(encoding="utf-8"), LARGEST_PROMPT)
    except (OSError, ValueError) as error:
        reason = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
        raise top.refusal("system_prompt_file", f'cannot use the prompt file "{name}": {reason}') from error


def _thinking(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadValue(f'must be a table such as {{ type = "enabled", budget_tokens = 4096 }}, not {shown(value)}')
    return value


def _effort(value: object) -> str:
    if value not in EFFORTS:
        raise BadValue(f"cannot be {shown(value)}{nearest(str(value), EFFORTS)}")
    return str(value)


def _executor(top: Section, path: Path) -> ExecutorModel:
    """The model that carries out a plan. Both models are played by scripts, or neither is."""
    section = top.section("executor", ("model", "thinking", "effort", "price"))
    if _pattern(top) is not PatternName.PLAN_EXECUTE:
        raise section.refusal("model", 'an [executor] carries out plans: it needs pattern = "plan_execute"')
    model = _model(section, path)
    if model.startswith(SCRIPTED) is not _model(top, path).startswith(SCRIPTED):
        raise section.refusal("model", "planner and executor are both played by scripts, or neither is")
    return ExecutorModel(
        model=model,
        thinking=section.take("thinking", _thinking, None),
        effort=section.take("effort", _effort, None),
        price=_price(section) if "price" in section else None,
    )


def _price(top: Section) -> Price:
    section = top.section("price", ("input", "output", "cache_read", "cache_write"))
    return Price(
        input=section.need("input", as_money),
        output=section.need("output", as_money),
        cache_read=section.take("cache_read", as_money, section.need("input", as_money)),
        cache_write=section.take("cache_write", as_money, section.need("input", as_money) * Decimal("1.25")),
    )


def _worksheet(top: Section) -> Worksheet:
    """The context's triggers; those that are missing keep their share of the ceiling."""
    section = top.section("context", ("ceiling", "clear_at", "compact_at", "handoff_at", "result_cap"))
    usual = Worksheet()
    ceiling = section.take("ceiling", lambda value: as_count(value, 2_000, 10_000_000), usual.ceiling)
    values, last = {"ceiling": ceiling}, ceiling
    for key in ("handoff_at", "compact_at", "clear_at"):
        share = getattr(usual, key) * ceiling // usual.ceiling
        values[key] = section.take(key, lambda value: as_count(value, 1), min(share, last))
        if values[key] > last:
            raise section.refusal(key, "[context] must hold clear_at ≤ compact_at ≤ handoff_at ≤ ceiling")
        last = values[key]
    cap = section.take("result_cap", lambda value: as_count(value, 200, 1_000_000), usual.result_cap)
    return Worksheet(**values, result_cap=cap)


def _gate(top: Section, usual: GateSettings, tool_names: Sequence[str]) -> GateSettings:
    keys = ("confidence", "approve_within", "on_deadline", "escalate_to", "two_person", "require_console")
    section = top.section("gate", keys)
    outcome = section.choice("on_deadline", DeadlineOutcome, usual.on_deadline)
    if outcome not in _SILENCES:
        raise section.refusal(
            "on_deadline", f"on_deadline in [gate] must be cancel, escalate or stop, not {outcome.value}"
        )
    gate = GateSettings(
        confidence=section.take("confidence", as_share, usual.confidence),
        approve_within=section.take("approve_within", as_duration, usual.approve_within),
        on_deadline=outcome,
        escalate_to=section.take("escalate_to", as_text, usual.escalate_to),
        two_person=section.texts("two_person"),
        require_console=section.texts("require_console", usual.require_console),
    )
    if outcome is DeadlineOutcome.ESCALATE and gate.escalate_to is None:
        raise section.refusal("on_deadline", 'on_deadline = "escalate" needs escalate_to in [gate]')
    known = [*(item.value for item in Reversibility), *tool_names]
    for key, words in (("require_console", gate.require_console), ("two_person", gate.two_person)):
        for word in words:
            if word not in known:
                raise section.refusal(key, f'{key} cannot hold "{word}"{nearest(word, known)}')
    return gate


def _tools(top: Section, tool_names: Sequence[str]) -> list[ToolEntry]:
    entries: list[ToolEntry] = []
    for section in top.sections("tools", ("name", "because", "ttl", "confidence", "staging")):
        name = section.need("name", as_text)
        check_tool(section, "name", name, tool_names)
        if any(entry.name == name for entry in entries):
            raise section.refusal("name", f'the tool "{name}" is listed twice')
        if "because" not in section:
            raise section.refusal("name", f'the tool "{name}" needs a "because": the reason why this agent has it')
        entry = ToolEntry(
            name=name,
            because=section.need("because", as_text),
            ttl=section.take("ttl", as_duration, None),
            confidence=section.take("confidence", as_share, None),
            staging=section.take("staging", as_switch, False),
        )
        entries.append(entry)
    if not entries:
        raise top.source.refusal((), 'the profile needs at least one tool: [[tools]] with "name" and "because"')
    return entries
