"""What a person is filling in survives everything that happens beside it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QPushButton, QWidget

from agent_core.model.action import Reversibility
from agent_core.model.intents import HalfFilled, Trial
from agent_core.model.proposal import Proposal, Touchpoint
from tests.gui.decisions.conftest import CONTROL, Bench
from tests.support.engine_lab import eventually
from tests.support.sample_cards import card, confidence, entry, text_change
from ui.views.decisions.modify_form import ModifyForm
from ui.views.decisions.review import ReviewPage
from ui.views.decisions.shown_card import RECHECK_MS
from ui.widgets.label import Label

VERSIONS: dict[str, Callable[[Proposal], Proposal]] = {
    "a later deadline": lambda old: msgspec.structs.replace(old, approve_by=old.approve_by + timedelta(minutes=15)),  # type: ignore[operator]
    "another target": lambda old: msgspec.structs.replace(
        old, what_changes=text_change(9), digest="cd" * 32, changed=["What would change is different."]
    ),
}


async def _type(desk: Bench, key: Qt.Key, field: str, words: str) -> None:
    desk.open_lock()
    desk.qtbot.keyClick(desk.panel.card, key)
    desk.qtbot.keyClicks(_field(desk, field), words)


def _field(desk: Bench, name: str) -> QLineEdit:
    found = [one for one in desk.panel.findChildren(QLineEdit, name) if one.isVisible()]
    assert found, f"nothing visible is called {name}"
    return found[-1]


@pytest.mark.parametrize("change", VERSIONS.values(), ids=VERSIONS.keys())
@pytest.mark.parametrize(
    ("key", "field"), [(Qt.Key.Key_M, "card.form.argument.path"), (Qt.Key.Key_R, "card.form.text")]
)
async def test_another_version_of_the_card_keeps_what_was_typed_and_closes_the_lock(
    bench: Callable[..., Bench], key: Qt.Key, field: str, change: Callable[[Proposal], Proposal]
) -> None:
    desk = bench(card(1))
    await desk.show()
    await _type(desk, key, field, " half")
    typed = _field(desk, field).text()
    desk.open_lock()

    desk.desk.cards = [entry(change(card(1)), version=2)]
    await desk.refresh()

    assert _field(desk, field).text() == typed
    assert _field(desk, field).hasFocus() or not desk.panel.isActiveWindow()
    assert desk.panel.card.guard.locked


async def test_an_edit_is_tried_anew_on_another_version_and_decided_on_that(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    desk.desk.trial_answer = Trial(confidence=confidence(), summary="Write", digest="cd" * 32)
    await desk.show()
    await _type(desk, Qt.Key.Key_M, "card.form.argument.path", "new.txt")
    form = desk.panel.card.footer.form
    assert form is not None
    await eventually(lambda: bool(desk.desk.trials))
    await desk.settle(desk.commands)

    desk.desk.cards = [entry(VERSIONS["another target"](card(1)), version=2)]
    await desk.refresh()
    assert form.problem(), "what was tried on the old version does not count"
    told = [label for label in desk.panel.findChildren(Label) if label.isVisible()]
    assert "What would change is different." in [label.text() for label in told], "also where a form hides the body"
    await eventually(lambda: len(desk.desk.trials) == 2)
    await desk.settle(desk.commands)
    desk.open_lock()
    await desk.click("card.confirm")

    (decision,) = desk.desk.decisions
    assert (decision.verdict, decision.digest) == ("modify", "cd" * 32)
    assert decision.arguments is not None
    assert decision.arguments["path"] == "new.txt"


async def test_looking_at_another_card_puts_a_form_aside_and_coming_back_opens_it(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1), card(2))
    await desk.show()
    await _type(desk, Qt.Key.Key_R, "card.form.text", "wrong supp")

    desk.panel.choose("p-2")
    await desk.settle(desk.commands)
    assert desk.panel.card.footer.form is None
    assert not desk.button("card.approve").isHidden()

    desk.panel.choose("p-1")
    await desk.settle(desk.commands)
    reason = _field(desk, "card.form.text")
    assert not reason.hasFocus(), "it takes the keys only from whoever asks for it"
    reason.setFocus()
    desk.qtbot.keyClicks(reason, "lier")
    desk.open_lock()
    desk.qtbot.keyClick(_field(desk, "card.form.text"), Qt.Key.Key_Return, CONTROL)
    await desk.settle(desk.commands)
    assert [(one.proposal, one.reason) for one in desk.desk.decisions] == [("p-1", "wrong supplier")]


async def test_a_form_of_a_card_that_is_decided_elsewhere_is_gone_with_it(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1), card(2))
    await desk.show()
    await _type(desk, Qt.Key.Key_R, "card.form.text", "wrong")
    desk.panel.choose("p-2")
    desk.desk.cards = [entry(card(2))]
    await desk.refresh()
    desk.desk.cards = [entry(card(1)), entry(card(2))]
    await desk.refresh()
    desk.panel.choose("p-1")
    assert desk.panel.card.footer.form is None


async def test_a_second_step_falls_with_the_version_that_it_restated(bench: Callable[..., Bench]) -> None:
    old = card(1, reversibility=Reversibility.PARTLY_REVERSIBLE, summary="Delete 14 files in old/")
    desk = bench(old)
    await desk.show()
    await desk.click("card.approve")
    assert desk.panel.card.footer.form is not None
    desk.desk.cards = [entry(VERSIONS["another target"](old), version=2)]
    await desk.refresh()
    assert desk.panel.card.footer.form is None
    assert desk.verdicts == []


async def test_what_a_card_rests_on_is_read_again_while_a_form_is_open(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    await desk.show()
    await _type(desk, Qt.Key.Key_M, "card.form.argument.path", "x")
    desk.desk.rechecked.clear()
    desk.panel.card._recheck.timeout.emit()
    await desk.settle(desk.commands)
    assert desk.desk.rechecked == ["p-1"]


async def test_the_review_page_reads_again_on_open_and_every_minute(bench: Callable[..., Bench]) -> None:
    desk = bench()
    page = ReviewPage(desk.commands, desk.panel.keeper, lambda: card(1).opened_at, clock=desk.clock)
    page.looked_at.connect(desk.commands.look_at)
    desk.qtbot.addWidget(page)
    page.show()
    for number in (1, 2):
        page.show_place(entry(card(number)), number - 1, 2)
    await desk.settle(desk.commands)
    assert (desk.desk.presented, desk.desk.rechecked) == (["p-1", "p-2"], ["p-1", "p-2"])
    assert page._recheck.interval() == RECHECK_MS == 60_000
    page._recheck.timeout.emit()
    await desk.settle(desk.commands)
    assert desk.desk.rechecked[2:] == ["p-2"]


async def test_a_form_on_the_review_page_gives_the_page_back(bench: Callable[..., Bench], clock: object) -> None:
    from tests.support.sample_cards import irreversible_card

    desk = bench()
    page = ReviewPage(desk.commands, desk.panel.keeper, lambda: card(1).opened_at, clock=desk.clock)
    desk.qtbot.addWidget(page)
    page.show()
    page.show_place(entry(irreversible_card(1)), 0, 1)
    middle = page.changes_area.parentWidget()
    assert isinstance(middle, QWidget)
    desk.clock.advance(0.81)
    desk.qtbot.keyClick(page, Qt.Key.Key_M)
    assert not middle.isVisible()
    desk.qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert middle.isVisible()


async def _again(bench: Callable[..., Bench], before: Bench, *cards: Proposal) -> Bench:
    """The window is closed and opened again on the same home."""
    before.panel.keeper.save()
    await before.settle(before.commands)
    desk = bench(*cards)
    desk.desk.forms = before.desk.forms
    desk.panel.keeper.load()
    await desk.show()
    return desk


async def test_a_half_typed_edit_is_there_again_after_a_restart_and_is_tried_anew(bench: Callable[..., Bench]) -> None:
    before = bench(card(1), card(2))
    await before.show()
    await _type(before, Qt.Key.Key_M, "card.form.argument.path", ".new")
    typed = _field(before, "card.form.argument.path").text()

    desk = await _again(bench, before, card(1), card(2))
    assert _field(desk, "card.form.argument.path").text() == typed
    assert not _field(desk, "card.form.argument.path").hasFocus(), "it takes the keys only from whoever asks for it"
    assert not desk.button("card.confirm").isEnabled(), "nothing counts that was not tried here"
    await eventually(lambda: bool(desk.desk.trials))
    assert desk.desk.trials[-1]["path"] == typed


async def test_an_edit_does_not_come_back_on_a_call_that_was_changed_meanwhile(bench: Callable[..., Bench]) -> None:
    before = bench(card(1))
    await before.show()
    await _type(before, Qt.Key.Key_M, "card.form.argument.path", ".new")

    desk = await _again(bench, before, card(1, arguments={"path": "elsewhere.txt", "text": "x"}))
    assert desk.panel.card.footer.form is None
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_M)
    assert _field(desk, "card.form.argument.path").text() == "elsewhere.txt"


async def test_escape_closes_a_form_and_loses_nothing_of_what_was_typed(bench: Callable[..., Bench]) -> None:
    before = bench(card(1))
    await before.show()
    await _type(before, Qt.Key.Key_R, "card.form.text", "wrong supp")
    desk = before
    for _ in range(2):
        desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_Escape)
        assert desk.panel.card.footer.form is None
        desk = await _again(bench, desk, card(1))
        assert desk.panel.card.footer.form is None, "what was closed stays closed"
        desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_R)
        assert _field(desk, "card.form.text").text() == "wrong supp"


async def test_a_question_that_was_asked_is_not_there_to_be_asked_again(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    await desk.show()
    await _type(desk, Qt.Key.Key_Q, "card.form.text", "Which supplier?")
    desk.open_lock()
    await desk.click("card.confirm")
    assert desk.verdicts == ["ask"]
    assert desk.panel.card.footer.form is None

    desk = await _again(bench, desk, card(1))
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_Q)
    assert _field(desk, "card.form.text").text() == ""


async def test_what_cannot_be_saved_is_saved_later_also_when_a_card_goes_meanwhile(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1), card(2))
    await desk.show()
    keeper = desk.panel.keeper
    await _type(desk, Qt.Key.Key_R, "card.form.text", "wrong")
    desk.panel.choose("p-2")
    await _type(desk, Qt.Key.Key_R, "card.form.text", "late")
    desk.desk.keeps_nothing = True
    keeper.save()
    desk.desk.cards = [entry(card(2))]
    await desk.refresh()
    await desk.settle(desk.commands)
    assert desk.desk.forms == {}

    desk.desk.keeps_nothing = False
    await eventually(lambda: set(desk.desk.forms) == {"p-2"})


async def test_somebody_who_types_on_and_on_is_saved_all_the_while(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    await desk.show()
    await _type(desk, Qt.Key.Key_R, "card.form.text", "w")

    def typed_on() -> bool:
        desk.qtbot.keyClicks(_field(desk, "card.form.text"), "w")
        return bool(desk.desk.forms)

    await eventually(typed_on)


async def test_what_was_asked_is_forgotten_also_while_another_card_is_shown(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1), card(2))
    await desk.show()
    await _type(desk, Qt.Key.Key_Q, "card.form.text", "Which supplier?")
    desk.open_lock()
    desk.qtbot.mouseClick(desk.button("card.confirm"), Qt.MouseButton.LeftButton)
    desk.panel.choose("p-2")
    await desk.settle(desk.commands)
    assert desk.verdicts == ["ask"]
    desk.panel.choose("p-1")
    assert desk.panel.card.footer.form is None


@pytest.mark.parametrize(
    "entries",
    [
        {"lists": 3},
        {"lists": {"card.form.argument.lines": ["x", -1, 10**12, None]}},
        {"lists": {"card.form.argument.lines": [*range(5_000)]}},
        {"card.form.argument.path": {"a": [1]}, "card.form.text": None},
        {"card.form.argument.path": "\u202e\u200b<b>%s{0}</b>\x00" + "y" * 40_000},
    ],
)
async def test_a_card_can_be_decided_whatever_was_kept_of_its_form(
    bench: Callable[..., Bench], entries: dict[str, Any]
) -> None:
    listing = card(1, arguments={"path": "a.txt", "lines": [{"amount": 1}]})
    desk = bench(listing)
    about = ModifyForm(listing, lambda _given, _answer: None).about()
    desk.desk.forms = {"p-1": HalfFilled(verdict="modify", about=about, entries=entries)}
    desk.panel.keeper.load()
    await desk.show()
    assert desk.panel.card.footer.form is not None
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_Escape)
    await desk.refresh()
    await _type(desk, Qt.Key.Key_R, "card.form.text", "no")
    desk.open_lock()
    await desk.click("card.confirm")
    assert desk.verdicts == ["reject"]


async def test_an_answer_does_not_come_back_for_other_answers_on_offer(bench: Callable[..., Bench]) -> None:
    before = bench(card(1, Touchpoint.QUESTION, None, options=["Pay", "Wait"]))
    await before.show()
    before.open_lock()
    await before.click("card.answer")
    radio = before.panel.findChild(QAbstractButton, "card.form.option.0")
    assert radio is not None
    radio.click()
    desk = await _again(bench, before, card(1, Touchpoint.QUESTION, None, options=["Delete", "Wait"]))
    radio = desk.panel.findChild(QAbstractButton, "card.form.option.0")
    assert radio is None or not radio.isChecked()


async def test_what_was_seen_stays_seen_on_a_version_that_changes_the_same(bench: Callable[..., Bench]) -> None:
    old = card(1, what_changes=text_change(added=400))
    desk = bench(old)
    await desk.show()
    assert not desk.button("card.approve").isEnabled()
    await eventually(lambda: not desk.panel.card.show_unseen())
    assert desk.button("card.approve").isEnabled()

    desk.desk.cards = [entry(VERSIONS["a later deadline"](old), version=2)]
    await desk.refresh()
    assert desk.button("card.approve").isEnabled()
    desk.desk.cards = [entry(msgspec.structs.replace(old, what_changes=text_change(added=401)), version=3)]
    await desk.refresh()
    assert not desk.button("card.approve").isEnabled()


async def test_of_two_parts_with_one_name_only_the_one_that_was_seen_stays_seen(bench: Callable[..., Bench]) -> None:
    short, long = text_change(), text_change(added=400)
    both = msgspec.structs.replace(long, parts=[*short.parts, *long.parts])
    old = card(1, what_changes=both)
    desk = bench(old)
    await desk.show()
    assert not desk.button("card.approve").isEnabled()

    desk.desk.cards = [entry(VERSIONS["a later deadline"](old), version=2)]
    await desk.refresh()
    assert not desk.button("card.approve").isEnabled()
    assert not desk.panel.card.footer.parts[1].seen()


async def test_the_page_of_a_review_asks_for_everything_to_be_seen_before_a_simple_approval(
    bench: Callable[..., Bench],
) -> None:
    desk = bench()
    page = ReviewPage(desk.commands, desk.panel.keeper, lambda: card(1).opened_at, clock=desk.clock)
    desk.qtbot.addWidget(page)
    page.resize(1000, 640)
    page.show()
    page.show_place(entry(card(1, what_changes=text_change(added=400))), 0, 1)
    approve = page.findChild(QPushButton, "card.approve")
    assert approve is not None
    assert not approve.isEnabled()
    await eventually(lambda: not page.show_unseen())
    assert approve.isEnabled()
