"""An edit, and going on below a threshold, are approvals: they take what an approval of that risk takes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from agent_core.model.action import Reversibility
from agent_core.model.intents import Trial
from agent_core.model.proposal import KeyFigure, MessageChange, Proposal, Touchpoint, WhatChanges
from tests.gui.decisions.conftest import CONTROL, Bench
from tests.support.engine_lab import eventually
from tests.support.sample_cards import PLAN, card, confidence, entry, irreversible_card, plan_card, planned, text_change
from ui.views.decisions.change_part import unseen_words
from ui.views.decisions.plan_form import PlanForm
from ui.widgets.hold_button import HoldButton

LONG = text_change(added=400)


def _figure(desk: Bench) -> QLineEdit:
    found = desk.panel.findChild(QLineEdit, "card.form.figure")
    assert isinstance(found, QLineEdit)
    return found


async def _edit(desk: Bench, trial: Trial) -> None:
    desk.desk.trial_answer = trial
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_M)
    path = desk.panel.findChild(QLineEdit, "card.form.argument.path")
    assert path is not None
    desk.qtbot.keyClicks(path, "!")
    await eventually(lambda: bool(desk.desk.trials))
    await desk.settle(desk.commands)
    desk.open_lock()


async def test_what_cannot_be_undone_is_typed_and_held_when_it_was_edited_too(bench: Callable[..., Bench]) -> None:
    desk = bench(irreversible_card(1))
    mail = MessageChange(to=["a@x.example", "b@x.example"], subject="Hi", body="Pay.")
    figure = KeyFigure(label="number of recipients", value="2")
    shown = WhatChanges(headline="2 e-mails", parts=[mail])
    await _edit(desk, Trial(what_changes=shown, confidence=confidence(), key_figure=figure))

    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_Return, CONTROL)
    await desk.settle(desk.commands)
    assert desk.verdicts == [], "an edit is no way round the figure"
    desk.qtbot.keyClicks(_figure(desk), "3")
    hold = desk.button("card.confirm")
    assert isinstance(hold, HoldButton)
    assert not hold.isEnabled(), "the figure is that of the edited call"
    _figure(desk).clear()
    desk.qtbot.keyClicks(_figure(desk), "2")
    assert hold.isEnabled()
    desk.open_lock()
    desk.qtbot.mouseClick(hold, Qt.MouseButton.LeftButton)
    await desk.settle(desk.commands)
    assert desk.verdicts == [], "a click is not a hold"
    desk.qtbot.mousePress(hold, Qt.MouseButton.LeftButton)
    desk.clock.advance(1.21)
    hold.refresh()
    await desk.settle(desk.commands)
    assert desk.verdicts == ["modify"]


async def test_an_edited_plan_with_a_step_that_cannot_be_undone_is_held(bench: Callable[..., Bench]) -> None:
    desk = bench(plan_card(1, reversibility=Reversibility.IRREVERSIBLE, tier="R3"))
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_M)
    form = desk.panel.card.footer.form
    assert isinstance(form, PlanForm)
    figure = KeyFigure(label="number of steps", value="3")
    desk.desk.trial_answer = Trial(what_changes=planned(PLAN[:3], PLAN), key_figure=figure)
    desk.qtbot.keyClick(form.picker, Qt.Key.Key_Delete)
    await eventually(lambda: bool(desk.desk.trials))
    await desk.settle(desk.commands)
    assert isinstance(desk.button("card.confirm"), HoldButton)
    assert form.problem() == "Type number of steps to unlock."
    desk.qtbot.keyClicks(_figure(desk), "3")
    assert form.problem() == ""


async def test_an_edit_cannot_be_approved_before_all_of_it_was_shown(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1, what_changes=LONG))
    await _edit(desk, Trial(what_changes=LONG, confidence=confidence()))
    form, confirm = desk.panel.card.footer.form, desk.button("card.confirm")
    assert form is not None
    assert form.problem() == ""
    assert not confirm.isEnabled()
    path = desk.panel.findChild(QLineEdit, "card.form.argument.path")
    assert path is not None
    desk.qtbot.keyClick(path, Qt.Key.Key_V)
    assert path.text().endswith("v"), "a letter that is typed is a letter"
    await eventually(lambda: len(desk.desk.trials) == 2)
    await desk.settle(desk.commands)
    desk.button("card.cancel").setFocus()
    for _ in range(400):
        if confirm.isEnabled():
            break
        desk.qtbot.keyClick(desk.button("card.cancel"), Qt.Key.Key_V)
        await asyncio.sleep(0)
    assert confirm.isEnabled()


def _doubtful(touchpoint: Touchpoint, **changes: object) -> Proposal:
    return card(1, touchpoint, confidence=confidence(0.4), **changes)


async def test_best_effort_stays_off_until_the_card_was_seen_and_an_answer_does_not(
    bench: Callable[..., Bench],
) -> None:
    desk = bench(_doubtful(Touchpoint.CONFIDENCE, what_changes=LONG))
    await desk.show()
    assert not desk.button("card.best_effort").isEnabled()
    assert desk.button("card.answer").isEnabled()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_B)
    assert desk.panel.card.footer.form is None
    for _ in range(400):
        if not unseen_words(desk.panel.card.footer.parts):
            break
        desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_V)
        await asyncio.sleep(0)
    assert desk.button("card.best_effort").isEnabled()


async def test_what_is_only_partly_undone_takes_its_reason_in_the_second_step(bench: Callable[..., Bench]) -> None:
    desk = bench(_doubtful(Touchpoint.APPROVAL, reversibility=Reversibility.PARTLY_REVERSIBLE))
    await desk.show()
    await desk.click("card.approve")
    assert not desk.button("card.confirm").isEnabled()
    reason = desk.panel.findChild(QLineEdit, "card.form.text")
    assert reason is not None
    desk.qtbot.keyClicks(reason, "seen by phone")
    desk.open_lock()
    await desk.click("card.confirm")
    assert [(one.verdict, one.reason) for one in desk.desk.decisions] == [("approve", "seen by phone")]


async def test_whom_a_card_was_not_passed_to_cannot_approve_it_by_an_edit(bench: Callable[..., Bench]) -> None:
    from agent_core.model.proposal import Escalation
    from tests.support.sample_cards import NOW

    desk = bench(card(1, escalation=Escalation(to="ben", by="cleo", at=NOW)))
    await desk.show()
    assert not desk.button("card.modify").isEnabled()
    assert desk.button("card.reject").isEnabled()


async def test_an_edit_takes_the_trouble_of_a_card_that_became_graver_meanwhile(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    figure = KeyFigure(label="number of recipients", value="2")
    await _edit(desk, Trial(what_changes=text_change(), confidence=confidence(), key_figure=figure))
    desk.desk.cards = [entry(irreversible_card(1, arguments=card(1).arguments, schema=card(1).schema), version=2)]
    await desk.refresh()
    await eventually(lambda: len(desk.desk.trials) == 2)
    await desk.settle(desk.commands)
    desk.open_lock()

    await desk.chord()
    assert desk.verdicts == []
    assert desk.desk.trials[0] == desk.desk.trials[1], "what was typed is still there"
    assert isinstance(desk.button("card.confirm"), HoldButton)
    assert not desk.button("card.confirm").isEnabled(), "the figure is to be typed"
