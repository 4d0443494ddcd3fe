"""The small forms offer only what can be chosen, and begin where a person would."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QRadioButton

from agent_core.model.proposal import Touchpoint, Verdict
from agent_core.policy.decision_details import read_details
from tests.gui.decisions.conftest import Bench
from tests.support.sample_cards import NOW, card


@pytest.mark.parametrize(
    ("minutes", "offered"), [(4, []), (6, ["5 min"]), (40, ["5 min", "15 min", "30 min"]), (None, 5)]
)
async def test_a_card_is_put_off_only_until_before_its_deadline(
    bench: Callable[..., Bench], minutes: int | None, offered: list[str] | int
) -> None:
    desk = bench(card(1, approve_by=None if minutes is None else NOW + timedelta(minutes=minutes)))
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_H)
    choices = [choice for choice in desk.panel.findChildren(QRadioButton) if choice.isVisible()]
    assert all(choice.isEnabled() for choice in choices)
    assert len(choices) == offered if isinstance(offered, int) else [one.text() for one in choices] == offered
    form = desk.panel.card.footer.form
    assert form is not None
    assert form.problem() == ("Choose a time." if choices else "Decide it, or pass it on.")


async def test_another_way_is_typed_at_once_and_is_not_the_suggestion(bench: Callable[..., Bench]) -> None:
    suggestion = "Read it again first."
    desk = bench(card(1, Touchpoint.EXCEPTION, None, options=[suggestion], facts={"suggestion": suggestion}))
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_O)
    assert not [choice for choice in desk.panel.findChildren(QRadioButton) if choice.isVisible()]
    field = QApplication.focusWidget()
    assert field is not None
    desk.qtbot.keyClicks(field, "skip the ledger")
    await desk.settle(desk.commands)
    desk.open_lock()
    await desk.chord()
    assert [(one.verdict, one.answer) for one in desk.desk.decisions] == [("other_way", "skip the ledger")]


@pytest.mark.parametrize("reference", ["", "told Mia"])
async def test_what_was_taken_over_and_is_not_done_needs_no_reference(
    bench: Callable[..., Bench], reference: str
) -> None:
    desk = bench(card(1))
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_T)
    choice = desk.panel.findChild(QRadioButton, "card.form.not_done")
    field = desk.panel.findChild(QLineEdit, "card.form.reference")
    assert choice is not None
    assert field is not None
    choice.click()
    desk.qtbot.keyClicks(field, reference)
    desk.open_lock()
    await desk.click("card.confirm")
    (made,) = desk.desk.decisions
    assert made.details == {"done": False, **({"reference": reference} if reference else {})}
    assert read_details(made, Verdict.TAKE_OVER, card(1), NOW, None) == made.details, "the engine takes it"


async def test_a_card_is_passed_on_to_somebody_who_may_decide_here(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    desk.desk.people = ["ana", "ben", "guest", "Mia Brandt"]
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_E)
    person = QApplication.focusWidget()
    assert isinstance(person, QComboBox)
    assert [person.itemText(place) for place in range(person.count())][1:] == ["ben", "Mia Brandt"]
    desk.open_lock()
    await desk.click("card.confirm")
    assert desk.verdicts == [], "nobody is chosen yet"
    desk.qtbot.keyClick(person, Qt.Key.Key_Down)
    await desk.click("card.confirm")
    assert [(one.verdict, one.details) for one in desk.desk.decisions] == [("escalate", {"to": "ben"})]


async def test_where_the_home_lists_nobody_else_a_name_is_typed(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_E)
    person = QApplication.focusWidget()
    assert isinstance(person, QLineEdit)
    desk.qtbot.keyClicks(person, "finance-lead")
    desk.open_lock()
    await desk.click("card.confirm")
    assert [one.details for one in desk.desk.decisions] == [{"to": "finance-lead"}]
