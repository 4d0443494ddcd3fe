"""Alerts over all sessions, the newest first, by one indexed query."""

from typing import Any

from agent_core.model.alerts import Alert, AlertQuery
from agent_core.store.codec import instant, micros
from agent_core.store.journal import Journal

_SELECT = (
    "SELECT a.session, a.alert, a.at, a.step, a.level, a.message, a.acknowledged_by, a.acknowledged_at,"
    " s.goal, s.agent, s.demo FROM alerts a JOIN sessions s ON s.session = a.session"
    " WHERE (? OR a.acknowledged_at IS NULL) AND a.at >= ? ORDER BY a.at DESC, a.session, a.alert LIMIT ?"
)
_COUNT = "SELECT count(*) FROM alerts WHERE acknowledged_at IS NULL"


class Alerts:
    """The alerts of one home. Methods named `…_now` block."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def find(self, query: AlertQuery) -> list[Alert]:
        """What a query wants, newest first."""
        return await self._journal.off_thread(lambda: self.find_now(query))

    def find_now(self, query: AlertQuery) -> list[Alert]:
        """`find`, blocking."""
        since = 0 if query.since is None else micros(query.since)
        with self._journal.database.reading() as connection:
            rows = connection.execute(_SELECT, (query.acknowledged, since, query.limit)).fetchall()
        return [_alert(*row) for row in rows]

    async def count_open(self) -> int:
        """How many nobody has acknowledged yet."""
        return await self._journal.off_thread(self.count_open_now)

    def count_open_now(self) -> int:
        """`count_open`, blocking."""
        with self._journal.database.reading() as connection:
            return int(connection.execute(_COUNT).fetchone()[0])


def _alert(
    session: str, name: str, at: int, step: int, level: str, message: str, by: str | None, seen: int | None, *of: Any
) -> Alert:
    goal, agent, demo = of
    return Alert(
        session=session,
        alert=name,
        at=instant(at),
        step=step,
        level=level,
        message=message,
        acknowledged_by=by,
        acknowledged_at=None if seen is None else instant(seen),
        goal=goal,
        agent=agent,
        demo=bool(demo),
    )
