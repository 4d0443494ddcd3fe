"""One setting in a card: title and help at the left, its editor at the right, a problem below the editor."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from agent_core.config.settings import Settings
from agent_core.config.settings_list import Kind, Setting
from ui.theme import px, theme
from ui.views.settings.editors import ChoiceEditor, Editor, SeveralEditor, StepEditor, TextEditor, editor_for
from ui.views.settings.frame import Said
from ui.widgets.label import Label
from ui.widgets.marks import Icon
from ui.widgets.surface import column, row

SAVED_MS = 2_000


class SettingRow(QWidget):
    """Saves by itself; "Saved" shows for two seconds."""

    def __init__(self, settings: Settings, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setting = setting
        self.editor: Editor = editor_for(settings, setting)
        self._said = Said()
        self._said.setObjectName(f"settings.{setting.key}.problem")
        self._mark = Icon("check", "text3", 14, name_for_readers="Saved")
        self._mark.setToolTip("Saved")
        policy = self._mark.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._mark.setSizePolicy(policy)
        self._mark.hide()
        self._timer = QTimer(self, interval=SAVED_MS, singleShot=True)
        self._timer.timeout.connect(self._mark.hide)
        self._build()
        self.editor.problem.connect(self._said.show_problem)
        self.editor.saved.connect(self._show_saved)

    def _build(self) -> None:
        words = column(None, 2)
        words.addStretch(1)
        title = Label(self.setting.title, "body_medium")
        title.setBuddy(self.editor)
        words.addWidget(title)
        words.addWidget(Label(self.setting.help, "secondary", "text3", wrap=True))
        words.addStretch(1)
        side = column(None, 4)
        side.addStretch(1)
        line = row(None, 8)
        line.addStretch(1)
        line.addWidget(self._mark)
        line.addWidget(self.editor)
        side.addLayout(line)
        side.addWidget(self._said)
        side.addStretch(1)
        theme().follow(self._size_editor)
        whole = row(self, 16, (16, 11, 16, 11))
        whole.addLayout(words, 3)
        whole.addLayout(side, 2)

    def _size_editor(self) -> None:
        if isinstance(self.editor, StepEditor):
            self.editor.field.setFixedWidth(px(72))
        elif isinstance(self.editor, TextEditor):
            wide = self.setting.kind in (Kind.TEXT, Kind.TEXTS)
            self.editor.field.setFixedWidth(px(220 if wide else 110))
        elif isinstance(self.editor, ChoiceEditor):
            self.editor.choices.setMinimumWidth(px(170))
        elif isinstance(self.editor, SeveralEditor):
            self.editor.setMinimumHeight(px(28))

    def _show_saved(self) -> None:
        self._mark.show()
        self._timer.start()

    def refresh(self) -> None:
        """Show the value as it is now."""
        self.editor.refresh()
