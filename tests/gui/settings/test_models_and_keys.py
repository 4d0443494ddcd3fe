"""The key of the model's service, by real mouse and keys: kept as a pair, shown by its end, honest about its place."""

from __future__ import annotations

import json

from PySide6.QtWidgets import QLineEdit, QPushButton

from agent_core.config.secret_store import StoreState
from agent_core.config.secrets import DEFAULT_ADDRESS
from tests.gui.settings.conftest import LEFT, SettingsBench
from tests.support.waiting import heard
from ui.widgets.table import Table

KEY = "sk-ant-0123456789abcd"


async def save(bench: SettingsBench, key: str, address: str = "") -> None:
    bench.type("models.key", key, enter=False)
    bench.type("models.address", address, enter=False)
    await heard(bench.keeper.changed, lambda: bench.click("models.save"))


def kept(bench: SettingsBench) -> dict[str, str]:
    return dict(json.loads(bench.keyring.kept["anthropic"]))


async def test_key_and_address_are_kept_together(bench: SettingsBench) -> None:
    await bench.open("models")

    await save(bench, KEY, "https://models.example.com")

    assert kept(bench) == {"key": KEY, "address": "https://models.example.com"}
    assert "Kept in a test's memory. It goes to https://models.example.com only." in bench.said()
    assert "Saved and read back." in bench.said()
    field = bench.find("models.key")
    assert isinstance(field, QLineEdit)
    assert field.text() == ""
    assert KEY not in bench.said()


async def test_without_an_address_it_is_the_services_own(bench: SettingsBench) -> None:
    await bench.open("models")

    await save(bench, KEY)

    assert kept(bench)["address"] == DEFAULT_ADDRESS


async def test_a_key_is_not_sent_in_the_clear(bench: SettingsBench) -> None:
    await bench.open("models")

    bench.type("models.key", KEY, enter=False)
    bench.type("models.address", "http://models.example.com")

    assert "only sent over https" in bench.said()
    assert bench.keyring.kept == {}


async def test_checking_reads_it_once_more(bench: SettingsBench) -> None:
    await bench.open("models")
    await save(bench, KEY)

    await heard(bench.keeper.changed, lambda: bench.click("models.check"))

    assert "It is there and can be read." in bench.said()


async def test_checking_says_when_there_is_none(bench: SettingsBench) -> None:
    await bench.open("models")

    await heard(bench.keeper.changed, lambda: bench.click("models.check"))

    assert "There is no key to read." in bench.said()


async def test_a_locked_keyring_is_said_and_the_key_is_for_this_session(bench: SettingsBench) -> None:
    bench.keyring.refuses = StoreState.LOCKED
    await bench.open("models")
    assert "The keyring is locked." in bench.said()

    await save(bench, KEY)

    assert "For this session only. The keyring is locked. It is gone when Pilothouse ends." in bench.said()
    assert not bench.home.settings.exists()


async def test_removing_asks_once(bench: SettingsBench) -> None:
    await bench.open("models")
    await save(bench, KEY)

    bench.click("models.remove")
    go = bench.page.findChild(QPushButton, "dialog.go")
    assert isinstance(go, QPushButton)
    assert bench.keyring.kept
    await heard(bench.keeper.changed, lambda: bench.qtbot.mouseClick(go, LEFT))

    assert bench.keyring.kept == {}
    assert not bench.find("models.remove").isVisible()


async def test_a_key_of_the_environment_is_read_only(bench: SettingsBench) -> None:
    bench.environ = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "https://models.example.com"}
    await bench.open("models")

    assert "From the environment (ANTHROPIC_API_KEY). It goes to https://models.example.com only." in bench.said()
    for name in ("models.key", "models.address", "models.save", "models.remove"):
        assert not bench.find(name).isVisible(), name


async def test_prices_are_listed_with_their_source(bench: SettingsBench) -> None:
    await bench.open("models")
    table = bench.find("models.prices")
    assert isinstance(table, Table)

    model = table.model()
    cells = [str(model.index(0, place).data()) for place in range(model.columnCount())]
    assert cells[0] == "claude-sonnet-5-5"
    assert cells[1].startswith("$")
    assert cells[5].startswith("genai-prices")
