"""TriedForm: a form whose new arguments are tried while they are edited, against schema, gate and preview."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QTimer

from agent_core.model.intents import Trial
from ui.tokens import ToneName
from ui.views.decisions.forms import DecisionForm
from ui.widgets.marks import Chip

SETTLE_MS = 250
"""How long typing rests before a trial is asked for."""
TryOut = Callable[[dict[str, Any], Callable[[Trial], None]], None]
"""Asks the desk what edited arguments would mean, and calls back."""


class TriedForm(DecisionForm):
    """Nothing is decided on arguments that were not tried, and only the newest trial counts."""

    def __init__(self, try_out: TryOut) -> None:
        super().__init__()
        self._try_out = try_out
        self.trial: Trial | None = None
        self.asked: dict[str, Any] | None = None
        self.state = Chip("unchanged", "plain")
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._ask)

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
        elif self.is_unchanged(values):
            self._show_state("unchanged", "plain")
        else:
            self.asked = values
            self._show_state("checking…", "plain")
            self._try_out(values, lambda trial: self._answered(values, trial))

    def _answered(self, asked: dict[str, Any], trial: Trial) -> None:
        if asked is not self.asked:
            return
        self.trial = trial
        if trial.errors:
            self._show_state("not valid", "dang", "x")
        else:
            self._show_state(*self.valid_words())
        self.show_trial(trial)
        self.changed.emit()

    def _show_state(self, words: str, tone: ToneName, icon: str | None = None) -> None:
        self.state.setText(words)
        self.state.set_tone(tone, icon)

    def problem(self) -> str:
        """What keeps it from being decided."""
        if self.trial is None:
            return "Change a value; it is checked at once."
        return next(iter(self.trial.errors.values()), "")
