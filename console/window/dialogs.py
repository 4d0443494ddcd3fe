"""The dialogs of the window. Each is imported and made when somebody asks for it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_core.model.intents import StartRun
    from agent_core.model.proposal import Proposal
    from console.desk_window import DeskWindow
    from console.window.audit_dialogs import AuditDialogs
    from console.window.home_dialogs import HomeDialogs
    from console.window.session_dialogs import SessionDialogs
    from ui.dialogs.new_run import NewRunDialog
    from ui.models.palette import PaletteEntry


class Dialogs:
    """Opens them over the window, and does what they answer."""

    def __init__(self, desk: DeskWindow) -> None:
        self._desk = desk

    @cached_property
    def session(self) -> SessionDialogs:
        """Those about the selected session."""
        from console.window.session_dialogs import SessionDialogs

        return SessionDialogs(self._desk.window, self._desk.state, self._desk.commands)

    @cached_property
    def home(self) -> HomeDialogs:
        """Those about the whole home."""
        from console.window.home_dialogs import HomeDialogs

        desk, engine = self._desk, self._desk.engine
        return HomeDialogs(desk.window, desk.commands, engine.archive, engine.home, desk.reopen_wanted.emit)

    @cached_property
    def audit(self) -> AuditDialogs:
        """Those of the audit page."""
        from console.window.audit_dialogs import AuditDialogs

        return AuditDialogs(self._desk.window, self._desk.commands, self._desk.engine.records)

    def show_raw_call(self, card: Proposal) -> None:
        """The exact arguments of a card's call."""
        from ui.dialogs.ask import ShowText
        from ui.views.decisions.sections import raw_call_text

        ShowText("Raw call", raw_call_text(card), self._desk.window).open()

    def open_palette(self) -> None:
        """Search sessions and actions."""
        from ui.actions import ACTIONS
        from ui.dialogs.palette import Palette
        from ui.models.palette import palette_entries

        palette = Palette(palette_entries(ACTIONS, self._desk.state.sessions.values()), self._desk.window)
        palette.chosen.connect(self._palette_chosen)
        palette.open()

    def _palette_chosen(self, entry: PaletteEntry) -> None:
        if entry.kind == "session":
            self._desk.open_session(entry.id)
        else:
            self._desk.window.actions_by_id[entry.id].trigger()

    def open_new_run(self) -> None:
        """Choose agent, goal, workspace and limits."""
        from ui.dialogs.new_run import NewRunDialog, RunChoices

        desk, engine = self._desk, self._desk.engine
        sessions = tuple(desk.state.sessions.values())
        choices = RunChoices(engine.home, engine.settings, engine.operator, desk.state.day, sessions, engine.keys)
        dialog = NewRunDialog(choices, desk.window)
        dialog.start_wanted.connect(lambda intent: self._start(dialog, intent))
        dialog.rules_wanted.connect(lambda: desk.open_settings("policies"))
        dialog.keys_wanted.connect(lambda: desk.open_settings("models"))
        dialog.demo_wanted.connect(desk.demo_wanted)
        dialog.open()

    def _start(self, dialog: NewRunDialog, intent: StartRun) -> None:
        """The dialog stays until the run is on its way: a refusal is said there, and nothing typed is lost."""

        def started(session: str) -> None:
            dialog.started()
            self._desk.commands.started.emit(session)

        work = self._desk.engine.supervisor.start(intent)
        self._desk.commands.spawn(work, then=started, otherwise=lambda error: dialog.refuse(str(error)))
