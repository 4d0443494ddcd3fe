"""The decisions panel, by real mouse and keys: what decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QWidget

from agent_core.model.action import Reversibility
from agent_core.model.intents import Trial
from agent_core.model.proposal import Proposal, Touchpoint, Via
from tests.gui.decisions.conftest import CONTROL, Bench
from tests.support.sample_cards import NOW, card, confidence, every_kind, irreversible_card, text_change
from ui.models.card_buttons import Form, buttons_for
from ui.views.decisions.modify_form import ModifyForm
from ui.widgets.field import TextArea


async def test_a_reversible_action_is_approved_in_one_step_and_can_be_undone(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    desk.desk.effective_at = NOW + timedelta(seconds=8)
    await desk.show()
    await desk.click("card.approve")
    assert desk.verdicts == ["approve"]
    decision = desk.desk.decisions[0]
    assert (decision.by, decision.via, decision.digest) == ("ana", Via.CONSOLE, "ab" * 32)
    assert desk.panel.undo.isVisible()
    desk.panel.undo.undo()
    await desk.settle(desk.commands)
    assert desk.desk.undone == ["p-1"]


async def test_ctrl_enter_approves_only_with_the_focus_inside_the_card(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    await desk.show()
    outside = QLineEdit()
    desk.qtbot.addWidget(outside)
    desk.qtbot.keyClick(outside, Qt.Key.Key_Return, CONTROL)
    await desk.settle(desk.commands)
    assert desk.verdicts == []
    desk.panel.activateWindow()
    desk.panel.card.setFocus()
    await asyncio.sleep(0.02)
    desk.open_lock()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_Return, CONTROL)
    await desk.settle(desk.commands)
    assert desk.verdicts == ["approve"]


async def test_a_partly_reversible_action_takes_a_second_step_that_restates_it(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1, reversibility=Reversibility.PARTLY_REVERSIBLE, summary="Delete 14 files in old/"))
    await desk.show()
    await desk.click("card.approve")
    assert desk.verdicts == []
    assert desk.button("card.cancel").hasFocus() or not desk.panel.isActiveWindow()
    await desk.click("card.confirm")
    assert desk.verdicts == [], "the second step is locked for its own 800 ms"
    desk.open_lock()
    await desk.click("card.confirm")
    assert desk.verdicts == ["approve"]


async def test_cancel_leaves_the_second_step_without_a_decision(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1, reversibility=Reversibility.PARTLY_REVERSIBLE))
    await desk.show()
    await desk.click("card.approve")
    await desk.click("card.cancel")
    assert desk.verdicts == []
    assert desk.button("card.approve").isVisible()


async def test_an_irreversible_action_cannot_be_approved_in_the_panel(bench: Callable[..., Bench]) -> None:
    desk = bench(irreversible_card(1))
    await desk.show()
    asked: list[str] = []
    desk.panel.review_wanted.connect(asked.append)
    await desk.click("card.approve")
    assert desk.verdicts == []
    assert asked == ["p-1"]


async def test_a_rejection_carries_its_reason_and_whether_the_run_goes_on(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1, reversibility=Reversibility.PARTLY_REVERSIBLE))
    await desk.show()
    await desk.click("card.reject")
    confirm = desk.button("card.confirm")
    assert not confirm.isEnabled(), "a grave action is refused with a reason"
    text = desk.panel.findChild(QLineEdit, "card.form.text")
    assert text is not None
    desk.qtbot.keyClicks(text, "wrong supplier")
    desk.open_lock()
    await desk.click("card.confirm")
    assert desk.verdicts == ["reject"]
    assert desk.desk.decisions[0].reason == "wrong supplier"
    assert desk.desk.decisions[0].details == {"then": "continue"}


@pytest.mark.parametrize("height", [840, 640])
async def test_a_text_that_is_edited_keeps_its_height_when_the_trial_shows_what_it_changes(
    bench: Callable[..., Bench], height: int
) -> None:
    text = {"type": "string"}
    desk = bench(card(1, arguments={"content": "line\n" * 40}, schema={"properties": {"content": text}}))
    desk.desk.trial_answer = Trial(what_changes=text_change(40))
    desk.panel.resize(440, height)
    await desk.show()
    await desk.click("card.modify")
    area = desk.panel.findChild(TextArea, "card.form.argument.content")
    assert area is not None
    QApplication.sendPostedEvents()
    before = area.height()
    area.setPlainText("another text")
    await _try_now(desk)
    await asyncio.sleep(0)
    QApplication.sendPostedEvents()
    said = [label.text() for label in desk.panel.findChildren(QLabel) if label.isVisible()]
    assert "With your edit" in said
    assert area.height() == before >= area.sizeHint().height()
    assert desk.panel.height() == height


async def test_what_is_wrong_inside_a_value_is_said_at_its_field(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1, arguments={"to": ["ana"]}, schema={"properties": {"to": {}, "total": {}}}))
    await desk.show()
    await desk.click("card.modify")
    form = desk.panel.card.footer.form
    assert isinstance(form, ModifyForm)
    form.show_trial(Trial(errors={"to.0": "That is no address."}))
    said = [label.text() for label in form.findChildren(QLabel) if label.isVisible()]
    assert said.count("That is no address.") == 1


async def test_edited_arguments_are_tried_before_they_can_be_approved(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    desk.desk.trial_answer = Trial(errors={"path": "leaves the workspace"})
    await desk.show()
    await desk.click("card.modify")
    path = desk.panel.findChild(QLineEdit, "card.form.argument.path")
    copies = desk.panel.findChild(QLineEdit, "card.form.argument.copies")
    assert path is not None
    assert copies is not None
    path.setText("../x")
    form = desk.panel.card.footer.form
    assert form is not None
    assert form.problem()
    await _try_now(desk)
    assert "leaves the workspace" in form.problem()
    desk.desk.trial_answer = Trial(confidence=confidence(), summary="Write x", digest="cd" * 32)
    path.setText("x.md")
    copies.setText("3")
    await _try_now(desk)
    desk.open_lock()
    await desk.click("card.confirm")
    assert desk.verdicts == ["modify"]
    changed = desk.desk.decisions[0].arguments
    assert changed is not None
    assert (changed["path"], changed["copies"]) == ("x.md", 3)
    assert isinstance(changed["copies"], int), "types are kept"


async def _try_now(desk: Bench) -> None:
    form = desk.panel.card.footer.form
    assert form is not None
    form._settle.timeout.emit()  # type: ignore[attr-defined]
    await desk.settle(desk.commands)


@pytest.mark.parametrize("proposal", every_kind(), ids=lambda p: f"{p.touchpoint.value}-{p.tier.value}")
async def test_every_card_offers_its_verdicts_and_names_what_silence_means(
    bench: Callable[..., Bench], proposal: Proposal
) -> None:
    desk = bench(proposal)
    await desk.show()
    shown = {child.objectName() for child in desk.panel.card.findChildren(QPushButton) if child.isVisible()}
    for verdict in proposal.verdicts:
        assert f"card.{verdict.value}" in shown
    assert "card.postpone" in shown
    then = desk.panel.card.findChild(QWidget, "card.then")
    assert then is not None
    assert then.isVisible()


async def test_an_expired_card_cannot_be_approved(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1, approve_by=NOW - timedelta(seconds=1)))
    await desk.show()
    assert not desk.button("card.approve").isEnabled()
    desk.panel.card.setFocus()
    await desk.chord()
    assert desk.verdicts == []
    for name in ("card.approve", "card.modify", "card.reject", "card.ask", "card.escalate", "card.postpone"):
        assert not desk.button(name).isEnabled(), "nothing that is done to it counts any more"
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_R)
    assert desk.panel.card.footer.form is None


async def test_a_refused_decision_says_why_and_keeps_the_card(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    desk.desk.refuses = "ben approved it at 09:41"
    await desk.show()
    await desk.click("card.approve")
    assert desk.panel.chosen == "p-1"
    texts = [child.text() for child in desk.panel.findChildren(QWidget) if hasattr(child, "text") and child.isVisible()]
    assert any("ben approved it at 09:41" in text for text in texts if isinstance(text, str))


async def test_a_missing_passphrase_is_asked_for_and_leaves_no_refusal_behind(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    desk.desk.refuses, desk.desk.locked = "ana decides with a passphrase; give it first", True
    asked: list[bool] = []
    desk.commands.passphrase_wanted.connect(lambda: asked.append(True))
    desk.commands.decision_refused.connect(lambda *_: pytest.fail("said twice"))
    await desk.show()
    await desk.click("card.approve")
    assert asked == [True]


class _Windows(QObject):
    """Writes down every widget that is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(type(watched).__name__)
        return False


