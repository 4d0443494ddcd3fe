"""Operators, by real mouse and keys on a real home: who I am, where my key lies, and my passphrase."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from agent_core.config.secrets import ModelKeys
from agent_core.config.settings import Settings
from agent_core.engine.harness import Harness
from tests.support.engine_lab import Lab
from tests.support.memory_keyring import MemoryKeyring
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.dialogs.passphrase import ChangePassphrase
from ui.views.settings.page import SettingsPage
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.table import Table

Settle = Callable[[Commands], Awaitable[None]]
OLD, NEW = "correct horse", "battery staple"


class Desk:
    """The settings page on a home with an engine in it."""

    def __init__(self, qtbot: QtBot, lab: Lab, harness: Harness, settle: Settle) -> None:
        self.qtbot, self.harness, self._settle = qtbot, harness, settle
        self.commands = Commands(harness.supervisor, harness.desk, harness.reader, "bar")
        settings = Settings.open(lab.home)
        state = ConsoleState(self.commands)
        self.page = SettingsPage(settings, ModelKeys({}, MemoryKeyring()), state, self.commands, lab.home)
        qtbot.addWidget(self.page)
        self.page.resize(1100, 760)
        self.page.show()
        self.page.activateWindow()

    async def open(self) -> None:
        self.page.show_part("operators")
        await self._settle(self.commands)

    def find(self, name: str) -> QWidget:
        found = self.page.findChild(QWidget, name)
        assert isinstance(found, QWidget), name
        return found

    @property
    def dialog(self) -> ChangePassphrase:
        return next(one for one in self.page.findChildren(ChangePassphrase) if one.isVisible())

    async def press(self, name: str) -> None:
        """Press a button of the page by the keyboard."""
        button = self.find(f"settings.operators.{name}")
        assert isinstance(button, QPushButton)
        assert button.isVisible()
        button.setFocus()
        self.qtbot.keyClick(button, Qt.Key.Key_Space)
        await self._settle(self.commands)

    async def give(self, **typed: str) -> None:
        """Type into the dialog's fields, and Enter in the last."""
        dialog = self.dialog
        for name, text in typed.items():
            field = dialog.findChild(QWidget, f"dialog.{name}")
            assert isinstance(field, QWidget), name
            self.qtbot.keyClicks(field, text)
        self.qtbot.keyClick(field, Qt.Key.Key_Return)
        await self._settle(self.commands)

    def said(self) -> str:
        labels = [*self.page.findChildren(Label), *self.page.findChildren(ElidedLabel)]
        return "\n".join(label.raw_text() for label in labels if label.isVisible())

    def rows(self) -> list[list[str]]:
        table = self.find("settings.operators.table")
        assert isinstance(table, Table)
        model = table.model()
        return [[model.index(r, c).data() for c in range(model.columnCount())] for r in range(model.rowCount())]


@pytest.fixture
async def desk(qtbot: QtBot, tmp_path: Path, settled: Settle) -> AsyncIterator[Desk]:
    lab = Lab(tmp_path)
    harness = await lab.open(works=False)
    made = Desk(qtbot, lab, harness, settled)
    await made.open()
    yield made
    await lab.close()


async def test_it_says_who_i_am_and_that_there_is_no_key_yet(desk: Desk) -> None:
    assert "bar" in desk.said()
    assert "no key yet" in desk.rows()[0]
    assert desk.rows()[0][0] == "bar (you)"
    assert not desk.find("settings.operators.remove").isVisible()


async def test_a_passphrase_is_set_by_keyboard_and_the_place_of_the_key_is_told(desk: Desk) -> None:
    await desk.press("set")
    await desk.give(new=OLD, again=OLD)
    assert not desk.page.findChildren(QDialog) or not any(d.isVisible() for d in desk.page.findChildren(QDialog))
    assert "You decide with this passphrase from now on." in desk.said()
    (profile,) = await desk.harness.desk.operators()
    assert profile.protected
    assert profile.place in desk.said()
    assert desk.rows()[0][2:] == ["yes", profile.key_id, profile.place]


async def test_the_old_one_is_asked_for_and_a_wrong_one_changes_nothing(desk: Desk) -> None:
    await desk.harness.desk.protect("bar", OLD)
    await desk.open()
    await desk.press("set")
    await desk.give(old="wrong horse", new=NEW, again=NEW)
    assert "This is not the passphrase of bar." in desk.said()
    await desk.give(old=OLD, new=NEW, again=NEW)
    assert "You decide with this passphrase from now on." in desk.said()
    await desk.harness.desk.protect("bar", None, NEW)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ({"new": "short", "again": "short"}, "8 characters or more."),
        ({"new": OLD, "again": NEW}, "The two new passphrases are not the same."),
    ],
)
async def test_what_cannot_be_right_is_said_before_anything_is_done(
    desk: Desk, typed: dict[str, str], why: str
) -> None:
    await desk.press("set")
    await desk.give(**typed)
    assert why in desk.said()
    assert await desk.harness.desk.operators() == []


async def test_it_is_removed_by_who_knows_it(desk: Desk) -> None:
    await desk.harness.desk.protect("bar", OLD)
    await desk.open()
    await desk.press("remove")
    await desk.give(old=OLD)
    assert "You decide without a passphrase from now on." in desk.said()
    (profile,) = await desk.harness.desk.operators()
    assert not profile.protected


async def test_escape_leaves_everything_as_it_was(desk: Desk) -> None:
    await desk.press("set")
    desk.qtbot.keyClick(desk.dialog, Qt.Key.Key_Escape)
    assert await desk.harness.desk.operators() == []


async def test_everybody_who_is_listed_or_has_a_key_is_shown(desk: Desk) -> None:
    await desk.harness.desk.protect("dana", OLD)
    desk.harness.house.home.settings.write_text('[policies]\noperators = ["bar", "kim"]\n')
    await desk.open()
    assert [(row[0], row[1]) for row in desk.rows()] == [("bar (you)", "yes"), ("dana", "no"), ("kim", "yes")]
