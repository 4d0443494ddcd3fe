"""The settings page: the list of parts at the left, the chosen part at the right, a broken file above both."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from agent_core.config.home import Home
from agent_core.config.profile import Rule
from agent_core.config.secrets import ModelKeys
from agent_core.config.settings import Settings
from agent_core.engine.facade import Records, Rulebook
from agent_core.model.errors import PilothouseError
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.views.settings.budgets import BudgetsPart
from ui.views.settings.data import DataPart
from ui.views.settings.frame import Part
from ui.views.settings.general import GeneralPart
from ui.views.settings.models import ModelsPart
from ui.views.settings.nav import Nav, NavEntry
from ui.views.settings.operators import OperatorsPart
from ui.views.settings.policies import PoliciesPart
from ui.views.settings.shortcuts import ShortcutsPart
from ui.widgets.button import Button
from ui.widgets.label import Label
from ui.widgets.marks import Icon
from ui.widgets.surface import Surface, column, row

ENTRIES = (
    NavEntry("general", "General", "settings"),
    NavEntry("budgets", "Budgets", "coins"),
    NavEntry("policies", "Policies & allowlists", "shield-check"),
    NavEntry("operators", "Operators", "users-round"),
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

    backup_wanted = Signal()
    restore_wanted = Signal()

    def __init__(
        self,
        settings: Settings,
        keys: ModelKeys,
        state: ConsoleState,
        commands: Commands,
        home: Home,
        rulebook: Rulebook | None = None,
        records: Records | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("app", parent)
        self.setObjectName("settings")
        self._settings = settings
        self.nav = Nav(ENTRIES)
        self.problem = ProblemBar()
        self._makers: dict[str, Callable[[], Part]] = {
            "general": partial(GeneralPart, settings),
            "budgets": partial(BudgetsPart, settings, state, commands, records),
            "policies": partial(PoliciesPart, settings, commands, rulebook),
            "operators": partial(OperatorsPart, commands),
            "models": partial(ModelsPart, keys, home, commands),
            "data": partial(DataPart, home, commands),
            "shortcuts": ShortcutsPart,
        }
        self._parts: dict[str, Part] = {}
        self._stack = QStackedWidget()
        self.part = ENTRIES[0].part
        """Name of the part that is shown."""
        self._build()
        self.nav.chosen.connect(self.show_part)
        self.nav.show_part(self.part)
        self.problem.again_wanted.connect(self.reload)
        self.destroyed.connect(settings.observe(self._changed))
        self._show_problem(settings.problem)

    def _build(self) -> None:
        side = column(None, 0)
        side.addWidget(self.problem)
        side.addWidget(self._stack, 1)
        whole = row(self, 0)
        whole.addWidget(self.nav)
        whole.addLayout(side, 1)

    def show_part(self, name: str) -> None:
        """Show a part, by its name in `ENTRIES`. It is made when it is first wanted."""
        if name not in self._makers:
            return
        self.part = name
        self.nav.show_part(name)
        if self.isVisible():
            self._open()

    def propose_rule(self, rule: Rule) -> None:
        """Open the form on a rule that a decision suggests."""
        self.show_part("policies")
        part = self._parts.get("policies")
        if isinstance(part, PoliciesPart):
            part.rules.propose(rule)

    def opened(self) -> None:
        """Come up to date with what happened meanwhile."""
        part = self._parts.get(self.part)
        if part is not None:
            part.opened()

    def _open(self) -> None:
        part = self._parts.get(self.part)
        if part is None:
            part = self._parts[self.part] = self._makers[self.part]()
            if isinstance(part, DataPart):
                part.backup_wanted.connect(self.backup_wanted)
                part.restore_wanted.connect(self.restore_wanted)
            part.setObjectName(f"settings.{self.part}")
            self._stack.addWidget(part)
        self._stack.setCurrentWidget(part)
        self.setFocusProxy(part if part.focusProxy() is not None else self.nav)
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
        for part in self._parts.values():
            part.changed(key)

    # ---------------------------------------------------------------- shown and come back to

    def showEvent(self, event: QShowEvent) -> None:
        """The file and what the part shows may have changed."""
        super().showEvent(event)
        self.reload()
        self._open()

    def changeEvent(self, event: QEvent) -> None:
        """The window has the focus again: the file may have been edited meanwhile."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isVisible() and self.isActiveWindow():
            self.reload()
