"""All sessions: search, filters, the table, and beside it what a session did and how it goes on."""

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import structs
from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from agent_core.model.events import Event
from agent_core.model.intents import Preflight, SessionQuery, SessionSummary
from agent_core.model.run import SessionStatus
from ui import formatting
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.models.session_words import state_chip
from ui.models.sessions_table import (
    AGENT_COLUMN,
    COLUMNS,
    COST_COLUMN,
    DECISIONS_COLUMN,
    PATTERN_COLUMN,
    STEPS_COLUMN,
    last_steps,
    query_for,
    session_cells,
)
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.chip_button import ChipButton
from ui.widgets.containers import HfwScrollArea
from ui.widgets.field import Field
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Icon, Line
from ui.widgets.messages import EmptyAction, EmptyState, SectionHead
from ui.widgets.nothing_here import NothingHere
from ui.widgets.surface import HEAD_HEIGHT, Surface, column, row
from ui.widgets.table import CellTableModel, Table

PANE_WIDTH = 366
SETTLE_MS = 150
_NEWEST = 200
"""Events that the last steps are told from."""
PAGE = 500
_GIVEN_UP = (
    (PATTERN_COLUMN, 1_300),
    (DECISIONS_COLUMN, 1_166),
    (STEPS_COLUMN, 1_062),
    (AGENT_COLUMN, 1_002),
    (COST_COLUMN, 858),
)
"""Columns with the width of the page, in px at 100 %, below which each is not shown: what says least goes first."""
_STATES = (None, *SessionStatus)
_NEW_RUN = EmptyAction("New run", "primary", icon="plus")
_DEMO = EmptyAction("Start demo", icon="play")


class SessionPane(Surface):
    """One session at rest: resume with its preflight, goal, last steps."""

    resume_wanted = Signal(str)
    open_wanted = Signal(str)
    fork_wanted = Signal(str)
    export_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("side_right", parent)
        self.setObjectName("sessions.pane")
        self._session = ""
        self._icon = Icon("circle-pause", "text2", 18, beside="panel_head")
        self._title = ElidedLabel("", "panel_head")
        self._state = Label("", "secondary", "text2", wrap=True)
        self.resume = Button("Resume", "primary", icon="play")
        self.resume.setObjectName("sessions.resume")
        self.open = Button("Open", "default", icon="external-link")
        self.open.setObjectName("sessions.open")
        self.fork = Button("Fork…", "default", icon="git-fork")
        self.fork.setObjectName("sessions.fork")
        self._preflight = Surface("inset")
        self._checks = column(self._preflight, 5, (12, 10, 12, 11))
        self._goal = Label("", "body", "text2", wrap=True)
        self._steps_holder = QWidget()
        self._steps = column(self._steps_holder, 7)
        self.export = Button("Export…", "default", icon="download")
        self.export.setObjectName("sessions.export")
        self._build()

    def _build(self) -> None:
        content = Surface("panel")
        layout = column(content, 12, (18, 16, 18, 16))
        head = row(None, 8)
        head.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        layout.addLayout(head)
        layout.addWidget(self._state)
        buttons = row(None, 8)
        self.resume.set_expanding()
        buttons.addWidget(self.resume, 1)
        buttons.addWidget(self.open)
        buttons.addWidget(self.fork)
        layout.addLayout(buttons)
        layout.addWidget(self._preflight)
        layout.addWidget(SectionHead("Goal"))
        layout.addWidget(self._goal)
        layout.addWidget(SectionHead("Last steps"))
        layout.addWidget(self._steps_holder)
        layout.addStretch(1)
        outer = column(self, 0)
        outer.addWidget(HfwScrollArea("Session", content), 1)
        foot = row(None, 8, (18, 10, 18, 12))
        foot.addWidget(self.export)
        foot.addStretch(1)
        outer.addLayout(foot)
        self.resume.clicked.connect(lambda: self.resume_wanted.emit(self._session))
        self.open.clicked.connect(lambda: self.open_wanted.emit(self._session))
        self.fork.clicked.connect(lambda: self.fork_wanted.emit(self._session))
        self.export.clicked.connect(lambda: self.export_wanted.emit(self._session))

    def show_summary(self, summary: SessionSummary, now: datetime) -> None:
        """Show a session; preflight and steps follow."""
        if summary.session != self._session:
            _empty(self._checks)
            _empty(self._steps)
            self._preflight.hide()
        self._session = summary.session
        words, tone, icon = state_chip(summary)
        color = {"attn": "attn", "dang": "dang", "unk": "unk"}.get(tone, "text2")
        self._icon.set_icon(icon, color)  # type: ignore[arg-type]
        self._title.setText(" ".join(summary.goal.split()))
        when = formatting.day_and_time(summary.updated_at.astimezone(), now.astimezone())
        held = f" Process {summary.lease_pid} works on it." if summary.lease_pid else ""
        agent = f"{summary.agent} {summary.agent_version[:7]}"
        self._state.setText(f"{words}, {when}, after step {summary.step} of {agent}.{held}")
        self._goal.setText(summary.goal)
        rests = summary.status in (SessionStatus.PAUSED, SessionStatus.INTERRUPTED)
        self.resume.setVisible(rests)
        self.open.set_expanding(not rests)
        self.resume.set_label("Resume")

    def show_preflight(self, session: str, preflight: Preflight) -> None:
        """What changed since it stopped."""
        if session != self._session:
            return
        _empty(self._checks)
        self._checks.addWidget(Label("Before it continues", "section_head", "text2"))
        for fine, words in preflight.lines:
            holder = QWidget()
            line = row(holder, 8)
            mark = Icon("check" if fine else "triangle-alert", "text3" if fine else "attn", 14, beside="secondary")
            line.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
            line.addWidget(Label(words, "secondary", "text2" if fine else "attn", wrap=True), 1)
            self._checks.addWidget(holder)
        self.resume.setEnabled(preflight.can_resume)
        self.resume.set_label(f"Resume at step {preflight.next_step}")
        self._preflight.setVisible(bool(preflight.lines))

    def show_steps(self, session: str, events: Sequence[Event]) -> None:
        """The newest steps."""
        if session != self._session:
            return
        _empty(self._steps)
        for number, words, cost in last_steps(events):
            holder = QWidget()
            line = row(holder, 8)
            place = Label(number, "secondary", "text3")
            place.setFixedWidth(px(22))
            line.addWidget(place)
            line.addWidget(ElidedLabel(words, "secondary", "text2"), 1)
            line.addWidget(Label(cost, "secondary", "text3"))
            self._steps.addWidget(holder)


