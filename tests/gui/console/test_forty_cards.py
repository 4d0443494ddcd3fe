"""Forty cards on the real engine, decided with the keyboard alone: no mouse, and no wait but the locks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit

from agent_core.model.events import DecisionMade
from agent_core.model.intents import StartRun
from tests.gui.console.opened import OpenConsole

CARDS = 40
CONTROL = Qt.KeyboardModifier.ControlModifier
PROFILE = """
name = "clerk"
model = "scripted:{script}"
[limits]
tool_calls = 100
[[tools]]
name = "files_write"
because = "writes notes"
[[tools]]
name = "files_delete"
because = "clears up"
"""


class MouseWatch(QObject):
    """Counts what a mouse did in the whole program."""

    def __init__(self, app: QApplication) -> None:
        super().__init__()
        self.presses = 0
        app.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.presses += event.type() is QEvent.Type.MouseButtonPress
        return False


def calls() -> list[dict[str, Any]]:
    """Thirty files to write and ten folders to delete, mixed: cards of one step and cards of two."""
    made = []
    for number in range(CARDS):
        if number % 4 == 3:
            made.append({"name": "files_delete", "input": {"path": f"old-{number:02d}"}})
        else:
            made.append({"name": "files_write", "input": {"path": f"note-{number:02d}.txt", "content": f"{number}\n"}})
    return made


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    place = tmp_path / "office"
    for number in range(3, CARDS, 4):
        (place / f"old-{number:02d}").mkdir(parents=True)
        (place / f"old-{number:02d}" / "a.txt").write_text("a")
    return place


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """A key where the focus is, as a person presses it."""
    target = QApplication.focusWidget()
    assert target is not None, "the focus is nowhere"
    text = chr(key) if key < 128 and modifiers == Qt.KeyboardModifier.NoModifier else ""
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(target, QKeyEvent(kind, key, modifiers, text))


async def chord(console: OpenConsole) -> None:
    """Ctrl+Enter, once what is new on the screen has come to rest and its lock is over."""
    for _ in range(4):
        await console.desk.commands.settle()
        await asyncio.sleep(0)
        QApplication.sendPostedEvents()
    console.open_lock()
    press(Qt.Key.Key_Return, CONTROL)


async def refuse(console: OpenConsole) -> None:
    """R, a reason, Ctrl+Enter."""
    await console.desk.commands.settle()
    console.open_lock()
    press(Qt.Key.Key_R)
    await console.until(lambda: isinstance(QApplication.focusWidget(), QLineEdit), "the form has the focus")
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    console.qtbot.keyClicks(field, "not this one")
    await chord(console)


async def approve(console: OpenConsole) -> None:
    """Ctrl+Enter, and once more where a second step restates the effect."""
    entry = console.desk.cards.panel.card.entry
    assert entry is not None
    await chord(console)
    if entry.proposal.tool == "files_delete":
        assert console.desk.cards.panel.card.footer.form is not None, "the second step restates the effect"
        await chord(console)


async def test_forty_cards_are_decided_without_a_mouse_and_without_waiting_beyond_the_locks(
    opened: Callable[[], Awaitable[OpenConsole]], tmp_path: Path, workspace: Path, qapp: QApplication
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"turns": [{"text": "All of it.", "tools": calls()}]}))
    profile = tmp_path / "clerk.toml"
    profile.write_text(PROFILE.format(script=script))
    console = await opened()
    start = StartRun(profile=str(profile), goal="clear up", workspace=str(workspace), by="ana")
    session = await console.harness.supervisor.start(start)
    await console.until(lambda: len(console.desk.state.queue) == CARDS, "all cards are open")
    watch = MouseWatch(qapp)
    console.desk.window.activateWindow()
    console.qtbot.keyClick(console.desk.window, Qt.Key.Key_D, CONTROL)

    decided: list[str] = []
    for number in range(CARDS):
        card = console.desk.cards.panel.chosen
        assert card
        assert card not in decided
        decided.append(card)
        await console.until(lambda: console.desk.cards.panel.card.entry is not None, "a card is shown")
        await (refuse if number % 10 == 9 else approve)(console)
        left = CARDS - len(decided)
        await console.until(lambda left=left: len(console.desk.state.queue) <= left, f"{left} are left after {card}")

    made = [e.data for e in console.harness.house.journal.read_now(session) if isinstance(e.data, DecisionMade)]
    assert [data.verdict for data in made].count("approve") == 36
    assert {data.via.value for data in made} == {"console"}
    assert watch.presses == 0
    await console.close()
