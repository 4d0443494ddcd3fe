"""Budgets: the limits of runs beside what runs usually take, and the context worksheet."""

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from agent_core.config.settings import Settings
from agent_core.config.settings_list import BY_KEY, Value
from agent_core.engine.facade import Records
from agent_core.model.audit import SettingChange
from agent_core.model.budget import Limits
from agent_core.model.context import Worksheet
from agent_core.model.intents import SessionQuery, SessionSummary
from agent_core.model.run import SessionStatus
from ui import formatting
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.models.settings.budget_rows import (
    BudgetRow,
    agents_of,
    budget_rows,
    change_words,
    measured_words,
    worksheet_rows,
    worksheet_state,
)
from ui.models.typed_values import as_typed
from ui.theme import px, theme
from ui.tokens import ColorName, Role
from ui.views.settings.editors import Editor, TextEditor, editor_for
from ui.views.settings.frame import Card, Part, Said
from ui.widgets.button import Button
from ui.widgets.combo_box import ComboBox
from ui.widgets.context_bar import ContextBar
from ui.widgets.field import Field
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Line
from ui.widgets.surface import column, row

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
MEASURED_SESSIONS = 1_000
SHOWN_CHANGES = 3
ALL_AGENTS = "All agents"


class Grid(QWidget):
    """A table of widgets: a head, and rows with a line between them. `rights` are the columns that hold figures."""

    def __init__(self, heads: Sequence[str], rights: frozenset[int], stretches: Sequence[int]) -> None:
        super().__init__()
        self._rights, self._columns = rights, len(heads)
        self._row = 0
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(0, 0, 0, 0)
        self.grid.setVerticalSpacing(0)
        self.grid.setHorizontalSpacing(0)
        for place, stretch in enumerate(stretches):
            self.grid.setColumnStretch(place, stretch)
        self._heights: list[QWidget] = []
        theme().follow(self.restyle)
        self.add([Label(head, "meta_strong", "text3") for head in heads], height=30)

    def restyle(self) -> None:
        """Heights again after a scale change."""
        for widget in self._heights:
            widget.setMinimumHeight(px(widget.property("high")))

    def add(self, cells: Sequence[QWidget], height: int = 40) -> None:
        """Add a row with a line above it."""
        if self._row:
            self.grid.addWidget(Line(), self._row, 0, 1, self._columns)
            self._row += 1
        for place, cell in enumerate(cells):
            holder = QWidget()
            holder.setProperty("high", height)
            holder.setMinimumHeight(px(height))
            holder.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
            self._heights.append(holder)
            layout = column(holder, 0, (16 if place == 0 else 8, 3, 16 if place == self._columns - 1 else 8, 3))
            if place in self._rights:
                layout.addWidget(cell, 0, _RIGHT)
            else:
                layout.addWidget(cell, 0, Qt.AlignmentFlag.AlignVCenter)
            self.grid.addWidget(holder, self._row, place)
        self._row += 1


class LimitLine(QObject):
    """The widgets of one row: figures that change, both editors, and what is wrong, below the limit's field."""

    changed = Signal(str)
    """Carries the key of a setting that was saved here."""

    def __init__(self, settings: Settings, row: BudgetRow) -> None:
        super().__init__()
        self.setting = row.setting
        self.title = Label(row.setting.title, "body_medium")
        self.title.setToolTip(row.setting.help)
        self.typical, self.high = _figure(row.typical), _figure(row.high)
        self.warn = _figure(row.warn)
        self.editor: Editor = editor_for(settings, row.setting)
        self.then: Editor = editor_for(settings, row.then)
        self.suggested = Button("", "link", height=24)
        self.suggested.setObjectName(f"settings.{row.setting.key}.suggested")
        self._suggestion: Value = None
        self._said = Said()
        self._said.setObjectName(f"settings.{row.setting.key}.problem")
        self.end = QWidget()
        self.setParent(self.end)
        end = column(self.end, 0)
        end.addWidget(self.then)
        end.addWidget(self._said)
        self.title.setBuddy(self.editor)
        self.editor.problem.connect(self._said.show_problem)
        self.editor.saved.connect(lambda: self.changed.emit(row.setting.key))
        self.then.saved.connect(lambda: self.changed.emit(row.then.key))
        self.suggested.clicked.connect(self._take_suggestion)
        theme().follow(self.restyle)

    def restyle(self) -> None:
        """The width of the field again after a scale change."""
        if isinstance(self.editor, TextEditor):
            self.editor.field.setFixedWidth(px(104))

    def show_figures(self, row: BudgetRow) -> None:
        """Show what was measured."""
        self.typical.setText(row.typical)
        self.high.setText(row.high)
        self._suggestion = row.suggested
        self.suggested.set_label(row.suggestion or formatting.MISSING)
        title = row.setting.title
        offer = f"Set {title} to {row.suggestion}" if row.suggestion else f"No suggestion for {title} yet"
        self.suggested.setAccessibleName(offer)
        self.suggested.setToolTip("Set the limit to this" if row.suggestion else "")
        self.suggested.setEnabled(bool(row.suggestion))

    def _take_suggestion(self) -> None:
        if self._suggestion is not None and self.editor.save(self._suggestion):
            self.editor.refresh()

    def refresh(self) -> None:
        """Show the values as they are now."""
        self.editor.refresh()
        self.then.refresh()