def _empty(layout: object) -> None:
    take = getattr(layout, "takeAt", None)
    while take is not None and (item := take(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.deleteLater()


class SessionsPage(Surface):
    """`session_wanted` opens one in the console."""

    session_wanted = Signal(str)
    fork_wanted = Signal(str)
    export_wanted = Signal(str)
    new_run_wanted = Signal()
    demo_wanted = Signal()

    def __init__(
        self, state: ConsoleState, commands: Commands, now: Callable[[], datetime], parent: QWidget | None = None
    ) -> None:
        super().__init__("raised", parent)
        self.setObjectName("sessions.page")
        self._state, self._commands, self._now = state, commands, now
        self._found: list[SessionSummary] = []
        self._state_filter = 0
        self._count = Label("", "secondary", "text3")
        self.search = Field(placeholder="goal, agent, tool, file, reason…", icon="search", key="/", height=32)
        self.search.setObjectName("sessions.search")
        self.state_chip = ChipButton("State: any", icon="list-filter")
        self.week = ChipButton("Last 7 days", checked_icon="x")
        self.waiting = ChipButton("Has decisions", checked_icon="x")
        self.model = CellTableModel(COLUMNS)
        self.table = Table(self.model, name="Sessions", row_height=36)
        self.table.setObjectName("sessions.table")
        nothing = EmptyState("No runs yet", "", icon="history", actions=(_NEW_RUN, _DEMO))
        self._empty = NothingHere(nothing, "No session matches")
        self.pane = SessionPane()
        self.setFocusProxy(self.table)
        self._build()
        self._connect()

    def _build(self) -> None:
        outer = row(self, 0)
        left = QWidget()
        layout = column(left, 12, (0, 16, 0, 0))
        head = row(None, 10, (22, 0, 18, 0))
        head.addWidget(Label("Sessions", "page_title"))
        head.addWidget(self._count)
        head.addStretch(1)
        head.addStrut(px(HEAD_HEIGHT))
        layout.addLayout(head)
        filters = row(None, 8, (22, 0, 18, 0))
        filters.addWidget(self.search, 1)
        for name, chip in (("state", self.state_chip), ("week", self.week), ("waiting", self.waiting)):
            chip.setObjectName(f"sessions.filter.{name}")
            filters.addWidget(chip)
        layout.addLayout(filters)
        below = column(None, 0)
        below.addWidget(Line())
        below.addWidget(self.table, 1)
        below.addWidget(self._empty, 1)
        layout.addLayout(below, 1)
        outer.addWidget(left, 1)
        self.pane.setFixedWidth(px(PANE_WIDTH))
        outer.addWidget(self.pane)

    def _connect(self) -> None:
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self.refresh)
        self.search.textChanged.connect(lambda _text: self._settle.start())
        self.search.returnPressed.connect(self.table.setFocus)
        self.week.toggled.connect(lambda _on: self.refresh())
        self.waiting.toggled.connect(lambda _on: self.refresh())
        self.state_chip.clicked.connect(self._next_state)
        self.table.selectionModel().currentRowChanged.connect(self._row_chosen)
        self.table.row_opened.connect(self._row_opened)
        self._empty.action.connect(self._empty_action)
        self.pane.resume_wanted.connect(self._resume)
        self.pane.open_wanted.connect(self.session_wanted)
        self.pane.fork_wanted.connect(self.fork_wanted)
        self.pane.export_wanted.connect(self.export_wanted)
        self._state.sessions_changed.connect(self._changed)

    def _changed(self) -> None:
        if self.isVisible():
            self._settle.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Narrow windows and large letters drop the columns that say least."""
        super().resizeEvent(event)
        for column_, needed in _GIVEN_UP:
            self.table.setColumnHidden(column_, self.width() < px(needed))

    def showEvent(self, event: QShowEvent) -> None:
        """Come up to date."""
        super().showEvent(event)
        self.refresh()

    # ---------------------------------------------------------------- finding

    def _query(self) -> SessionQuery:
        state = _STATES[self._state_filter]
        return query_for(
            self.search.text(),
            week=self.week.isChecked(),
            waiting=self.waiting.isChecked(),
            state=state.value if state is not None else None,
            now=self._now(),
        )

    def refresh(self) -> None:
        """Ask again."""
        query = self._query()
        page = structs.replace(query, limit=PAGE)
        self._commands.spawn(self._commands.reader.sessions(page), then=self.show_sessions)
        self._commands.spawn(self._commands.reader.count_sessions(query), then=self._show_count)

    def _show_count(self, count: int) -> None:
        waiting = sum(bool(summary.open_proposals) for summary in self._found)
        need = f" · {waiting} need you" if waiting != 1 else " · 1 needs you"
        self._count.setText(f"{count:,}{need if waiting else ''}" if count else "")

    def show_sessions(self, found: Sequence[SessionSummary]) -> None:
        """Show what was found; the chosen session stays chosen."""
        chosen = self._chosen()
        self._found = list(found)
        now = self._now()
        self.model.set_rows([session_cells(summary, now) for summary in self._found])
        self.table.lead(self, self.search, found=bool(found))
        self._empty.tell(found=bool(found), filtered=self._query() != query_for("", now=self._now()))
        self.pane.setVisible(bool(found))
        ids = [summary.session for summary in self._found]
        place = ids.index(chosen) if chosen in ids else 0
        if ids:
            self.table.selectRow(place)
            self._show_pane(self._found[place])

    def _chosen(self) -> str:
        place = self.table.currentIndex().row()
        return self._found[place].session if 0 <= place < len(self._found) else ""

    def _next_state(self) -> None:
        self._state_filter = (self._state_filter + 1) % len(_STATES)
        state = _STATES[self._state_filter]
        self.state_chip.set_label(f"State: {state.value.replace('_', ' ') if state else 'any'}")
        self.state_chip.setChecked(state is not None)
        self.refresh()

    def _empty_action(self, name: str) -> None:
        acts = {_NEW_RUN.name: self.new_run_wanted.emit, _DEMO.name: self.demo_wanted.emit}
        acts.get(name, self._clear)()

    def _clear(self) -> None:
        self._state_filter = len(_STATES) - 1
        self._next_state()
        self.week.setChecked(False)
        self.waiting.setChecked(False)
        self.search.clear()
        self.refresh()

    # ---------------------------------------------------------------- one session

    def _row_chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if 0 <= current.row() < len(self._found):
            self._show_pane(self._found[current.row()])

    def _show_pane(self, summary: SessionSummary) -> None:
        session = summary.session
        self.pane.show_summary(summary, self._now())
        if summary.status in (SessionStatus.PAUSED, SessionStatus.INTERRUPTED):
            self._commands.spawn(
                self._commands.supervisor.preflight(session),
                then=lambda found: self.pane.show_preflight(session, found),
            )
        self._commands.spawn(
            self._commands.reader.newest(session, _NEWEST), then=lambda events: self.pane.show_steps(session, events)
        )

    def _row_opened(self, place: int) -> None:
        self.session_wanted.emit(self._found[place].session)

    def _resume(self, session: str) -> None:
        self._commands.resume(session)
        self.session_wanted.emit(session)
