"""The tray: a way back, the number of decisions, the emergency exits. Nothing is decided from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu, QPushButton, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from agent_core.config.home import Home
from agent_core.config.secrets import ModelKeys
from agent_core.config.settings import Settings
from agent_core.model.events import DecisionMade
from console.desk_window import DeskWindow
from console.engine import OpenEngine
from tests.gui.console.opened import OpenConsole, begin
from tests.support.facade import StandInBus, StandInDesk, StandInReader, StandInSupervisor
from tests.support.memory_keyring import MemoryKeyring
from tests.support.sample_cards import NOW
from ui.tray import Tray

Opened = Callable[..., Any]


class StandInIcon(QObject):
    """The desktop's side of the tray."""

    activated = Signal(object)
    messageClicked = Signal()  # noqa: N815 - Qt's name

    def __init__(self) -> None:
        super().__init__()
        self.tip = ""
        self.notes: list[str] = []
        self.shown = False
        self.menu: QMenu | None = None

    def setIcon(self, icon: QIcon) -> None:
        assert not icon.isNull()

    def setToolTip(self, tip: str) -> None:
        self.tip = tip

    def setContextMenu(self, menu: QMenu) -> None:
        self.menu = menu

    def showMessage(self, title: str, message: str) -> None:
        assert title == "Pilothouse"
        self.notes.append(message)

    def show(self) -> None:
        self.shown = True

    def hide(self) -> None:
        self.shown = False

    def choose(self, qtbot: QtBot, name: str) -> None:
        """An entry of the menu, by keyboard."""
        assert self.menu is not None
        self.menu.popup(self.menu.pos())
        (action,) = [one for one in self.menu.actions() if one.objectName() == f"tray.{name}"]
        self.menu.setActiveAction(action)
        qtbot.keyClick(self.menu, Qt.Key.Key_Return)


async def test_the_tray_counts_the_decisions_and_opens_the_most_urgent(opened: Opened, qtbot: QtBot) -> None:
    icon = StandInIcon()
    console: OpenConsole = await opened(lambda: icon)
    assert icon.shown
    assert icon.tip == "Pilothouse: no decisions"
    await begin(console)
    await console.card("Edit ledger.csv")
    assert icon.tip == "Pilothouse: 1 decision waiting"

    console.desk.show_page("settings")
    icon.choose(qtbot, "urgent")

    assert console.desk.window.page == "console"
    assert console.desk.cards.panel.card.entry is not None
    await console.close()
    assert not icon.shown


async def test_a_clicked_note_opens_its_card_and_decides_nothing(opened: Opened, qtbot: QtBot) -> None:
    icon = StandInIcon()
    console: OpenConsole = await opened(lambda: icon)
    session = await begin(console)
    await console.card("Edit ledger.csv")
    proposal = console.desk.state.queue[0].proposal.proposal
    console.desk.show_page("audit")
    assert console.desk.tray is not None
    console.desk.tray.note("Decision needed: <b>Edit</b>", proposal)
    assert icon.notes == ["Decision needed: ‹b›Edit‹/b›"], "no desktop reads markup in it"

    icon.messageClicked.emit()

    assert console.desk.window.page == "console"
    assert console.desk.cards.panel.chosen == proposal
    events = console.harness.house.journal.read_now(session)
    assert not [event for event in events if isinstance(event.data, DecisionMade)]
    await console.close()


async def test_all_agents_are_paused_from_the_tray(qtbot: QtBot, home: Path) -> None:
    place, supervisor, icon = Home.at(home), StandInSupervisor(), StandInIcon()
    place.create()
    engine = OpenEngine(
        supervisor, StandInDesk(), StandInReader(), StandInBus(), place, Settings.open(place),
        ModelKeys({}, MemoryKeyring()), "ana", lambda: NOW,
    )  # fmt: skip
    desk = DeskWindow(engine, tray_icon=lambda: icon)
    qtbot.addWidget(desk.window)
    desk.load()

    icon.choose(qtbot, "pause_all")
    await desk.close()

    assert "pause_all" in [name for name, _ in supervisor.asked]


async def test_everything_is_stopped_from_the_tray_only_after_a_question(opened: Opened, qtbot: QtBot) -> None:
    icon = StandInIcon()
    console: OpenConsole = await opened(lambda: icon)

    icon.choose(qtbot, "stop_all")

    assert console.harness.house.stops.halt() is None, "asked first"
    qtbot.mouseClick(await console.find(QPushButton, "dialog.go"), Qt.MouseButton.LeftButton)
    await console.until(lambda: console.harness.house.stops.halt() is not None, "everything is stopped")
    await console.close()


async def test_closing_quits_unless_agents_are_to_go_on_in_the_tray(opened: Opened, qtbot: QtBot) -> None:
    icon = StandInIcon()
    console: OpenConsole = await opened(lambda: icon)
    asked: list[bool] = []
    console.desk.quit_wanted.connect(lambda: asked.append(True))
    console.desk.window.close()
    assert asked == [True], "closing the window quits"

    console.desk.engine.settings.change("general.keep_running", True)
    console.desk.window.close()
    assert asked == [True]
    assert not console.desk.window.isVisible()

    icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    assert console.desk.window.isVisible()
    icon.choose(qtbot, "quit")
    assert asked == [True, True]
    await console.close()


async def test_without_a_tray_closing_always_quits(opened: Opened) -> None:
    console: OpenConsole = await opened()
    assert console.desk.tray is None
    console.desk.engine.settings.change("general.keep_running", True)
    asked: list[bool] = []
    console.desk.quit_wanted.connect(lambda: asked.append(True))
    console.desk.window.close()
    assert asked == [True]
    assert console.desk.window.isVisible()
    await console.close()


@pytest.mark.qt_log_ignore("systemTrayWindowChanged", extend=True)
def test_the_desktops_own_icon_has_all_that_is_needed(qtbot: QtBot) -> None:
    window = QPushButton()
    qtbot.addWidget(window)
    icon = QSystemTrayIcon()
    tray = Tray(icon, window)
    tray.show_waiting(4)
    assert icon.toolTip() == "Pilothouse: 4 decisions waiting"
    assert icon.contextMenu() is tray.menu
    assert not icon.icon().isNull()
    tray.close()
