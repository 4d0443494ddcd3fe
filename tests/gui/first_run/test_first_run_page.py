"""The first page, by real mouse and keys: the demo, a key, and what is said of where things go."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from agent_core.config.home import Home
from agent_core.config.secret_store import StoreState
from agent_core.config.secrets import ModelKeys
from tests.support.memory_keyring import MemoryKeyring
from tests.support.waiting import heard
from ui.views.first_run import FirstRunPage
from ui.widgets.label import Label

LEFT = Qt.MouseButton.LeftButton
KEY = "sk-ant-0123456789abcd"


class Bench:
    """The page in a window, and what it asked for."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot, self.home = qtbot, Home.at(folder)
        self.keyring = MemoryKeyring()
        self.asked: list[str] = []
        self.page: FirstRunPage = None  # type: ignore[assignment]

    async def show(self, environ: dict[str, str] | None = None) -> FirstRunPage:
        self.page = FirstRunPage(ModelKeys(environ or {}, self.keyring), self.home)
        self.page.resize(1000, 760)
        self.qtbot.addWidget(self.page)
        for name in ("demo", "new_run", "sessions"):
            signal = getattr(self.page, f"{name}_wanted")
            signal.connect(lambda name=name: self.asked.append(name))
        await heard(self.page._keeper.changed, self.page.show)
        self.page.activateWindow()
        return self.page

    async def save(self, typed: str) -> None:
        self.page.key.key.setFocus()
        self.qtbot.keyClicks(self.page.key.key, typed)
        await heard(self.page._keeper.changed, lambda: self.qtbot.keyClick(self.page.key.key, Qt.Key.Key_Return))

    def said(self) -> str:
        labels = self.page.findChildren(Label)
        return "\n".join(label.text() for label in labels if label.isVisibleTo(self.page))


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path) -> Bench:
    return Bench(qtbot, tmp_path)


async def test_enter_and_click_start_the_demo(bench: Bench) -> None:
    page = await bench.show()

    bench.qtbot.keyClick(page, Qt.Key.Key_Return)
    bench.qtbot.mouseClick(page.demo.start, LEFT)

    assert bench.asked == ["demo", "demo"]


async def test_nothing_is_sent_until_a_key_is_added(bench: Bench) -> None:
    await bench.show()

    assert f"Data stays in {bench.home.data}. Nothing is sent until you add a key." in bench.said()


async def test_a_key_is_hidden_kept_and_shown_by_its_end(bench: Bench) -> None:
    page = await bench.show()
    assert page.key.key.echoMode() is QLineEdit.EchoMode.Password

    await bench.save(KEY)

    assert KEY in next(iter(bench.keyring.kept.values()))
    assert page.key.key.text() == ""
    assert "Connected to Anthropic" in bench.said()
    assert "Kept in a test's memory." in bench.said()
    assert page.key._chip.text() == "key …abcd"
    assert bench.asked == [], "Enter in the field saves the key and starts no demo"


async def test_with_a_key_the_first_run_is_one_press_away(bench: Bench) -> None:
    page = await bench.show()
    await bench.save(KEY)

    bench.qtbot.mouseClick(page.key.new_run, LEFT)

    assert bench.asked == ["new_run"]


async def test_what_cannot_be_a_key_is_not_kept(bench: Bench) -> None:
    page = await bench.show()

    bench.qtbot.keyClicks(page.key.key, "two words")
    bench.qtbot.mouseClick(page.key.save, LEFT)

    assert "A key is one word" in bench.said()
    assert bench.keyring.kept == {}
    assert page.key.key.text() == "two words"


async def test_without_a_keyring_the_key_is_for_this_session_and_that_is_said(bench: Bench) -> None:
    bench.keyring.refuses = StoreState.LOCKED
    page = await bench.show()

    await bench.save(KEY)

    assert "For this session only. The keyring is locked." in bench.said()
    assert page.key._chip.text() == "key …abcd, this session only"


async def test_a_key_of_the_environment_needs_no_entry(bench: Bench) -> None:
    page = await bench.show({"ANTHROPIC_API_KEY": KEY})

    assert "From the environment (ANTHROPIC_API_KEY)." in bench.said()
    assert not page.key.key.isVisible()
    assert page.key.new_run.isVisible()


async def test_sessions_are_one_press_away(bench: Bench) -> None:
    page = await bench.show()

    bench.qtbot.mouseClick(page._sessions, LEFT)

    assert bench.asked == ["sessions"]


@pytest.mark.parametrize("width", [480, 600, 692, 1388])
async def test_both_cards_stand_whole_at_any_width(bench: Bench, width: int) -> None:
    page = await bench.show()
    page.resize(width, 700)

    demo, key = page.demo.geometry(), page.key.geometry()
    assert not demo.intersects(key)
    assert abs(demo.width() - key.width()) <= 1
    for button in (page.demo.start, page.key.save):
        assert button.width() >= button.sizeHint().width()
