"""Like cards: one row in the queue, one dialog, and only what can simply be undone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

import msgspec
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
from tests.support.sample_cards import NOW, card, confidence, entry
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
    desk.desk.effective_at = NOW + timedelta(seconds=8)
    qtbot.mouseClick(desk.panel.queue.rows[0], Qt.MouseButton.LeftButton)
    await desk.settle(desk.commands)
    dialog = batch()
    assert [tick.isChecked() for tick in dialog.ticks] == [True, True, False, True], "a low score starts unticked"
    qtbot.mouseClick(dialog.approve, Qt.MouseButton.LeftButton)
    await desk.settle(desk.commands)
    assert desk.verdicts == []
    await approve(desk, dialog)
    assert [d.proposal for d in desk.desk.decisions] == ["p-1", "p-2", "p-4"]
    qtbot.keyClick(desk.panel, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    await desk.settle(desk.commands)
    assert desk.desk.undone == ["p-1", "p-2", "p-4"], "what was decided together is taken back together"


async def test_a_refused_batch_names_the_card_in_the_way_and_goes_on_without_it(
    grouped: Callable[[], Awaitable[Bench]], qtbot: QtBot
) -> None:
    desk = await grouped()
    desk.panel.open_batch(tuple(desk.desk.cards))
    await desk.settle(desk.commands)
    dialog = batch()
    desk.desk.cards.pop(1)  # ben decided p-2, and nobody here was told yet
    await approve(desk, dialog)

    assert dialog.isVisible()
    assert desk.verdicts == []
    assert [tick.isChecked() for tick in dialog.ticks] == [True, False, False, True]
    assert dialog.lines[1].why.text() == 'ben already decided "reject"'
    assert not dialog.ticks[1].isEnabled()

    await approve(desk, dialog)
    assert [d.proposal for d in desk.desk.decisions] == ["p-1", "p-4"]


async def test_a_card_that_is_decided_elsewhere_or_changes_loses_its_tick_at_once(
    grouped: Callable[[], Awaitable[Bench]], qtbot: QtBot
) -> None:
    desk = await grouped()
    desk.panel.open_batch(tuple(desk.desk.cards))
    await desk.settle(desk.commands)
    dialog = batch()
    desk.desk.cards = [desk.desk.cards[0], msgspec.structs.replace(desk.desk.cards[3], version=2)]
    await desk.refresh()

    assert [tick.isChecked() for tick in dialog.ticks] == [True, False, False, False]
    assert dialog.lines[1].why.text() != dialog.lines[3].why.text() != ""
    await approve(desk, dialog)
    assert [d.proposal for d in desk.desk.decisions] == ["p-1"]


async def test_a_batch_that_waits_for_a_passphrase_can_be_approved_once_it_was_given(
    grouped: Callable[[], Awaitable[Bench]], qtbot: QtBot
) -> None:
    desk = await grouped()
    desk.panel.open_batch(tuple(desk.desk.cards))
    await desk.settle(desk.commands)
    dialog = batch()
    desk.desk.refuses, desk.desk.locked = "The key is locked", True
    await approve(desk, dialog)
    assert desk.verdicts == []
    desk.desk.refuses = None
    await approve(desk, dialog)
    assert [d.proposal for d in desk.desk.decisions] == ["p-1", "p-2", "p-4"]


def batch() -> BatchDialog:
    """The dialog that is open."""
    return next(w for w in QApplication.topLevelWidgets() if isinstance(w, BatchDialog) and w.isVisible())


async def approve(desk: Bench, dialog: BatchDialog) -> None:
    """The button, once its lock is over."""
    desk.clock.advance(0.9)
    dialog.guard.refresh()
    desk.qtbot.mouseClick(dialog.approve, Qt.MouseButton.LeftButton)
    await desk.settle(desk.commands)
