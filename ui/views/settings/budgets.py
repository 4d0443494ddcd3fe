"""Budgets: the limits of runs beside what runs usually take, and the context worksheet."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from agent_core.config.settings import Settings
from agent_core.model.context import Worksheet
from agent_core.model.intents import SessionQuery, SessionSummary
from agent_core.model.run import SessionStatus
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.models.settings.budget_rows import (
    BudgetRow,
    budget_rows,
    measured_words,
    worksheet_rows,
    worksheet_state,
)
from ui.theme import px, theme
from ui.tokens import ColorName, Role
from ui.views.settings.editors import Editor, TextEditor, editor_for
from ui.views.settings.frame import Card, Part, Said
from ui.widgets.context_bar import ContextBar
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Line
from ui.widgets.surface import column

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
MEASURED_SESSIONS = 1_000


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
    """The widgets of one row: figures that change, the editor, and what happens, or what is wrong, at the end."""

    def __init__(self, settings: Settings, row: BudgetRow) -> None:
        super().__init__()
        self.setting = row.setting
        self.title = Label(row.setting.title, "body_medium")
        self.title.setToolTip(row.setting.help)
        self.typical, self.high = _figure(row.typical), _figure(row.high)
        self.warn = _figure(row.warn)
        self.editor: Editor = editor_for(settings, row.setting)
        self._then = ElidedLabel(row.then, "secondary", "text2")
        self._said = Said()
        self._said.setObjectName(f"settings.{row.setting.key}.problem")
        self.end = QWidget()
        self.setParent(self.end)
        end = column(self.end, 0)
        end.addWidget(self._then)
        end.addWidget(self._said)
        self.title.setBuddy(self.editor)
        self.editor.problem.connect(self._show_problem)
        theme().follow(self.restyle)

    def restyle(self) -> None:
        """The width of the field again after a scale change."""
        if isinstance(self.editor, TextEditor):
            self.editor.field.setFixedWidth(px(104))

    def show_figures(self, row: BudgetRow) -> None:
        """Show what was measured."""
        self.typical.setText(row.typical)
        self.high.setText(row.high)

    def _show_problem(self, problem: str) -> None:
        self._said.show_problem(problem)
        self._then.setVisible(not problem)

    def refresh(self) -> None:
        """Show the value as it is now."""
        self.editor.refresh()


class BudgetsPart(Part):
    """The limits in force for every run whose profile sets none, and the worksheet."""

    def __init__(self, settings: Settings, state: ConsoleState, commands: Commands) -> None:
        super().__init__("Budgets")
        self._state, self._commands = state, commands
        self._lines: dict[str, LimitLine] = {}
        self._grid = Grid(
            ("Limit", "Typical", "95th percentile", "Warn at", "Hard stop", "Then"),
            frozenset({1, 2, 3, 4}),
            (5, 2, 2, 2, 3, 6),
        )
        for row in budget_rows(()):
            line = LimitLine(settings, row)
            self._lines[row.setting.key] = line
            self._grid.add([line.title, line.typical, line.high, line.warn, line.editor, line.end])
        self.rows = self._lines
        card = Card()
        card.add_row(self._grid)
        self.body.addWidget(card)
        self.body.addWidget(self._worksheet(Worksheet()))
        self.body.addStretch(1)
        self._show_sessions(())

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
        self._show_sessions(list(self._state.sessions.values()))
        query = SessionQuery(statuses=[SessionStatus.ENDED], limit=MEASURED_SESSIONS)
        self._commands.spawn(self._commands.reader.sessions(query), then=self._show_sessions)

    def _show_sessions(self, sessions: Sequence[SessionSummary]) -> None:
        self.set_words(f"What a run may use where its profile sets no limit. {measured_words(sessions)}")
        for row in budget_rows(sessions):
            self._lines[row.setting.key].show_figures(row)


def _figure(text: str, role: Role = "secondary", color: ColorName = "text2") -> Label:
    return Label(text, role, color, align=_RIGHT)
