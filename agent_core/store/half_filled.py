"""Half-filled forms of open cards, one an operator and card. They go with their cards."""

from typing import Any

import msgspec

from agent_core.model.intents import HalfFilled
from agent_core.store.batch import Batch
from agent_core.store.journal import Journal

_OPEN = "SELECT proposal FROM cards WHERE status = 'open'"
_FIND = f"SELECT proposal, verdict, about, entries, open FROM half_filled WHERE operator = ? AND proposal IN ({_OPEN})"
_KEEP = "INSERT OR REPLACE INTO half_filled VALUES (?, ?, ?, ?, ?, ?)"
_DROP = "DELETE FROM half_filled WHERE proposal = ? AND operator = ?"
_SWEEP = f"DELETE FROM half_filled WHERE proposal NOT IN ({_OPEN})"


def _entries(text: str) -> dict[str, Any] | None:
    """What stood in the fields; None where that cannot be read any more: nothing rests on it."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return None


class HalfFilledForms:
    """The half-filled forms of one home."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def of(self, operator: str) -> dict[str, HalfFilled]:
        """What an operator has begun, by card."""
        return await self._journal.off_thread(lambda: self._of_now(operator))

    def _of_now(self, operator: str) -> dict[str, HalfFilled]:
        with self._journal.database.reading() as connection:
            rows = connection.execute(_FIND, (operator,)).fetchall()
        return {
            proposal: HalfFilled(verdict=verdict, about=about, entries=kept, open=bool(is_open))
            for proposal, verdict, about, entries, is_open in rows
            if (kept := _entries(entries)) is not None
        }

    async def keep(self, proposal: str, operator: str, form: HalfFilled | None) -> None:
        """Keep a form in place of the one before; None forgets it. Those of closed cards are swept out with it."""

        def write(batch: Batch) -> None:
            connection = batch.connection
            connection.execute(_SWEEP)
            if form is None:
                connection.execute(_DROP, (proposal, operator))
                return
            entries = msgspec.json.encode(form.entries).decode()
            connection.execute(_KEEP, (proposal, operator, form.verdict, form.about, entries, form.open))

        await self._journal.writer.run(write)
