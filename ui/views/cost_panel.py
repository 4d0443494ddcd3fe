"""The cost panel under the trace: the graph with what it cannot draw in words, or the same figures as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from agent_core.model.events import Event, ModelFailed, ModelResponded, RunStarted
from ui.console_state import ConsoleState
from ui.models.cost import HEADINGS, CostModel, day_is_tighter, day_words, lost_words, table_rows, unknown_words
from ui.tokens import ColorName
from ui.widgets.button import Button
from ui.widgets.cost_data import CostState
from ui.widgets.cost_graph import CostGraph
from ui.widgets.marks import Line
from ui.widgets.surface import Surface, column
from ui.widgets.table import CellTableModel, Column, Table

REFRESH_MS: Final = 250
"""At most four times a second: a curve costs milliseconds for its axes alone."""
_BILLED: Final = (ModelResponded, ModelFailed, RunStarted)
_COLUMNS: Final = tuple(Column(name, 72, stretch=1.0, right=number > 0) for number, name in enumerate(HEADINGS))


class CostPanel(Surface):
    """`step_wanted` carries the step whose bar was clicked; `collapsed_changed` the wish to remember."""

    step_wanted = Signal(int)
    collapsed_changed = Signal(bool)

    def __init__(self, state: ConsoleState, now: Callable[[], datetime], parent: QWidget | None = None) -> None:
        super().__init__("raised", parent)
        self.setObjectName("cost")
        self._state, self._now = state, now
        self.costs = CostModel()
        self.graph = CostGraph()
        self.graph.setObjectName("cost.graph")
        self._as_table = Button("", "ghost", icon="table-2", height=24, tip="Show as table")
        self._as_table.setObjectName("cost.as_table")
        self._as_table.setCheckable(True)
        self._table_model = CellTableModel(_COLUMNS, self)
        self.table = Table(self._table_model, row_height=26, name="Cost per step")
        self.table.setObjectName("cost.table")
        self._stale = False
        self._timer = QTimer(self, interval=REFRESH_MS, singleShot=True)
        self._timer.timeout.connect(self._show_if_stale)
        self.graph.add_tool(self._as_table)
        inside = column(None, 0, (18, 7, 12, 6))
        inside.addWidget(self.graph)
        layout = column(self, 0)
        layout.addWidget(Line())
        layout.addLayout(inside)
        self._connect()
        state.current_changed.connect(self._restart)
        state.current_advanced.connect(self._advance)
        self._restart()

    def _connect(self) -> None:
        self.graph.step_clicked.connect(self.step_wanted)
        self.graph.collapsed_changed.connect(self._collapsed)
        self._as_table.clicked.connect(self.set_table)
        self.table.row_opened.connect(lambda index: self.step_wanted.emit(self.costs.bills[index].first))
        self._state.day_changed.connect(self._soon)

    # ---------------------------------------------------------------- content

    def _restart(self) -> None:
        """Another session is selected, or more is known of the one that is."""
        standing = self._state.opening.standing if self._state.opening is not None else None
        self.costs = CostModel(standing.bills if standing is not None else None)
        self._show()

    def _advance(self, events: Sequence[Event], _streamed: object) -> None:
        """What happens now; the bills have taken it in."""
        if any(isinstance(event.data, _BILLED) for event in events):
            self._soon()

    def _soon(self) -> None:
        """Show the newest figures, now if there was a pause, else when the next look is due."""
        self._stale = True
        if not self._timer.isActive():
            self._show_if_stale()

    def _show_if_stale(self) -> None:
        if self._stale and self.isVisible():
            self._show()
            self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        """What came while it was hidden."""
        super().showEvent(event)
        self._show_if_stale()

    def _show(self) -> None:
        self._stale = False
        state = self._state.state
        run = state.run if state is not None and state.runs else None
        shown = self.costs.state(run, self._now())
        self.graph.set_words(*self._note(shown))
        self.graph.set_state(shown)
        self._arrange()

    def _note(self, shown: CostState) -> tuple[str, ColorName]:
        """What matters more than the name of an axis: no price, a limit of the day that bites first, lost requests."""
        if not self.costs.known:
            return unknown_words(self.costs), "attn"
        if day_is_tighter(self._state.day, shown):
            return day_words(self._state.day), "attn"
        if self.shows_table:
            return "tokens by kind, dollars", "text3"
        return lost_words(self.costs), "text3"

    def _arrange(self) -> None:
        """Without a price the table of tokens stands where the graph would."""
        table = self.shows_table
        self.graph.show_instead(self.table if table else None)
        self._as_table.setVisible(not self.collapsed and self.costs.known)
        self._as_table.setAccessibleName("Show as graph" if table else "Show as table")
        if table:
            self._table_model.set_rows(table_rows(self.costs))

    # ---------------------------------------------------------------- forms

    @property
    def shows_table(self) -> bool:
        """Whether the figures stand as a table: by choice, or because there is no price to draw."""
        return self._as_table.isChecked() or not self.costs.known

    def set_table(self, shown: bool) -> None:
        """Show the figures as a table, or as a graph."""
        self._as_table.setChecked(shown)
        self._show()

    @property
    def collapsed(self) -> bool:
        """Whether one line is all that shows."""
        return self.graph.collapsed

    def set_collapsed(self, collapsed: bool) -> None:
        """Show one line, or everything."""
        self.graph.set_collapsed(collapsed)

    def _collapsed(self, collapsed: bool) -> None:
        self._arrange()
        self.collapsed_changed.emit(collapsed)

    def set_plot_height(self, height: int) -> None:
        """Height of the graph in px at 100 %."""
        self.graph.set_plot_height(height)
