"""Where the audit is written to: a table or lines of all cards, or one card as a page of its own."""

from collections.abc import Callable
from pathlib import Path

from agent_core.engine.facade import Records
from agent_core.model.audit import AuditQuery
from ui import formatting
from ui.commands import Commands
from ui.dialogs.ask import AskText
from ui.main_window import MainWindow


class AuditDialogs:
    """Ask for a file, then write it off the GUI thread."""

    def __init__(self, window: MainWindow, commands: Commands, records: Records | None) -> None:
        self._window, self._commands, self._records = window, commands, records

    def ask_export(self, form: str, query: AuditQuery) -> None:
        """All cards that the page shows, as csv or jsonl."""
        path = str(Path.home() / f"pilothouse-audit.{form}")
        dialog = AskText(f"Export the audit as {form.upper()} to", "", "Export", self._window, text=path)
        dialog.given.connect(lambda out: self._export(form, query, Path(out).expanduser()))
        dialog.open()

    def ask_record(self, proposal: str) -> None:
        """One card and its decisions, as a page that needs nothing else."""
        path = str(Path.home() / f"{proposal}.html")
        dialog = AskText("Export this record as HTML to", "", "Export", self._window, text=path)
        dialog.given.connect(lambda out: self._record(proposal, Path(out).expanduser()))
        dialog.open()

    def ask_regret(self, proposal: str, marked: Callable[[], None]) -> None:
        """Mark a decision as a mistake, to learn from it; `marked` is called once it is."""
        hint = "It is recorded with your name and counts in how people decide; nothing is undone by it."
        dialog = AskText("What was wrong with this decision?", hint, "Mark as regretted", self._window)
        dialog.given.connect(lambda why: self._regret(proposal, why, marked))
        dialog.open()

    def _regret(self, proposal: str, why: str, marked: Callable[[], None]) -> None:
        def said(_none: object) -> None:
            self._window.say("Marked as regretted")
            marked()

        self._commands.spawn(self._commands.desk.regret(proposal, self._commands.operator, why), then=said)

    def _export(self, form: str, query: AuditQuery, out: Path) -> None:
        if self._records is not None:
            self._commands.spawn(
                self._records.export_audit(query, form, out),
                then=lambda number: self._window.say(f"Exported {formatting.plural(number, 'card')} to {out}"),
            )

    def _record(self, proposal: str, out: Path) -> None:
        if self._records is not None:
            self._commands.spawn(
                self._records.export_record(proposal, out), then=lambda _none: self._window.say(f"Exported to {out}")
            )
