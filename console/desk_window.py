"""The composition of the window: views, commands and engine meet here, and only here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from agent_core.config.home import Home
from agent_core.config.rule_trials import RuleDraft
from agent_core.config.secrets import ModelKeys
from agent_core.config.settings import Settings
from agent_core.engine.facade import Archive, Bus, Desk, Reader, Records, Rulebook, Supervisor
from agent_core.model.intents import Receipt, StartRun
from agent_core.model.proposal import Proposal
from console.audit_dialogs import AuditDialogs
from console.home_dialogs import HomeDialogs
from console.notices import Notices
from console.session_dialogs import SessionDialogs
from ui.actions import ACTIONS
from ui.bridge import Batch, Bridge
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.dialogs.ask import ShowText
from ui.dialogs.new_run import NewRunDialog, RunChoices
from ui.dialogs.palette import Palette
from ui.layout_rules import LayoutRule
from ui.main_window import ConsolePage, MainWindow
from ui.models.palette import PaletteEntry, palette_entries
from ui.models.settings.workbench_lines import effect_words
from ui.notifier import Notifier
from ui.theme import ThemeMode, theme
from ui.views.alerts_page import AlertsPage
from ui.views.audit_page import AuditPageView
from ui.views.cost_panel import CostPanel
from ui.views.decisions.panel import DecisionsPanel
from ui.views.decisions.review import ReviewPage
from ui.views.decisions.sections import raw_call_text
from ui.views.first_run import FirstRunPage
from ui.views.gauge_strip import GaugeStrip
from ui.views.rail import Rail, RailEntry
from ui.views.session_header import SessionHeader
from ui.views.session_list import SessionListView
from ui.views.sessions_page import SessionsPage
from ui.views.settings.page import SettingsPage
from ui.views.status_bar import StatusBar
from ui.views.top_bar import TopBar
from ui.views.trace.trace_view import TraceView
from ui.widgets.surface import Surface, column

RAIL = (
    RailEntry("console", "Console", "monitor", "Ctrl 1"),
    RailEntry("sessions", "Sessions", "history", "Ctrl 2"),
    RailEntry("audit", "Audit log", "scroll-text", "Ctrl 3"),
    RailEntry("alerts", "Alerts", "bell", "Ctrl 4"),
    RailEntry("shortcuts", "Shortcuts", "keyboard", "?", at_bottom=True),
    RailEntry("settings", "Settings", "settings", "Ctrl ,", at_bottom=True),
)


@dataclass(frozen=True, slots=True)
class Engine:
    """What the window needs of an open home. The same for a live one and for one that is only drawn."""

    supervisor: Supervisor
    desk: Desk
    reader: Reader
    bus: Bus
    home: Home
    settings: Settings
    keys: ModelKeys
    operator: str
    now: Callable[[], datetime]
    archive: Archive | None = None
    """Backups; None where the home is only drawn."""
    records: Records | None = None
    rulebook: Rulebook | None = None
    lock_clock: Callable[[], float] | None = None
    """Seconds for the lock of the decision buttons; None: the monotonic clock."""


class DeskWindow(QObject):
    """Builds the window and connects it. `quit_wanted` asks the application for an ordered end."""

    quit_wanted = Signal()
    reopen_wanted = Signal()
    """The home was set back: what this window shows is of yesterday."""
    demo_wanted = Signal()

    def __init__(self, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.engine = engine
        self.commands = Commands(engine.supervisor, engine.desk, engine.reader, engine.operator, self)
        self.state = ConsoleState(self.commands, self)
        self.bridge = Bridge(engine.bus, self)
        self.window = MainWindow("Pilothouse")
        self.dialogs = SessionDialogs(self.window, self.state, self.commands)
        self.home_dialogs = HomeDialogs(
            self.window, self.commands, engine.archive, engine.home, self.reopen_wanted.emit
        )
        self.audit_dialogs = AuditDialogs(self.window, self.commands, engine.records)
        self.notices = Notices(self.window, self.state, self.commands, lambda: self.open_settings("models"))
        self._build_frame()
        self._build_console()
        self._build_pages()
        self._connect_frame()
        self._connect_console()
        self._connect_actions()
        self._connect_settings()

    # ---------------------------------------------------------------- building

    def _build_frame(self) -> None:
        now = self.engine.now
        self.top = TopBar(self.state, now)
        self.rail = Rail(RAIL)
        self.status = StatusBar(self.engine.operator, now)
        self.window.build(self.top, self.rail, self.status)

    def _build_console(self) -> None:
        now, operator = self.engine.now, self.engine.operator
        self.list = SessionListView(self.state, now)
        self.header = SessionHeader()
        self.gauges = GaugeStrip(self.state, now)
        self.trace = TraceView(self.state, now)
        self.cost = CostPanel(self.state, now)
        self.decisions = DecisionsPanel(self.state, self.commands, now, clock=self.engine.lock_clock)
        self.review = ReviewPage(operator, now, clock=self.engine.lock_clock)
        self.first_run = FirstRunPage(self.engine.keys, self.engine.home)
        self.centre = Surface("raised")
        self.centre.setObjectName("session")
        layout = column(self.centre, 0)
        self._session_parts: tuple[QWidget, ...] = (self.header, self.gauges, self.trace, self.cost)
        for part in self._session_parts:
            layout.addWidget(part, 1 if part is self.trace else 0)
        layout.addWidget(self.first_run, 1)
        self.console = ConsolePage(self.list, self.centre, self.decisions)
        self.console.set_review(self.review)

    def _build_pages(self) -> None:
        engine = self.engine
        self.sessions = SessionsPage(self.state, self.commands, engine.now)
        self.settings = SettingsPage(
            engine.settings, engine.keys, self.state, self.commands, engine.home, engine.rulebook
        )
        self.window.add_page("console", self.console)
        self.window.add_page("sessions", self.sessions)
        self.audit = AuditPageView(self.commands, engine.records, engine.now)
        self.window.add_page("audit", self.audit)
        self.alerts = AlertsPage(self.state, self.commands, engine.now)
        self.window.add_page("alerts", self.alerts)
        self.window.add_page("settings", self.settings)
        self.window.set_regions([self.list, self.trace, self.decisions])
        self.show_page("console")

    # ---------------------------------------------------------------- connecting

    def _connect_frame(self) -> None:
        self.bridge.flushed.connect(self._take)
        self.window.closing.connect(self.quit_wanted)
        self.window.resized_to.connect(self._fit)
        self.top.search_wanted.connect(self.open_palette)
        self.top.decisions_wanted.connect(self.go_to_urgent)
        self.top.pause_all_wanted.connect(self.commands.pause_all)
        self.top.new_run_wanted.connect(self.open_new_run)
        self.rail.chosen.connect(self._rail_chosen)
        self.commands.refused.connect(lambda sentence: self.window.say(sentence, "octagon-alert"))
        self.commands.started.connect(self.open_session)
        self.commands.decided.connect(self._decided)
        self.commands.passphrase_wanted.connect(self.home_dialogs.ask_passphrase)
        self.state.queue_changed.connect(self._queue_changed)
        self.state.announced.connect(self._announce)

    def _connect_console(self) -> None:
        self.list.chosen.connect(self.open_session)
        self.list.all_wanted.connect(lambda: self.show_page("sessions"))
        self.state.sessions_changed.connect(self._show_header)
        self.state.current_changed.connect(self._show_header)
        self.header.message_wanted.connect(self.dialogs.ask_message)
        self.header.pause_wanted.connect(lambda: self._with_current(self.commands.pause))
        self.header.resume_wanted.connect(lambda: self._with_current(self.commands.resume))
        self.header.stop_wanted.connect(self.dialogs.ask_stop)
        self.header.menu_wanted.connect(self.dialogs.menu)
        self.trace.card_wanted.connect(self.show_card)
        self.cost.step_wanted.connect(self.trace.go_to_step)
        self.decisions.review_wanted.connect(self.open_review)
        self.decisions.pause_all_wanted.connect(self.commands.pause_all)
        self.decisions.card.raw_call_wanted.connect(self._show_raw_call)
        self.decisions.card.origin_wanted.connect(self.show_call)
        self.review.origin_wanted.connect(self.show_call)
        self.review.back_wanted.connect(self.close_review)
        self.review.decided.connect(self.commands.decide)
        self.review.step_wanted.connect(self._step_review)
        self.review.raw_call_wanted.connect(self._show_raw_call)
        self.review.more_time_wanted.connect(self._more_time)
        self.review.trial_wanted.connect(self._try_out)
        self.commands.decision_refused.connect(lambda _card, sentence: self.window.say(sentence, "octagon-alert"))
        self.first_run.demo_wanted.connect(self.demo_wanted)
        self.first_run.new_run_wanted.connect(self.open_new_run)
        self.first_run.sessions_wanted.connect(lambda: self.show_page("sessions"))
        self.sessions.session_wanted.connect(self.open_session)
        self.audit.session_wanted.connect(self.open_session)
        self.alerts.session_wanted.connect(self.open_session)
        self.state.alerts_changed.connect(lambda: self.rail.set_dot("alerts", self.state.open_alerts > 0))
        self.audit.export_wanted.connect(self.audit_dialogs.ask_export)
        self.audit.record_wanted.connect(self.audit_dialogs.ask_record)
        self.audit.rule_wanted.connect(self._propose_rule)
        self.audit.regret_wanted.connect(self.audit_dialogs.ask_regret)
        self.sessions.export_wanted.connect(self._export_other)

    def _connect_actions(self) -> None:
        on = self.window.on
        on("palette", self.open_palette)
        on("new_run", self.open_new_run)
        on("demo", self.demo_wanted.emit)
        on("drill", lambda: self.commands.spawn(self.engine.desk.open_drill(self.engine.operator)))
        for page in ("console", "sessions", "audit", "alerts", "settings"):
            on(f"page.{page}", partial(self.show_page, page))
        for part in ("general", "budgets", "policies", "models"):
            on(f"settings.{part}", partial(self.open_settings, part))
        on("toggle.sessions", lambda: self.list.setVisible(not self.list.isVisible()))
        on("toggle.decisions", lambda: self.decisions.setVisible(not self.decisions.isVisible()))
        on("region.next", lambda: self.window.go_to_region(1))
        on("region.previous", lambda: self.window.go_to_region(-1))
        on("urgent", self.go_to_urgent)
        on("pause_all", self.commands.pause_all)
        on("stop_all", self.home_dialogs.ask_stop_all)
        on("release", self.commands.release)
        on("session.message", self.dialogs.ask_message)
        on("session.pause", self.header.pause.click)
        on("session.stop", self.dialogs.ask_stop)
        on("session.limits", self.dialogs.open_limits)
        on("session.export", self.dialogs.ask_export)
        for mode in ThemeMode:
            on(f"theme.{mode.value}", partial(self._set_theme, mode))
        on("shortcuts", self.show_shortcuts)
        on("back", self._back)
        on("quit", self.quit_wanted.emit)

    def _connect_settings(self) -> None:
        self.settings.backup_wanted.connect(self.home_dialogs.back_up)
        self.settings.restore_wanted.connect(self.home_dialogs.choose_backup)
        self.notifier = Notifier(self.window, self.state, self.engine.settings, self.engine.now)
        self.notifier.opened.connect(self._open_note)
        self.engine.settings.observe(lambda _key: apply_settings(self.engine.settings, self.review))
        apply_settings(self.engine.settings, self.review)

    # ---------------------------------------------------------------- what comes in

    def load(self) -> None:
        """Read what there is and show it."""
        self.state.load()
        self._show_header()

    def _take(self, batch: Batch) -> None:
        self.state.apply(batch)
        self.status.apply(batch)
        self.decisions.show_load(self.status.load, self.status.flooded)

    def _queue_changed(self) -> None:
        self.window.show_count(len(self.state.queue))
        if self.console.reviewing and self.review.entry is not None:
            self._refresh_review(self.review.entry.proposal.proposal)

    def _announce(self, sentence: str, urgent: bool) -> None:
        event = QAccessibleAnnouncementEvent(self.window, sentence)
        politeness = QAccessible.AnnouncementPoliteness
        event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
        QAccessible.updateAccessibility(event)

    # ---------------------------------------------------------------- pages and sessions

    def show_page(self, page: str) -> None:
        """Show a page of the rail."""
        if self.console.reviewing and page != "console":
            self.close_review()
        self.window.show_page(page)
        self.rail.show_page(page)

    def _rail_chosen(self, page: str) -> None:
        if page == "shortcuts":
            self.show_shortcuts()
            self.rail.show_page(self.window.page)
        else:
            self.show_page(page)

    def open_session(self, session: str) -> None:
        """Select a session and show it."""
        self.close_review()
        self.show_page("console")
        self.state.select(session)

    def _with_current(self, act: Callable[[str], None]) -> None:
        if self.state.current is not None:
            act(self.state.current)

    def _show_header(self) -> None:
        if self.state.current is None and self.state.sessions:
            self._select_first()
        summary = self.state.sessions.get(self.state.current or "")
        for part in self._session_parts:
            part.setVisible(summary is not None)
        self.first_run.setVisible(summary is None)
        if summary is not None:
            self.header.show_summary(summary)

    def _select_first(self) -> None:
        if self.state.queue:
            self.state.select(self.state.queue[0].proposal.session)
        else:
            self.state.select(max(self.state.sessions.values(), key=lambda s: s.updated_at).session)

    def _fit(self, rule: LayoutRule, low: bool, graph: int) -> None:
        self.console.fit(rule)
        self.header.set_compact(rule.compact)
        self.gauges.set_low(low)
        self.decisions.set_low(low)
        self.cost.set_plot_height(graph)
        self.cost.set_collapsed(low)

    # ---------------------------------------------------------------- decisions

    def go_to_urgent(self) -> None:
        """Show the most urgent card; the person asked for it."""
        self.close_review()
        self.show_page("console")
        self.decisions.show()
        self.decisions.go_to_urgent()

    def _open_note(self, proposal: str) -> None:
        self.to_front()
        if any(entry.proposal.proposal == proposal for entry in self.state.queue):
            self.show_card(proposal)

    def show_card(self, proposal: str) -> None:
        """Show one card in the panel."""
        self.show_page("console")
        self.decisions.show()
        self.decisions.choose(proposal)

    def _propose_rule(self, proposal: str) -> None:
        """A rule from a past decision: its exact words and what it would have meant, before anyone saves it."""
        if self.engine.rulebook is not None:
            self.commands.spawn(self.engine.rulebook.from_decision(proposal), then=self._show_rule)

    def _show_rule(self, draft: RuleDraft) -> None:
        self.show_page("settings")
        self.settings.propose_rule(draft.rule)
        self.window.say(f"This rule {effect_words(draft.effect)}", "shield-check")

    def show_call(self, call: str) -> None:
        """Scroll the trace to where a value of a card came from."""
        state = self.state.state
        if state is not None and call in state.calls:
            self.close_review()
            self.trace.go_to_step(state.calls[call].step)

    def open_review(self, proposal: str) -> None:
        """Show one card on a page of its own."""
        if self._refresh_review(proposal):
            self.console.show_review(self.review, hides_sessions=self.window.width() < 1400)
            self.review.setFocus()

    def _refresh_review(self, proposal: str) -> bool:
        for place, entry in enumerate(self.state.queue):
            if entry.proposal.proposal == proposal:
                self.review.show_entry(entry, place, len(self.state.queue))
                return True
        self.close_review()
        return False

    def _step_review(self, step: int) -> None:
        ids = [entry.proposal.proposal for entry in self.state.queue]
        shown = self.review.entry.proposal.proposal if self.review.entry is not None else ""
        if shown in ids:
            place = min(len(ids) - 1, max(0, ids.index(shown) + step))
            self.decisions.choose(ids[place])
            self._refresh_review(ids[place])

    def close_review(self) -> None:
        """Back to the trace and the panel."""
        if self.console.reviewing:
            self.console.show_review(None)
            self.decisions.setFocus()

    def _decided(self, receipt: Receipt) -> None:
        shown = self.review.entry.proposal.proposal if self.review.entry is not None else ""
        if receipt.closed and receipt.proposal == shown:
            self.close_review()

    def _more_time(self, proposal: str) -> None:
        self.commands.spawn(self.engine.desk.extend_deadline(proposal, 15, self.engine.operator))

    def _try_out(self, proposal: str, arguments: object, answer: object) -> None:
        if isinstance(arguments, dict) and callable(answer):
            self.commands.spawn(self.engine.desk.trial(proposal, arguments), then=answer)

    def _show_raw_call(self, card: Proposal) -> None:
        ShowText("Raw call", raw_call_text(card), self.window).open()

    # ---------------------------------------------------------------- dialogs

    def open_palette(self) -> None:
        """Search sessions and actions."""
        palette = Palette(palette_entries(ACTIONS, self.state.sessions.values()), self.window)
        palette.chosen.connect(self._palette_chosen)
        palette.open()

    def _palette_chosen(self, entry: PaletteEntry) -> None:
        if entry.kind == "session":
            self.open_session(entry.id)
        else:
            self.window.actions_by_id[entry.id].trigger()

    def open_new_run(self) -> None:
        """Choose agent, goal, workspace and limits."""
        engine = self.engine
        sessions = tuple(self.state.sessions.values())
        choices = RunChoices(engine.home, engine.settings, engine.operator, self.state.day, sessions, engine.keys)
        dialog = NewRunDialog(choices, self.window)
        dialog.start_wanted.connect(partial(self._start, dialog))
        dialog.rules_wanted.connect(lambda: self.open_settings("policies"))
        dialog.keys_wanted.connect(lambda: self.open_settings("models"))
        dialog.demo_wanted.connect(self.demo_wanted)
        dialog.open()

    def _start(self, dialog: NewRunDialog, intent: StartRun) -> None:
        """The dialog stays until the run is on its way: a refusal is said there, and nothing typed is lost."""

        def started(session: str) -> None:
            dialog.started()
            self.commands.started.emit(session)

        self.commands.spawn(
            self.engine.supervisor.start(intent), then=started, otherwise=lambda error: dialog.refuse(str(error))
        )

    def open_settings(self, page: str) -> None:
        """Show a page of the settings."""
        self.show_page("settings")
        self.settings.show_part(page)

    def _export_other(self, session: str) -> None:
        self.open_session(session)
        self.dialogs.ask_export()

    def show_shortcuts(self) -> None:
        """All keys, in words."""
        self.open_settings("shortcuts")

    def _set_theme(self, mode: ThemeMode) -> None:
        self.engine.settings.change("general.theme", mode.value)

    def _back(self) -> None:
        if self.console.reviewing:
            self.close_review()
        elif self.window.page != "console":
            self.show_page("console")

    def show_first_run(self) -> None:
        """As the console looks before there is any session."""
        self.state.select(None)
        for part in self._session_parts:
            part.hide()
        self.first_run.show()

    def to_front(self) -> None:
        """A second console was started: this is the one."""
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    async def close(self) -> None:
        """Stop listening and let what is under way end."""
        self.bridge.close()
        await self.commands.close()


def apply_settings(settings: Settings, review: ReviewPage) -> None:
    """Bring the look and the feel in line with the settings."""
    look = theme()
    look.set_mode(ThemeMode(settings["general.theme"]))
    look.set_scale(settings["general.scale"])
    look.set_reduced_motion(settings["general.reduced_motion"])
    review.footer.press_twice = settings["general.hold_alternative"]
