"""FormFoot: the foot of a card while a form is open, with the button that confirms it and what that waits for."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from agent_core.model.intents import HalfFilled
from agent_core.model.proposal import EDITING, Proposal, Verdict
from ui.models.card_buttons import CardButton
from ui.views.decisions import sections
from ui.views.decisions.decision_form import DecisionForm
from ui.widgets.button import Button, ButtonKind
from ui.widgets.guard import InputGuard
from ui.widgets.guarded_button import GuardedButton
from ui.widgets.hold_button import HoldButton
from ui.widgets.label import Label
from ui.widgets.surface import column, row

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


class FormFoot(QWidget):
    """One form and its confirmation. `confirmed` is a person's deliberate act; `edited` follows each change."""

    confirmed = Signal()
    cancelled = Signal()
    edited = Signal()

    def __init__(self, button: CardButton, form: DecisionForm, guard: InputGuard, *, press_twice: bool) -> None:
        super().__init__()
        self.button, self.form = button, form
        self._guard = guard
        self._untouched = form.entries()
        self._note: QWidget | None = None
        self._confirm = self._confirm_button(press_twice)
        self._cancel = Button("Cancel", "default", key="Esc", height=34)
        self._cancel.setObjectName("card.cancel")
        self._cancel.clicked.connect(self.cancelled)
        self._problem = Label("", "secondary", "text3", wrap=True)
        self._problem.setObjectName("card.form.problem")
        self._layout = column(self, 8)
        self._layout.addWidget(form, 1 if form.takes_the_body else 0)
        self._layout.addLayout(self._confirm_row())
        self._layout.addWidget(self._problem)
        form.changed.connect(self.edited)

    def _confirm_button(self, press_twice: bool) -> GuardedButton:
        button, form = self.button, self.form
        words = form.confirm or button.confirm or _CONFIRM[button.verdict]
        confirm: GuardedButton
        if form.held:
            confirm = HoldButton(words, self._guard, icon=button.icon)
            confirm.set_press_twice(press_twice)
        else:
            kind: ButtonKind = "outline" if button.verdict in _GOES_AHEAD else "default"
            confirm = GuardedButton(words, self._guard, kind, icon=button.icon, key="Ctrl ↵")
        confirm.setObjectName("card.confirm")
        confirm.activated.connect(self._confirmed)
        return confirm

    def _confirm_row(self) -> QHBoxLayout:
        line = row(None, 8)
        self._confirm.set_expanding()
        line.addWidget(self._confirm, 1)
        line.addWidget(self._cancel)
        return line

    def _confirmed(self) -> None:
        if not self.form.problem():
            self.confirmed.emit()

    def refresh(self, off: str, *, body_unseen: bool) -> None:
        """Whether it can be confirmed, and what keeps it from that: `off`, what it lacks, or what was not looked at."""
        problem = off or self.form.problem() or self._not_shown(body_unseen)
        self._confirm.setEnabled(not problem)
        self._problem.setText(problem)
        self._guard.set_main(None if problem else self._confirm)

    def _not_shown(self, body_unseen: bool) -> str:
        edits = self.button.verdict in EDITING
        return "See all that would change first (V)." if edits and body_unseen and self.form.unseen() else ""

    def show_version(self, card: Proposal) -> None:
        """Say what is different now, above a form that stands in the place of the body, which says it else."""
        if self._note is not None:
            self._note.hide()
            self._note.deleteLater()
        self._note = sections.changed(card) if self.form.takes_the_body else None
        if self._note is not None:
            self._layout.insertWidget(0, self._note)

    def take_focus(self) -> None:
        """Have the keys: a person has opened the form."""
        (self.form.first_field() or self._cancel).setFocus(Qt.FocusReason.TabFocusReason)

    # ---------------------------------------------------------------- what was typed

    def typed(self, *, open_: bool = True) -> HalfFilled | None:
        """What a person has filled in, as far as it differs from the form as it comes; None for nothing."""
        entries = self.form.entries()
        typed = {name: value for name, value in entries.items() if value != self._untouched.get(name)}
        if not typed:
            return None
        return HalfFilled(verdict=self.button.verdict.value, about=self.form.about(), entries=typed, open=open_)

    def fill(self, half: HalfFilled) -> None:
        """Put back what was typed, where it holds for this card."""
        if half.about == self.form.about():
            self.form.enter(half.entries)
