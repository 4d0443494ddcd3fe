"""The Plan tab: the plan in force, each step with how far it has come; a click leads to its newest call."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from agent_core.model.state import SessionState
from ui.models.plan_progress import plan_note, progress_words, steps_in_force
from ui.models.plan_rows import live_rows
from ui.widgets.label import Label
from ui.widgets.messages import EmptyState
from ui.widgets.plan_list import PlanList
from ui.widgets.surface import column, row


class StepList(PlanList):
    """`opened` carries the place of a step that was clicked twice, or asked for by Enter on the first in view."""

    opened = Signal(int)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Go to the step's call."""
        place = self.row_at(event.position().y())
        if place >= 0:
            self.opened.emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes to the first step in view; the rest as every list."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.row_count:
            self.opened.emit(self.visible_rows().start)
            return
        super().keyPressEvent(event)


class PlanTab(QWidget):
    """`step_wanted` asks the trace for the step of the run in which a planned step was worked at."""

    step_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trace.plan")
        self._state: SessionState | None = None
        self._head = Label("", "section_head", "text2")
        self._head.setObjectName("trace.plan.head")
        self._note = Label("", "meta", "text3")
        self.list = StepList()
        self.list.setObjectName("trace.plan.steps")
        self._empty = EmptyState("No plan is in force", "Agents that plan first show their plan here.", icon="workflow")
        layout = column(self, 0)
        head = row(None, 8, (18, 10, 18, 8))
        head.addWidget(self._head, 1)
        head.addWidget(self._note)
        layout.addLayout(head)
        layout.addWidget(self._empty)
        layout.addWidget(self.list, 1)
        self.list.opened.connect(self._go)
        self.show_plan(None)

    def show_plan(self, state: SessionState | None) -> None:
        """Show how far each step of a session's plan is."""
        self._state = state
        steps = steps_in_force(state)
        self.list.set_rows(live_rows(steps))
        self.list.setVisible(bool(steps))
        self._empty.setVisible(not steps)
        self._head.setText(progress_words(steps))
        self._note.setText(plan_note(state))

    def _go(self, place: int) -> None:
        steps = steps_in_force(self._state)
        step = steps[place].run_step if place < len(steps) else None
        if step is not None:
            self.step_wanted.emit(step)
