"""The dialogs of the audit page: where cards are written to, and what was wrong with a decision."""

from collections.abc import Callable

from agent_core.engine.facade import Records
from agent_core.model.audit import AuditQuery
from console.window.exports import Exports
from ui import formatting
from ui.commands import Commands
from ui.dialogs.ask import AskText
from ui.main_window import MainWindow


class AuditDialogs:
    """Opens them over the window."""

    def __init__(self, window: MainWindow, commands: Commands, records: Records | None) -> None:
        self._window, self._commands, self._records = window, commands, records
        self._exports = Exports(window, commands)

    def ask_export(self, form: str, query: AuditQuery) -> None:
        """All cards that the page shows, as csv or jsonl."""
        if (records := self._records) is not None:
            self._exports.ask(
                f"the audit as {form.upper()}",
                f"pilothouse-audit.{form}",
                lambda out: records.export_audit(query, form, out),
                lambda number: f"Exported {formatting.plural(number, 'card')}",
            )

    def ask_record(self, proposal: str) -> None:
        """One card and its decisions, as a page that needs nothing else."""
        if (records := self._records) is not None:
            self._exports.ask(
                "this record as HTML", f"{proposal}.html", lambda out: records.export_record(proposal, out)
            )

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
