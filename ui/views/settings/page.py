"""The settings page: the list of parts at the left, the chosen part at the right, a broken file above both."""

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from agent_core.config.home import Home
from agent_core.config.secrets import ModelKeys
from agent_core.config.settings import Settings
from agent_core.model.errors import PilothouseError
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.views.settings.budgets import BudgetsPart, LimitLine
from ui.views.settings.data import DataPart
from ui.views.settings.frame import Part
from ui.views.settings.general import GeneralPart
from ui.views.settings.models import ModelsPart
from ui.views.settings.nav import Nav, NavEntry
from ui.views.settings.policies import PoliciesPart
from ui.views.settings.setting_row import SettingRow
from ui.views.settings.shortcuts import ShortcutsPart
from ui.widgets.button import Button
from ui.widgets.label import Label
from ui.widgets.marks import Icon
from ui.widgets.surface import Surface, column, row

ENTRIES = (
    NavEntry("general", "General", "settings"),
    NavEntry("budgets", "Budgets", "coins"),
    NavEntry("policies", "Policies & allowlists", "shield-check"),
    NavEntry("models", "Models & keys", "key-round"),
    NavEntry("data", "Data", "database"),
    NavEntry("shortcuts", "Shortcuts", "keyboard"),
)


class ProblemBar(Surface):
    """Says that the settings file cannot be understood, and reads it again on demand."""

    again_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("banner_dang", parent)
        self.setObjectName("settings.problem")
        self._text = Label("", "body", "dang", wrap=True)
        again = Button("Read again", height=28)
        again.setObjectName("settings.read_again")
        again.clicked.connect(self.again_wanted)
        line = row(self, 10, (18, 8, 12, 8))
        line.addWidget(Icon("octagon-alert", "dang", 16))
        line.addWidget(self._text, 1)
        line.addWidget(again)
        self.hide()

    def show_problem(self, problem: str) -> None:
        """Show the sentence; "" hides the bar."""
        self._text.setText(problem)
        self.setAccessibleName(problem)
        self.setVisible(bool(problem))

    def text(self) -> str:
        """The sentence."""
        return self._text.text()


class SettingsPage(Surface):
    """Every change is saved at once. What was changed in the file meanwhile is read when the window comes back."""

    def __init__(
        self,
        settings: Settings,
        keys: ModelKeys,
        state: ConsoleState,
        commands: Commands,
        home: Home,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("app", parent)
        self.setObjectName("settings")
        self._settings = settings
        self.nav = Nav(ENTRIES)
        self.problem = ProblemBar()
        self.general, self.budgets = GeneralPart(settings), BudgetsPart(settings, state, commands)
        self.policies = PoliciesPart(settings)
        self.models = ModelsPart(settings, keys, home, commands)
        self._parts: dict[str, Part] = {
            "general": self.general,
            "budgets": self.budgets,
            "policies": self.policies,
            "models": self.models,
            "data": DataPart(home, commands),
            "shortcuts": ShortcutsPart(),
        }
        self._stack = QStackedWidget()
        for name, part in self._parts.items():
            part.setObjectName(f"settings.{name}")
            self._stack.addWidget(part)
        self._build()
        self._rows: dict[str, SettingRow | LimitLine] = {**self.general.rows, **self.budgets.rows}
        self._rows |= {**self.policies.rows, **self.models.rows}
        self.nav.chosen.connect(self.show_part)
        self.problem.again_wanted.connect(self.reload)
        self._forget = settings.observe(self._changed)
        self.destroyed.connect(self._forget)
        self.nav.show_part("general")
        self._show_problem(settings.problem)

    def _build(self) -> None:
        side = column(None, 0)
        side.addWidget(self.problem)
        side.addWidget(self._stack, 1)
        whole = row(self, 0)
        whole.addWidget(self.nav)
        whole.addLayout(side, 1)

    @property
    def part(self) -> str:
        """Name of the part that is shown."""
        return next(name for name, part in self._parts.items() if part is self._stack.currentWidget())

    def show_part(self, name: str) -> None:
        """Show a part: general, budgets, policies, models, data or shortcuts."""
        part = self._parts.get(name)
        if part is None:
            return
        self._stack.setCurrentWidget(part)
        self.nav.show_part(name)
        if self.isVisible():
            part.opened()

    # ---------------------------------------------------------------- the file

    def reload(self) -> None:
        """Read the file again; one that cannot be understood is said and changes nothing."""
        try:
            self._settings.reload()
        except PilothouseError as error:
            self._show_problem(self._settings.problem or f"{error}. What was in force before stays; nothing is saved.")
        else:
            self._show_problem(None)

    def _show_problem(self, problem: str | None) -> None:
        self.problem.show_problem(problem or "")

    def _changed(self, key: str) -> None:
        if key == "rules":
            self.policies.rules.refresh()
        elif key in self._rows:
            self._rows[key].refresh()

    # ---------------------------------------------------------------- shown and come back to

    def showEvent(self, event: QShowEvent) -> None:
        """The file and what the part shows may have changed."""
        super().showEvent(event)
        self.reload()
        self._parts[self.part].opened()

    def changeEvent(self, event: QEvent) -> None:
        """The window has the focus again: the file may have been edited meanwhile."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isVisible() and self.isActiveWindow():
            self.reload()
