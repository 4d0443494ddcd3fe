"""The pages of the rail beside the console. Each is made when it is first visited."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from agent_core.config.rule_trials import RuleDraft
    from console.desk_window import DeskWindow
    from ui.views.alerts_page import AlertsPage
    from ui.views.audit_page import AuditPageView
    from ui.views.sessions_page import SessionsPage
    from ui.views.settings.page import SettingsPage
    from ui.widgets.field import Field

Page = TypeVar("Page", bound=QWidget)


@runtime_checkable
class _Searched(Protocol):
    """A page with a search field."""

    search: Field


class Pages:
    """Makes them, and connects what they ask for."""

    def __init__(self, desk: DeskWindow) -> None:
        self._desk = desk
        self._makers: dict[str, Callable[[], QWidget]] = {
            "sessions": lambda: self.sessions,
            "audit": lambda: self.audit,
            "alerts": lambda: self.alerts,
            "settings": lambda: self.settings,
        }

    def make(self, name: str) -> None:
        """Have the page there; the console's own always is."""
        if name in self._makers:
            self._makers[name]()

    def search(self) -> None:
        """Go to the search field of the page that is shown, where it has one."""
        page: object = self._desk.window.pages.currentWidget()
        if isinstance(page, _Searched):
            page.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
            page.search.selectAll()

    def _added(self, name: str, page: Page) -> Page:
        self._desk.window.add_page(name, page)
        return page

    @cached_property
    def sessions(self) -> SessionsPage:
        """All sessions."""
        from ui.views.sessions_page import SessionsPage

        desk = self._desk
        page = SessionsPage(desk.state, desk.commands, desk.engine.now)
        page.session_wanted.connect(desk.open_session)
        page.fork_wanted.connect(lambda session: desk.dialogs.session.ask_fork_of(session))
        page.export_wanted.connect(self._export)
        page.new_run_wanted.connect(desk.dialogs.open_new_run)
        page.demo_wanted.connect(desk.demo_wanted)
        return self._added("sessions", page)

    @cached_property
    def audit(self) -> AuditPageView:
        """Every card, and who decided it."""
        from ui.views.audit_page import AuditPageView

        desk = self._desk
        page = AuditPageView(desk.commands, desk.engine.records, desk.engine.now)
        page.session_wanted.connect(desk.open_session)
        page.export_wanted.connect(desk.dialogs.audit.ask_export)
        page.record_wanted.connect(desk.dialogs.audit.ask_record)
        page.regret_wanted.connect(lambda card: desk.dialogs.audit.ask_regret(card, page.refresh))
        page.rule_wanted.connect(self._propose_rule)
        return self._added("audit", page)

    @cached_property
    def alerts(self) -> AlertsPage:
        """What is out of the ordinary."""
        from ui.views.alerts_page import AlertsPage

        desk = self._desk
        page = AlertsPage(desk.state, desk.commands, desk.engine.now)
        page.session_wanted.connect(desk.open_session)
        return self._added("alerts", page)

    @cached_property
    def settings(self) -> SettingsPage:
        """The settings of this home."""
        from ui.views.settings.page import SettingsPage

        desk, engine = self._desk, self._desk.engine
        page = SettingsPage(
            engine.settings, engine.keys, desk.state, desk.commands, engine.home, engine.rulebook, engine.records
        )
        page.backup_wanted.connect(lambda: desk.dialogs.home.back_up(page.opened))
        page.restore_wanted.connect(desk.dialogs.home.choose_backup)
        return self._added("settings", page)

    def _export(self, session: str) -> None:
        self._desk.open_session(session)
        self._desk.dialogs.session.ask_export()

    def _propose_rule(self, proposal: str) -> None:
        """A rule from a past decision: its exact words and what it would have meant, before anyone saves it."""
        desk = self._desk
        if desk.engine.rulebook is not None:
            desk.commands.spawn(desk.engine.rulebook.from_decision(proposal), then=self._show_rule)

    def _show_rule(self, draft: RuleDraft) -> None:
        from ui.models.settings.workbench_lines import effect_words

        self._desk.show_page("settings")
        self.settings.propose_rule(draft.rule)
        self._desk.window.say(f"This rule {effect_words(draft.effect)}", "shield-check")
