"""The input safety rules, with real mouse and keys and a clock that stands still."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleActionInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.widgets.conftest import VirtualClock
from ui.theme import Theme
from ui.widgets.button import Button
from ui.widgets.guard import LOCK_SECONDS, InputGuard
from ui.widgets.guarded_button import GuardedButton
from ui.widgets.hold_button import HOLD_SECONDS, TWICE_SECONDS, HoldButton

CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


@dataclass
class Card:
    """A card with an editor, two guarded buttons and a plain Cancel, beside a message field outside of it."""

    window: QWidget
    card: QWidget
    message: QLineEdit
    note: QPlainTextEdit
    guard: InputGuard
    approve: GuardedButton
    reject: GuardedButton
    hold: HoldButton
    cancel: Button
    clock: VirtualClock
    done: list[str] = field(default_factory=list)

    def unlock(self) -> None:
        self.clock.advance(LOCK_SECONDS)
        self.guard.refresh()


@pytest.fixture
def card(qtbot: QtBot, clock: VirtualClock) -> Card:
    window, frame = QWidget(), QWidget()
    guard = InputGuard(window, clock=clock)
    message, note = QLineEdit(), QPlainTextEdit()
    approve = GuardedButton("Approve", guard, "outline", icon="check", key="Ctrl ↵")
    reject = GuardedButton("Reject…", guard, icon="x", key="R")
    hold = HoldButton("Send 38 e-mails", guard, icon="send")
    cancel = Button("Cancel", key="Esc")
    inside = QVBoxLayout(frame)
    for widget in (note, approve, reject, hold, cancel):
        inside.addWidget(widget)
    outside = QVBoxLayout(window)
    outside.addWidget(message)
    outside.addWidget(frame)
    guard.watch(frame)
    guard.set_main(approve)
    made = Card(window, frame, message, note, guard, approve, reject, hold, cancel, clock)
    for button, word in ((approve, "approve"), (reject, "reject"), (hold, "hold")):
        button.activated.connect(lambda word=word: made.done.append(word))
    cancel.clicked.connect(lambda: made.done.append("cancel"))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    guard.arm()
    return made


def test_a_click_right_after_appearing_is_swallowed(card: Card) -> None:
    QTest.mouseClick(card.approve, LEFT)
    assert card.done == []


def test_a_click_after_the_lock_counts(card: Card) -> None:
    card.unlock()
    QTest.mouseClick(card.approve, LEFT)
    assert card.done == ["approve"]


def test_the_lock_lasts_800_ms_to_the_millisecond(card: Card) -> None:
    card.clock.advance(0.799)
    QTest.mouseClick(card.approve, LEFT)
    assert card.done == []
    card.clock.advance(0.002)
    QTest.mouseClick(card.approve, LEFT)
    assert card.done == ["approve"]


@pytest.mark.parametrize("button", [Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton])
def test_only_the_left_button_presses(card: Card, button: Qt.MouseButton) -> None:
    card.unlock()
    QTest.mouseClick(card.approve, button)
    QTest.mousePress(card.hold, button)
    card.clock.advance(5)
    card.hold.refresh()
    assert card.done == []


def test_a_press_while_locked_does_not_count_when_released_later(card: Card) -> None:
    QTest.mousePress(card.approve, LEFT)
    card.unlock()
    QTest.mouseRelease(card.approve, LEFT)
    assert card.done == []


def test_a_press_is_void_when_the_card_changes_before_the_release(card: Card) -> None:
    card.unlock()
    QTest.mousePress(card.approve, LEFT)
    card.guard.arm()
    card.unlock()
    QTest.mouseRelease(card.approve, LEFT)
    assert card.done == []


def test_releasing_outside_does_nothing(card: Card) -> None:
    card.unlock()
    QTest.mousePress(card.approve, LEFT)
    QTest.mouseRelease(card.approve, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(-40, -40))
    assert card.done == []


def test_the_click_that_activates_the_window_is_swallowed(card: Card) -> None:
    card.unlock()
    QApplication.sendEvent(card.window, QEvent(QEvent.Type.WindowActivate))
    QTest.mouseClick(card.approve, LEFT)
    assert card.done == []
    assert card.guard.locked


def test_moving_in_the_list_locks_again(card: Card) -> None:
    card.unlock()
    card.card.move(card.card.x(), card.card.y() + 50)
    assert card.guard.locked


def test_showing_again_locks_again(card: Card) -> None:
    card.unlock()
    card.card.hide()
    card.card.show()
    assert card.guard.locked


def test_a_button_alone_locks_when_shown_even_when_nobody_watches(qtbot: QtBot, clock: VirtualClock) -> None:
    guard = InputGuard(clock=clock)
    clock.advance(5)
    button = GuardedButton("Approve", guard)
    qtbot.addWidget(button)
    button.show()
    assert guard.locked


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Y, Qt.Key.Key_1])
def test_bare_keys_never_decide(card: Card, key: Qt.Key) -> None:
    card.unlock()
    for button in (card.approve, card.reject, card.hold):
        button.setFocus()
        QTest.keyPress(button, key)
        card.clock.advance(2)
        QTest.keyRelease(button, key)
    assert card.done == []


@pytest.mark.parametrize("modifiers", [
    Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.MetaModifier,
    CTRL | Qt.KeyboardModifier.ShiftModifier, CTRL | Qt.KeyboardModifier.AltModifier,
])  # fmt: skip
def test_only_ctrl_alone_makes_the_chord(card: Card, modifiers: Qt.KeyboardModifier) -> None:
    card.unlock()
    card.note.setFocus()
    QTest.keyClick(card.note, Qt.Key.Key_Return, modifiers)
    card.approve.setFocus()
    QTest.keyClick(card.approve, Qt.Key.Key_Return, modifiers)
    assert card.done == []


def test_ctrl_space_does_nothing(card: Card) -> None:
    card.unlock()
    card.approve.setFocus()
    QTest.keyClick(card.approve, Qt.Key.Key_Space, CTRL)
    assert card.done == []


def test_ctrl_enter_inside_the_card_presses_the_main_button_once(card: Card) -> None:
    card.unlock()
    card.note.setFocus()
    QTest.keyClick(card.note, Qt.Key.Key_Return, CTRL)
    assert card.done == ["approve"]
    assert card.note.toPlainText() == ""


def test_ctrl_enter_on_the_focused_button_presses_that_button_only(card: Card) -> None:
    card.unlock()
    card.reject.setFocus()
    QTest.keyClick(card.reject, Qt.Key.Key_Return, CTRL)
    assert card.done == ["reject"]


def test_ctrl_enter_outside_the_card_never_reaches_it(card: Card) -> None:
    card.unlock()
    card.message.setFocus()
    QTest.keyClicks(card.message, "yes 1 2")
    QTest.keyClick(card.message, Qt.Key.Key_Return)
    QTest.keyClick(card.message, Qt.Key.Key_Return, CTRL)
    assert card.done == []
    assert card.message.text() == "yes 1 2"


def test_ctrl_enter_while_locked_is_swallowed(card: Card) -> None:
    card.note.setFocus()
    QTest.keyClick(card.note, Qt.Key.Key_Return, CTRL)
    card.approve.setFocus()
    QTest.keyClick(card.approve, Qt.Key.Key_Return, CTRL)
    assert card.done == []


def test_a_repeating_chord_acts_once(card: Card) -> None:
    from PySide6.QtGui import QKeyEvent

    card.unlock()
    card.approve.setFocus()
    for repeated in (True, True, True):
        event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, CTRL, "\r", repeated)
        QApplication.sendEvent(card.approve, event)
    card.note.setFocus()
    event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, CTRL, "\r", True)
    QApplication.sendEvent(card.note, event)
    assert card.done == []


def test_a_disabled_main_button_lets_the_chord_pass(card: Card) -> None:
    card.unlock()
    card.approve.setEnabled(False)
    card.note.setFocus()
    QTest.keyClick(card.note, Qt.Key.Key_Return, CTRL)
    assert card.done == []


def test_focus_stays_on_a_button_while_it_locks(card: Card) -> None:
    card.unlock()
    card.approve.setFocus()
    card.guard.arm()
    assert card.approve.hasFocus()
    assert card.approve.isEnabled()


def test_a_new_lock_never_takes_the_focus(card: Card) -> None:
    card.message.setFocus()
    card.guard.arm()
    card.unlock()
    assert card.message.hasFocus()


# -------------------------------------------------------------------------------------------- other ways in


def test_click_goes_through_the_lock(card: Card) -> None:
    card.approve.click()
    QPushButton.click(card.approve)
    assert card.done == []
    card.unlock()
    QPushButton.click(card.approve)
    assert card.done == ["approve"]


def _accessible_press(button: QWidget) -> Callable[[], None]:
    interface = QAccessible.queryAccessibleInterface(button)
    return lambda: interface.actionInterface().doAction(QAccessibleActionInterface.pressAction())


def test_the_press_of_a_screen_reader_goes_through_the_lock(card: Card, qtbot: QtBot) -> None:
    press = _accessible_press(card.approve)
    press()
    QTest.qWait(150)  # Qt animates an accessible press for 100 ms
    assert card.done == []
    card.unlock()
    press()
    qtbot.waitUntil(lambda: card.done == ["approve"], timeout=2_000)


def test_clicked_is_the_guarded_signal(card: Card) -> None:
    heard: list[str] = []
    card.approve.clicked.connect(lambda: heard.append("clicked"))
    QTest.mouseClick(card.approve, LEFT)
    card.approve.click()
    assert heard == []
    card.unlock()
    QTest.mouseClick(card.approve, LEFT)
    assert heard == ["clicked"]


# -------------------------------------------------------------------------------------------- random input


def test_a_thousand_clicks_and_chords_within_the_lock_do_nothing(card: Card) -> None:
    chance = random.Random(20_260_101)
    targets = [card.approve, card.reject, card.hold, card.note]
    for _ in range(1_000):
        if card.clock.now > 1_000.0 + 0.75:
            card.clock.now = 1_000.0
        card.guard.arm()
        card.clock.advance(chance.uniform(0, 0.79))
        target = chance.choice(targets)
        if chance.random() < 0.5:
            at = QPoint(chance.randrange(target.width()), chance.randrange(target.height()))
            QTest.mouseClick(target, LEFT, Qt.KeyboardModifier.NoModifier, at)
        else:
            target.setFocus()
            QTest.keyClick(target, chance.choice([Qt.Key.Key_Return, Qt.Key.Key_Enter]), CTRL)
    assert card.done == []


def test_a_thousand_bare_keys_do_nothing(card: Card) -> None:
    chance = random.Random(7)
    card.unlock()
    keys = [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Escape, Qt.Key.Key_Select]
    keys += [Qt.Key(code) for code in (*range(Qt.Key.Key_0, Qt.Key.Key_9 + 1), *range(Qt.Key.Key_A, Qt.Key.Key_Z + 1))]
    for _ in range(1_000):
        target = chance.choice([card.approve, card.reject, card.hold])
        target.setFocus()
        QTest.keyClick(target, chance.choice(keys), Qt.KeyboardModifier.NoModifier)
        card.clock.advance(0.1)
    assert card.done == []


# -------------------------------------------------------------------------------------------- hold


def _hold(card: Card, seconds: float) -> None:
    QTest.mousePress(card.hold, LEFT)
    card.clock.advance(seconds)
    card.hold.refresh()


def test_a_full_hold_acts_once(card: Card) -> None:
    card.unlock()
    _hold(card, HOLD_SECONDS)
    QTest.mouseRelease(card.hold, LEFT)
    assert card.done == ["hold"]


def test_letting_go_early_cancels(card: Card) -> None:
    card.unlock()
    _hold(card, HOLD_SECONDS - 0.05)
    assert 0.9 < card.hold.progress < 1
    QTest.mouseRelease(card.hold, LEFT)
    assert (card.done, card.hold.progress) == ([], 0.0)


def test_leaving_the_button_cancels(card: Card) -> None:
    card.unlock()
    _hold(card, 0.6)
    QTest.mouseMove(card.hold, QPoint(-30, -30))
    card.clock.advance(5)
    QTest.mouseRelease(card.hold, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(-30, -30))
    assert card.done == []


def test_a_new_lock_cancels_a_hold(card: Card) -> None:
    card.unlock()
    _hold(card, 0.6)
    card.guard.arm()
    card.clock.advance(5)
    card.guard.refresh()
    card.hold.refresh()
    QTest.mouseRelease(card.hold, LEFT)
    assert card.done == []


def test_losing_the_focus_cancels_a_hold(card: Card) -> None:
    card.unlock()
    card.hold.setFocus()
    _hold(card, 0.6)
    card.message.setFocus()
    assert card.hold.progress == 0


def test_a_hold_that_starts_locked_never_acts(card: Card) -> None:
    _hold(card, 30)
    QTest.mouseRelease(card.hold, LEFT)
    assert card.done == []


@pytest.mark.parametrize(("seconds", "expected"), [(HOLD_SECONDS, ["hold"]), (0.5, [])])
def test_ctrl_enter_holds_too(card: Card, seconds: float, expected: list[str]) -> None:
    card.unlock()
    card.guard.set_main(card.hold)
    card.note.setFocus()
    QTest.keyPress(card.note, Qt.Key.Key_Return, CTRL)
    card.clock.advance(seconds)
    card.hold.refresh()
    QTest.keyRelease(card.note, Qt.Key.Key_Return, CTRL)
    card.clock.advance(5)
    card.hold.refresh()
    assert card.done == expected


def test_two_presses_two_seconds_apart_replace_the_hold(card: Card) -> None:
    assert card.hold.label() == "Hold to send 38 e-mails"
    card.hold.set_press_twice(True)
    assert card.hold.label() == "Press twice to send 38 e-mails"
    card.unlock()
    QTest.mouseClick(card.hold, LEFT)
    card.clock.advance(TWICE_SECONDS - 0.1)
    QTest.mouseClick(card.hold, LEFT)
    assert card.done == []
    card.clock.advance(0.2)
    QTest.mouseClick(card.hold, LEFT)
    assert card.done == ["hold"]


def test_a_second_press_after_ten_seconds_starts_over(card: Card) -> None:
    card.unlock()
    card.hold.set_press_twice(True)
    QTest.mouseClick(card.hold, LEFT)
    card.clock.advance(30)
    card.hold.refresh()
    QTest.mouseClick(card.hold, LEFT)
    assert card.done == []


def test_a_screen_reader_presses_a_hold_button_twice(card: Card) -> None:
    card.unlock()
    card.hold.click()
    assert card.done == []
    card.clock.advance(TWICE_SECONDS)
    card.hold.click()
    assert card.done == ["hold"]


def test_ctrl_enter_with_focus_on_cancel_presses_the_main_button(card: Card) -> None:
    """The second step keeps its focus on Cancel, where bare Space is safe, and names Ctrl+Enter on the main button."""
    card.unlock()
    card.cancel.setFocus()
    QTest.keyClick(card.cancel, Qt.Key.Key_Space)
    QTest.keyClick(card.cancel, Qt.Key.Key_Return, CTRL)
    assert card.done == ["cancel", "approve"]


def test_reduced_motion_keeps_the_lock_and_stills_the_ring(card: Card, kit_theme: Theme) -> None:
    kit_theme.set_reduced_motion(True)
    card.guard.arm()
    first = card.approve.grab().toImage()
    card.clock.advance(0.4)
    card.guard.refresh()
    assert card.approve.grab().toImage() == first
    QTest.mouseClick(card.approve, LEFT)
    assert card.done == []


def test_a_locked_button_looks_locked(card: Card) -> None:
    locked = card.approve.grab().toImage()
    card.unlock()
    assert card.approve.grab().toImage() != locked


def test_a_chord_held_in_the_card_ends_when_the_focus_moves(card: Card) -> None:
    card.unlock()
    card.guard.set_main(card.hold)
    card.note.setFocus()
    QTest.keyPress(card.note, Qt.Key.Key_Return, CTRL)
    assert card.hold.isDown()
    card.message.setFocus()
    card.clock.advance(5)
    card.hold.refresh()
    assert card.done == []


def test_a_verb_that_changes_locks_the_card(card: Card) -> None:
    card.unlock()
    card.approve.set_label("Approve as modified…")
    assert card.guard.locked
