"""The foot of a card: its buttons, or the one form or second step that stands between them and a decision.

Every button that decides is guarded by one lock, which closes again whenever the foot changes. Letters only open forms.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QWidget

from agent_core.model.intents import HalfFilled
from agent_core.model.proposal import APPROVING, EDITING, Proposal, Verdict
from ui.form_keeper import FormKeeper
from ui.models.card_buttons import ButtonSet, CardButton, Form, buttons_for
from ui.views.decisions.buttons_foot import ButtonsFoot, RestingFoot
from ui.views.decisions.change_part import ChangePart, unseen_words
from ui.views.decisions.decision_form import DecisionForm, Filled
from ui.views.decisions.form_foot import FormFoot
from ui.views.decisions.forms import form_for
from ui.views.decisions.modify_form import ModifyForm
from ui.views.decisions.plan_form import PlanForm
from ui.views.decisions.tried_form import TryOut
from ui.widgets.guard import InputGuard
from ui.widgets.surface import Surface, column


class Footer(Surface):
    """`decided(verdict, Filled)` is a person's deliberate act; `review_wanted` opens the full review."""

    decided = Signal(object, object)
    review_wanted = Signal()
    form_opened = Signal(bool)
    form_lost = Signal()
    """Another version of the card closed the form that somebody had in hand: what is typed on must decide nothing."""

    def __init__(self, guard: InputGuard, now: Callable[[], datetime], try_out: TryOut, keeper: FormKeeper) -> None:
        super().__init__("bar_bottom")
        self.setObjectName("card.footer")
        self.guard = guard
        self._now, self._try_out, self._keeper = now, try_out, keeper
        self.card: Proposal | None = None
        self.buttons = ButtonSet((), (), "")
        self._resting: RestingFoot | None = None
        self._open: FormFoot | None = None
        self._confirmed = False
        """Whether the form was confirmed as it stands, and its answer is awaited."""
        self.parts: Sequence[ChangePart] = ()
        """What there is to see of the card."""
        self.press_twice = False
        self.others: Callable[[], Sequence[str]] = tuple
        """Names of those to whom a card can be passed on."""
        self.blocked_because = ""
        """Why nobody may approve it now (expired, with the agent); "" when one may."""
        self._all_blocked = False
        """Whether that takes every other answer away, too."""
        self._layout = column(self, 0, (16, 12, 16, 10))
        keeper.read.connect(self._take_up)

    # ---------------------------------------------------------------- one card

    def show_card(self, card: Proposal, parts: Sequence[ChangePart]) -> None:
        """The buttons of a card. What is filled in stays for its next version, and waits while another is shown.

        A form takes the trouble that its card asks for: where that is another now, it is made anew and filled in again.
        """
        before, main = self.card, self.buttons.main
        self.card, self.parts, self.blocked_because, self._all_blocked = card, parts, "", False
        self.buttons = buttons_for(card)
        same = before is not None and before.proposal == card.proposal
        as_grave = before is not None and before.tier is card.tier and main == self.buttons.main
        fits = self._open is not None and same and as_grave and self._may_open(self._open.button)
        if self._open is not None and fits and self._open.form.renewed(card):
            self.guard.arm()
            self._open.show_version(card)
            self.refresh()
            return
        in_hand = same and self.has_form_in_hand()
        self.rest()
        self._take_up()
        if in_hand and self._open is None:
            self.form_lost.emit()

    def _may_open(self, button: CardButton) -> bool:
        return button in self.buttons.every

    def _take_up(self) -> None:
        """Open again what was being filled in on this card. It takes the keys only from whoever asks for it."""
        half = self._keeper.of(self.card.proposal) if self.card is not None else None
        if half is None or not half.open or self._open is not None:
            return
        button = next((one for one in self.buttons.every if one.verdict.value == half.verdict), None)
        form = self._form_of(button) if button is not None else None
        if button is not None and form is not None and form.about() == half.about:
            self._show_form(button, form, half)

    def showEvent(self, event: QShowEvent) -> None:
        """The same card may have been filled in elsewhere meanwhile: the panel and the page show one form."""
        super().showEvent(event)
        if (
            self.card is not None
            and self._open is not None
            and self._open.typed() != self._keeper.of(self.card.proposal)
        ):
            self.rest()
        self._take_up()

    def block(self, because: str, *, everything: bool = False) -> None:
        """Take the approval away, or everything: the sentence is shown instead. "" gives it back."""
        self.blocked_because, self._all_blocked = because, everything
        self.refresh()

    def refresh(self) -> None:
        """What can be pressed now, after more was seen, filled in or taken away."""
        if self._open is not None:
            self._open.refresh(self._off(self._open.button), body_unseen=bool(unseen_words(self.parts)))
        elif self._resting is not None:
            self._resting.refresh(self._off)

    def _off(self, button: CardButton) -> str:
        """Why a button cannot be used now; "" when it can. Page and editor show what there is to see themselves."""
        goes_ahead = button.verdict in APPROVING
        if self.blocked_because and (self._all_blocked or goes_ahead or button is self.buttons.main[0]):
            return self.blocked_because
        shows_it = button.form is Form.REVIEW or button.verdict in EDITING
        return unseen_words(self.parts) if goes_ahead and not shows_it else ""

    # ---------------------------------------------------------------- at rest

    def rest(self) -> None:
        """Back to the buttons."""
        self._clear()
        self._resting = self.resting_foot()
        self._resting.pressed.connect(self.press)
        self._layout.addWidget(self._resting)
        self._resting.show()
        self.refresh()
        self.guard.arm()
        self.form_opened.emit(False)

    def resting_foot(self) -> RestingFoot:
        """What stands here while no form is open."""
        return ButtonsFoot(self.buttons, self.guard)

    def press(self, button: CardButton) -> None:
        """What a button does: decide, or open what stands before the decision."""
        if button.form is Form.REVIEW:
            self.review_wanted.emit()
        elif button.form is Form.NONE:
            self.decided.emit(button.verdict, Filled())
        elif (form := self._form_of(button)) is not None and self.card is not None:
            half = self._keeper.of(self.card.proposal)
            self._show_form(button, form, half if half is not None and half.verdict == button.verdict.value else None)
            if self._open is not None:
                self._open.take_focus()

    def press_key(self, letter: str) -> bool:
        """A bare letter while the card has the focus: opens a form, also behind the lock, and never closes a card."""
        button = next((one for one in self.buttons.every if one.key and one.key == letter.upper()), None)
        if button is None or self._open is not None or self._off(button):
            return False
        if button.form is Form.NONE and (button.verdict is not Verdict.CHECK_AGAIN or self.guard.locked):
            return False
        self.press(button)
        return True

    # ---------------------------------------------------------------- a form

    @property
    def form(self) -> DecisionForm | None:
        """The form or second step that is open."""
        return self._open.form if self._open is not None else None

    def has_form_in_hand(self) -> bool:
        """Whether somebody has the focus in a form that was not confirmed."""
        focus = QApplication.focusWidget()
        in_hand = self._open is not None and focus is not None and self._open.isAncestorOf(focus)
        return in_hand and not self._confirmed

    def _form_of(self, button: CardButton) -> DecisionForm | None:
        card = self.card
        if card is None:
            return None
        if button.form is Form.ARGUMENTS:
            return ModifyForm(card, self._try_out)
        if button.form is Form.PLAN:
            return PlanForm(card, self._try_out)
        return form_for(button, card, self._now(), self.others())

    def _show_form(self, button: CardButton, form: DecisionForm, half: HalfFilled | None) -> None:
        self._clear()
        self._confirmed = False
        self._open = opened = FormFoot(button, form, self.guard, press_twice=self.press_twice)
        if half is not None:
            opened.fill(half)
        opened.edited.connect(self._edited)
        opened.confirmed.connect(lambda: self._confirm(button, form))
        opened.cancelled.connect(self.cancel)
        self._layout.addWidget(opened, 1)
        opened.show()
        self.guard.arm()
        self.refresh()
        self.form_opened.emit(True)

    def _confirm(self, button: CardButton, form: DecisionForm) -> None:
        self._confirmed = True
        self.decided.emit(button.verdict, form.filled())

    def _edited(self) -> None:
        self._confirmed = False
        if self._open is not None and self.card is not None:
            self._keeper.keep(self.card.proposal, self._open.typed())
        self.refresh()

    def cancel(self) -> bool:
        """Close the form; False when none was open. What was typed in it is there again when it is opened again."""
        if self._open is None or self.card is None:
            return False
        self._keeper.keep(self.card.proposal, self._open.typed(open_=False))
        self.rest()
        return True

    # ---------------------------------------------------------------- layout

    def _clear(self) -> None:
        self._keep_focus()
        self.guard.set_main(None)
        for part in (self._resting, self._open):
            if part is not None:
                self._layout.removeWidget(part)
                part.hide()
                part.deleteLater()
        self._resting = self._open = None

    def _keep_focus(self) -> None:
        """The focus of a part that goes falls to the card: Qt would give it to whatever is next in the window."""
        focus, card = QApplication.focusWidget(), self.parentWidget()
        if focus is not None and card is not None and self.isAncestorOf(focus):
            card.setFocus(Qt.FocusReason.OtherFocusReason)


def give_room(layout: QBoxLayout, footer: Footer, body: QWidget) -> None:
    """A form that shows all that the body does stands in its place."""
    takes = footer.form is not None and footer.form.takes_the_body
    body.setVisible(not takes)
    layout.setStretchFactor(footer, 1 if takes else 0)
