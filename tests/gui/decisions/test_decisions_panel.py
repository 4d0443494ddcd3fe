"""The decisions panel, by real mouse and keys: what decides, and above all what does not."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from agent_core.model.action import Reversibility
from agent_core.model.intents import OpenProposal, Trial
from agent_core.model.proposal import Proposal, Touchpoint, Via
from agent_core.model.run import SessionStatus
from tests.gui.widgets.conftest import VirtualClock
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from tests.support.sample_cards import NOW, card, confidence, entry, every_kind, irreversible_card, text_change
from tests.support.sample_summaries import summary
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.models.card_buttons import Form, buttons_for
from ui.views.decisions.modify_form import ModifyForm
from ui.views.decisions.panel import DecisionsPanel
from ui.views.decisions.review import ReviewPage

Settle = Callable[[Commands], Awaitable[None]]
CONTROL = Qt.KeyboardModifier.ControlModifier


class Bench:
    """A panel in a window, with its stand-in desk and its clock."""

    def __init__(self, qtbot: QtBot, clock: VirtualClock, settle: Settle, cards: Sequence[OpenProposal]) -> None:
        self.qtbot, self.clock, self.settle = qtbot, clock, settle
        self.desk = StandInDesk(cards)
        self.commands = Commands(StandInSupervisor(), self.desk, StandInReader(), "ana")
        self.state = ConsoleState(self.commands)
        self.panel = DecisionsPanel(self.state, self.commands, lambda: NOW, clock=clock)
        self.panel.resize(440, 840)
        qtbot.addWidget(self.panel)

    async def show(self) -> None:
        self.panel.show()
        self.panel.activateWindow()
        await self.refresh()
        await asyncio.sleep(0.02)
        self.open_lock()

    async def refresh(self) -> None:
        self.state.refresh_queue()
        await self.settle(self.commands)

    def open_lock(self) -> None:
        self.clock.advance(0.81)
        self.panel.card.guard.refresh()

    def button(self, name: str) -> QPushButton:
        found = self.panel.findChild(QPushButton, name)
        assert isinstance(found, QPushButton), f"no button {name}"
        return found

    async def click(self, name: str) -> None:
        self.qtbot.mouseClick(self.button(name), Qt.MouseButton.LeftButton)
        await self.settle(self.commands)

    async def chord(self) -> None:
        target = QApplication.focusWidget() or self.panel.card
        self.qtbot.keyClick(target, Qt.Key.Key_Return, CONTROL)
        await self.settle(self.commands)

    @property
    def verdicts(self) -> list[str]:
        return [decision.verdict for decision in self.desk.decisions]


@pytest.fixture
def bench(qtbot: QtBot, clock: VirtualClock, settled: Settle) -> Callable[..., Bench]:
    return lambda *cards: Bench(qtbot, clock, settled, [entry(proposal) for proposal in cards])


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


async def test_an_expired_card_cannot_be_approved(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1, approve_by=NOW - timedelta(seconds=1)))
    await desk.show()
    assert not desk.button("card.approve").isEnabled()
    desk.panel.card.setFocus()
    await desk.chord()
    assert desk.verdicts == []


async def test_a_refused_decision_says_why_and_keeps_the_card(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    desk.desk.refuses = "ben approved it at 09:41"
    await desk.show()
    await desk.click("card.approve")
    assert desk.panel.chosen == "p-1"
    texts = [child.text() for child in desk.panel.findChildren(QWidget) if hasattr(child, "text") and child.isVisible()]
    assert any("ben approved it at 09:41" in text for text in texts if isinstance(text, str))


async def test_after_a_decision_the_next_card_comes_locked(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1), card(2))
    await desk.show()
    await desk.click("card.approve")
    assert desk.panel.chosen == "p-2"
    assert desk.panel.card.guard.locked
    await desk.click("card.approve")
    assert desk.verdicts == ["approve"]


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


async def test_the_panel_says_when_nothing_needs_a_person(bench: Callable[..., Bench]) -> None:
    desk = bench()
    await desk.show()
    assert not desk.panel.card.isVisible()
    assert desk.panel.queue.isVisible()


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


async def _review(desk: Bench, proposal: Proposal) -> ReviewPage:
    page = ReviewPage("ana", lambda: NOW, clock=desk.clock)
    page.decided.connect(desk.commands.decide)
    desk.qtbot.addWidget(page)
    page.resize(1140, 800)
    page.show()
    page.show_entry(entry(proposal), 0, 1)
    await desk.settle(desk.commands)
    desk.clock.advance(0.81)
    page.guard.refresh()
    return page


async def test_an_irreversible_approval_needs_evidence_figure_and_hold(bench: Callable[..., Bench]) -> None:
    desk = bench()
    page = await _review(desk, irreversible_card(1))
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
    assert desk.verdicts == ["approve"]
    assert desk.desk.decisions[0].seen == ["message"]


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
    assert "to its end" in page.footer.missing()


async def test_touchpoints_of_this_version_all_have_a_sample() -> None:
    assert {p.touchpoint for p in every_kind()} == set(Touchpoint) - {Touchpoint.QUALITY_REVIEW}


# ---------------------------------------------------------------- complete before approvable


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
