"""Sessions as lists show them: pages, counts, searches. A run without an end whose lease nobody holds is `interrupted`.

The page without filters, which the first window needs, is one plain statement; the libraries that searches are built
with are imported when somebody searches.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import msgspec

from agent_core.config.home import Home
from agent_core.model.errors import PilothouseError
from agent_core.model.intents import SessionQuery, SessionSummary
from agent_core.model.run import SessionStatus
from agent_core.store.database import Database
from agent_core.store.leases import Leases
from agent_core.store.names import find_meant, no_session
from agent_core.store.rows import summary_of
from agent_core.store.statements import SUMMARY_COLUMNS

if TYPE_CHECKING:
    from agent_core.store.journal import Journal

_SELECT = f"SELECT {', '.join(SUMMARY_COLUMNS)} FROM sessions"
_PAGE = f"{_SELECT} ORDER BY started_at DESC, session DESC LIMIT ? OFFSET ?"
_EVERYTHING = SessionQuery()

Row = tuple[Any, ...]


def recent_sessions(home: Home, limit: int) -> list[SessionSummary] | None:
    """The newest sessions as they lie there, before anything is opened. Blocks.

    None where the database has to be made ready or cannot be read: whoever opens it says why.
    """
    try:
        database = Database.as_it_is(home)
        if database is None:
            return None
        try:
            return _page(database, Leases(home), SessionQuery(limit=limit))
        finally:
            database.close()
    except PilothouseError:
        return None


def _page(database: Database, leases: Leases, query: SessionQuery) -> list[SessionSummary]:
    with database.reading() as connection:
        rows = connection.execute(_PAGE, (query.limit, query.offset)).fetchall()
    return [_live(summary_of(row), leases) for row in rows]


def _live(summary: SessionSummary, leases: Leases) -> SessionSummary:
    """The summary with what only the lease can tell."""
    if summary.status is SessionStatus.ENDED:
        return summary
    pid = leases.holder(summary.session)
    status = summary.status
    if pid is None and status is SessionStatus.RUNNING:
        status = SessionStatus.INTERRUPTED
    return msgspec.structs.replace(summary, status=status, lease_pid=pid)


class Sessions:
    """The sessions of one home. Methods named `…_now` block."""

    def __init__(self, journal: Journal, leases: Leases) -> None:
        self._journal = journal
        self._leases = leases

    async def page(self, query: SessionQuery) -> list[SessionSummary]:
        """A page of sessions, newest first. `has_decisions` means that cards are open."""
        return await self._journal.off_thread(lambda: self.page_now(query))

    def page_now(self, query: SessionQuery) -> list[SessionSummary]:
        """`page`, blocking."""
        if not _filters(query):
            return _page(self._journal.database, self._leases, query)
        from agent_core.store.search import search

        rows = search(self._journal.database, query, self._running_by_lease(query))
        return [_live(summary_of(row), self._leases) for row in rows]

    async def count(self, query: SessionQuery) -> int:
        """How many sessions there are on all pages together."""
        return await self._journal.off_thread(lambda: self.count_now(query))

    def count_now(self, query: SessionQuery) -> int:
        """`count`, blocking."""
        if _filters(query):
            from agent_core.store.search import count

            return count(self._journal.database, query, self._running_by_lease(query))
        with self._journal.database.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM sessions").fetchone()[0])

    async def rows(self, sessions: Collection[str]) -> dict[str, SessionSummary]:
        """Those of these sessions that there are, by name."""
        return await self._journal.off_thread(lambda: self.rows_now(sessions))

    def rows_now(self, sessions: Collection[str]) -> dict[str, SessionSummary]:
        """`rows`, blocking."""
        with self._journal.database.reading() as connection:
            found = (connection.execute(f"{_SELECT} WHERE session = ?", (name,)).fetchone() for name in sessions)
            summaries = [_live(summary_of(row), self._leases) for row in found if row is not None]
        return {summary.session: summary for summary in summaries}

    async def summary(self, session: str) -> SessionSummary:
        """One session. Raises InputError for one that is not there."""
        return await self._journal.off_thread(lambda: self.summary_now(session))

    def summary_now(self, session: str) -> SessionSummary:
        """`summary`, blocking."""
        with self._journal.database.reading() as connection:
            row = connection.execute(f"{_SELECT} WHERE session = ?", (session,)).fetchone()
        if row is None:
            raise no_session(session)
        return _live(summary_of(row), self._leases)

    async def named(self, said: str) -> str:
        """The session that a person means by its id or a short form. Raises InputError for none, and for several."""
        return await self._journal.off_thread(lambda: self.named_now(said))

    def named_now(self, said: str) -> str:
        """`named`, blocking."""
        with self._journal.database.reading() as connection:
            name = find_meant(connection, "session", said)
        if name is None:
            raise no_session(said)
        return name

    async def unfinished(self) -> list[SessionSummary]:
        """Every session whose newest run has no end, newest first: what a start looks at."""
        return await self._journal.off_thread(self.unfinished_now)

    def unfinished_now(self) -> list[SessionSummary]:
        """`unfinished`, blocking."""
        with self._journal.database.reading() as connection:
            rows = connection.execute(
                f"{_SELECT} WHERE status <> 'ended' ORDER BY started_at DESC, session DESC"
            ).fetchall()
        return [_live(summary_of(row), self._leases) for row in rows]

    def _running_by_lease(self, query: SessionQuery) -> list[str] | None:
        """Where the query wants running sessions without interrupted ones, or the reverse: which those are."""
        wanted = {SessionStatus.RUNNING, SessionStatus.INTERRUPTED} & set(query.statuses)
        if len(wanted) != 1:
            return None
        with self._journal.database.reading() as connection:
            rows = connection.execute("SELECT session FROM sessions WHERE status = 'running'").fetchall()
        worked = SessionStatus.RUNNING in wanted
        return [name for (name,) in rows if (self._leases.holder(name) is not None) == worked]


def _filters(query: SessionQuery) -> bool:
    return msgspec.structs.replace(query, offset=0, limit=_EVERYTHING.limit) != _EVERYTHING
