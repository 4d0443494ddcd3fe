"""The frame: the bars, the rail and the sessions, with room for everything else. All that the first look needs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from ui.console_state import ConsoleState
from ui.main_window import ConsolePage, MainWindow
from ui.views.rail import Rail, RailEntry
from ui.views.session_list import SessionListView
from ui.views.status_bar import StatusBar
from ui.views.top_bar import TopBar
from ui.widgets.surface import Surface

RAIL = (
    RailEntry("console", "Console", "monitor", "Ctrl 1"),
    RailEntry("sessions", "Sessions", "history", "Ctrl 2"),
    RailEntry("audit", "Audit log", "scroll-text", "Ctrl 3"),
    RailEntry("alerts", "Alerts", "bell", "Ctrl 4"),
    RailEntry("shortcuts", "Shortcuts", "keyboard", "?", at_bottom=True),
    RailEntry("settings", "Settings", "settings", "Ctrl ,", at_bottom=True),
)


class Frame:
    """The window as it is first shown. It needs the state and no engine; the grounds of its empty rooms are final."""

    def __init__(self, state: ConsoleState, operator: str, now: Callable[[], datetime]) -> None:
        self.window = MainWindow("Pilothouse")
        self.top = TopBar(state, now)
        self.rail = Rail(RAIL)
        self.status = StatusBar(operator, now)
        self.sessions = SessionListView(state, now)
        self.centre = Surface("raised")
        self.centre.setObjectName("session")
        self.console = ConsolePage(self.sessions, self.centre, Surface("side_right"))
        self.window.build(self.top, self.rail, self.status)
        self.window.add_page("console", self.console)
        state.sessions_changed.connect(lambda: self.status.take_sessions(state.sessions.values()))
        self.rail.show_page("console")

    def show_page(self, page: str) -> None:
        """Show a page that the window has."""
        self.window.show_page(page)
        self.rail.show_page(page)
