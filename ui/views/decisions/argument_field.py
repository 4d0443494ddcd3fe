"""ArgumentField: one argument of a call with its editor, what it was, and what is wrong with it."""

from collections.abc import Callable, Collection
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from agent_core.model.intents import Trial
from ui.models.argument_text import BadText, as_text, parse
from ui.models.schema_form import (
    LEFT_OUT,
    FieldKind,
    SchemaField,
    choice_rows,
    chosen_row,
    item_fields,
    nested,
)
from ui.views.decisions.decision_form import FIELD
from ui.widgets.button import Button
from ui.widgets.checks import CheckBox
from ui.widgets.combo_box import ComboBox
from ui.widgets.day_field import DayField
from ui.widgets.field import Field, TextArea
from ui.widgets.label import Label
from ui.widgets.surface import Surface, column, row
from ui.widgets.text_diff import TextDiff

_DIFF_HEIGHT = 220
_SHORT = 24
"""Letters of what was proposed that still stand inside the field."""
_MOST_LINES = 12
_AREAS = (FieldKind.LONG_TEXT, FieldKind.QUOTED, FieldKind.LINES, FieldKind.JSON)
_HINTS = {FieldKind.LINES: "one a line", FieldKind.DATE: "↑ ↓ by a day"}


class ArgumentField(QWidget):
    """`changed` is called with each change; names of editors are the path of the argument under `within`."""

    def __init__(self, spec: SchemaField, changed: Callable[[], None], within: str = "argument.") -> None:
        super().__init__()
        self.spec, self._changed = spec, changed
        self._problem = Label("", "secondary", "dang", wrap=True)
        layout = column(self, 4)
        head = row(None, 6)
        head.addWidget(Label(spec.name, "mono", "text2"))
        head.addStretch(1)
        head.addWidget(Label(_HINTS.get(spec.kind, ""), "meta", "text3"))
        layout.addLayout(head)
        self._name = f"{within}{spec.key}"
        self.editor = self._make_editor()
        self.editor.setObjectName(f"{FIELD}{self._name}")
        self.editor.setAccessibleName(spec.name)
        if spec.help:
            self.editor.setToolTip(spec.help)
        layout.addWidget(self.editor)
        layout.addWidget(self._problem)
        self.show_problem("")

    def _make_editor(self) -> QWidget:
        spec = self.spec
        if spec.kind is FieldKind.ITEMS:
            return ItemsEditor(spec, self._changed, f"{self._name}.")
        if spec.kind is FieldKind.YES_NO:
            box = CheckBox("yes")
            box.setChecked(bool(spec.value))
            box.toggled.connect(lambda _on: self._changed())
            return box
        if spec.kind is FieldKind.CHOICE:
            combo = ComboBox(tuple(words for words, _ in choice_rows(spec)))
            combo.setCurrentIndex(chosen_row(spec))
            combo.currentIndexChanged.connect(lambda _index: self._changed())
            return combo
        if spec.kind in _AREAS:
            area = TextArea(mono=True, lines=min(_MOST_LINES, max(3, as_text(spec).count("\n") + 2)))
            area.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)  # whatever the trial shows below
            area.setPlainText(as_text(spec))
            area.textChanged.connect(self._changed)
            return area
        line = DayField(as_text(spec)) if spec.kind is FieldKind.DATE else Field(as_text(spec), mono=True)
        line.setCursorPosition(0)
        line.textChanged.connect(lambda _text: self._changed())
        return line

    # ---------------------------------------------------------------- what is in it

    def value(self) -> Any:
        """The value, or LEFT_OUT. Raises BadText, and says what is wrong beside the field."""
        try:
            value = self._read()
        except BadText as error:
            self.show_problem(str(error))
            raise
        self.show_problem("")
        return value

    def _read(self) -> Any:
        editor = self.editor
        if isinstance(editor, ItemsEditor):
            return editor.value()
        if isinstance(editor, CheckBox):
            return editor.isChecked()
        if isinstance(editor, ComboBox):
            return choice_rows(self.spec)[editor.currentIndex()][1]
        return parse(self.spec, self._typed())

    def _typed(self) -> str:
        if isinstance(self.editor, TextArea):
            return self.editor.exact_text()
        return self.editor.text() if isinstance(self.editor, Field) else ""

    def put_back(self) -> None:
        """What was proposed."""
        editor, text = self.editor, as_text(self.spec)
        if isinstance(editor, ItemsEditor):
            editor.put_back()
        elif isinstance(editor, Field):
            editor.setText(text)
        elif isinstance(editor, TextArea):
            editor.setPlainText(text)
        elif isinstance(editor, CheckBox):
            editor.setChecked(bool(self.spec.value))
        elif isinstance(editor, ComboBox):
            editor.setCurrentIndex(chosen_row(self.spec))

    # ---------------------------------------------------------------- what is said of it

    def against_proposed(self) -> QWidget | None:
        """Proposed text against the edited one, for values of several lines; None where nothing differs."""
        if not isinstance(self.editor, TextArea) or self._typed() == as_text(self.spec):
            return None
        diff = TextDiff(max_height=_DIFF_HEIGHT)
        diff.setObjectName(f"card.form.diff.{self.spec.name}")
        diff.set_texts(as_text(self.spec), self._typed())
        return diff

    def show_trial(self, trial: Trial, within: str = "") -> None:
        """What the trial found wrong here; `within` is what the path of the argument begins with now."""
        place = f"{within}{self.spec.name}"
        if isinstance(self.editor, ItemsEditor):
            self.show_problem(trial.errors.get(place, ""))
            self.editor.show_trial(trial, f"{place}.")
        else:
            self.show_problem(trial.problem_of(place))

    def show_problem(self, problem: str) -> None:
        """Say what is wrong, or clear it; mark what differs from the proposal."""
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        if isinstance(self.editor, Field):
            self.editor.set_problem(problem)
            was = as_text(self.spec)
            self.editor.set_note(f"was {was or 'empty'}" if self._typed() != was and len(was) <= _SHORT else "")