async def test_no_part_of_a_card_flashes_up_as_a_window(bench: Callable[..., Bench], qapp: QApplication) -> None:
    windows = _Windows()
    qapp.installEventFilter(windows)
    try:
        desk = bench(*every_kind())
        await desk.show()
        for shown in list(desk.desk.cards):
            desk.panel.choose(shown.proposal.proposal)
            buttons = buttons_for(shown.proposal)
            for button in (*buttons.main, *buttons.quiet):
                if button.form is not Form.NONE:
                    desk.panel.card.footer.press(button)
    finally:
        qapp.removeEventFilter(windows)
    assert set(windows.shown) <= {"DecisionsPanel"}


# ---------------------------------------------------------------- the full review


async def test_touchpoints_of_this_version_all_have_a_sample() -> None:
    assert {p.touchpoint for p in every_kind()} == set(Touchpoint) - {Touchpoint.QUALITY_REVIEW}


# ---------------------------------------------------------------- complete before approvable


async def test_cancelling_a_form_leaves_the_focus_in_the_card(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_M)
    await desk.click("card.cancel")
    assert QApplication.focusWidget() is desk.panel.card


async def test_the_last_approval_leaves_the_focus_where_ctrl_z_takes_it_back(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    await desk.show()
    desk.panel.card.setFocus()
    await desk.chord()
    desk.desk.cards.clear()
    await desk.refresh()
    assert QApplication.focusWidget() is desk.panel


async def test_a_card_that_was_taken_back_has_the_keys_again(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    desk.desk.effective_at = NOW + timedelta(seconds=8)
    await desk.show()
    desk.panel.card.setFocus()
    taken = list(desk.desk.cards)
    await desk.chord()
    desk.desk.cards.clear()
    await desk.refresh()
    desk.qtbot.keyClick(desk.panel, Qt.Key.Key_Z, CONTROL)
    desk.desk.cards.extend(taken)
    await desk.refresh()
    assert QApplication.focusWidget() is desk.panel.card


async def test_j_gives_the_only_card_the_keys(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    await desk.show()
    desk.panel.setFocus()
    desk.qtbot.keyClick(desk.panel, Qt.Key.Key_J)
    assert QApplication.focusWidget() is desk.panel.card
    assert desk.verdicts == []


async def test_a_modified_text_keeps_its_no_break_spaces(bench: Callable[..., Bench]) -> None:
    long = "the\u00a0amount of twelve\u00a0euros stays exactly as it was written in here"
    schema = {"properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
    desk = bench(card(1, arguments={"path": "a.txt", "content": long}, schema=schema))
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_M)
    form = desk.panel.card.footer.form
    assert isinstance(form, ModifyForm)
    assert form.arguments() == {"path": "a.txt", "content": long}
