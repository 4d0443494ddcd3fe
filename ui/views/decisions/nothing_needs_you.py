"""NothingNeedsYou: what stands where a card would when none waits: who works, what one decided last, and how."""

from collections.abc import Callable
from datetime import datetime, timedelta

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from agent_core.engine.facade import Records
from agent_core.model.audit import AuditEntry, AuditPage, AuditQuery, Calibration, CalibrationReport
from agent_core.model.run import SessionStatus
from ui import formatting
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.models.audit_table import event_cell, week_words
from ui.widgets.button import Button
from ui.widgets.label import Label
from ui.widgets.marks import Icon, Line
from ui.widgets.messages import EmptyState
from ui.widgets.surface import clear, column, row

LAST_DECISIONS = 6
WEEK = 7
"""Days."""
_TOP = Qt.AlignmentFlag.AlignTop


class NothingNeedsYou(QWidget):
    """`audit_wanted` leads to all decisions. Without `records` it says who works, and no more."""

    audit_wanted = Signal()

    def __init__(
        self, state: ConsoleState, commands: Commands, records: Records | None, now: Callable[[], datetime]
    ) -> None:
        super().__init__()
        self._state, self._commands, self._records, self._now = state, commands, records, now
        self._empty = EmptyState("Nothing needs you", "")
        self._last, self._week = column(None, 6, (16, 12, 16, 0)), column(None, 6, (16, 0, 16, 12))
        layout = column(self, 8)
        layout.addWidget(self._empty)
        layout.addLayout(self._last)
        layout.addStretch(1)
        layout.addLayout(self._week)
        state.sessions_changed.connect(self._say_who_works)
        self._say_who_works()

    def _say_who_works(self) -> None:
        working = sum(summary.status is SessionStatus.RUNNING for summary in self._state.sessions.values())
        text = f"{formatting.plural(working, 'agent is', 'agents are')} working." if working else "No agent is working."
        self._empty.set_text(text)

    def refresh(self) -> None:
        """Read again what was decided lately."""
        if self._records is None:
            return
        mine = AuditQuery(
            operators=[self._commands.operator],
            since=self._now() - timedelta(days=WEEK),
            limit=LAST_DECISIONS,
            drills=False,
        )
        self._commands.spawn(self._records.audit(mine), then=self._show_last)
        self._commands.spawn(self._records.calibration(WEEK), then=self._show_week)

    def _show_last(self, page: AuditPage) -> None:
        clear(self._last)
        closed = [entry for entry in page.entries if entry.verdict is not None]
        if not closed:
            return
        self._last.addWidget(Label("Your last decisions", "section_head", "text2"))
        for entry in closed:
            self._last.addWidget(_decision_line(entry, self._now()))
        more = Button("Open in audit log", "link", height=24)
        more.setObjectName("decisions.audit")
        more.clicked.connect(self.audit_wanted)
        self._last.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)

    def _show_week(self, report: CalibrationReport) -> None:
        clear(self._week)
        mine = next((one for one in report.operators if one.who == self._commands.operator), None)
        if mine is not None and mine.cards:
            self._week.addWidget(Line())
            for line in _week_lines(mine):
                self._week.addWidget(line)


def _decision_line(entry: AuditEntry, now: datetime) -> QWidget:
    became = event_cell(entry)
    holder = QWidget()
    line = row(holder, 8)
    line.addWidget(Icon(became.icon or "check", "text3", 14), 0, _TOP)
    line.addWidget(Label(f"{became.text}: {entry.title}", "secondary", "text2", wrap=True), 1)
    when = formatting.day_and_time((entry.closed_at or entry.at).astimezone(), now.astimezone()).removeprefix("today ")
    line.addWidget(Label(when, "secondary", "text3"), 0, _TOP)
    return holder


def _week_lines(mine: Calibration) -> list[QWidget]:
    typical = formatting.duration(mine.median_seconds) if mine.median_seconds is not None else "not known"
    return [
        _figure_line("This week", week_words(mine), strong=False),
        _figure_line("Median time on a card", typical),
        _figure_line("Approved in under 3 s", str(mine.hasty)),
    ]


def _figure_line(name: str, figure: str, *, strong: bool = True) -> QWidget:
    holder = QWidget()
    line = row(holder, 8)
    line.addWidget(Label(name, "secondary" if strong else "secondary_medium", "text2" if strong else "text"))
    line.addStretch(1)
    line.addWidget(Label(figure, "secondary_medium" if strong else "secondary", "text" if strong else "text2"))
    return holder
