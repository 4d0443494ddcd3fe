"""The foot of a card: its buttons, and the one form or second step that stands between them and a decision.

Every button that decides is guarded by one lock, which closes again whenever the foot changes. Letters only open forms.
"""

from collections.abc import Callable, Collection, Iterator
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QHBoxLayout, QLayout, QLayoutItem, QWidget

from agent_core.model.proposal import APPROVING, EDITING, Proposal, Verdict
from ui.models.card_buttons import ButtonSet, CardButton, Form, buttons_for
from ui.theme import px
from ui.views.decisions import sections
from ui.views.decisions.forms import DecisionForm, Filled, form_for
from ui.views.decisions.modify_form import ModifyForm
from ui.views.decisions.plan_form import PlanForm
from ui.views.decisions.tried_form import TryOut
from ui.widgets.button import Button, ButtonKind
from ui.widgets.guard import InputGuard
from ui.widgets.guarded_button import GuardedButton
from ui.widgets.hold_button import HoldButton
from ui.widgets.label import Label
from ui.widgets.messages import Note
from ui.widgets.paint import text_width
from ui.widgets.surface import Surface, column, row

_CONFIRM: dict[Verdict, str] = {
    Verdict.MODIFY: "Approve as modified",
    Verdict.EDIT: "Release as edited",
    Verdict.REJECT: "Reject",
    Verdict.ASK: "Ask the agent",
    Verdict.ESCALATE: "Escalate",
    Verdict.TAKE_OVER: "Take over",
    Verdict.POSTPONE: "Bring it back then",
    Verdict.SEND_BACK: "Send back",
    Verdict.ANSWER: "Answer and continue",
    Verdict.BEST_EFFORT: "Go on with best effort",
    Verdict.ABANDON: "Abandon task",
    Verdict.FIXED: "Fixed, resume",
    Verdict.OTHER_WAY: "Go this other way",
    Verdict.SKIP: "Skip",
    Verdict.HAPPENED: "It happened",
    Verdict.NOT_HAPPENED: "It did not happen",
    Verdict.EXTEND: "Continue with these limits",
    Verdict.FINISH: "Finish with what there is",
    Verdict.STOP: "Stop now",
    Verdict.DECLINE: "Decline",
    Verdict.APPROVE: "Approve",
}

