"""The review page: evidence, key figure and hold before anything irreversible is approved."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QScrollArea

from agent_core.model.proposal import APPROVING, EDITING, VERDICTS, Proposal, Touchpoint
from tests.gui.decisions.conftest import Bench
from tests.support.sample_cards import NOW, confidence, entry, irreversible_card
from ui.models.card_buttons import Form, buttons_for
from ui.theme import theme
from ui.views.decisions.review import ReviewPage


async def _review(desk: Bench, proposal: Proposal) -> ReviewPage:
    page = ReviewPage(desk.commands, desk.panel.keeper, lambda: NOW, clock=desk.clock)
    page.decided.connect(desk.commands.decide)
    desk.qtbot.addWidget(page)
    page.resize(1140, 800)
    page.show()
    page.show_place(entry(proposal), 0, 1)
    await desk.settle(desk.commands)
    desk.clock.advance(0.81)
    page.guard.refresh()
    return page


def _missing(page: ReviewPage) -> str:
    hint = page.findChild(QLabel, "review.missing")
    assert hint is not None
    return hint.text()


@pytest.mark.parametrize(
    ("touchpoint", "verdict"), [(Touchpoint.APPROVAL, "approve"), (Touchpoint.QUALITY_REVIEW, "release")]
)
async def test_an_irreversible_approval_needs_evidence_figure_and_hold(
    bench: Callable[..., Bench], touchpoint: Touchpoint, verdict: str
) -> None:
    desk = bench()
    page = await _review(desk, irreversible_card(1, touchpoint=touchpoint, verdicts=[*VERDICTS[touchpoint]]))
    desk.qtbot.waitUntil(lambda: all(part.seen() for part in page.footer.parts))
    hold = page.findChild(QPushButton, "review.hold")
    figure = page.findChild(QLineEdit, "review.figure")
    assert hold is not None
    assert figure is not None
    assert not hold.isEnabled()
    desk.qtbot.keyClicks(figure, "4")
    assert not hold.isEnabled(), "another figure than the one in the preview"
    figure.clear()
    desk.qtbot.keyClicks(figure, "3")
    assert hold.isEnabled()
    desk.qtbot.mouseClick(hold, Qt.MouseButton.LeftButton)
    await desk.settle(desk.commands)
    assert desk.verdicts == [], "a click is not a hold"
    desk.clock.advance(0.81)
    page.guard.refresh()
    desk.qtbot.mousePress(hold, Qt.MouseButton.LeftButton)
    desk.clock.advance(1.21)
    hold.refresh()  # type: ignore[attr-defined]
    desk.qtbot.mouseRelease(hold, Qt.MouseButton.LeftButton)
    await desk.settle(desk.commands)
    assert desk.verdicts == [verdict]
    assert desk.desk.decisions[0].seen == ["message"]


@pytest.mark.parametrize("touchpoint", [Touchpoint.APPROVAL, Touchpoint.QUALITY_REVIEW, Touchpoint.CONFIDENCE])
def test_nothing_irreversible_runs_from_a_form_of_the_panel(touchpoint: Touchpoint) -> None:
    buttons = buttons_for(irreversible_card(1, touchpoint=touchpoint, verdicts=[*VERDICTS[touchpoint]])).every

    assert {button.form for button in buttons if button.verdict in APPROVING - EDITING} == {Form.REVIEW}


async def test_a_low_score_needs_a_reason_on_the_review_page(bench: Callable[..., Bench]) -> None:
    desk = bench()
    page = await _review(desk, irreversible_card(1, confidence=confidence(0.4)))
    desk.qtbot.waitUntil(lambda: all(part.seen() for part in page.footer.parts))
    figure = page.findChild(QLineEdit, "review.figure")
    reason = page.findChild(QLineEdit, "review.reason")
    hold = page.findChild(QPushButton, "review.hold")
    assert figure is not None
    assert reason is not None
    assert hold is not None
    desk.qtbot.keyClicks(figure, "3")
    assert not hold.isEnabled()
    desk.qtbot.keyClicks(reason, "checked by phone")
    assert hold.isEnabled()


async def test_a_long_message_must_be_seen_to_its_end(bench: Callable[..., Bench]) -> None:
    from agent_core.model.proposal import MessageChange, WhatChanges

    body = "\n".join(f"line {number}" for number in range(2_000)) + "\nand pay 90,000 to this account"
    change = WhatChanges(headline="1 e-mail", parts=[MessageChange(to=["a@b.example"], subject="Hello", body=body)])
    desk = bench()
    page = await _review(desk, irreversible_card(1, what_changes=change))
    part = page.footer.parts[0]
    assert not part.seen()
    assert "to its end" in _missing(page)


async def test_large_letters_cut_nothing_short_on_the_page(bench: Callable[..., Bench]) -> None:
    desk = bench()
    page = await _review(desk, irreversible_card(1))
    page.resize(1200, 600)
    theme().set_scale(150)
    await desk.settle(desk.commands)
    desk.qtbot.waitUntil(lambda: _cut_short(page) == [])
    evidence = next(area for area in page.findChildren(QScrollArea) if area.accessibleName() == "Evidence")
    content = evidence.widget()
    assert content is not None
    assert content.width() <= evidence.viewport().width()


def _cut_short(page: ReviewPage) -> list[str]:
    """The buttons of the foot that have less room than their words take."""
    made = [button for button in page.footer.findChildren(QPushButton) if button.isVisible()]
    return [button.objectName() for button in made if button.width() < button.sizeHint().width()]
