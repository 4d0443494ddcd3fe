"""The small forms between a button and its decision. Each says when it is complete and what it adds to the decision."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from PySide6.QtWidgets import QWidget

from agent_core.model.action import Tier
from agent_core.model.proposal import Proposal, Touchpoint, Verdict
from ui import formatting
from ui.models.card_buttons import CardButton, Form
from ui.views.decisions.decision_form import DecisionForm, Filled
from ui.widgets.button import Button
from ui.widgets.checks import CheckBox, RadioButton
from ui.widgets.combo_box import ComboBox
from ui.widgets.field import Field, TextArea
from ui.widgets.label import Label
from ui.widgets.surface import column, row

_LONGEST_CONFIRM = 36
"""Characters of an effect that still stand on the button that confirms it."""
_NOBODY = "Choose a person"
REJECT_REASONS = ("Wrong data", "Wrong target", "Not now", "Against policy")


class EffectForm(DecisionForm):
    """The second step: the effect restated, and a reason where the confidence asks for one."""

    def __init__(self, card: Proposal) -> None:
        super().__init__()
        self.confirm = _short(card.summary)
        self._doubtful = card.doubtful
        self._effect = card.digest or card.summary
        self.reason = Field(placeholder="Reason: below the threshold", name="Reason")
        self.reason.setObjectName("card.form.text")
        self.reason.setVisible(card.doubtful)
        where = f" in {card.system}" if card.system else ""
        layout = column(self, 8)
        layout.addWidget(Label(f"{card.summary}{where}?", "key_value", "text", wrap=True))
        if card.way_back and card.touchpoint is Touchpoint.APPROVAL:
            layout.addWidget(Label(card.way_back, "secondary", "text3", wrap=True))
        layout.addWidget(self.reason)
        self.reason.textChanged.connect(lambda _text: self.changed.emit())

    def problem(self) -> str:
        """Below the threshold it takes a reason."""
        missing = self._doubtful and not self.reason.text().strip()
        return "Below the threshold: give a reason." if missing else ""

    def filled(self) -> Filled:
        """The reason, if any."""
        return Filled(reason=self.reason.text().strip() or None)

    def renewed(self, card: Proposal) -> bool:
        """Another version has another effect: it is approved from the start."""
        return False

    def about(self) -> str:
        """The effect that it restates."""
        return self._effect


def _short(summary: str) -> str:
    return summary if len(summary) <= _LONGEST_CONFIRM else " ".join(summary.split()[:4]) + "…"


class TextForm(DecisionForm):
    """One text: a reason, a question, a reference."""

    def __init__(self, label: str, into: str, *, required: bool, placeholder: str = "") -> None:
        super().__init__()
        self._into, self._required = into, required
        self.text = Field(placeholder=placeholder or label, name=label)
        self.text.setObjectName("card.form.text")
        layout = column(self, 5)
        layout.addWidget(Label(label, "secondary_medium", "text2"))
        layout.addWidget(self.text)
        self.text.textChanged.connect(lambda _text: self.changed.emit())

    def problem(self) -> str:
        """A required text may not be blank."""
        return "This needs a few words." if self._required and not self.text.text().strip() else ""

    def filled(self) -> Filled:
        """The text, in its place."""
        words = self.text.text().strip() or None
        if self._into == "reason":
            return Filled(reason=words)
        if self._into == "answer":
            return Filled(answer=words)
        return Filled(details={self._into: words} if words else {})

    def first_field(self) -> QWidget:
        """The text."""
        return self.text


class RejectForm(DecisionForm):
    """Reason chips, words, and whether the agent may try another way."""

    def __init__(self, card: Proposal) -> None:
        super().__init__()
        self._required = card.tier is not Tier.R1
        self.text = Field(placeholder="What is wrong with it", name="Reason")
        self.text.setObjectName("card.form.text")
        self.go_on = CheckBox("Let the agent try another way")
        self.go_on.setObjectName("card.form.go_on")
        self.go_on.setChecked(True)
        layout = column(self, 8)
        chips = row(None, 6)
        for reason in REJECT_REASONS:
            chip = Button(reason, "default", height=26)
            chip.clicked.connect(lambda _checked=False, reason=reason: self._take(reason))
            chips.addWidget(chip)
        chips.addStretch(1)
        layout.addLayout(chips)
        layout.addWidget(self.text)
        layout.addWidget(self.go_on)
        self.text.textChanged.connect(lambda _text: self.changed.emit())
        self.go_on.toggled.connect(lambda _on: self.changed.emit())

    def _take(self, reason: str) -> None:
        typed = self.text.text().strip()
        self.text.setText(f"{reason}: " if not typed or typed.rstrip(":") in REJECT_REASONS else f"{reason}: {typed}")
        self.text.setFocus()

    def problem(self) -> str:
        """Grave actions are refused with a reason."""
        return "Say why, so that the agent can do better." if self._required and not self.text.text().strip() else ""

    def filled(self) -> Filled:
        """The reason, and whether the run goes on."""
        reason = self.text.text().strip().rstrip(":") or None
        return Filled(reason=reason, details={"then": "continue" if self.go_on.isChecked() else "stop"})

    def first_field(self) -> QWidget:
        """The reason."""
        return self.text


class AnswerForm(DecisionForm):
    """Answers on offer as radio buttons, and a text for any other."""

    def __init__(self, options: Sequence[str]) -> None:
        super().__init__()
        self._options = list(options)
        self._choices = [RadioButton(option) for option in options]
        self.text = TextArea(placeholder="Your answer")
        self.text.setObjectName("card.form.answer")
        self.text.setAccessibleName("Your answer")
        layout = column(self, 6)
        layout.addWidget(Label("Your answer", "section_head", "text2"))
        for place, choice in enumerate(self._choices):
            choice.setObjectName(f"card.form.option.{place}")
            choice.toggled.connect(lambda _on: self.changed.emit())
            layout.addWidget(choice)
        layout.addWidget(self.text)
        self.text.textChanged.connect(self.changed)

    def _answer(self) -> str:
        typed = self.text.toPlainText().strip()
        chosen = next((choice.text() for choice in self._choices if choice.isChecked()), "")
        return typed or chosen.replace("&&", "&")

    def problem(self) -> str:
        """Silence is no answer."""
        return "" if self._answer() else "Choose or type an answer."

    def about(self) -> str:
        """The answers on offer: one is chosen by its place."""
        return "\n".join(self._options)

    def renewed(self, card: Proposal) -> bool:
        """Other answers on offer are chosen from anew."""
        return not self._options or self._options == list(card.options)

    def filled(self) -> Filled:
        """The answer: what was typed, else what was chosen."""
        return Filled(answer=self._answer())

    def first_field(self) -> QWidget:
        """The first choice, else the text."""
        return self._choices[0] if self._choices else self.text


class PersonForm(DecisionForm):
    """To whom, and a note. The operators of the home are on offer; a name is typed only where it has no others."""

    def __init__(self, card: Proposal, others: Sequence[str]) -> None:
        super().__init__()
        first = card.escalate_to or ""
        self.person: ComboBox | Field
        if others:
            self.person = ComboBox((_NOBODY, *others), name="Escalate to", icon="users-round")
            self.person.setCurrentIndex(others.index(first) + 1 if first in others else 0)
            self.person.currentIndexChanged.connect(lambda _place: self.changed.emit())
        else:
            self.person = Field(first, placeholder="Name of the person", name="Escalate to")
            self.person.textChanged.connect(lambda _text: self.changed.emit())
        self._others = tuple(others)
        self.person.setObjectName("card.form.person")
        self.note = Field(placeholder="Note (what to look at)", name="Note")
        self.note.setObjectName("card.form.note")
        layout = column(self, 6)
        layout.addWidget(Label("Escalate to", "secondary_medium", "text2"))
        layout.addWidget(self.person)
        layout.addWidget(self.note)
        self.note.textChanged.connect(lambda _text: self.changed.emit())

    def _name(self) -> str:
        if isinstance(self.person, Field):
            return self.person.text().strip()
        place = self.person.currentIndex()
        return self._others[place - 1] if place > 0 else ""

    def problem(self) -> str:
        """A name is needed."""
        return "" if self._name() else "Name who should decide."

    def filled(self) -> Filled:
        """Name and note."""
        return Filled(reason=self.note.text().strip() or None, details={"to": self._name()})

    def first_field(self) -> QWidget:
        """The name."""
        return self.person


class TakeOverForm(DecisionForm):
    """Done outside or not, with a reference."""

    def __init__(self) -> None:
        super().__init__()
        self.done = RadioButton("I have done it outside")
        self.done.setObjectName("card.form.done")
        self.not_done = RadioButton("It is not done and will not be")
        self.not_done.setObjectName("card.form.not_done")
        self.reference = Field(placeholder="Reference: a number, a link, who was told", name="Reference")
        self.reference.setObjectName("card.form.reference")
        layout = column(self, 6)
        for widget in (self.done, self.not_done, self.reference):
            layout.addWidget(widget)
        self.done.toggled.connect(lambda _on: self.changed.emit())
        self.not_done.toggled.connect(lambda _on: self.changed.emit())
        self.reference.textChanged.connect(lambda _text: self.changed.emit())

    def problem(self) -> str:
        """One of the two, and a reference when it was done."""
        if not self.done.isChecked() and not self.not_done.isChecked():
            return "Say whether it is done."
        return "Give a reference." if self.done.isChecked() and not self.reference.text().strip() else ""

    def filled(self) -> Filled:
        """Done, and by which evidence."""
        reference = self.reference.text().strip()
        return Filled(details={"done": self.done.isChecked(), **({"reference": reference} if reference else {})})

    def first_field(self) -> QWidget:
        """The first choice."""
        return self.done


class PostponeForm(DecisionForm):
    """Until when the card rests; never past its deadline."""

    def __init__(self, card: Proposal, now: datetime) -> None:
        super().__init__()
        self._until: dict[RadioButton, datetime] = {}
        layout = column(self, 6)
        layout.addWidget(Label("Bring it back in", "secondary_medium", "text2"))
        for minutes in (5, 15, 30, 60, 240):
            until = now + timedelta(minutes=minutes)
            if card.approve_by is not None and until >= card.approve_by:
                break
            choice = RadioButton(formatting.duration(minutes * 60))
            choice.setObjectName(f"card.form.minutes.{minutes}")
            choice.toggled.connect(lambda _on: self.changed.emit())
            self._until[choice] = until
            layout.addWidget(choice)
        if not self._until:
            layout.addWidget(Label("Its deadline is too near to put it off.", "secondary", "text2", wrap=True))
        if card.approve_by is not None:
            words = f"Its deadline stays {formatting.clock_time(card.approve_by.astimezone(), seconds=False)}."
            layout.addWidget(Label(words, "secondary", "text3"))

    def _chosen(self) -> datetime | None:
        return next((until for choice, until in self._until.items() if choice.isChecked()), None)

    def problem(self) -> str:
        """A time is needed, where there is one."""
        if not self._until:
            return "Decide it, or pass it on."
        return "" if self._chosen() is not None else "Choose a time."

    def filled(self) -> Filled:
        """The instant."""
        chosen = self._chosen()
        return Filled(details={"until": chosen.astimezone(UTC).isoformat() if chosen else ""})

    def first_field(self) -> QWidget | None:
        """The first choice."""
        return next(iter(self._until), None)


class LimitsForm(DecisionForm):
    """New absolute limits for those that can be extended, and a reason."""

    def __init__(self, card: Proposal) -> None:
        super().__init__()
        self._fields: dict[str, Field] = {}
        layout = column(self, 6)
        layout.addWidget(Label("Continue with new limits", "section_head", "text2"))
        now_limits: dict[str, Any] = card.facts.get("limits", {}) if isinstance(card.facts.get("limits"), dict) else {}
        for name in card.options:
            line = row(None, 8)
            label = Label(name.replace("_usd", " (USD)").replace("_", " ").capitalize(), "secondary", "text2")
            entry = Field(
                str(now_limits.get(name, "")), note=f"now {now_limits.get(name, 'not set')}", name=label.text()
            )
            entry.setObjectName(f"card.form.limit.{name}")
            entry.textChanged.connect(lambda _text: self.changed.emit())
            self._fields[name] = entry
            line.addWidget(label, 1)
            line.addWidget(entry, 2)
            layout.addLayout(line)
        self.reason = Field(placeholder="Why it is worth more", name="Reason")
        self.reason.setObjectName("card.form.text")
        self.reason.textChanged.connect(lambda _text: self.changed.emit())
        layout.addWidget(self.reason)
        layout.addWidget(Label("Applies to this run only.", "secondary", "text3"))
        self._before = {name: entry.text() for name, entry in self._fields.items()}

    def _changed(self) -> dict[str, str]:
        typed = {name: entry.text().strip() for name, entry in self._fields.items()}
        return {name: text for name, text in typed.items() if text and text != self._before[name]}

    def problem(self) -> str:
        """At least one limit, and a reason."""
        if not self._changed():
            return "Raise at least one limit."
        return "" if self.reason.text().strip() else "Say why it is worth more."

    def filled(self) -> Filled:
        """The new limits."""
        return Filled(reason=self.reason.text().strip(), details=dict(self._changed()))

    def first_field(self) -> QWidget | None:
        """The first limit."""
        return next(iter(self._fields.values()), self.reason)


def form_for(button: CardButton, card: Proposal, now: datetime, others: Sequence[str] = ()) -> DecisionForm | None:
    """The form that a button opens; None for those that need none or have a page of their own.

    `others` are the operators of the home to whom a card can be passed on.
    """
    kind = button.form
    if kind is Form.SECOND_STEP:
        return EffectForm(card)
    if kind is Form.REJECT:
        return RejectForm(card)
    if kind is Form.REASON:
        return TextForm("Reason", "reason", required=True)
    if kind is Form.QUESTION:
        return TextForm("Question to the agent (it may only read)", "reason", required=True)
    if kind is Form.REFERENCE:
        label = "How do you know? A reference" if button.verdict is Verdict.HAPPENED else "How do you know it did not?"
        return TextForm(label, "reference", required=True)
    if kind is Form.PERSON:
        return PersonForm(card, others)
    if kind is Form.TAKE_OVER:
        return TakeOverForm()
    if kind is Form.ANSWER:
        other = button.verdict is Verdict.OTHER_WAY  # than the suggestion, which has its own button
        return AnswerForm(() if other else card.options)
    if kind is Form.LIMITS:
        return LimitsForm(card)
    if kind is Form.POSTPONE:
        return PostponeForm(card, now)
    return None