class ItemsEditor(QWidget):
    """The objects of a list, each with its fields; objects can be added and taken out."""

    def __init__(self, spec: SchemaField, changed: Callable[[], None], within: str) -> None:
        super().__init__()
        self._spec, self._changed, self._within = spec, changed, within
        self.items: dict[int, _Item] = {}
        """By a number that stays the same while others come and go."""
        self._next = 0
        layout = column(self, 6)
        self._rows = column(None, 6)
        layout.addLayout(self._rows)
        self._more = Button("Add one", "default", icon="plus", height=28)
        self._more.setObjectName(f"{FIELD}{within}add")
        self._more.clicked.connect(self.add)
        foot = row(None, 0)
        foot.addWidget(self._more)
        foot.addStretch(1)
        layout.addLayout(foot)
        self._fill()

    def _fill(self) -> None:
        for item in self._spec.value or ():
            self._put(self._next, item)

    def _put(self, number: int, item: dict[str, Any]) -> None:
        within = f"{self._within}{number}."
        fields = [ArgumentField(spec, self._changed, within) for spec in item_fields(self._spec, item)]
        made = _Item(fields, lambda: self._take_out_by_hand(number))
        made.remove.setObjectName(f"{FIELD}{within}remove")
        self.items[number] = made
        self._next = max(self._next, number + 1)
        self._rows.addWidget(made)
        made.show()
        self._number()

    def _number(self) -> None:
        for place, item in enumerate(self.items.values(), 1):
            item.show_place(place, len(self.items))

    def add(self) -> None:
        """Another object at the end, ready to be filled in."""
        number = self._next
        self._put(number, {})
        if self.items[number].fields:
            self.items[number].fields[0].editor.setFocus(Qt.FocusReason.TabFocusReason)
        self._changed()

    def take_up(self, numbers: Collection[int]) -> None:
        """Have the objects of these numbers, as somebody left them: new ones are empty."""
        for number in self.items.keys() - set(numbers):
            self.take_out(number)
        for number in sorted(set(numbers) - self.items.keys()):
            self._put(number, {})

    def take_out(self, number: int) -> None:
        """One object less."""
        gone = self.items.pop(number)
        self._rows.removeWidget(gone)
        gone.hide()
        gone.deleteLater()
        self._number()
        self._changed()

    def _take_out_by_hand(self, number: int) -> None:
        self._more.setFocus(Qt.FocusReason.OtherFocusReason)
        self.take_out(number)

    def put_back(self) -> None:
        """What was proposed."""
        for number in tuple(self.items):
            self.take_out(number)
        self._next = 0
        self._fill()
        self._changed()

    def value(self) -> Any:
        """The list. Raises BadText where a field of an object cannot be read, after each said what is wrong with it."""
        read = [item.value() for item in self.items.values()]
        if None in read:
            raise BadText("")
        if not read and self._spec.may_be_left_out:
            return LEFT_OUT
        was_null = self._spec.present and self._spec.value is None
        return None if not read and was_null else read

    def show_trial(self, trial: Trial, within: str) -> None:
        """What the trial found wrong in each object."""
        for place, item in enumerate(self.items.values()):
            for field in item.fields:
                field.show_trial(trial, f"{within}{place}.")


class _Item(Surface):
    """One object: its place, its fields, and the way to take it out."""

    def __init__(self, fields: list[ArgumentField], take_out: Callable[[], None]) -> None:
        super().__init__("inset")
        self.fields = fields
        self._place = Label("", "secondary_medium", "text2")
        self.remove = Button("", "ghost", icon="trash-2", height=26, tip="Take out")
        self.remove.clicked.connect(take_out)
        layout = column(self, 8, (11, 6, 8, 10))
        head = row(None, 6)
        head.addWidget(self._place)
        head.addStretch(1)
        head.addWidget(self.remove)
        layout.addLayout(head)
        for field in fields:
            layout.addWidget(field)

    def show_place(self, place: int, of: int) -> None:
        """Which one it is."""
        self._place.setText(f"{place} of {of}")
        self.remove.setAccessibleName(f"Take out {place} of {of}")

    def value(self) -> dict[str, Any] | None:
        """The object; None where a field cannot be read."""
        return read_fields(self.fields)


def read_fields(fields: list[ArgumentField]) -> dict[str, Any] | None:
    """The object that the fields make; None where one cannot be read. Each field says what is wrong with it."""
    values: list[tuple[SchemaField, Any]] = []
    readable = True
    for field in fields:
        try:
            value = field.value()
        except BadText:
            readable = False
            continue
        if value is not LEFT_OUT:
            values.append((field.spec, value))
    return nested(values) if readable else None
