"""PlanForm: a proposed plan as a person changes it: order, words, tools, dependencies; proposed against yours."""

import contextlib
import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from agent_core.model.intents import Trial
from agent_core.model.plan import PlanStep
from agent_core.model.proposal import PlanChange, Proposal, Sign
from ui.models.plan_edit import PlanDraft
from ui.models.plan_rows import compared_rows, proposed_rows
from ui.theme import px
from ui.views.decisions.decision_form import Filled
from ui.views.decisions.tried_form import TriedForm, TryOut
from ui.widgets.button import Button
from ui.widgets.choice_menu import ChoiceMenu
from ui.widgets.combo_box import ComboBox
from ui.widgets.field import Field, TextArea
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.plan_picker import PlanPicker
from ui.widgets.surface import Surface, column, row

SUB_GOAL = "Sub-goal"
_INVALID = "steps."
_LEAST_HEIGHT = 96


class PlanForm(TriedForm):
    """The steps with what differs from the proposal, and below them the fields of the current one."""

    takes_the_body = True

    def __init__(self, card: Proposal, try_out: TryOut) -> None:
        super().__init__(card, try_out)
        change = plan_change(card)
        self._options = list(card.options)
        self._first = change
        self._shown: PlanChange | None = change
        self.picker = PlanPicker()
        self.picker.setObjectName("card.form.steps")
        self.goal = TextArea(placeholder="What the step reaches", name="What the step reaches", lines=2)
        self.means = ComboBox((SUB_GOAL, *self._options), name="With")
        self.tools = ChoiceMenu("May use", "reading only")
        self.after = ChoiceMenu("After", "waits for nothing")
        self.reason = Field(placeholder="Why (the agent reads it)", name="Reason")
        self.reason.textChanged.connect(lambda _text: self.changed.emit())
        self._detail = Surface("inset")
        self._name = ElidedLabel("", "mono_strong", "text2")
        self._may_use = Label("May use", "secondary", "text3")
        self.toggle = Button("Take out", "default", icon="trash-2", height=28)
        for name, widget in (
            ("goal", self.goal), ("means", self.means), ("tools", self.tools), ("after", self.after),
            ("text", self.reason), ("toggle", self.toggle),
        ):  # fmt: skip
            widget.setObjectName(f"card.form.{name}")
        self._restart()
        self._build()
        self._connect()
        self._show_rows()
        self.picker.choose(0)
        self._show_step()

    def _restart(self) -> None:
        proposed = [one.step for one in self._first.steps if one.sign is not Sign.REMOVED]
        self.draft = PlanDraft(proposed, self._first.done)

    def _build(self) -> None:
        layout = column(self, 8)
        box = Surface("inset")
        column(box, 0, (1, 1, 1, 1)).addWidget(self.picker)
        box.setMinimumHeight(px(_LEAST_HEIGHT))
        layout.addWidget(box, 1)
        layout.addLayout(self._tool_bar())
        detail = column(self._detail, 6, (11, 8, 11, 9))
        detail.addLayout(_line(self._name, self.means))
        detail.addWidget(self.goal)
        detail.addLayout(_line(Label("After", "secondary", "text3"), self.after, self._may_use, self.tools))
        layout.addWidget(self._detail)
        layout.addWidget(self.reason)
        layout.addWidget(self.figure_line)

    def _tool_bar(self) -> QHBoxLayout:
        line = row(None, 4)
        for name, icon, tip, act in (
            ("up", "arrow-up", "Move up   Alt ↑", lambda: self._move(-1)),
            ("down", "arrow-down", "Move down   Alt ↓", lambda: self._move(1)),
            ("add", "plus", "Add a step   Ins", self._add),
        ):
            button = Button("", "default", icon=icon, height=28, tip=tip)
            button.setObjectName(f"card.form.{name}")
            button.clicked.connect(act)
            line.addWidget(button)
        line.addWidget(self.toggle)
        line.addStretch(1)
        reset = Button("Reset", "ghost", height=28)
        reset.setObjectName("card.form.reset")
        reset.clicked.connect(self._reset)
        line.addWidget(self.state)
        line.addWidget(reset)
        return line

    def _connect(self) -> None:
        self.picker.current_changed.connect(lambda _place: self._show_step())
        self.picker.seen_to_end.connect(self.changed)
        self.picker.moved.connect(self._move)
        self.picker.toggled.connect(self._toggle)
        self.picker.added.connect(self._add)
        self.picker.opened.connect(self._edit)
        self.toggle.clicked.connect(self._toggle)
        self.goal.textChanged.connect(lambda: self._change(goal=" ".join(self.goal.exact_text().split())))
        self.means.currentIndexChanged.connect(self._means_chosen)
        self.tools.chosen.connect(lambda: self._change(tools=self.tools.ticked))
        self.after.chosen.connect(lambda: self._change(after=self.after.ticked))

    # ---------------------------------------------------------------- the steps

    @property
    def _current(self) -> str | None:
        rows, place = self.picker.rows, self.picker.current
        return rows[place].name if 0 <= place < len(rows) else None

    def _show_rows(self) -> None:
        """The newest trial's words where they still hold, else the difference alone."""
        shown = self._shown
        self.picker.set_rows(proposed_rows(shown) if shown is not None else compared_rows(self.draft.compared()))

    def _follow(self, name: str | None) -> None:
        """Stay with a step wherever it went."""
        names = [one.name for one in self.picker.rows]
        self.picker.choose(names.index(name) if name in names else min(self.picker.current, len(names) - 1))
        self._show_step()

    def _did(self, name: str | None) -> None:
        self._shown = None
        self._show_rows()
        self._follow(name)
        self.edited()

    def _move(self, by: int) -> None:
        name = self._current
        if name is not None:
            self.draft.move(name, by)
            self._did(name)

    def _toggle(self) -> None:
        name = self._current
        if name is None:
            return
        if self.draft.step(name) is None:
            self.draft.put_back(name)
        else:
            self.draft.take_out(name)
        self._did(name)

    def _add(self) -> None:
        name = self.draft.add(self._current)
        self._did(name)
        self._edit()

    def _edit(self) -> None:
        if self.goal.isEnabled():
            self.goal.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _reset(self) -> None:
        name = self._current
        self._restart()
        self._shown = self._first
        self._show_rows()
        self._follow(name)
        self.edited()

    # ---------------------------------------------------------------- the current step

    def _show_step(self) -> None:
        """The fields of the current step; a step that was taken out has none to change."""
        name = self._current
        step = self.draft.step(name) if name is not None else None
        self._detail.setVisible(name is not None)
        self.toggle.set_label("Put back" if step is None else "Take out")
        self.toggle.set_icon("undo-2" if step is None else "trash-2")
        self.toggle.setEnabled(name is not None)
        self._name.setText(f"{name}" if step is not None else f"{name}, taken out")
        for widget in (self.goal, self.means, self.tools, self.after):
            widget.setEnabled(step is not None)
            widget.blockSignals(True)
        if step is not None:
            self._fill(step)
        for widget in (self.goal, self.means, self.tools, self.after):
            widget.blockSignals(False)

    def _fill(self, step: PlanStep) -> None:
        if " ".join(self.goal.exact_text().split()) != step.goal:
            self.goal.setPlainText(step.goal)
        if step.tool is not None and step.tool not in self._options:
            self._options.append(step.tool)
            self.means.addItem(step.tool)
        self.means.setCurrentIndex(0 if step.tool is None else 1 + self._options.index(step.tool))
        self.tools.set_choices(self._options, step.tools)
        self.after.set_choices(self.draft.may_wait_for(step.id), step.after)
        for widget in (self._may_use, self.tools):
            widget.setVisible(step.tool is None)

    def _means_chosen(self, index: int) -> None:
        self._change(tool=self._options[index - 1] if index > 0 else None, tools=[])

    def _change(self, **fields: Any) -> None:
        name = self._current
        if name is None or self.draft.step(name) is None:
            return
        self.draft.change(name, **fields)
        self._did(name)

    # ---------------------------------------------------------------- deciding

    def arguments(self) -> dict[str, Any]:
        """The complete new plan."""
        return self.draft.arguments()

    def is_unchanged(self, arguments: dict[str, Any]) -> bool:
        """Whether the plan is the proposed one."""
        return not self.draft.changed

    def show_trial(self, trial: Trial) -> None:
        """Say which of the changed steps will ask, in the words of the gate."""
        parts = trial.what_changes.parts if trial.what_changes is not None and not trial.errors else []
        self._shown = next((part for part in parts if isinstance(part, PlanChange)), None)
        name = self._current
        self._show_rows()
        self._follow(name)

    def problem(self) -> str:
        """What keeps the plan from being approved as it is edited; a fault of a step names the step."""
        if self.trial is None:
            return "Change a step; the plan is checked at once." if not self.draft.changed else "Checking…"
        place, words = next(iter(self.trial.errors.items()), ("", ""))
        number = place.removeprefix(_INVALID).split(".")[0]
        if place.startswith(_INVALID) and number.isdecimal() and int(number) < len(self.draft.steps):
            return f"Step {self.draft.steps[int(number)].id}: {words}"
        return words or self.figure_problem()

    def unseen(self) -> bool:
        """Whether its last step was not on screen yet."""
        return not self.picker.is_seen_to_end

    def filled(self) -> Filled:
        """The plan that was tried."""
        return Filled(arguments=self.asked, reason=self.reason.text().strip() or None)

    def about(self) -> str:
        """The plan that it edits."""
        return hashlib.sha256(msgspec.json.encode(self._first)).hexdigest()

    def entries(self) -> dict[str, Any]:
        """The plan as it stands, and the reason: the other fields show one step of it at a time."""
        return {"steps": self.draft.arguments()["steps"], "reason": self.reason.text()}

    def enter(self, entries: Mapping[str, Any]) -> None:
        """Take up the plan where it was left."""
        self.reason.setText(str(entries.get("reason", "")))
        with contextlib.suppress(msgspec.ValidationError):  # an older version left other steps: the proposed ones stay
            self.draft.steps = msgspec.convert(entries.get("steps", self.draft.steps), list[PlanStep])
            self._did(None)

    def first_field(self) -> QWidget:
        """The steps."""
        return self.picker


def plan_change(card: Proposal) -> PlanChange:
    """The steps of a card."""
    parts = card.what_changes.parts if card.what_changes is not None else []
    return next((part for part in parts if isinstance(part, PlanChange)), PlanChange(steps=[]))


def _line(*widgets: QWidget) -> QHBoxLayout:
    """Labels beside their fields, which share the room."""
    line = row(None, 8)
    for widget in widgets:
        if isinstance(widget, Button):
            widget.set_expanding()
        line.addWidget(widget, 0 if isinstance(widget, Label) else 1)
    return line
