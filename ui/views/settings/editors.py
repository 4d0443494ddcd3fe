"""Editors of settings, one a kind. Each saves at once what can be saved, and keeps what cannot as it was typed."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QWidget

from agent_core.config.settings import Settings
from agent_core.config.settings_list import Kind, Setting
from agent_core.config.values import BadValue
from agent_core.model.errors import PilothouseError
from ui import formatting
from ui.models.settings.words import choice_words, empty_words, typed_problem, typed_value
from ui.models.typed_values import as_typed
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.checks import CheckBox, Toggle
from ui.widgets.combo_box import ComboBox
from ui.widgets.field import Field
from ui.widgets.surface import row

_STEP = 10


class Editor(QWidget):
    """Edits one setting. `problem` carries why it could not be saved, "" when all is well; `saved` that it was."""

    problem = Signal(str)
    saved = Signal()

    def __init__(self, settings: Settings, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.settings, self.setting = settings, setting
        self._line: QHBoxLayout = row(self, 6)

    def refresh(self) -> None:
        """Show the value as it is now; text that waits to be put right stays."""
        raise NotImplementedError

    def save(self, value: object) -> bool:
        """Save a value; whether it was. One that is the same is not written again."""
        if value == self.settings.values[self.setting.key]:
            self.problem.emit("")
            return True
        try:
            self.settings.change(self.setting.key, value)
        except PilothouseError as error:
            self.problem.emit(formatting.sentence(str(error)))
            return False
        self.problem.emit("")
        self.saved.emit()
        return True

    def _put(self, widget: QWidget, part: str = "") -> None:
        """Add a widget under the setting's name."""
        widget.setObjectName(f"settings.{self.setting.key}{part}")
        if not widget.accessibleName():
            widget.setAccessibleName(self.setting.title)
        self._line.addWidget(widget)
        if self.focusProxy() is None:
            self.setFocusProxy(widget)


class FlagEditor(Editor):
    """A switch."""

    def __init__(self, settings: Settings, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(settings, setting, parent)
        self.toggle = Toggle(name=setting.title)
        self._put(self.toggle)
        self.toggle.clicked.connect(self._give)
        self.refresh()

    def _give(self, checked: bool) -> None:
        if not self.save(checked):
            self.refresh()

    def refresh(self) -> None:
        """Show the value as it is now."""
        self.toggle.setChecked(self.settings[self.setting.key])


class ChoiceEditor(Editor):
    """A list of words."""

    def __init__(self, settings: Settings, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(settings, setting, parent)
        self.choices = ComboBox(tuple(choice_words(setting, choice) for choice in setting.choices), name=setting.title)
        self._put(self.choices)
        self.choices.activated.connect(self._give)
        self.refresh()

    def _give(self, index: int) -> None:
        if not self.save(self.setting.choices[index]):
            self.refresh()

    def refresh(self) -> None:
        """Show the value as it is now."""
        self.choices.setCurrentIndex(self.setting.choices.index(self.settings[self.setting.key]))


class SeveralEditor(Editor):
    """Check boxes: any of the words."""

    def __init__(self, settings: Settings, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(settings, setting, parent)
        self._line.setDirection(QBoxLayout.Direction.TopToBottom)
        self._line.setSpacing(px(2))
        self.boxes = {choice: CheckBox(choice_words(setting, choice)) for choice in setting.choices}
        for choice, box in self.boxes.items():
            self._put(box, f".{choice}")
            box.clicked.connect(self._give)
        self.refresh()

    def _give(self) -> None:
        if not self.save([choice for choice, box in self.boxes.items() if box.isChecked()]):
            self.refresh()

    def refresh(self) -> None:
        """Show the value as it is now."""
        for choice, box in self.boxes.items():
            box.setChecked(choice in self.settings[self.setting.key])


class TextEditor(Editor):
    """A field. It is saved on Enter and when the focus leaves; Esc brings back what is saved."""

    def __init__(self, settings: Settings, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(settings, setting, parent)
        self.field = SettingField(placeholder=empty_words(setting), name=setting.title)
        if setting.kind in (Kind.COUNT, Kind.MONEY, Kind.SECONDS, Kind.SHARE, Kind.DURATION):
            self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._build()
        self.field.textEdited.connect(self._check)
        self.field.editingFinished.connect(self.give)
        self.field.reverted.connect(self._revert)
        self.refresh()

    def _build(self) -> None:
        self._put(self.field)

    def _check(self, typed: str) -> None:
        """A sentence as soon as something cannot be saved; nothing is saved while typing."""
        self._show(typed_problem(self.setting, typed))

    def _show(self, problem: str) -> None:
        self.field.set_problem(problem)
        self.problem.emit(problem)

    def give(self) -> None:
        """Save what stands there, or say why not."""
        try:
            value = typed_value(self.setting, self.field.text())
        except BadValue as error:
            self._show(f"{self.setting.title} {error}.")
            return
        if self.save(value):
            self.field.set_problem("")
            self.field.setModified(False)
            self.refresh()

    def _revert(self) -> None:
        self.field.setModified(False)
        self._show("")
        self.refresh()

    def refresh(self) -> None:
        """Show the value as it is now, unless something else is being typed."""
        if not self.field.isModified():
            self.field.setText(as_typed(self.setting.kind, self.settings[self.setting.key]))
            self.field.setCursorPosition(0)


class SettingField(Field):
    """A field that gives up with Esc. `reverted` fires only where there was something to give up."""

    reverted = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc brings the saved value back."""
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.reverted.emit()
        else:
            super().keyPressEvent(event)


class StepEditor(TextEditor):
    """A number in a narrow range: a field between two buttons."""

    def _build(self) -> None:
        self.less = Button("", icon="minus", tip=f"{self.setting.title}: less")
        self.more = Button("", icon="plus", tip=f"{self.setting.title}: more")
        self.field.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._put(self.field)
        self._line.insertWidget(0, self.less)
        self._line.addWidget(self.more)
        for name, button, step in (("less", self.less, -_STEP), ("more", self.more, _STEP)):
            button.setObjectName(f"settings.{self.setting.key}.{name}")
            button.clicked.connect(lambda _checked=False, step=step: self._move(step))

    def _move(self, step: int) -> None:
        value = min(self.setting.high, max(self.setting.low, self.settings[self.setting.key] + step))
        self.field.setModified(False)
        self.save(value)
        self.field.set_problem("")
        self.refresh()

    def refresh(self) -> None:
        """Show the value, and which way it can still go."""
        super().refresh()
        value = self.settings[self.setting.key]
        self.less.setEnabled(value > self.setting.low)
        self.more.setEnabled(value < self.setting.high)


def editor_for(settings: Settings, setting: Setting) -> Editor:
    """The editor of a setting's kind."""
    if setting.kind is Kind.FLAG:
        return FlagEditor(settings, setting)
    if setting.kind is Kind.CHOICE:
        return ChoiceEditor(settings, setting)
    if setting.kind is Kind.TEXTS and setting.choices:
        return SeveralEditor(settings, setting)
    if setting.kind is Kind.COUNT and setting.high - setting.low <= 200:
        return StepEditor(settings, setting)
    return TextEditor(settings, setting)
