"""The composition of the window: its parts meet here. The frame comes first, everything else when it is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from agent_core.config.look import Look
from console.engine import Engine
from console.window.dialogs import Dialogs
from console.window.frame import Frame
from console.window.pages import Pages
from console.window.shortcuts import connect_actions
from ui.bridge import Batch, Bridge
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.layout_rules import LayoutRule
from ui.theme import theme
from ui.views.status_bar import LOAD_WINDOW

if TYPE_CHECKING:
    from agent_core.config.settings import Settings
    from console.window.cards_part import CardsPart
    from console.window.session_part import SessionPart
    from ui.tray import Tray, TrayIcon

_PARTS = (
    "console.window.session_part", "console.window.cards_part", "console.window.session_dialogs",
    "console.window.notices", "ui.notifier", "agent_core.config.settings",
)  # fmt: skip


class DeskWindow(QObject):
    """The window of one home. Made, it is a frame that can be shown; `load` reads what there is.

    Session, cards, pages and dialogs are made when they are first needed, whoever needs them: a key that is pressed
    early gets what it asks for.
    """

    quit_wanted = Signal()
    """Asks the application for an ordered end."""
    reopen_wanted = Signal(str)
    """The home was set back: what this window shows is of yesterday. Carries what the next one is to say."""
    demo_wanted = Signal()
    fault = Signal(str)
    """Something went wrong that nobody expected; one sentence, from any thread."""

    def __init__(
        self,
        engine: Engine,
        *,
        tray_icon: Callable[[], TrayIcon | None] = lambda: None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.engine = engine
        self._tray_icon = tray_icon
        self.tray: Tray | None = None
        self.commands = Commands(engine.supervisor, engine.desk, engine.reader, engine.operator, self)
        self.state = ConsoleState(self.commands, self)
        self.bridge = Bridge(engine.bus, self)
        self.frame = Frame(self.state, engine.operator, engine.now)
        self.window = self.frame.window
        self.dialogs = Dialogs(self)
        self.pages = Pages(self)
        self._fitting: tuple[LayoutRule, bool, int] | None = None
        self._connect_frame()
        self._connect_engine()
        connect_actions(self)

    # ---------------------------------------------------------------- parts that come later

    @cached_property
    def session(self) -> SessionPart:
        """The middle of the console."""
        from console.window.session_part import SessionPart

        part = SessionPart(self)
        if self._fitting is not None:
            part.fit(*self._fitting)
        return part

    @cached_property
    def cards(self) -> CardsPart:
        """The decisions."""
        from console.window.cards_part import CardsPart

        part = CardsPart(self)
        if self._fitting is not None:
            part.panel.set_low(self._fitting[1])
        return part

    async def furnish(self) -> None:
        """Make session and cards behind the frame that is shown: what they import off the GUI thread, each in a turn
        of its own, so that keys and clicks are answered in between.
        """
        await asyncio.to_thread(_import_parts)
        for make in (lambda: self.session, lambda: self.cards):
            make()
            await asyncio.sleep(0)

    def load(self) -> None:
        """Read what there is and show it, with whatever of the window is not made yet."""
        from console.window.notices import Notices
        from ui.notifier import Notifier

        settings = self.engine.settings
        settings.observe(lambda _key: theme().wear(look_in(settings)))
        theme().wear(look_in(settings))
        self.window.set_regions([self.frame.sessions, self.session.trace, self.cards.panel])
        self.notices = Notices(self.window, self.state, self.commands, lambda: self.open_settings("models"))
        self.tray = self._make_tray()
        self.notifier = Notifier(self.window, self.state, settings, self.engine.now, self.tray)
        self.state.load()
        self.cards.panel.keeper.load()
        recently = self.engine.desk.opened_since(self.engine.now() - LOAD_WINDOW)
        self.commands.spawn(recently, then=self.frame.status.take_opened)

    def _make_tray(self) -> Tray | None:
        icon = self._tray_icon()
        if icon is None:
            return None
        from ui.tray import Tray

        tray = Tray(icon, self.window)
        tray.open_wanted.connect(self.to_front)
        tray.card_wanted.connect(self._open_note)
        tray.urgent_wanted.connect(self._open_urgent)
        tray.pause_all_wanted.connect(self.commands.pause_all)
        tray.stop_all_wanted.connect(self._ask_stop_all)
        tray.quit_wanted.connect(self.quit_wanted)
        return tray

    async def close(self) -> None:
        """Stop listening and let what is under way end."""
        self.bridge.close()
        if self.tray is not None:
            self.tray.close()
        self.cards.panel.keeper.save()
        await self.commands.close()

    # ---------------------------------------------------------------- connecting

    def _connect_frame(self) -> None:
        frame, window = self.frame, self.window
        window.closing.connect(self._closing)
        window.resized_to.connect(self._fit)
        frame.top.search_wanted.connect(self.dialogs.open_palette)
        frame.top.decisions_wanted.connect(lambda: self.cards.go_to_urgent())
        frame.top.pause_all_wanted.connect(self.commands.pause_all)
        frame.top.new_run_wanted.connect(self.dialogs.open_new_run)
        frame.rail.chosen.connect(self._rail_chosen)
        frame.sessions.chosen.connect(self.open_session)
        frame.sessions.all_wanted.connect(lambda: self.show_page("sessions"))

    def _connect_engine(self) -> None:
        commands, state = self.commands, self.state
        self.bridge.flushed.connect(self._take)
        self.fault.connect(self._say_wrong, Qt.ConnectionType.QueuedConnection)
        commands.refused.connect(self._say_wrong)
        commands.decision_refused.connect(lambda _card, sentence: self._say_wrong(sentence))
        commands.started.connect(self.open_session)
        commands.passphrase_wanted.connect(lambda: self.dialogs.home.ask_passphrase())
        state.sessions_changed.connect(self._select_first)
        state.queue_changed.connect(lambda: self.window.show_count(len(state.queue)))
        state.alerts_changed.connect(lambda: self.frame.rail.set_dot("alerts", state.open_alerts > 0))
        state.announced.connect(self._announce)

    def _select_first(self) -> None:
        if self.state.current is None:
            self.state.select(self.frame.sessions.model.first_session())

    def _take(self, batch: Batch) -> None:
        self.state.apply(batch)
        self.frame.status.apply(batch)

    def _say_wrong(self, sentence: str) -> None:
        self.window.say(sentence, "octagon-alert")

    def _announce(self, sentence: str, urgent: bool) -> None:
        event = QAccessibleAnnouncementEvent(self.window, sentence)
        politeness = QAccessible.AnnouncementPoliteness
        event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
        QAccessible.updateAccessibility(event)

    def _fit(self, rule: LayoutRule, low: bool, graph: int) -> None:
        self._fitting = (rule, low, graph)
        self.frame.top.set_narrow(rule.narrow)
        self.frame.console.fit(rule)
        if "session" in self.__dict__:
            self.session.fit(rule, low, graph)
        if "cards" in self.__dict__:
            self.cards.panel.set_low(low)

    # ---------------------------------------------------------------- going somewhere

    def show_page(self, page: str) -> None:
        """Show a page of the rail."""
        if self.frame.console.reviewing and page != "console":
            self.cards.close_review()
        self.pages.make(page)
        self.frame.show_page(page)

    def _rail_chosen(self, page: str) -> None:
        if page == "shortcuts":
            self.show_shortcuts()
        else:
            self.show_page(page)

    def open_session(self, session: str) -> None:
        """Select a session and show it."""
        if self.frame.console.reviewing:
            self.cards.close_review()
        self.show_page("console")
        self.state.select(session)

    def open_settings(self, part: str) -> None:
        """Show a page of the settings."""
        self.show_page("settings")
        self.pages.settings.show_part(part)
        self.pages.settings.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_shortcuts(self) -> None:
        """All keys, in words."""
        self.open_settings("shortcuts")

    def back(self) -> None:
        """From a review to the session, from a page to the console."""
        if self.frame.console.reviewing:
            self.cards.close_review()
        elif self.window.page != "console":
            self.show_page("console")

    def to_front(self) -> None:
        """A second console was started, or a note was clicked: this is the one."""
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def _closing(self) -> None:
        """Closing the window quits, unless the operator wants agents to go on and there is a tray to come back from."""
        if self.tray is not None and self.engine.settings["general.keep_running"]:
            self.window.hide()
        else:
            self.quit_wanted.emit()

    def _open_urgent(self) -> None:
        self.to_front()
        self.cards.go_to_urgent()

    def _ask_stop_all(self) -> None:
        self.to_front()
        self.dialogs.home.ask_stop_all()

    def _open_note(self, proposal: str) -> None:
        self.to_front()
        if any(entry.proposal.proposal == proposal for entry in self.state.queue):
            self.cards.show(proposal)


def _import_parts() -> None:
    for module in _PARTS:
        import_module(module)


def look_in(settings: Settings) -> Look:
    """The look that the settings ask for."""
    return Look(
        settings["general.theme"],
        settings["general.scale"],
        settings["general.reduced_motion"],
        settings["general.high_contrast"],
    )
