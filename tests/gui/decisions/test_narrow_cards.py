"""Cards in the panel as a window of 1280 px leaves it: nothing is cut at its right edge."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QLabel

from agent_core.model.proposal import Proposal, Touchpoint
from tests.gui.decisions.conftest import Bench
from tests.support.sample_cards import card, every_kind
from ui.widgets.label import Label

NARROW = (400, 640)


@pytest.mark.parametrize("proposal", every_kind(), ids=lambda card: f"{card.touchpoint.value}-{card.proposal}")
async def test_no_card_is_wider_than_its_panel_and_no_hint_is_shortened(
    bench: Callable[..., Bench], proposal: Proposal
) -> None:
    desk = bench(proposal)
    desk.panel.resize(*NARROW)
    await desk.show()

    area, hint = desk.panel.card.changes_area, desk.panel.card.findChild(Label, "card.hint")

    assert area.widget().minimumSizeHint().width() <= area.viewport().width()
    assert isinstance(hint, Label)
    assert hint.height() >= hint.heightForWidth(hint.width())
    assert hint.heightForWidth(hint.width()) == hint.heightForWidth(NARROW[0]), "on one line"


async def test_a_question_is_read_once_with_the_answers_it_offers(bench: Callable[..., Bench]) -> None:
    question = "Shall I remind Oak Lane Nursery now?"
    given = {"tool": "ask_operator", "arguments": {"question": question}, "options": ["Yes", "No, wait"]}
    desk = bench(
        card(1, Touchpoint.QUESTION, None, summary=question, what_changes=None, confidence=None, why=None, **given)
    )
    await desk.show()

    shown = [label.text() for label in desk.panel.card.findChildren(QLabel) if label.isVisible()]

    assert shown.count(question) == 1
    assert [text for text in shown if text in ("1.  Yes", "2.  No, wait")] == ["1.  Yes", "2.  No, wait"]
