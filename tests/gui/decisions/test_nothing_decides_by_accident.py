"""The decisions panel: what does not decide, whatever is clicked and typed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication, QLineEdit

from agent_core.model.action import Reversibility
from agent_core.model.proposal import Touchpoint
from tests.gui.decisions.conftest import CONTROL, Bench
from tests.support.sample_cards import card, entry, every_kind, text_change


async def test_a_new_card_takes_neither_focus_nor_place(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1), card(2))
    await desk.show()
    desk.panel.choose("p-2")
    field = QLineEdit(desk.panel)
    field.show()
    field.setFocus()
    desk.desk.cards.insert(0, entry(card(3, summary="Newer and more urgent")))
    await desk.refresh()
    assert desk.panel.chosen == "p-2"
    assert desk.panel.card.entry is not None
    assert desk.panel.card.entry.proposal.proposal == "p-2"
    assert QApplication.focusWidget() in (field, None)


async def test_a_card_that_changes_closes_the_lock_again(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    await desk.show()
    assert not desk.panel.card.guard.locked
    desk.desk.cards = [entry(card(1, summary="Write something else"))]
    await desk.refresh()
    assert desk.panel.card.guard.locked
    await desk.click("card.approve")
    assert desk.verdicts == []


async def test_after_a_decision_the_next_card_comes_locked(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1), card(2))
    await desk.show()
    await desk.click("card.approve")
    assert desk.panel.chosen == "p-2"
    assert desk.panel.card.guard.locked
    await desk.click("card.approve")
    assert desk.verdicts == ["approve"]


@pytest.mark.parametrize("key", [Qt.Key.Key_M, Qt.Key.Key_R, Qt.Key.Key_Q])
async def test_a_letter_opens_its_form_behind_the_lock_and_decides_nothing(
    bench: Callable[..., Bench], key: Qt.Key
) -> None:
    desk = bench(card(1))
    await desk.show()
    desk.panel.card.guard.arm()
    desk.qtbot.keyClick(desk.panel.card, key)
    assert desk.panel.card.footer.form is not None
    await desk.click("card.confirm")
    await desk.chord()
    assert desk.verdicts == []


async def test_a_letter_that_records_something_waits_for_the_lock(bench: Callable[..., Bench]) -> None:
    (unknown,) = (one for one in every_kind() if one.touchpoint is Touchpoint.OUTCOME_UNKNOWN)
    desk = bench(unknown)
    await desk.show()
    desk.panel.card.guard.arm()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_C)
    await desk.settle(desk.commands)
    assert desk.verdicts == []
    desk.open_lock()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_C)
    await desk.settle(desk.commands)
    assert desk.verdicts == ["check_again"]


async def test_j_and_k_go_through_the_queue_without_deciding(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1), card(2), card(3))
    await desk.show()
    for key, expected in ((Qt.Key.Key_J, "p-2"), (Qt.Key.Key_J, "p-3"), (Qt.Key.Key_J, "p-3"), (Qt.Key.Key_K, "p-2")):
        desk.qtbot.keyClick(desk.panel.card, key)
        assert desk.panel.chosen == expected
    assert desk.verdicts == []


async def test_a_thousand_clicks_and_chords_within_the_lock_decide_nothing(bench: Callable[..., Bench]) -> None:
    desk = bench(*every_kind())
    await desk.show()
    chance = random.Random(20261130)
    ids = [shown.proposal.proposal for shown in desk.desk.cards]
    for round_ in range(1_000):
        if round_ % 20 == 0:
            await asyncio.sleep(0)  # let Qt delete what was replaced
        _disturb(desk, chance, ids, round_)
        if chance.random() < 0.5:
            place = QPoint(chance.randrange(desk.panel.width()), chance.randrange(desk.panel.height()))
            target = desk.panel.childAt(place) or desk.panel
            desk.qtbot.mouseClick(target, Qt.MouseButton.LeftButton, pos=target.mapFrom(desk.panel, place))
        else:
            desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_Return, CONTROL)
        desk.clock.advance(chance.random() * 0.2)
    await desk.settle(desk.commands)
    assert desk.verdicts == []


def _disturb(desk: Bench, chance: random.Random, ids: list[str], round_: int) -> None:
    """A card arrives, changes, moves, or the window is activated: each closes the lock."""
    kind = round_ % 20
    if kind == 0:
        desk.panel.choose(chance.choice([name for name in ids if name != desk.panel.chosen]))
    elif kind == 10:
        desk.state.queue = [entry(card(1, summary=f"Version {round_}")), *desk.state.queue[1:]]
        desk.panel.choose("p-1")
    elif kind % 2:
        desk.panel.card.move(0, desk.panel.card.y() + (1 if kind % 4 == 1 else -1))
    else:
        QApplication.sendEvent(desk.panel.card, QEvent(QEvent.Type.WindowActivate))


async def test_a_thousand_bare_keys_decide_nothing_at_any_time(bench: Callable[..., Bench]) -> None:
    desk = bench(*every_kind())
    await desk.show()
    chance = random.Random(7)
    keys = [
        Qt.Key.Key_Return,
        Qt.Key.Key_Enter,
        Qt.Key.Key_Space,
        *map(Qt.Key, range(0x30, 0x3A)),
        *map(Qt.Key, range(0x41, 0x5B)),
    ]
    for _ in range(1_000):
        desk.clock.advance(chance.choice([0.0, 0.3, 2.0]))
        desk.panel.card.guard.refresh()
        target = QApplication.focusWidget() or desk.panel.card
        desk.qtbot.keyClick(target if chance.random() < 0.5 else desk.panel.card, chance.choice(keys))
    await desk.settle(desk.commands)
    assert [verdict for verdict in desk.verdicts if verdict != "check_again"] == []


async def test_approve_stays_off_until_the_end_of_a_long_change_was_shown(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1, what_changes=text_change(lines=0, added=4_000)))
    await desk.show()
    approve = desk.button("card.approve")
    assert not approve.isEnabled()
    desk.panel.card.setFocus()
    await desk.chord()
    assert desk.verdicts == []
    for _ in range(4_000):
        if approve.isEnabled():
            break
        desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_V)
        await asyncio.sleep(0)
    assert approve.isEnabled(), "V goes on to the end"
    desk.open_lock()
    await desk.click("card.approve")
    assert desk.verdicts == ["approve"]
    assert desk.desk.decisions[0].seen == ["reports/october.md"]


async def test_a_short_change_is_seen_at_once(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    await desk.show()
    assert desk.button("card.approve").isEnabled()


# ---------------------------------------------------------------- where the focus goes


async def test_who_confirms_an_edit_that_fits_no_more_approves_nothing_instead(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_M)
    desk.qtbot.keyClicks(QApplication.focusWidget(), "new")
    desk.desk.cards = [entry(card(1, arguments={"path": "elsewhere.txt", "text": "x"}), version=2)]
    await desk.refresh()
    assert desk.panel.card.footer.form is None

    desk.qtbot.keyClicks(QApplication.focusWidget(), "kr")
    desk.open_lock()
    await desk.chord()
    assert desk.verdicts == []
    assert desk.panel.card.footer.form is None


async def test_who_types_on_a_card_that_goes_opens_and_decides_nothing_on_the_next(bench: Callable[..., Bench]) -> None:
    following = card(2, reversibility=Reversibility.PARTLY_REVERSIBLE)
    desk = bench(card(1), following, card(3))
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_R)
    desk.qtbot.keyClicks(QApplication.focusWidget(), "wr")
    desk.desk.cards = [entry(following), entry(card(3))]
    await desk.refresh()

    for key in "ong, ask karl":
        desk.open_lock()
        desk.qtbot.keyClicks(QApplication.focusWidget(), key)
    desk.open_lock()
    await desk.chord()
    assert desk.verdicts == []
    assert desk.panel.chosen == "p-2"
    assert desk.panel.card.footer.form is None

    desk.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    desk.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_R)
    assert desk.panel.chosen == "p-3"
    assert desk.panel.card.footer.form is not None, "an arrow key is meant for the queue"
