"""What a field shows reads back as the same value, and what people type is understood or refused in words."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.settings_list import BY_KEY, SETTINGS, Kind
from agent_core.config.values import BadValue
from ui.models.settings.words import typed_problem, typed_value
from ui.models.typed_values import as_shown, as_typed, from_typed


@given(st.integers(0, 10**12))
def test_a_count_reads_back(value: int) -> None:
    assert from_typed(Kind.COUNT, as_typed(Kind.COUNT, value)) == value


@given(st.decimals(0, 10**6, places=4))
def test_money_reads_back(value: Decimal) -> None:
    assert Decimal(str(from_typed(Kind.MONEY, as_typed(Kind.MONEY, value)))) == value


@given(st.integers(0, 10**6) | st.floats(0.001, 1000).map(lambda seconds: round(seconds, 3)))
def test_seconds_read_back(value: float) -> None:
    setting = BY_KEY["budgets.seconds"]

    assert setting.convert(from_typed(Kind.SECONDS, as_typed(Kind.SECONDS, value))) == pytest.approx(value)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_default_reads_back_as_itself(setting: object) -> None:
    assert isinstance(setting, type(SETTINGS[0]))
    if setting.kind in (Kind.FLAG, Kind.CHOICE):
        return

    assert typed_value(setting, as_typed(setting.kind, setting.default)) == setting.default


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        (Kind.COUNT, "600k", 600_000),
        (Kind.COUNT, "1.5M", 1_500_000),
        (Kind.COUNT, " 1,000 ", 1_000),
        (Kind.MONEY, "$0.50", "0.50"),
        (Kind.MONEY, "1,204.50 USD", "1204.50"),
        (Kind.SECONDS, "15:00", 900.0),
        (Kind.SECONDS, "1:02:03", 3_723.0),
        (Kind.SECONDS, "90", 90.0),
        (Kind.SECONDS, "15 min", "15m"),
        (Kind.SHARE, "85 %", 0.85),
        (Kind.TEXTS, "anna, , ben", ["anna", "ben"]),
        (Kind.TEXT, "  ", None),
    ],
)
def test_people_type_in_their_own_way(kind: Kind, typed: str, value: object) -> None:
    assert from_typed(kind, typed) == value


@pytest.mark.parametrize("typed", ["abc", "-3", "1.5", "6e5", "１０", "0x10", "k"])
def test_what_is_no_whole_number_is_refused(typed: str) -> None:
    with pytest.raises(BadValue, match="whole number"):
        from_typed(Kind.COUNT, typed)


def test_a_problem_is_one_sentence_with_the_name_of_the_setting() -> None:
    assert typed_problem(BY_KEY["budgets.steps"], "many").startswith("Steps must be a whole number")
    assert typed_problem(BY_KEY["budgets.steps"], "") == "Steps needs a value."
    assert typed_problem(BY_KEY["budgets.day_limit_usd"], "") == ""


def test_measured_figures_are_rounded() -> None:
    assert as_shown(Kind.COUNT, 290_123) == "290k"
    assert as_shown(Kind.MONEY, Decimal("0.2391")) == "$0.24"
    assert as_shown(Kind.SECONDS, 490.4) == "8:10"