_GOES_AHEAD = (Verdict.MODIFY, Verdict.EDIT, Verdict.EXTEND, Verdict.APPROVE, Verdict.ANSWER)
_HINT_ALIGN = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Footer(Surface):
    """`decided(verdict, Filled)` is a person's deliberate act; `review_wanted` opens the full review."""

    decided = Signal(object, object)
    review_wanted = Signal()
    form_opened = Signal(bool)

    def __init__(
        self, guard: InputGuard, now: Callable[[], datetime], try_out: TryOut, parent: QWidget | None = None
    ) -> None:
        super().__init__("bar_bottom", parent)
        self.setObjectName("card.footer")
        self._guard, self._now, self._try_out = guard, now, try_out
        self._card: Proposal | None = None
        self._buttons = ButtonSet((), (), "")
        self._by_key: dict[str, CardButton] = {}
        self._form: DecisionForm | None = None
        self._opened_by: CardButton | None = None
        self._aside: dict[str, tuple[CardButton, DecisionForm]] = {}
        """What was being filled in on cards that are not shown now."""
        self.press_twice = False
        self._layout = column(self, 8, (16, 12, 16, 10))
        self._parts: list[QWidget | QLayout] = []
        self._cancel: Button | None = None
        self._main: GuardedButton | None = None
        self._big_buttons: list[tuple[CardButton, GuardedButton]] = []
        self._confirming: GuardedButton | None = None
        self._problem = Label("", "secondary", "text3", wrap=True)
        self._hint = Label("", "meta", "text3", wrap=True, align=_HINT_ALIGN)
        self._quiet, self._below = row(None, 2), row(None)
        self.blocked_because = ""
        self.incomplete_because = ""

    # ---------------------------------------------------------------- the resting foot

    def show_card(self, card: Proposal) -> None:
        """The buttons of a card. What is filled in stays for its next version, and waits while another is shown."""
        same = self._card is not None and self._card.proposal == card.proposal
        if not same:
            self._put_aside()
        self._card = card
        self._buttons = buttons_for(card)
        every = (*self._buttons.main, *self._buttons.quiet)
        self._by_key = {b.key: b for b in every if b.key}
        if same and self._form is not None and self._opened_by in every and self._form.renewed(card):
            self._guard.arm()
            self._say_changed(card, self._form)
            self._refresh_form()
            return
        self.rest()
        button, form = self._aside.pop(card.proposal, (None, None))
        if button is not None and form is not None:
            if button in every and form.renewed(card):
                self._show_form(button, form)
            else:
                form.deleteLater()

    def _say_changed(self, card: Proposal, form: DecisionForm) -> None:
        """What is different, above a form that stands in the place of the body, which says it else."""
        note = sections.changed(card) if form.takes_the_body else None
        if isinstance(self._parts[0], Note):
            _discard(self._parts.pop(0))
        if note is not None:
            self._layout.insertWidget(0, note)
            self._parts.insert(0, note)

    def forget_all_but(self, cards: Collection[str]) -> None:
        """Put away what was being filled in on cards that are open no more."""
        for proposal in self._aside.keys() - set(cards):
            self._aside.pop(proposal)[1].deleteLater()

    def _put_aside(self) -> None:
        if self._card is None or self._form is None or self._opened_by is None:
            return
        self._keep_focus()
        self._layout.removeWidget(self._form)
        self._parts.remove(self._form)
        self._form.hide()
        self._form.changed.disconnect(self._refresh_form)
        self._aside[self._card.proposal] = (self._opened_by, self._form)
        self._form = None

    def block(self, because: str) -> None:
        """Take the approval away (expired, with the agent): the sentence is shown instead. "" gives it back."""
        self.blocked_because = because
        self._apply_blocks()

    def set_incomplete(self, because: str) -> None:
        """Take approval away until everything was seen; a page of its own asks for that itself."""
        self.incomplete_because = because
        self._apply_blocks()

    def _off(self, button: CardButton) -> str:
        """Why a button cannot be used now; "" when it can. Page and editor show what there is to see themselves."""
        goes_ahead = button.verdict in APPROVING
        if self.blocked_because and (goes_ahead or button is self._buttons.main[0]):
            return self.blocked_because
        shows_it = button.form is Form.REVIEW or button.verdict in EDITING
        return self.incomplete_because if goes_ahead and not shows_it else ""

    def _apply_blocks(self) -> None:
        if self._form is not None:
            self._refresh_form()
            return
        for button, big in self._big_buttons:
            big.setEnabled(not self._off(button))
        main = self._main
        if main is None:
            return
        because = next((off for button, _ in self._big_buttons if (off := self._off(button))), "")
        self._guard.set_main(main if main.isEnabled() else None)
        self._hint.setText(because or self._buttons.hint)
        self._hint.set_color("attn" if because else "text3")
        self._place_hint()

    def _place_hint(self) -> None:
        """Beside the quiet buttons where it fits, else on a line of its own: it is never shortened."""
        margins = self._layout.contentsMargins()
        taken = sum(item.sizeHint().width() for item in _items(self._quiet) if item.widget() is not self._hint)
        room = self.width() - margins.left() - margins.right() - taken - px(8)
        line, other = self._quiet, self._below
        if text_width(self._hint.text(), "meta") > room:
            line, other = other, line
        if line.indexOf(self._hint) < 0:
            other.removeWidget(self._hint)
            line.addWidget(self._hint, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The hint may fit now, or no more."""
        super().resizeEvent(event)
        if self._form is None:
            self._place_hint()

    def rest(self) -> None:
        """Back to the buttons."""
        self._clear()
        main = row(None, 8)
        made = [self._big(b, b.key if place else "Ctrl ↵") for place, b in enumerate(self._buttons.main)]
        for big in made:
            big.set_expanding()
            main.addWidget(big, 1)
        self._main = made[0] if made else None
        self._add(main)
        self._quiet, self._below = self._quiet_row(), row(None)
        self._add(self._quiet)
        self._add(self._below)
        self._apply_blocks()
        self._guard.arm()
        self.form_opened.emit(False)

    def _big(self, button: CardButton, key: str) -> GuardedButton:
        made = GuardedButton(button.words, self._guard, button.kind, icon=button.icon, key=key)
        made.setObjectName(f"card.{button.verdict.value}")
        made.activated.connect(lambda: self.press(button))
        self._big_buttons.append((button, made))
        return made

    def _quiet_row(self) -> QHBoxLayout:
        line = row(None, 2)
        for place, button in enumerate(self._buttons.quiet):
            words = "" if button.verdict is Verdict.POSTPONE and place > 1 else button.words
            made = Button(words, "ghost", icon=button.icon, height=28, flush=place == 0, tip=button.words)
            made.setObjectName(f"card.{button.verdict.value}")
            made.setToolTip(f"{button.words}   {button.key}".rstrip())
            made.clicked.connect(lambda _checked=False, button=button: self.press(button))
            line.addWidget(made)
        self._hint = Label("", "meta", "text3", wrap=True, align=_HINT_ALIGN)
        self._hint.setObjectName("card.hint")
        line.addStretch(0)
        line.addWidget(self._hint, 1)
        return line

    # ---------------------------------------------------------------- forms and second steps

    def press(self, button: CardButton) -> None:
        """What a button does: decide, or open what stands before the decision."""
        if self._card is None:
            return
        if button.form is Form.REVIEW:
            self.review_wanted.emit()
        elif button.form is Form.NONE:
            self._decide(button.verdict, Filled())
        elif button.form is Form.ARGUMENTS:
            self._open(button, ModifyForm(self._card, self._try_out))
        elif button.form is Form.PLAN:
            self._open(button, PlanForm(self._card, self._try_out))
        else:
            form = form_for(button, self._card, self._now())
            if form is not None:
                self._open(button, form)

    def press_key(self, letter: str) -> bool:
        """A bare letter while the card has the focus: opens a form, also behind the lock, and never closes a card."""
        button = self._by_key.get(letter.upper())
        if button is None or self._form is not None or self._off(button):
            return False
        if button.form is Form.NONE and (button.verdict is not Verdict.CHECK_AGAIN or self._guard.locked):
            return False
        self.press(button)
        return True

    def _open(self, button: CardButton, form: DecisionForm) -> None:
        """Open a form that a person asked for: it has the keys."""
        self._show_form(button, form)
        first = form.first_field()
        if first is not None:
            first.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self._focus_safe()

    def _show_form(self, button: CardButton, form: DecisionForm) -> None:
        self._clear()
        self._form, self._opened_by = form, button
        self._add(form)
        form.show()
        self._confirming = self._confirm_button(button, form)
        self._problem = Label("", "secondary", "text3", wrap=True)
        self._problem.setObjectName("card.form.problem")
        form.changed.connect(self._refresh_form)
        self._add(self._confirm_row(self._confirming))
        self._add(self._problem)
        self._refresh_form()
        self.form_opened.emit(True)

    def _confirm_button(self, button: CardButton, form: DecisionForm) -> GuardedButton:
        words = form.confirm or button.confirm or _CONFIRM[button.verdict]
        if form.held:
            confirm: GuardedButton = HoldButton(f"Hold to {words[0].lower()}{words[1:]}", self._guard, icon=button.icon)
        else:
            kind: ButtonKind = "outline" if button.verdict in _GOES_AHEAD else "default"
            confirm = GuardedButton(words, self._guard, kind, icon=button.icon, key="Ctrl ↵")
        if isinstance(confirm, HoldButton):
            confirm.set_press_twice(self.press_twice)
        confirm.setObjectName("card.confirm")
        confirm.activated.connect(self._confirm)
        return confirm

    def _refresh_form(self) -> None:
        """Whether what was filled in can be confirmed, and what keeps it from that."""
        button, form, confirm = self._opened_by, self._form, self._confirming
        if button is None or form is None or confirm is None:
            return
        problem = self._off(button) or form.problem() or self._not_shown(button, form)
        confirm.setEnabled(not problem)
        self._problem.setText(problem)
        self._guard.set_main(None if problem else confirm)

    def _not_shown(self, button: CardButton, form: DecisionForm) -> str:
        edits = button.verdict in EDITING
        return "See all that would change first (V)." if edits and self.unseen() and form.unseen() else ""

    def unseen(self) -> bool:
        """Whether the card was not shown to its end yet."""
        return bool(self.incomplete_because)

    def _focus_safe(self) -> None:
        if self._cancel is not None:
            self._cancel.setFocus(Qt.FocusReason.TabFocusReason)

    def _confirm_row(self, confirm: GuardedButton) -> QHBoxLayout:
        line = row(None, 8)
        confirm.set_expanding()
        cancel = Button("Cancel", "default", key="Esc", height=34)
        cancel.setObjectName("card.cancel")
        cancel.clicked.connect(self.cancel)
        line.addWidget(confirm, 1)
        line.addWidget(cancel)
        self._guard.set_main(confirm)
        self._guard.arm()
        self._cancel = cancel
        return line

    def _confirm(self) -> None:
        if self._form is not None and self._opened_by is not None and not self._form.problem():
            self._decide(self._opened_by.verdict, self._form.filled())

    def cancel(self) -> bool:
        """Close the form; False when none was open."""
        if self._form is None:
            return False
        self.rest()
        return True

    @property
    def form(self) -> DecisionForm | None:
        """The form or second step that is open."""
        return self._form

    def _decide(self, verdict: Verdict, filled: Filled) -> None:
        self.decided.emit(verdict, filled)

    # ---------------------------------------------------------------- layout

    def _keep_focus(self) -> None:
        """The focus of a part that goes falls to the card: Qt would give it to whatever is next in the window."""
        focus, card = QApplication.focusWidget(), self.parentWidget()
        if focus is not None and card is not None and self.isAncestorOf(focus):
            card.setFocus(Qt.FocusReason.OtherFocusReason)

    def _add(self, part: QWidget | QLayout) -> None:
        if isinstance(part, QLayout):
            self._layout.addLayout(part)
        else:
            self._layout.addWidget(part)
        self._parts.append(part)

    def _clear(self) -> None:
        self._keep_focus()
        self._guard.set_main(None)
        self._main = self._confirming = self._form = self._opened_by = None
        self._big_buttons.clear()
        for part in self._parts:
            _discard(part)
        self._parts.clear()


def give_room(layout: QBoxLayout, footer: Footer, body: QWidget) -> None:
    """A form that shows all that the body does stands in its place."""
    takes = footer.form is not None and footer.form.takes_the_body
    body.setVisible(not takes)
    layout.setStretchFactor(footer, 1 if takes else 0)


def _items(layout: QLayout) -> Iterator[QLayoutItem]:
    return (item for place in range(layout.count()) if (item := layout.itemAt(place)) is not None)


def _discard(part: QWidget | QLayout) -> None:
    if isinstance(part, QWidget):
        part.hide()
        part.deleteLater()
        return
    while (item := part.takeAt(0)) is not None:
        inner = item.widget() or item.layout()
        if inner is not None:
            _discard(inner)
    part.deleteLater()
