"""TriedForm: a form whose new arguments are tried while they are edited, against schema, gate and preview."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from agent_core.model.intents import Trial
from agent_core.model.proposal import Proposal
from ui.models.card_buttons import Form, buttons_for
from ui.models.figure_to_type import figure_to_type
from ui.theme import px
from ui.tokens import ToneName
from ui.views.decisions.decision_form import KEY_FIGURE, DecisionForm
from ui.widgets.field import Field
from ui.widgets.label import Label
from ui.widgets.marks import Chip
from ui.widgets.surface import row

UNTOUCHED = "Change a value; it is checked at once."
SETTLE_MS = 250
"""How long typing rests before a trial is asked for."""
TryOut = Callable[[dict[str, Any], Callable[[Trial], None]], None]
"""Asks the desk what edited arguments would mean, and calls back."""


class TriedForm(DecisionForm):
    """Nothing is decided on arguments that were not tried, and only the newest trial counts.

    What cannot be undone takes the same trouble edited as unedited: its key figure is typed, its button held.
    """

    def __init__(self, card: Proposal, try_out: TryOut) -> None:
        super().__init__()
        self.held = any(button.form is Form.REVIEW for button in buttons_for(card).main)
        self._try_out = try_out
        self.trial: Trial | None = None
        self.asked: dict[str, Any] | None = None
        self._waiting = UNTOUCHED
        """What it waits for while there is no trial."""
        self.state = Chip("unchanged", "plain")
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._ask)
        self.figure = Field(placeholder="…", name="Key figure")
        self.figure.setObjectName(KEY_FIGURE)
        self.figure.textChanged.connect(lambda _text: self.changed.emit())
        self._figure_name = Label("", "body_medium")
        self.figure_line = QWidget()
        self.figure_line.hide()
        line = row(self.figure_line, 8)
        line.addWidget(self._figure_name)
        self.figure.setMinimumWidth(px(60))
        line.addWidget(self.figure, 1)

    # ---------------------------------------------------------------- for subclasses

    def arguments(self) -> dict[str, Any] | None:
        """The complete new arguments; None while they cannot be read."""
        raise NotImplementedError

    def is_unchanged(self, arguments: dict[str, Any]) -> bool:
        """Whether they are what was proposed."""
        raise NotImplementedError

    def show_trial(self, trial: Trial) -> None:
        """Show what the trial found."""

    def valid_words(self) -> tuple[str, ToneName, str]:
        """The chip's words, tone and icon after a trial that found nothing wrong."""
        return "valid", "ok", "check"

    def edited(self) -> None:
        """Something was changed: the last trial no longer counts."""
        self.trial = None
        self._settle.start()
        self.changed.emit()

    # ---------------------------------------------------------------- trying

    def _ask(self) -> None:
        values = self.arguments()
        if values is None:
            self._show_state("not valid", "dang", "x")
            self._waits("Mend what is marked; it is checked at once.")
        elif self.is_unchanged(values):
            self._show_state("unchanged", "plain")
            self._waits(UNTOUCHED)
        else:
            self.asked = values
            self._show_state("checking…", "plain")
            self._waits("Checking…")
            self._try_out(values, lambda trial: self._answered(values, trial))

    def _waits(self, words: str) -> None:
        self._waiting = words
        self.changed.emit()

    def _answered(self, asked: dict[str, Any], trial: Trial) -> None:
        if not isValid(self) or asked is not self.asked:  # the form may be closed, or its arguments others by now
            return
        self.trial = trial
        self._ask_for_figure(trial)
        if trial.errors:
            self._show_state("not valid", "dang", "x")
        else:
            self._show_state(*self.valid_words())
        self.show_trial(trial)
        self.changed.emit()

    def _ask_for_figure(self, trial: Trial) -> None:
        self._figure_name.setText(f"Type {figure_to_type(trial.key_figure).label}")
        self.figure_line.setVisible(self.held and not trial.errors)

    def figure_problem(self) -> str:
        """What keeps an action that cannot be undone from being approved, once its arguments are sound."""
        if not self.held or self.trial is None or self.trial.errors:
            return ""
        wanted = figure_to_type(self.trial.key_figure)
        return "" if self.figure.text().strip() == wanted.value else f"{self._figure_name.text()} to unlock."

    def _show_state(self, words: str, tone: ToneName, icon: str | None = None) -> None:
        self.state.setText(words)
        self.state.set_tone(tone, icon)

    def problem(self) -> str:
        """What keeps it from being decided."""
        if self.trial is None:
            return self._waiting
        return next(iter(self.trial.errors.values()), "") or self.figure_problem()
