"""A decisions panel in a window, with a stand-in desk and a clock of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from agent_core.model.intents import OpenProposal
from tests.gui.widgets.conftest import VirtualClock
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from tests.support.sample_audit import StandInRecords
from tests.support.sample_cards import NOW, entry
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.views.decisions.panel import DecisionsPanel

Settle = Callable[[Commands], Awaitable[None]]
CONTROL = Qt.KeyboardModifier.ControlModifier


class Bench:
    """A panel in a window, with its stand-in desk and its clock."""

    def __init__(self, qtbot: QtBot, clock: VirtualClock, settle: Settle, cards: Sequence[OpenProposal]) -> None:
        self.qtbot, self.clock, self.settle = qtbot, clock, settle
        self.desk = StandInDesk(cards)
        self.commands = Commands(StandInSupervisor(), self.desk, StandInReader(), "ana")
        self.state = ConsoleState(self.commands)
        self.records = StandInRecords()
        self.panel = DecisionsPanel(self.state, self.commands, lambda: NOW, records=self.records, clock=clock)
        self.panel.resize(440, 840)
        # Holds it to the end: a window must not go while one of its dialogs is being deleted.
        qtbot.addWidget(self.panel, before_close_func=lambda _panel, held=self: None)

    async def show(self) -> None:
        self.panel.show()
        self.panel.activateWindow()
        await self.refresh()
        await asyncio.sleep(0.02)
        self.open_lock()

    async def refresh(self) -> None:
        self.state.refresh_queue()
        await self.settle(self.commands)

    def open_lock(self) -> None:
        self.clock.advance(0.81)
        self.panel.card.guard.refresh()

    def button(self, name: str) -> QPushButton:
        found = self.panel.findChild(QPushButton, name)
        assert isinstance(found, QPushButton), f"no button {name}"
        return found

    async def click(self, name: str) -> None:
        self.qtbot.mouseClick(self.button(name), Qt.MouseButton.LeftButton)
        await self.settle(self.commands)

    async def chord(self) -> None:
        target = QApplication.focusWidget() or self.panel.card
        self.qtbot.keyClick(target, Qt.Key.Key_Return, CONTROL)
        await self.settle(self.commands)

    @property
    def verdicts(self) -> list[str]:
        return [decision.verdict for decision in self.desk.decisions]


@pytest.fixture
def bench(qtbot: QtBot, clock: VirtualClock, settled: Settle) -> Callable[..., Bench]:
    return lambda *cards: Bench(qtbot, clock, settled, [entry(proposal) for proposal in cards])
