"""RunFoot: what a new run adds to today's spend, why it was refused, and the buttons that start it."""

from decimal import Decimal

from PySide6.QtWidgets import QWidget

from agent_core.config.values import BadValue
from agent_core.model.budget import LimitName
from agent_core.model.intents import DayBudget
from ui.models.new_run import RunForm, limit_value, over_day_limit, spend_words
from ui.widgets.button import Button
from ui.widgets.label import Label
from ui.widgets.surface import column, row


class RunFoot(QWidget):
    """Words at the left, buttons at the right."""

    def __init__(self) -> None:
        super().__init__()
        self._spend = Label("", "secondary", "text3", wrap=True)
        self._refusal = Label("", "secondary", "dang", wrap=True)
        self.cancel = Button("Cancel", "ghost", key="Esc", height=34)
        self.plan_first = Button("Plan first", "default", icon="list-checks", height=34)
        self.plan_first.setToolTip("Start with a plan that you approve, edit or reject before anything happens")
        self.start = Button("Start run", "primary", icon="play", key="Ctrl ↵", height=34)
        for name, widget in (
            ("spend", self._spend), ("refusal", self._refusal), ("cancel", self.cancel),
            ("plan_first", self.plan_first), ("start", self.start),
        ):  # fmt: skip
            widget.setObjectName(f"new_run.{name}")
        words = column(None, 2)
        words.addWidget(self._spend)
        words.addWidget(self._refusal)
        self._refusal.hide()
        layout = row(self, 8, (22, 12, 16, 12))
        layout.addLayout(words, 1)
        for button in (self.cancel, self.plan_first, self.start):
            layout.addWidget(button)

    def show_spend(self, day: DayBudget | None, form: RunForm, *, known: bool) -> None:
        """What the run adds to today; `known` is False while no agent is there to say its limits."""
        cost: Decimal | None = None
        try:
            value = limit_value(LimitName.COST_USD, form.limits[LimitName.COST_USD])
            cost = value if isinstance(value, Decimal) else None
        except BadValue:
            known = False
        over = over_day_limit(day, cost)
        words = spend_words(day, cost, known=known)
        self._spend.setText(f"{words}. The day limit would stop it first." if over else words)
        self._spend.set_color("attn" if over else "text3")

    def show_refusal(self, sentence: str) -> None:
        """Why it could not be started; "" takes that back."""
        self._refusal.setText(sentence)
        self._refusal.setVisible(bool(sentence))

    def show_starting(self, starting: bool) -> None:
        """Whether a start is under way."""
        self.start.set_label("Starting…" if starting else "Start run")

    def set_ready(self, ready: bool) -> None:
        """Whether the run can be started."""
        for button in (self.start, self.plan_first):
            button.setEnabled(ready)
