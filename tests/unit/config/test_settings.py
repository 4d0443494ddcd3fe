"""Settings are declared once, read strictly, and saved without losing what a person wrote."""

from decimal import Decimal
from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.config.operators import check_may_decide, operator_name, who_decides
from agent_core.config.profile import Rule, RuleScope
from agent_core.config.settings import Settings
from agent_core.config.settings_list import SETTINGS, Kind, Setting
from agent_core.model.action import GateVerdict
from agent_core.model.budget import Limits
from agent_core.model.errors import InputError, ProfileError


@pytest.fixture
def place(home: Path) -> Home:
    return Home.at(home)


def test_without_a_file_the_defaults_hold_and_no_file_is_made(place: Home) -> None:
    settings = Settings.read(place)

    assert settings["general.theme"] == "system"
    assert settings["general.hold_alternative"] is False
    assert settings.day_limit_usd is None
    assert settings.limits == Limits()
    assert not place.settings.exists()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_default_is_a_value_that_the_file_may_hold(setting: Setting) -> None:
    if setting.default is None:
        assert setting.optional
    else:
        assert setting.convert(setting.written(setting.default)) == setting.default


def test_every_setting_has_words_for_a_person() -> None:
    for setting in SETTINGS:
        assert setting.title[:1].isupper()
        assert setting.help.endswith(".")
        assert bool(setting.choices) or setting.kind is not Kind.CHOICE


def test_a_change_is_there_after_a_restart_and_comments_stay(place: Home) -> None:
    place.settings.write_text("# mine\n[general]\nscale = 110 # large\n\n# money\n[budgets]\nsteps = 9\n")
    settings = Settings.read(place)

    settings.change("general.theme", "dark")
    settings.change("budgets.day_limit_usd", "12.50")
    settings.change("policies.approve_within", "2h")

    text = place.settings.read_text()
    assert "# mine" in text
    assert "scale = 110 # large" in text
    assert "# money" in text
    again = Settings.read(place)
    assert (again["general.theme"], again["general.scale"], again["budgets.steps"]) == ("dark", 110, 9)
    assert again.day_limit_usd == Decimal("12.50")
    assert again.gate.approve_within == 7200


def test_none_puts_the_default_back(place: Home) -> None:
    settings = Settings.read(place)
    settings.change("general.scale", 120)
    settings.change("general.scale", None)

    assert settings["general.scale"] == 100
    assert "scale" not in place.settings.read_text()


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("general.theem", "dark", 'There is no setting "general.theem"; did you mean "general.theme"?'),
        ("general.theme", "drak", 'Theme cannot be "drak"; did you mean "dark"?'),
        ("general.scale", 10, "Text size must be a whole number from 90 to 150, not 10"),
        ("general.hold_alternative", "yes", 'Press twice instead of holding must be true or false, not "yes"'),
        ("budgets.day_limit_usd", "-1", "Day limit must be an amount"),
        ("policies.require_console", ["irreversibel"], 'did you mean "irreversible"?'),
    ],
)
def test_a_bad_change_is_refused_and_changes_nothing(place: Home, key: str, value: object, words: str) -> None:
    settings = Settings.read(place)
    heard: list[str] = []
    settings.observe(heard.append)

    with pytest.raises(InputError) as caught:
        settings.change(key, value)

    assert words in str(caught.value)
    assert not heard
    assert not place.settings.exists()


@pytest.mark.parametrize(
    "text", ["[general", "[general]\ntheme = 3\n", "[generl]\n", "\0", "[[rules]]\ntool = 'rm'\nverdict = 'allow'\n"]
)
def test_a_broken_file_is_named_kept_and_never_written_over(place: Home, text: str) -> None:
    place.settings.write_text(text)

    with pytest.raises(ProfileError, match=r"^settings.toml line \d"):
        Settings.read(place)
    shown = Settings.open(place)

    assert shown.problem is not None
    assert shown.problem.endswith("until it is mended, no run starts and the defaults are shown.")
    assert "?." not in shown.problem
    with pytest.raises(InputError):
        shown.change("general.theme", "dark")
    assert place.settings.read_text() == text


def test_a_file_that_breaks_while_open_is_not_written_over(place: Home) -> None:
    settings = Settings.read(place)
    place.settings.write_text("[general")

    with pytest.raises(ProfileError):
        settings.change("general.theme", "dark")

    assert place.settings.read_text() == "[general"


def test_a_change_keeps_what_another_program_wrote_meanwhile(place: Home) -> None:
    first, second = Settings.read(place), Settings.read(place)
    first.change("general.theme", "dark")
    second.change("general.scale", 120)

    assert Settings.read(place)["general.theme"] == "dark"
    heard: list[str] = []
    stop = first.observe(heard.append)
    first.reload()
    assert heard == ["general.scale"]
    stop()
    first.change("general.hold_alternative", True)
    assert heard == ["general.scale"]


def test_standing_rules_are_saved(place: Home) -> None:
    settings = Settings.read(place)
    settings.change("general.theme", "dark")
    rule = Rule(
        tool="files_write", verdict=GateVerdict.ALLOW, when={"path": "drafts/**"}, scope=RuleScope.ALWAYS, uses=3
    )
    settings.change_rules([rule])

    again = Settings.read(place)
    assert [(r.tool, r.verdict, r.when, r.uses) for r in again.rules] == [
        ("files_write", GateVerdict.ALLOW, {"path": "drafts/**"}, 3)
    ]
    assert again.rules == settings.rules
    again.change_rules([])
    assert Settings.read(place).rules == []
    assert Settings.read(place)["general.theme"] == "dark"


def test_a_rule_that_could_not_be_read_back_is_not_saved(place: Home) -> None:
    settings = Settings.read(place)

    with pytest.raises(InputError, match="which files_write does not have"):
        settings.change_rules([Rule(tool="files_write", verdict=GateVerdict.ALLOW, when={"pth": "x"})])

    assert settings.rules == []
    assert not place.settings.exists()


def test_settings_stay_a_link_where_they_were_one(place: Home, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("")
    place.settings.symlink_to(kept)

    Settings.read(place).change("general.theme", "dark")

    assert place.settings.is_symlink()
    assert "dark" in kept.read_text()


def test_who_decides_is_named_by_the_environment_first() -> None:
    assert who_decides({"PILOTHOUSE_OPERATOR": " eva "}) == "eva"
    assert who_decides({})
    for bad in ("", " ", "a\nb", "x" * 65, "system", "System"):
        with pytest.raises(InputError):
            operator_name(bad, "--by")


def test_only_listed_operators_may_decide(place: Home) -> None:
    settings = Settings.read(place)
    check_may_decide("anyone", settings)
    settings.change("policies.operators", ["eva", "bo"])

    check_may_decide("eva", settings)
    with pytest.raises(InputError, match='"evo" is not an operator of this home; did you mean "eva"'):
        check_may_decide("evo", settings)
