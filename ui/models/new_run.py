"""A run that is about to be started: what was typed, what is wrong with it, and the intent that it comes to. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from agent_core.config.home import Home
from agent_core.config.profile import PatternName, Profile
from agent_core.config.profile_file import ProfileListing
from agent_core.config.settings_list import Kind
from agent_core.config.values import BadValue, as_count, as_money, as_seconds
from agent_core.model.budget import MONEY_LIMITS, Figure, LimitName, Limits
from agent_core.model.intents import LONGEST_GOAL, DayBudget, StartRun
from ui import formatting
from ui.models.gauges import GAUGE_WORDS
from ui.models.typed_values import LIMIT_KINDS, as_typed, from_typed


@dataclass(frozen=True, slots=True)
class RunForm:
    """What the fields hold. `limits` as typed, by name."""

    goal: str
    done_when: str
    listing: ProfileListing | None
    model: str
    workspace: str
    pattern: PatternName = PatternName.REACT
    limits: Mapping[LimitName, str] = field(default_factory=dict)


def problems(form: RunForm, home: Home) -> dict[str, str]:
    """One sentence for each field that keeps the run from starting; empty when it can. Looks at the folder."""
    found = {
        "goal": goal_problem(form.goal),
        "profile": profile_problem(form.listing),
        "model": "" if form.model.strip() else "Name a model.",
        "workspace": workspace_problem(form.workspace, home),
    }
    if form.listing is None or form.listing.profile is not None:  # a broken profile alone is enough to say
        found |= {f"limits.{name.value}": limit_problem(name, typed) for name, typed in form.limits.items()}
    else:
        found["model"] = ""
    return {name: problem for name, problem in found.items() if problem}


def goal_problem(goal: str) -> str:
    """Why a goal will not do."""
    if not goal.strip():
        return "Say what the agent is to do."
    return f"The goal is longer than {LONGEST_GOAL:,} characters." if len(goal.strip()) > LONGEST_GOAL else ""


def profile_problem(listing: ProfileListing | None) -> str:
    """Why a profile cannot be used."""
    if listing is None:
        return "Choose an agent profile."
    if listing.problem is None:
        return ""
    return formatting.sentence(listing.problem)


def workspace_problem(typed: str, home: Home) -> str:
    """Why a folder cannot be the workspace."""
    if not typed.strip():
        return "Choose the folder that the agent works in."
    if "\0" in typed:
        return "The path holds a NUL character."
    try:
        folder = Path(typed.strip()).expanduser()
        if not folder.is_dir():
            return "There is no folder at this path."
        return "This is in the home of Pilothouse itself; choose another folder." if home.holds(folder) else ""
    except (OSError, RuntimeError) as error:
        return f"This folder cannot be used: {getattr(error, 'strerror', None) or error}."


def limit_problem(name: LimitName, typed: str) -> str:
    """Why a limit cannot be meant."""
    try:
        limit_value(name, typed)
    except BadValue as error:
        return f"{GAUGE_WORDS[name]} {error}."
    return ""


def limit_value(name: LimitName, typed: str) -> Figure | None:
    """A limit as typed; None for a limit in money that is left empty. Raises BadValue."""
    kind = LIMIT_KINDS[name]
    value = from_typed(kind, typed)
    if value is None:
        if name in MONEY_LIMITS:
            return None
        raise BadValue("needs a limit")
    if kind is Kind.MONEY:
        return as_money(value)
    return as_count(value) if kind is Kind.COUNT else as_seconds(value)


def limit_texts(limits: Limits) -> dict[LimitName, str]:
    """Limits as the fields show them."""
    return {name: as_typed(LIMIT_KINDS[name], limits.get(name)) for name in LimitName}


def start_intent(form: RunForm, by: str) -> StartRun:
    """The intent; only for a form without problems. What the profile says anyway is left to it."""
    assert form.listing is not None
    assert form.listing.profile is not None
    profile = form.listing.profile
    values: dict[str, Any] = {name.value: limit_value(name, typed) for name, typed in form.limits.items()}
    limits, model = Limits(**values), form.model.strip()
    return StartRun(
        profile=form.listing.name,
        goal=form.goal.strip(),
        workspace=form.workspace.strip(),
        by=by,
        limits=None if limits == profile.limits else limits,
        model=None if model == profile.model else model,
        pattern=None if form.pattern is profile.pattern else form.pattern.value,
        done_when=form.done_when.strip(),
    )


def spend_words(day: DayBudget | None, cost: Decimal | None, *, known: bool = True) -> str:
    """The effect on today's spend. `known` is False while the cost field holds no amount."""
    adds = "" if not known else "no limit on what this run adds" if cost is None else _adds(cost)
    if day is None:
        return f"{adds[:1].upper()}{adds[1:]}"
    spent = formatting.money(day.spent_usd) if day.spent_usd is not None else "cost unknown"
    today = f"Today {spent}" + (f" of {formatting.money(day.limit_usd)}" if day.limit_usd is not None else "")
    return ", ".join(part for part in (today, adds) if part)


def over_day_limit(day: DayBudget | None, cost: Decimal | None) -> bool:
    """Whether this run alone could pass the day limit."""
    if day is None or day.limit_usd is None or cost is None:
        return False
    return (day.spent_usd or Decimal(0)) + cost > day.limit_usd


def model_hint(profile: Profile | None, typed: str) -> str:
    """What stands under the model's field."""
    if profile is None:
        return ""
    return "as the profile says" if typed.strip() == profile.model else f"instead of {profile.model}"


def _adds(cost: Decimal) -> str:
    return f"this run adds at most {formatting.money(cost)}"
