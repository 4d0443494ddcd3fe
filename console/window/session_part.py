"""The middle of the console: the selected session, or the first steps where there is no session yet."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from ui.layout_rules import LayoutRule
from ui.views.cost_panel import CostPanel
from ui.views.gauge_strip import GaugeStrip
from ui.views.session_header import SessionHeader
from ui.views.trace.trace_view import TraceView
from ui.widgets.surface import column

if TYPE_CHECKING:
    from console.desk_window import DeskWindow
    from ui.views.first_run import FirstRunPage


class SessionPart(QObject):
    """Header, gauges, trace and costs of one session."""

    def __init__(self, desk: DeskWindow) -> None:
        super().__init__(desk)
        self._desk = desk
        state, now = desk.state, desk.engine.now
        self.header = SessionHeader()
        self.gauges = GaugeStrip(state, now)
        self.trace = TraceView(state, now)
        self.cost = CostPanel(state, now)
        self._sought: tuple[str, int] | None = None
        """A session and its step that somebody wants to see."""
        self._parts: tuple[QWidget, ...] = (self.header, self.gauges, self.trace, self.cost)
        self._layout = column(desk.frame.centre, 0)
        for part in self._parts:
            part.hide()
            self._layout.addWidget(part, 1 if part is self.trace else 0)
        self._connect()
        self.refresh()

    @cached_property
    def first_run(self) -> FirstRunPage:
        """The first steps; most people see them once."""
        from ui.views.first_run import FirstRunPage

        desk = self._desk
        page = FirstRunPage(desk.engine.keys, desk.engine.home)
        page.demo_wanted.connect(desk.demo_wanted)
        page.new_run_wanted.connect(desk.dialogs.open_new_run)
        page.sessions_wanted.connect(lambda: desk.show_page("sessions"))
        self._layout.addWidget(page, 1)
        return page

    def _connect(self) -> None:
        desk, header = self._desk, self.header
        desk.state.sessions_changed.connect(self.refresh)
        desk.state.current_changed.connect(self.refresh)
        desk.state.current_changed.connect(self._go_to_sought)
        header.message_wanted.connect(desk.dialogs.session.ask_message)
        header.pause_wanted.connect(lambda: self._with_current(desk.commands.pause))
        header.resume_wanted.connect(lambda: self._with_current(desk.commands.resume))
        header.stop_wanted.connect(desk.dialogs.session.ask_stop)
        header.menu_wanted.connect(desk.dialogs.session.menu)
        self.trace.card_wanted.connect(lambda card: desk.cards.show(card))
        self.cost.step_wanted.connect(self.trace.go_to_step)

    def _with_current(self, act: Callable[[str], None]) -> None:
        if self._desk.state.current is not None:
            act(self._desk.state.current)

    def refresh(self) -> None:
        """Show what is selected; the first steps once it is known that there is no session."""
        state = self._desk.state
        summary = state.sessions.get(state.current or "")
        if summary is not None:
            self.header.show_summary(summary)
        self._show(session=summary is not None, first_run=summary is None and state.sessions_known)

    def show_first_run(self) -> None:
        """As it looks before there is any session."""
        self._desk.state.select(None)
        self._show(session=False, first_run=True)

    def _show(self, *, session: bool, first_run: bool) -> None:
        for part in self._parts:
            part.setVisible(session)
        if first_run or "first_run" in self.__dict__:
            self.first_run.setVisible(first_run)
        self._desk.frame.console.show_alone(first_run)

    def show_call(self, session: str, call: str) -> None:
        """Scroll the trace to where a value of a card came from; the session is shown first where it is another."""
        commands = self._desk.commands
        commands.spawn(commands.reader.step_of_call(session, call), then=lambda step: self._seek(session, step))

    def _seek(self, session: str, step: int | None) -> None:
        if step is not None:
            self._sought = (session, step)
            self._desk.open_session(session)
            self._go_to_sought()

    def _go_to_sought(self) -> None:
        """Once that session has been read; never, where somebody chose another meanwhile."""
        if self._sought is None:
            return
        session, step = self._sought
        state = self._desk.state
        if state.current != session:
            self._sought = None
        elif state.opening is not None:
            self._sought = None
            self.trace.go_to_step(step)

    def fit(self, rule: LayoutRule, low: bool, graph: int) -> None:
        """What there is room for."""
        self.header.set_compact(rule.compact)
        self.gauges.set_low(low)
        self.gauges.set_narrow(rule.narrow)
        self.cost.set_plot_height(graph)
        self.cost.set_collapsed(low)
