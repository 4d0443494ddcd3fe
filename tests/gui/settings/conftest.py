"""The settings page over one home, with the engine's stand-ins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from agent_core.config.home import Home
from agent_core.config.profile import Rule
from agent_core.config.secrets import ModelKeys
from agent_core.config.settings import Settings
from agent_core.engine.facade import Records
from agent_core.model.audit import SettingChange, SpendFigures
from agent_core.model.budget import Limits
from agent_core.model.intents import SessionSummary
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from tests.support.memory_keyring import MemoryKeyring
from tests.support.sample_cards import NOW
from tests.support.waiting import heard
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.key_keeper import KeyKeeper
from ui.views.settings.page import SettingsPage
from ui.views.settings.policies import PoliciesPart
from ui.widgets.label import Label

LEFT = Qt.MouseButton.LeftButton
Settle = Callable[[Commands], Awaitable[None]]


class StandInRecords:
    """What runs took, as a test says, and the changes that were noted."""

    def __init__(self) -> None:
        self.suggestions: dict[str | None, Limits] = {}
        self.noted: list[SettingChange] = []

    async def spend_figures(self, agent: str | None) -> SpendFigures:
        return SpendFigures(runs=0, typical=None, high=None, suggestion=self.suggestions.get(agent))

    async def note_setting(self, key: str, old: str, new: str, by: str, why: str) -> None:
        self.noted.insert(0, SettingChange(at=NOW, key=key, old=old, new=new, by=by, why=why))

    async def setting_changes(self, count: int) -> list[SettingChange]:
        return self.noted[:count]


class SettingsBench:
    """Opens the page on a home whose file tests look into."""

    def __init__(self, qtbot: QtBot, folder: Path, settle: Settle) -> None:
        self.qtbot, self._settle = qtbot, settle
        self.home = Home.at(folder / "house")
        self.home.create()
        self.keyring = MemoryKeyring()
        self.environ: dict[str, str] = {}
        self.sessions: Sequence[SessionSummary] = ()
        self.records = StandInRecords()
        self.page: SettingsPage = None  # type: ignore[assignment]
        self.settings: Settings = None  # type: ignore[assignment]

    async def open(self, part: str = "general") -> SettingsPage:
        self.settings = Settings.open(self.home)
        self.commands = Commands(StandInSupervisor(), StandInDesk(), StandInReader(self.sessions), "ana")
        self.state = ConsoleState(self.commands)
        keys = ModelKeys(self.environ, self.keyring)
        self.page = SettingsPage(
            self.settings, keys, self.state, self.commands, self.home, records=cast("Records", self.records)
        )
        self.page.resize(1388, 826)
        self.qtbot.addWidget(self.page)
        self.page.show()
        self.page.activateWindow()
        await self.show(part)
        return self.page

    async def show(self, part: str) -> None:
        self.page.show_part(part)
        if part == "models" and self.keeper.current is None:
            await heard(self.keeper.changed, lambda: None)
        await self._settle(self.commands)

    async def settle(self) -> None:
        """Until nothing is asked of the engine any more."""
        await self._settle(self.commands)

    @property
    def policies(self) -> PoliciesPart:
        part = self.page.findChild(PoliciesPart)
        assert isinstance(part, PoliciesPart)
        return part

    @property
    def keeper(self) -> KeyKeeper:
        """What reads and keeps the key."""
        keeper = self.page.findChild(KeyKeeper)
        assert isinstance(keeper, KeyKeeper)
        return keeper

    def find(self, name: str) -> QWidget:
        found = self.page.findChild(QWidget, f"settings.{name}")
        assert isinstance(found, QWidget), f"no widget settings.{name}"
        return found

    def click(self, name: str) -> None:
        self.qtbot.mouseClick(self.find(name), LEFT)

    def type(self, name: str, text: str, *, enter: bool = True) -> None:
        """Replace what stands in a field."""
        field = self.find(name)
        field.setFocus()
        self.qtbot.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        self.qtbot.keyClick(field, Qt.Key.Key_Delete)
        self.qtbot.keyClicks(field, text)
        if enter:
            self.qtbot.keyClick(field, Qt.Key.Key_Return)

    def said(self) -> str:
        """Every sentence that is shown."""
        labels = self.page.findChildren(Label)
        return "\n".join(label.text() for label in labels if label.isVisible())

    def saved(self) -> Settings:
        """What the file says now."""
        return Settings.read(self.home)

    @property
    def rules(self) -> list[Rule]:
        """The standing rules of the file."""
        return self.saved().rules


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path, settled: Settle) -> SettingsBench:
    return SettingsBench(qtbot, tmp_path, settled)
