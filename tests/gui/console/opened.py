"""A console on the real engine, with the model scripted and a clock that jumps."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from agent_core.engine.harness import Harness
from agent_core.model.intents import StartRun
from console.demo_room import find_story, fresh_workspace
from console.desk_window import DeskWindow
from tests.gui.widgets.conftest import VirtualClock

PATIENCE = 40.0


class OpenConsole:
    """A window on an open home."""

    def __init__(self, harness: Harness, desk: DeskWindow, lock: VirtualClock, qtbot: QtBot) -> None:
        self.harness, self.desk, self.lock, self.qtbot = harness, desk, lock, qtbot

    async def until(self, met: Callable[[], bool], what: str) -> None:
        """Let the loop run until something is so."""
        for _ in range(round(PATIENCE / 0.01)):
            if met():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(what)

    async def card(self, words: str) -> None:
        """Wait until the card with these words is shown, and its lock is open."""

        def shown() -> bool:
            entry = self.desk.cards.panel.card.entry
            return bool(self.desk.state.queue) and entry is not None and words in entry.proposal.summary

        await self.until(shown, f"no card says {words}")
        await asyncio.sleep(0.05)
        self.open_lock()

    def open_lock(self) -> None:
        self.lock.advance(0.9)
        self.desk.cards.panel.card.guard.refresh()
        self.desk.cards.review.guard.refresh()

    async def find(self, kind: type, name: str) -> QWidget:
        """The visible widget of that name; Qt shows what is put into a layout a little later."""
        await self.until(lambda: bool(self._visible(kind, name)), f"nothing visible is called {name}")
        return self._visible(kind, name)[-1]

    def _visible(self, kind: type, name: str) -> list[QWidget]:
        return [child for child in self.desk.window.findChildren(kind, name) if child.isVisible()]

    async def click(self, name: str) -> None:
        """Click a button once its lock is open: a window that is only now activated has closed it again.

        It is looked up at the last moment: another version of the card, which is read when it is shown, has new ones.
        """
        await self.find(QPushButton, name)
        await self.until(lambda: self._is_enabled(name) or self._show_more(), f"{name} is not to be had")
        await asyncio.sleep(0.05)
        await self.until(lambda: self._is_enabled(name), f"{name} is not to be had any more")
        self.open_lock()
        self.qtbot.mouseClick(self._visible(QPushButton, name)[-1], Qt.MouseButton.LeftButton)

    def _is_enabled(self, name: str) -> bool:
        return any(button.isEnabled() for button in self._visible(QPushButton, name)[-1:])

    def _show_more(self) -> bool:
        """Go on to what the card has not shown yet, as V does; never enough by itself."""
        self.qtbot.keyClick(self.desk.cards.panel.card, Qt.Key.Key_V)
        return False

    async def close(self) -> None:
        await self.desk.close()
        await self.harness.close()
        self.desk.window.finish_closing()


async def begin(console: OpenConsole, name: str = "office") -> str:
    """A story at work."""
    story = find_story(name)
    workspace = await asyncio.to_thread(fresh_workspace, dict(os.environ))
    start = StartRun(profile=str(story.profile), goal=story.goal, workspace=str(workspace), by="ana")
    session = await console.harness.supervisor.start(start)
    console.desk.open_session(session)
    return session
