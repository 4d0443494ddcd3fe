"""Money over all sessions: what a day cost, and what is set aside under the day limit for requests under way.

Whether a reservation fits is judged in the writer's transaction, so runs in any number of processes never overshoot
the limit together. A reservation stays until the events of its outcome settle it, also when its process dies: what a
lost request may have cost counts until recovery journals it.
"""

import os
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from agent_core.store.batch import Batch
from agent_core.store.codec import micros
from agent_core.store.journal import Journal
from agent_core.store.money import from_nano, to_nano


@dataclass(frozen=True, slots=True)
class DaySpend:
    """What was spent since an instant, in US dollars."""

    known: Decimal
    """The sum of all costs that are known."""
    bound: Decimal
    """What lost requests may have cost, at most, on top."""
    reserved: Decimal
    """What is set aside for requests under way."""
    unknown_runs: int
    """Runs with a response whose cost is not known."""


class Spending:
    """The money of one home. Methods named `…_now` block."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def since(self, instant: datetime) -> DaySpend:
        """What all sessions spent from that instant on."""
        return await self._journal.off_thread(lambda: self.since_now(instant))

    def since_now(self, instant: datetime) -> DaySpend:
        """`since`, blocking."""
        with self._journal.database.reading() as connection:
            return _since(connection, micros(instant))

    async def reserve(
        self, key: str, session: str, run: str, amount: Decimal, *, at: datetime, day: datetime, limit: Decimal
    ) -> bool:
        """Set money aside for a request, unless the day that began at `day` would pass its limit; False then.

        `key` names the reservation until it is settled; the same key again replaces the amount.
        """
        values = (key, session, run, micros(at), to_nano(amount), os.getpid())
        start, allowed = micros(day), int(limit * 1_000_000_000)

        def work(batch: Batch) -> bool:
            connection = batch.connection
            taken = _taken(connection, start, key)
            if taken + values[4] > allowed:
                return False
            batch.now(
                "INSERT OR REPLACE INTO reservations (key, session, run, at, nano, pid) VALUES (?, ?, ?, ?, ?, ?)",
                values,
            )
            return True

        return await self._journal.writer.run(work)

    async def release(self, key: str) -> None:
        """Give a reservation back: its request was never sent. Outcomes settle theirs with `Journal.append`."""
        await self._journal.writer.run(lambda batch: batch.now("DELETE FROM reservations WHERE key = ?", (key,)))


def _since(connection: sqlite3.Connection, start: int) -> DaySpend:
    known, bound, unknown = connection.execute(
        "SELECT coalesce(sum(nano), 0), coalesce(sum(bound_nano), 0),"
        " count(DISTINCT CASE WHEN nano IS NULL THEN run END) FROM spend WHERE at >= ?",
        (start,),
    ).fetchone()
    reserved = connection.execute("SELECT coalesce(sum(nano), 0) FROM reservations WHERE at >= ?", (start,))
    return DaySpend(from_nano(known), from_nano(bound), from_nano(reserved.fetchone()[0]), unknown)


def _taken(connection: sqlite3.Connection, start: int, but: str) -> int:
    """Everything that counts against the day, in billionths; without one reservation."""
    spent = connection.execute(
        "SELECT coalesce(sum(coalesce(nano, 0) + bound_nano), 0) FROM spend WHERE at >= ?", (start,)
    )
    reserved = connection.execute(
        "SELECT coalesce(sum(nano), 0) FROM reservations WHERE at >= ? AND key <> ?", (start, but)
    )
    return int(spent.fetchone()[0]) + int(reserved.fetchone()[0])
