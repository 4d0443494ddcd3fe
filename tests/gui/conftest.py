"""Fixtures of the GUI tests: the real theme, a clock that only tests move, and a wait for the tasks of the commands."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtWidgets import QApplication

from tests.gui.widgets.conftest import VirtualClock, kit_theme
from ui.commands import Commands

__all__ = ["kit_theme"]


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def settled() -> Callable[[Commands], Awaitable[None]]:
    """Wait until the commands have nothing under way and Qt has delivered what came of it."""

    async def settle(commands: Commands) -> None:
        for _ in range(4):
            await commands.settle()
            await asyncio.sleep(0)
            QApplication.sendPostedEvents()

    return settle
