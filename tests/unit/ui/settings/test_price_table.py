"""Prices: each model once, its own price before the list's, and an unknown one never as nothing."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from agent_core.config.profile import Price, Profile
from agent_core.config.profile_file import ProfileListing
from agent_core.engine.price_list import price_rows
from ui.models.settings.price_table import UNKNOWN, listed_models, price_cells, rate
from ui.widgets.table import Cell

NOW = datetime(2026, 11, 30, tzinfo=UTC)
OWN = Price(input=Decimal("1.25"), output=Decimal(4))


def listing(model: str, price: Price | None = None) -> ProfileListing:
    return ProfileListing("p", Path("p.toml"), Profile(name="p", model=model, price=price))


def test_each_model_is_listed_once_and_scripts_are_left_out() -> None:
    broken = ProfileListing("b", Path("b.toml"), None, "broken")
    found = listed_models([listing("local", OWN), listing("local"), listing("scripted:office"), broken])

    assert found == [("local", OWN)]


def test_a_stated_price_wins_and_an_unknown_one_says_so() -> None:
    own, unknown = price_rows([("local", OWN), ("nobody-knows-this-model", None)], NOW)

    assert price_cells(own) == ["local", "$1.25", "$4.00", "$0.00", "$0.00", "profile"]
    assert price_cells(unknown)[1:5] == ["–"] * 4
    assert price_cells(unknown)[5] == Cell(UNKNOWN, "attn")


def test_rates_show_every_digit() -> None:
    assert rate(Decimal("0.125")) == "$0.125"
    assert rate(Decimal(10)) == "$10.00"
    assert rate(None) == "–"