class BudgetsPart(Part):
    """The limits in force for every run whose profile sets none, what happens at them, and the worksheet."""

    def __init__(
        self, settings: Settings, state: ConsoleState, commands: Commands, records: Records | None = None
    ) -> None:
        super().__init__("Budgets")
        self._settings, self._state, self._commands, self._records = settings, state, commands, records
        self._sessions: Sequence[SessionSummary] = ()
        self._lines: dict[str, LimitLine] = {}
        self._known = dict(settings.values)
        """What the settings were before the newest change here."""
        self.agents = ComboBox((ALL_AGENTS,), name="Figures of", icon="bot")
        self.agents.setObjectName("settings.budgets.agent")
        self.agents.activated.connect(lambda _index: self._measure())
        self.head.addWidget(self.agents)
        self.why = Field(placeholder="optional: why you change a limit, recorded with each change below", name="Why")
        self.why.setObjectName("settings.budgets.why")
        self._history = Label("", "meta", "text3", wrap=True)
        self._history.setObjectName("settings.budgets.history")
        self.body.addWidget(self._table(settings))
        self.rows = {**self._lines, **{line.then.setting.key: line for line in self._lines.values()}}
        self.body.addWidget(self._worksheet(Worksheet()))
        self.body.addStretch(1)
        self._show_figures(None)

    def _table(self, settings: Settings) -> Card:
        grid = Grid(
            ("Limit", "Typical", "95th percentile", "Suggested", "Warn at", "Hard stop", "Then"),
            frozenset({1, 2, 3, 4, 5}),
            (5, 2, 2, 2, 2, 3, 5),
        )
        for row_ in budget_rows(()):
            line = LimitLine(settings, row_)
            line.changed.connect(self._note)
            self._lines[row_.setting.key] = line
            grid.add([line.title, line.typical, line.high, line.suggested, line.warn, line.editor, line.end])
        why = QWidget()  # above the limits: a change is saved at once, so its reason has to be there before
        line_ = row(why, 10, (16, 9, 16, 9))
        line_.addWidget(Label("Why", "section_head", "text2"))
        line_.addWidget(self.why, 1)
        card = Card()
        card.add_row(why)
        card.add_row(grid)
        self._history.setContentsMargins(px(16), px(9), px(16), px(11))
        self._history.hide()
        card.rows.addWidget(self._history)
        return card

    def _worksheet(self, worksheet: Worksheet) -> Card:
        ceiling = f"Design ceiling {worksheet.ceiling:,} tokens. A profile may set its own in [context]."
        card = Card("Context worksheet", hint=ceiling)
        inner = QWidget()
        column(inner, 0, (16, 2, 16, 8)).addWidget(ContextBar(worksheet_state(worksheet)))
        card.rows.addWidget(inner)
        grid = Grid(("Mark", "Tokens", "Share", "What happens there"), frozenset({1, 2}), (4, 3, 2, 11))
        for name, tokens, share, then in worksheet_rows(worksheet):
            cells = [
                Label(name, "body_medium"),
                _figure(tokens),
                _figure(share),
                ElidedLabel(then, "secondary", "text2"),
            ]
            grid.add(cells, height=32)
        card.rows.addWidget(grid)
        return card

    def opened(self) -> None:
        """Measure again: what is known at once, then what the whole history says."""
        self._known = dict(self._settings.values)
        self._show_sessions(list(self._state.sessions.values()))
        query = SessionQuery(statuses=[SessionStatus.ENDED], limit=MEASURED_SESSIONS)
        self._commands.spawn(self._commands.reader.sessions(query), then=self._show_sessions)
        self._read_history()

    @property
    def agent(self) -> str | None:
        """Whose figures are shown; None for those of all."""
        return self.agents.currentText() if self.agents.currentIndex() > 0 else None

    def _show_sessions(self, sessions: Sequence[SessionSummary]) -> None:
        self._sessions = sessions
        chosen = self.agents.currentText()
        self.agents.clear()
        self.agents.addItems([ALL_AGENTS, *agents_of(sessions)])
        self.agents.setCurrentIndex(max(0, self.agents.findText(chosen)))
        self._measure()

    def _measure(self) -> None:
        """Show the figures of the agent that is chosen; what they suggest is asked of the engine."""
        self._show_figures(None)
        if self._records is not None:
            agent = self.agent
            self._commands.spawn(
                self._records.spend_figures(agent),
                then=lambda found: self._show_figures(found.suggestion) if agent == self.agent else None,
            )

    def _show_figures(self, suggestion: Limits | None) -> None:
        words = measured_words(self._sessions, self.agent)
        self.set_words(f"What a run may use where its profile sets no limit. {words}")
        for row_ in budget_rows(self._sessions, self.agent, suggestion):
            self._lines[row_.setting.key].show_figures(row_)

    # ---------------------------------------------------------------- who and why

    def _note(self, key: str) -> None:
        """Record who changed a budget, and why."""
        setting, before, now = BY_KEY[key], self._known[key], self._settings.values[key]
        self._known[key] = now
        if self._records is not None:
            old, new = as_typed(setting.kind, before), as_typed(setting.kind, now)
            noted = self._records.note_setting(key, old, new, self._commands.operator, self.why.text())
            self._commands.spawn(noted, then=lambda _none: self._read_history())

    def _read_history(self) -> None:
        if self._records is not None:
            self._commands.spawn(self._records.setting_changes(SHOWN_CHANGES), then=self._show_history)

    def _show_history(self, changes: Sequence[SettingChange]) -> None:
        now = datetime.now(UTC)
        self._history.setText("\n".join(change_words(change, now) for change in changes))
        self._history.setVisible(bool(changes))


def _figure(text: str, role: Role = "secondary", color: ColorName = "text2") -> Label:
    return Label(text, role, color, align=_RIGHT)
