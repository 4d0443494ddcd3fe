"""Like cards: one row in the queue, one dialog, and only what can simply be undone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from agent_core.model.action import Reversibility
from agent_core.model.intents import OpenProposal
from tests.gui.decisions.conftest import Bench
from tests.gui.widgets.conftest import VirtualClock
from tests.support.sample_cards import card, confidence, entry
from ui.commands import Commands
from ui.dialogs.batch import BatchDialog
from ui.models.queue_rows import queue_items

Settle = Callable[[Commands], Awaitable[None]]


def like(number: int, **changes: object) -> OpenProposal:
    return entry(card(number, **changes), group="files_write reports")


def test_three_like_cards_are_one_row_where_the_most_urgent_stands() -> None:
    items = queue_items([entry(card(9)), like(1), like(2), entry(card(8)), like(3)])
    assert [(item.entry.proposal.proposal, len(item.members)) for item in items] == [("p-9", 0), ("p-1", 3), ("p-8", 0)]


@given(st.lists(st.sampled_from(list(Reversibility)), max_size=8))
def test_what_cannot_simply_be_undone_is_never_grouped_and_no_card_is_lost(kinds: list[Reversibility]) -> None:
    entries = [entry(card(n, reversibility=kind), group="same") for n, kind in enumerate(kinds)]
    items = queue_items(entries)
    listed = [one for item in items for one in (item.members or (item.entry,))]
    assert sorted(e.proposal.proposal for e in listed) == sorted(e.proposal.proposal for e in entries)
    grouped = [one for item in items for one in item.members]
    assert all(one.proposal.reversibility is Reversibility.REVERSIBLE for one in grouped)


@pytest.fixture
def grouped(qtbot: QtBot, clock: VirtualClock, settled: Settle) -> Callable[[], Awaitable[Bench]]:
    async def show() -> Bench:
        low = like(3, confidence=confidence(0.5))
        desk = Bench(qtbot, clock, settled, [like(1), like(2), low, like(4)])
        await desk.show()
        return desk

    return show


async def test_ticked_cards_are_approved_together_and_the_lock_holds_here_too(
    grouped: Callable[[], Awaitable[Bench]], qtbot: QtBot
) -> None:
    desk = await grouped()
    qtbot.mouseClick(desk.panel.queue.rows[0], Qt.MouseButton.LeftButton)
    await desk.settle(desk.commands)
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, BatchDialog) and w.isVisible())
    assert [tick.isChecked() for tick in dialog.ticks] == [True, True, False, True], "a low score starts unticked"
    qtbot.mouseClick(dialog.approve, Qt.MouseButton.LeftButton)
    await desk.settle(desk.commands)
    assert desk.verdicts == []
    desk.clock.advance(0.9)
    dialog.guard.refresh()
    qtbot.mouseClick(dialog.approve, Qt.MouseButton.LeftButton)
    await desk.settle(desk.commands)
    assert [d.proposal for d in desk.desk.decisions] == ["p-1", "p-2", "p-4"]


async def test_a_refused_batch_says_why_and_decides_nothing(
    grouped: Callable[[], Awaitable[Bench]], qtbot: QtBot
) -> None:
    desk = await grouped()
    desk.panel.open_batch(tuple(desk.desk.cards))
    await desk.settle(desk.commands)
    desk.desk.refuses = "p-2 was decided by ben at 09:41"
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, BatchDialog) and w.isVisible())
    desk.clock.advance(0.9)
    dialog.guard.refresh()
    qtbot.mouseClick(dialog.approve, Qt.MouseButton.LeftButton)
    await desk.settle(desk.commands)
    assert dialog.isVisible()
    assert desk.verdicts == []
    dialog.close()
