"""Modify: a text of several lines is shown as it was proposed against what the person made of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from agent_core.model.intents import Trial
from tests.gui.decisions.conftest import Bench
from tests.gui.widgets.conftest import VirtualClock
from tests.support.engine_lab import eventually
from tests.support.sample_cards import card, confidence, entry
from ui.commands import Commands
from ui.widgets.field import TextArea
from ui.widgets.text_diff import TextDiff

Settle = Callable[[Commands], Awaitable[None]]


async def test_an_edited_text_shows_proposed_against_yours(qtbot: QtBot, clock: VirtualClock, settled: Settle) -> None:
    desk = Bench(qtbot, clock, settled, [entry(card(1))])
    desk.desk.trial_answer = Trial(confidence=confidence(), summary="Write", digest="cd" * 32)
    await desk.show()
    await desk.click("card.modify")
    content = desk.panel.findChild(QWidget, "card.form.argument.content")
    assert isinstance(content, TextArea)
    assert desk.panel.findChild(TextDiff, "card.form.diff.content") is None
    content.setFocus()
    qtbot.keyClick(content, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(content, "One more line")

    def told() -> bool:
        diff = desk.panel.findChild(TextDiff, "card.form.diff.content")
        rows = [diff.row_text(row) for row in range(diff.row_count)] if diff is not None else []
        return any(row.startswith("+ One more line") for row in rows)

    await eventually(told)
    path_diff = desk.panel.findChild(TextDiff, "card.form.diff.path")
    assert path_diff is None
