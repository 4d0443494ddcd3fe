"""Spending: what days and trees of sessions cost, for whoever decides about the next request or shows it."""

from agent_core.store.journal import Journal
from agent_core.store.shares import Share, Spent, members_of, spent_of


class Spending:
    """The money of one home. Methods named `…_now` block."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def of(self, share: Share) -> Spent:
        """What counts against a share."""
        return await self._journal.off_thread(lambda: self.of_now(share))

    def of_now(self, share: Share) -> Spent:
        """`of`, blocking."""
        with self._journal.database.reading() as connection:
            return spent_of(connection, share)

    async def members(self, session: str) -> list[str]:
        """Every session of a tree, the one it began with first."""
        return await self._journal.off_thread(lambda: self.members_now(session))

    def members_now(self, session: str) -> list[str]:
        """`members`, blocking."""
        with self._journal.database.reading() as connection:
            return members_of(connection, session)
