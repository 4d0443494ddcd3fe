"""What an operator sees and can do when everything is stopped, a session was altered, or a backup is wanted."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from agent_core.config.home import Home
from agent_core.engine.facade import Notice
from agent_core.engine.harness import open_harness
from agent_core.model.errors import BrokenChain
from agent_core.model.events import HaltReleased, HaltSet
from agent_core.model.ids import HOME_SESSION
from agent_core.store.stops import Stops
from console.window.notices import Notices
from tests.gui.console.opened import OpenConsole, begin
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.main_window import MainWindow

Opened = Callable[[], object]


def banner(console: OpenConsole) -> str:
    shown = console.desk.window.banner
    return shown.accessibleName() if shown.isVisible() else ""


def press(console: OpenConsole, name: str) -> None:
    """A button of the banner."""
    buttons = console.desk.window.banner.findChildren(QPushButton)
    (button,) = [one for one in buttons if one.isVisible() and name in one.accessibleName() + one.text()]
    console.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


async def test_a_halt_from_another_process_is_shown_and_released_here(opened: Opened, home: Path) -> None:
    console: OpenConsole = await opened()  # type: ignore[misc]
    await begin(console)
    await console.card("Edit ledger.csv")

    Stops(Home.at(home)).set_halt("eva", console.harness.house.clock.now())
    await console.until(lambda: "Everything was stopped by eva" in banner(console), "the halt is shown")
    press(console, "Release")
    await console.until(lambda: banner(console) == "", "the halt is gone")

    events = [event.data for event in console.harness.house.journal.read_now(HOME_SESSION)]
    assert [type(data) for data in events if isinstance(data, HaltSet | HaltReleased)] == [HaltSet, HaltReleased]
    assert Stops(Home.at(home)).halt() is None
    await console.close()


async def test_a_halt_that_stood_before_is_shown_when_the_console_opens(opened: Opened, home: Path) -> None:
    console: OpenConsole = await opened()  # type: ignore[misc]
    await console.harness.supervisor.stop_all("eva")
    await console.close()

    console = await opened()  # type: ignore[misc]
    await console.until(lambda: "Everything was stopped by eva" in banner(console), "the halt is shown")
    await console.close()


async def test_an_altered_session_opens_read_only_and_says_why(opened: Opened, home: Path) -> None:
    console: OpenConsole = await opened()  # type: ignore[misc]
    session = await begin(console)
    await console.card("Edit ledger.csv")
    await console.close()
    with closing(sqlite3.connect(home / "pilothouse.db")) as shell:
        shell.execute("DROP TRIGGER events_are_not_updated")
        shell.execute("UPDATE events SET data = replace(data, 'reads', 'writes') WHERE kind = 'session_opened'")
        shell.commit()

    console = await opened()  # type: ignore[misc]
    await console.until(lambda: "Read-only" in banner(console), "it is said")
    assert "event 1 was altered" in banner(console)
    assert console.desk.state.current == session
    await console.until(lambda: bool(console.desk.state.opening), "it can be read")
    with pytest.raises(BrokenChain, match="event 1"):
        await console.harness.supervisor.resume(session, "ana", "go on")
    await console.close()


async def test_a_backup_is_made_and_put_back_from_the_data_page(opened: Opened, home: Path) -> None:
    console: OpenConsole = await opened()  # type: ignore[misc]
    await begin(console)
    await console.card("Edit ledger.csv")
    console.desk.open_settings("data")
    backup = await console.find(QPushButton, "settings.data.backup")
    console.qtbot.mouseClick(backup, Qt.MouseButton.LeftButton)
    await console.until(lambda: bool(list((home / "backups").glob("pilothouse-*.db"))), "a backup lies there")
    (made,) = (home / "backups").glob("pilothouse-*.db")
    amount = await console.find(QLabel, "settings.data.backups.amount")
    assert isinstance(amount, QLabel)
    await console.until(lambda: amount.text().startswith("1 file"), "the page tells of the new backup")
    anew: list[str] = []
    console.desk.reopen_wanted.connect(anew.append)

    console.desk.dialogs.home.ask_restore(made)
    go = await console.find(QPushButton, "dialog.go")
    console.qtbot.mouseClick(go, Qt.MouseButton.LeftButton)

    await console.until(lambda: bool(anew), "the window is to open anew")
    assert anew == [f"{made.name} is put back. What was there before lies in {home / 'backups'}."]
    await console.close()
    harness = await open_harness(Home.at(home), operator="ana", environ={}, works=False)
    assert [finding.reason for finding in await harness.reader.verify() if not finding.ok] == []
    await harness.close()


async def test_what_can_be_done_stands_on_the_banner(qtbot: QtBot, kit_theme: object) -> None:
    supervisor = StandInSupervisor()
    commands = Commands(supervisor, StandInDesk(), StandInReader(), "ana")
    state, window = ConsoleState(commands), MainWindow("Pilothouse")
    qtbot.addWidget(window)
    window.show()
    Notices(window, state, commands, lambda: None)
    text = "Cannot save to pilothouse.db: the disk is full. All agents of this process are paused."
    state.notices["provider"] = Notice(kind="provider", level="attn", text="overloaded")
    state.notices["storage"] = Notice(kind="storage", level="dang", text=text)
    state.notices["altered:s-9"] = Notice(kind="altered:s-9", level="dang", text="another session")
    state.notices_changed.emit()

    assert window.banner.accessibleName() == text
    (button,) = window.banner.findChildren(QPushButton)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    await commands.settle()

    assert supervisor.asked == [("retry_saving", ())]
