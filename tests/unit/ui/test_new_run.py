"""A run is started only by a form without problems, and its intent says no more than differs from the profile."""

from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from agent_core.config.home import Home
from agent_core.config.profile import Profile, ToolEntry
from agent_core.config.profile_file import ProfileListing
from agent_core.model.budget import LimitName
from agent_core.model.intents import DayBudget
from ui.models.new_run import (
    RunForm,
    limit_texts,
    model_hint,
    over_day_limit,
    problems,
    spend_words,
    start_intent,
    workspace_problem,
)

PROFILE = Profile(name="clerk", model="claude-sonnet-5-5", tools=[ToolEntry(name="files_read", because="reads")])
LISTING = ProfileListing("clerk", Path("clerk.toml"), PROFILE)


@pytest.fixture
def place(tmp_path: Path) -> Home:
    home = Home.at(tmp_path / "house")
    home.create()
    return home


@pytest.fixture
def form(tmp_path: Path) -> RunForm:
    folder = tmp_path / "invoices"
    folder.mkdir()
    return RunForm("Tidy up", "", LISTING, PROFILE.model, str(folder), limits=limit_texts(PROFILE.limits))


def changed(form: RunForm, **changes: object) -> RunForm:
    return RunForm(**{**{name: getattr(form, name) for name in RunForm.__slots__}, **changes})  # type: ignore[arg-type]


def test_a_form_as_the_profile_has_it_starts_and_leaves_everything_to_the_profile(form: RunForm, place: Home) -> None:
    intent = start_intent(form, "m.keller")

    assert problems(form, place) == {}
    assert (intent.profile, intent.goal, intent.by) == ("clerk", "Tidy up", "m.keller")
    assert (intent.limits, intent.model, intent.done_when) == (None, None, "")


def test_what_differs_from_the_profile_is_in_the_intent(form: RunForm) -> None:
    limits = {**form.limits, LimitName.STEPS: "40", LimitName.COST_USD: "$0.50", LimitName.SECONDS: "10:00"}
    intent = start_intent(changed(form, limits=limits, model="claude-opus-5", done_when=" all filed "), "m")

    assert intent.limits is not None
    assert (intent.limits.steps, intent.limits.cost_usd, intent.limits.seconds) == (40, Decimal("0.50"), 600.0)
    assert (intent.model, intent.done_when) == ("claude-opus-5", "all filed")


def test_an_empty_cost_means_no_cost_limit(form: RunForm, place: Home) -> None:
    without = changed(form, limits={**form.limits, LimitName.COST_USD: ""})
    intent = start_intent(without, "m")

    assert problems(without, place) == {}
    assert intent.limits is not None
    assert intent.limits.cost_usd is None


@pytest.mark.parametrize(
    ("changes", "name", "words"),
    [
        ({"goal": " \n"}, "goal", "Say what the agent is to do."),
        ({"goal": "x" * 100_001}, "goal", "longer than 100,000"),
        ({"listing": None}, "profile", "Choose an agent profile."),
        ({"model": " "}, "model", "Name a model."),
        ({"workspace": ""}, "workspace", "Choose the folder"),
        ({"workspace": "/nowhere/at/all"}, "workspace", "There is no folder at this path."),
        ({"workspace": "a\0b"}, "workspace", "NUL"),
        ({"limits": {LimitName.STEPS: "many"}}, "limits.steps", "Steps must be a whole number"),
        ({"limits": {LimitName.TOKENS: ""}}, "limits.tokens", "Tokens needs a limit."),
        ({"limits": {LimitName.COST_USD: "-1"}}, "limits.cost_usd", "Cost must be an amount"),
    ],
)
def test_each_field_says_in_one_sentence_what_is_wrong(
    form: RunForm, place: Home, changes: dict[str, object], name: str, words: str
) -> None:
    found = problems(changed(form, **changes), place)

    assert list(found) == [name]
    assert words in found[name]


def test_a_broken_profile_alone_is_said(form: RunForm, place: Home) -> None:
    broken = ProfileListing("x", Path("x.toml"), None, 'x.toml line 2: unknown key "modle"; did you mean "model"?')
    found = problems(changed(form, listing=broken, model="", limits={LimitName.STEPS: ""}), place)

    assert found == {"profile": broken.problem}


def test_the_home_of_the_program_is_no_workspace(place: Home) -> None:
    place.create()
    for folder in (place.data, place.agents):
        assert "home of Pilothouse itself" in workspace_problem(str(folder), place)


def test_the_foot_says_what_the_run_adds_to_the_day() -> None:
    day = DayBudget(spent_usd=Decimal("4.18"), unknown_runs=0, limit_usd=Decimal(20))

    assert spend_words(day, Decimal("0.50")) == "Today $4.18 of $20.00, this run adds at most $0.50"
    assert spend_words(day, None) == "Today $4.18 of $20.00, no limit on what this run adds"
    assert spend_words(day, None, known=False) == "Today $4.18 of $20.00"
    assert spend_words(None, Decimal("0.50")) == "This run adds at most $0.50"
    unknown = msgspec.structs.replace(day, spent_usd=None, limit_usd=None)
    assert spend_words(unknown, Decimal(1)).startswith("Today cost unknown, ")
    assert over_day_limit(day, Decimal(16))
    assert not over_day_limit(day, Decimal(15))
    assert not over_day_limit(None, Decimal(15))


def test_the_models_field_says_whose_choice_it_is() -> None:
    assert model_hint(PROFILE, PROFILE.model) == "as the profile says"
    assert model_hint(PROFILE, "other") == "instead of claude-sonnet-5-5"
