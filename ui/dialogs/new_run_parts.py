"""Parts of the new-run dialog: its head, the pattern, what the agent may do, and the word on a missing key."""

from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QGridLayout, QWidget

from agent_core.config.profile import AVAILABLE_PATTERNS, PatternName, Profile, Rule
from agent_core.engine.outlook import outlook
from ui.models.pattern_words import PATTERN_WORDS
from ui.models.prospects import never_words, prospect_words
from ui.theme import px
from ui.tokens import ColorName
from ui.widgets.button import Button
from ui.widgets.checks import ChoiceCard
from ui.widgets.field import Field
from ui.widgets.label import Label
from ui.widgets.marks import Icon
from ui.widgets.surface import Surface, column, row

_TOP = Qt.AlignmentFlag.AlignTop
_ROWS: tuple[tuple[str, str, ColorName], ...] = (
    ("without asking", "check", "text2"),
    ("after asking", "hand", "text2"),
    ("never", "lock", "text3"),
)


class ProblemLine(QWidget):
    """One line under a row of fields that are too narrow to hold sentences of their own."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("new_run.limits.problem")
        self._text = Label("", "meta", "dang", wrap=True)
        line = row(self, 5)
        line.addWidget(Icon("circle-alert", "dang", 12, beside="meta"), 0, _TOP)
        line.addWidget(self._text, 1)
        self.hide()

    def show_problem(self, problem: str) -> None:
        """Show what is wrong; "" hides the line."""
        self._text.setText(problem)
        self.setVisible(bool(problem))

    def text(self) -> str:
        """The words that are shown."""
        return self._text.text()


class LimitField(QWidget):
    """A narrow field with its label above and the typical value below."""

    def __init__(self, label: str, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        head = Label(label, "meta_medium", "text2")
        head.setBuddy(field)
        self._hint = Label("", "meta", "text3")
        body = column(self, 5)
        for widget in (head, field, self._hint):
            body.addWidget(widget)

    def set_hint(self, hint: str) -> None:
        """The typical value, in words."""
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self.field.setToolTip(hint)


class FolderField(QWidget):
    """A path with a button that opens the folder chooser. `chosen` fires when a folder was taken from there."""

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = Field(placeholder="a folder", name="Workspace", icon="folder", mono=True)
        self.choose = Button("", icon="folder-open", tip="Choose a folder")
        self.setAccessibleName("Workspace")
        self.setFocusProxy(self.field)
        line = row(self, 6)
        line.addWidget(self.field, 1)
        line.addWidget(self.choose)
        self.choose.clicked.connect(self._open)

    def _open(self) -> None:
        chooser = QFileDialog(self, "Choose the workspace", self.field.text().strip())
        chooser.setObjectName("new_run.folder")
        chooser.setFileMode(QFileDialog.FileMode.Directory)
        chooser.setOption(QFileDialog.Option.ShowDirsOnly)
        chooser.fileSelected.connect(self._take)
        chooser.finished.connect(chooser.deleteLater)
        chooser.open()

    def _take(self, folder: str) -> None:
        self.field.setText(folder)
        self.field.setFocus()
        self.chosen.emit()


class PatternCards(QWidget):
    """How the agent works: a card for each pattern of this version, the profile's chosen first."""

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("new_run.pattern")
        body = column(self, 6)
        body.addWidget(Label("Pattern", "section_head", "text2"))
        line = row(None, 10)
        self._cards: dict[PatternName, ChoiceCard] = {}
        for pattern, (name, words, icon) in PATTERN_WORDS.items():
            if pattern in AVAILABLE_PATTERNS:
                card = ChoiceCard(name, words, icon=icon)
                card.setObjectName(f"new_run.pattern.{pattern.value}")
                card.toggled.connect(self._toggled)
                line.addWidget(card, 1)
                self._cards[pattern] = card
        body.addLayout(line)

    def _toggled(self, on: bool) -> None:
        if on:
            self.chosen.emit()

    @property
    def pattern(self) -> PatternName:
        """The pattern that is chosen."""
        return next((name for name, card in self._cards.items() if card.isChecked()), PatternName.REACT)

    def choose(self, pattern: PatternName) -> None:
        """Choose a pattern."""
        self._cards[pattern].setChecked(True)


class MayPanel(Surface):
    """What this agent may do without asking, after asking and never, by its tools and every rule that holds."""

    rules_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inset", parent)
        self.setObjectName("new_run.may")
        body = column(self, 7, (15, 11, 15, 12))
        head = row(None, 8)
        head.addWidget(Label("This agent may", "section_head", "text2"))
        head.addStretch(1)
        self._rules = Label("", "meta", "text3")
        head.addWidget(self._rules)
        link = Button("View rules", "link", height=20)
        link.setObjectName("new_run.rules")
        link.clicked.connect(self.rules_wanted)
        head.addWidget(link)
        body.addLayout(head)
        grid = QGridLayout()
        grid.setHorizontalSpacing(px(9))
        grid.setVerticalSpacing(px(6))
        grid.setColumnMinimumWidth(1, px(100))
        grid.setColumnStretch(2, 1)
        self._texts = [Label("", "secondary", "text2", wrap=True) for _ in _ROWS]
        for place, (words, icon, color) in enumerate(_ROWS):
            for column_, widget in enumerate((Icon(icon, color, 15), Label(words, "section_head", "text2"))):
                widget.setMinimumHeight(px(19))  # centred on the first line of the text
                grid.addWidget(widget, place, column_, _TOP)
            grid.addWidget(self._texts[place], place, 2)
        body.addLayout(grid)
        self._foot = Label("", "meta", "text3", wrap=True)
        body.addWidget(self._foot)

    def show_profile(self, profile: Profile, standing: list[Rule], now: datetime) -> None:
        """Show the outlook of a profile."""
        found = outlook(profile, standing, now)
        words = (prospect_words(found.free), prospect_words(found.asked), never_words(found, profile))
        for label, text in zip(self._texts, words, strict=True):
            label.setText(text)
        self._foot.setText(
            f"Below a computed confidence of {profile.gate.confidence:g}, on stale facts and before "
            "anything irreversible it asks in any case."
        )
        own, shared = len(profile.rules), len(standing)
        self._rules.setText(f"{own} of its own, {shared} standing" if own or shared else "no rules")
        self.setAccessibleDescription("\n".join(f"{row[0]}: {text}" for row, text in zip(_ROWS, words, strict=True)))


class NoKeyNote(Surface):
    """Says that a model cannot be asked yet, and the two ways on."""

    keys_wanted = Signal()
    demo_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("attn", parent)
        self.setObjectName("new_run.no_key")
        line = row(self, 8, (11, 6, 8, 6))
        line.addWidget(Icon("key-round", "attn", 14))
        line.addWidget(Label("No key yet: the run would pause at its first request.", "secondary", "text2"), 1)
        for name, words, signal in (
            ("keys", "Add a key", self.keys_wanted),
            ("demo", "Start the demo", self.demo_wanted),
        ):
            button = Button(words, "ghost", height=26)
            button.setObjectName(f"new_run.{name}")
            button.clicked.connect(signal)
            line.addWidget(button)
