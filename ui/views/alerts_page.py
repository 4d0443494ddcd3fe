"""Alerts of all sessions: what is out of the ordinary, for somebody to look at. None of them waits for a decision."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from agent_core.model.alerts import Alert, AlertQuery
from ui import formatting
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.models.alerts_table import COLUMNS, alert_cells
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.chip_button import ChipButton
from ui.widgets.label import Label
from ui.widgets.marks import Line
from ui.widgets.messages import EmptyAction, EmptyState
from ui.widgets.surface import HEAD_HEIGHT, Surface, column, row
from ui.widgets.table import CellTableModel, Table

_SHOW_ALL = EmptyAction("Show acknowledged ones")


class AlertsPage(Surface):
    """A table of alerts. Enter opens the session; `A` acknowledges the chosen one."""

    session_wanted = Signal(str)

    def __init__(
        self, state: ConsoleState, commands: Commands, now: Callable[[], datetime], parent: QWidget | None = None
    ) -> None:
        super().__init__("raised", parent)
        self.setObjectName("alerts")
        self._state, self._commands, self._now = state, commands, now
        self._found: list[Alert] = []
        self._count = Label("", "secondary", "text3")
        self.all = ChipButton("Acknowledged too", checked_icon="x")
        self.all.setObjectName("alerts.filter.all")
        self.model = CellTableModel(COLUMNS)
        self.table = Table(self.model, name="Alerts", row_height=38)
        self.table.setObjectName("alerts.table")
        self._empty = EmptyState(
            "Nothing out of the ordinary",
            "Unusual cost, failing tools, full contexts and loops of any session are listed here.",
            icon="bell",
            actions=[_SHOW_ALL],
        )
        self.open = Button("Open session", "ghost", icon="external-link", key="↵", height=28, flush=True)
        self.open.setObjectName("alerts.open")
        self.acknowledge = Button("Acknowledge", "ghost", icon="check", key="A", height=28)
        self.acknowledge.setObjectName("alerts.acknowledge")
        self._foot = QWidget()
        self.setFocusProxy(self.table)
        self._build()
        self._connect()

    def _build(self) -> None:
        layout = column(self, 12, (0, 0, 0, 0))
        head = row(None, 10, (22, 16, 18, 0))
        head.addWidget(Label("Alerts", "page_title"))
        head.addWidget(self._count)
        head.addStretch(1)
        head.addWidget(self.all)
        head.addStrut(px(HEAD_HEIGHT))
        layout.addLayout(head)
        below = column(None, 0)
        below.addWidget(Line())
        below.addWidget(self.table, 1)
        nothing = row(None, 0, (6, 0, 6, 0))  # flush with the title
        nothing.addWidget(self._empty, 1)
        below.addLayout(nothing, 1)
        layout.addLayout(below, 1)
        foot = column(self._foot, 0)
        foot.addWidget(Line())
        buttons = row(None, 8, (22, 6, 18, 6))
        buttons.addWidget(self.open)
        buttons.addWidget(self.acknowledge)
        buttons.addStretch(1)
        buttons.addWidget(Label("An alert asks for a look, never for a decision.", "secondary", "text3"))
        foot.addLayout(buttons)
        layout.addWidget(self._foot)

    def _connect(self) -> None:
        self.all.toggled.connect(lambda _on: self.refresh())
        self.table.row_opened.connect(lambda _row: self._open_chosen())
        self.table.selectionModel().currentRowChanged.connect(self._row_chosen)
        self.open.clicked.connect(self._open_chosen)
        self.acknowledge.clicked.connect(self._acknowledge_chosen)
        self._empty.action.connect(lambda _name: self.all.setChecked(True))
        self._state.alerts_changed.connect(self._changed)

    def showEvent(self, event: QShowEvent) -> None:
        """Come up to date."""
        super().showEvent(event)
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """`A` acknowledges."""
        if event.key() == Qt.Key.Key_A and not event.modifiers() and not event.isAutoRepeat():
            self._acknowledge_chosen()
            return
        super().keyPressEvent(event)

    def _changed(self) -> None:
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Read again."""
        query = AlertQuery(acknowledged=self.all.isChecked())
        self._commands.spawn(self._commands.reader.alerts(query), then=self.show_alerts)

    def show_alerts(self, found: Sequence[Alert]) -> None:
        """Show what was found; the chosen place stays chosen, so that one after the other can be acknowledged."""
        place = max(0, self.table.currentIndex().row())
        chosen = self._chosen()
        self._found = list(found)
        now = self._now()
        self.model.set_rows([alert_cells(alert, now) for alert in found])
        waiting = sum(alert.acknowledged_at is None for alert in found)
        self._count.setText(f"{formatting.count(waiting)} to look at" if waiting else "")
        self.table.lead(self, self.all, found=bool(found))
        self._foot.setVisible(bool(found))
        self._empty.setVisible(not found)
        self._empty.offer(not self.all.isChecked())
        if found:
            keys = [(alert.session, alert.alert) for alert in found]
            key = (chosen.session, chosen.alert) if chosen is not None else None
            self.table.selectRow(keys.index(key) if key in keys else min(place, len(found) - 1))

    def _chosen(self) -> Alert | None:
        place = self.table.currentIndex().row()
        return self._found[place] if 0 <= place < len(self._found) else None

    def _row_chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        place = current.row()
        done = not 0 <= place < len(self._found) or self._found[place].acknowledged_at is not None
        self.acknowledge.setEnabled(not done)

    def _open_chosen(self) -> None:
        alert = self._chosen()
        if alert is not None:
            self.session_wanted.emit(alert.session)

    def _acknowledge_chosen(self) -> None:
        alert = self._chosen()
        if alert is None or alert.acknowledged_at is not None:
            return
        work = self._commands.desk.acknowledge(alert.session, alert.alert, self._commands.operator)
        self._commands.spawn(work, then=lambda _none: self.refresh())
