"""One console a home."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from agent_core.config.home import Home
from console.one_window import OneWindow


@pytest.fixture
def place(home: Path) -> Home:
    home.mkdir(parents=True, exist_ok=True)
    return Home.at(home)


def test_a_second_console_raises_the_first_and_is_not_the_first(qtbot: QtBot, qapp: QApplication, place: Home) -> None:
    first, second = OneWindow(place), OneWindow(place)
    assert first.is_first()
    with qtbot.waitSignal(first.raise_wanted, timeout=5_000):
        assert not second.is_first()
    first.close()


def test_the_next_console_is_first_once_the_first_has_closed(qapp: QApplication, place: Home) -> None:
    first, second = OneWindow(place), OneWindow(place)
    assert first.is_first()
    first.close()
    assert second.is_first()
    second.close()


def test_consoles_of_two_homes_do_not_meet(qapp: QApplication, place: Home, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    first, other = OneWindow(place), OneWindow(Home.at(elsewhere))
    assert first.is_first()
    assert other.is_first()
    first.close()
    other.close()
