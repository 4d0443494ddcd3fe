"""The decisions panel when nothing waits: what it says of agents and past decisions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QLabel

from agent_core.model.run import SessionStatus
from tests.gui.decisions.conftest import CONTROL, Bench
from tests.support.sample_cards import NOW, card
from tests.support.sample_summaries import summary


async def test_the_panel_says_when_nothing_needs_a_person(bench: Callable[..., Bench]) -> None:
    desk = bench()
    desk.panel.show()
    said = [label for label in desk.panel.findChildren(QLabel) if label.text() == "Nothing needs you"]
    assert not any(label.isVisible() for label in said), "nothing is said before the cards are read"
    await desk.show()
    assert not desk.panel.card.isVisible()
    assert all(label.isVisible() for label in said)


async def test_the_empty_panel_says_how_many_agents_work_as_they_come_and_go(bench: Callable[..., Bench]) -> None:
    desk = bench()
    await desk.show()

    def said(words: str) -> bool:
        return any(label.text() == words for label in desk.panel.findChildren(QLabel))

    assert said("No agent is working.")
    desk.state.sessions["s-1"] = summary(1, status=SessionStatus.RUNNING, stop_reason=None)
    desk.state.sessions_changed.emit()
    assert said("1 agent is working.")


async def test_an_approval_that_was_taken_back_is_no_past_decision(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    desk.desk.effective_at = NOW + timedelta(seconds=8)
    await desk.show()
    await desk.click("card.approve")

    def past() -> list[str]:
        return [label.text() for label in desk.panel.findChildren(QLabel) if label.text().startswith("Approved:")]

    assert past() == [f"Approved: {card(1).summary}"]
    desk.qtbot.keyClick(desk.panel, Qt.Key.Key_Z, CONTROL)
    await desk.settle(desk.commands)
    await desk.refresh()
    await asyncio.sleep(0.02)
    desk.desk.cards.clear()
    await desk.refresh()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert past() == []
