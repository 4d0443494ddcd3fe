"""Opens the console of a test's home."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from agent_core.config.home import Home
from agent_core.config.settings import Settings
from agent_core.engine.harness import open_harness
from console.demo_clock import DemoClock
from console.desk_window import DeskWindow
from console.engine import engine_of
from tests.gui.console.opened import OpenConsole
from tests.gui.widgets.conftest import VirtualClock
from ui.tray import TrayIcon


@pytest.fixture
def opened(qtbot: QtBot, home: Path) -> Callable[[], object]:
    clock = DemoClock()

    async def open_console(tray_icon: Callable[[], TrayIcon | None] = lambda: None) -> OpenConsole:
        place = Home.at(home)
        harness = await open_harness(place, operator="ana", clock=clock, environ={}, takes_decided=True)
        lock = VirtualClock()
        engine = engine_of(harness, Settings.open(place), now=clock.now, lock_clock=lock)
        desk = DeskWindow(engine, tray_icon=tray_icon)
        qtbot.addWidget(desk.window)
        desk.window.resize(1440, 900)
        desk.window.show()
        desk.load()
        return OpenConsole(harness, desk, lock, qtbot)

    return open_console
