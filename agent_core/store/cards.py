"""Cards over all sessions: finding a proposal's session, and listing what is open, each by one indexed query."""

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from agent_core.model.action import Tier
from agent_core.model.errors import BrokenChain, DecisionRefused
from agent_core.model.events import ProposalChanged, ProposalOpened
from agent_core.model.proposal import Proposal, ProposalStatus, Touchpoint
from agent_core.store import reading
from agent_core.store.codec import instant, micros
from agent_core.store.journal import Journal
from agent_core.store.names import find_meant, typed_name

_log = logging.getLogger(__name__)

_COLUMNS = (
    "proposal, session, status, touchpoint, tier, opened_at, approve_by, version, with_agent, snoozed_until, event"
)


@dataclass(frozen=True, slots=True)
class Card:
    """Where a proposal stands. A hint for lists: whoever decides reads the session's events."""

    proposal: str
    session: str
    status: ProposalStatus
    touchpoint: Touchpoint
    tier: Tier
    opened_at: datetime
    approve_by: datetime | None
    version: int
    """Counts the versions of the card, from 1."""
    with_agent: bool
    snoozed_until: datetime | None
    row: int
    """The number of the event that holds its newest version."""


class Cards:
    """The cards of one home. Methods named `…_now` block."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def find(self, proposal: str) -> Card:
        """One card. Raises DecisionRefused (unknown)."""
        return await self._journal.off_thread(lambda: self.find_now(proposal))

    def find_now(self, proposal: str) -> Card:
        """`find`, blocking."""
        with self._journal.database.reading() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM cards WHERE proposal = ?", (proposal,)).fetchone()
        if row is None:
            raise _no_proposal(proposal)
        return _card(row)

    async def named(self, said: str) -> str:
        """The proposal that a person means by its id or a short form.

        Raises DecisionRefused (unknown), InputError where several are meant.
        """
        return await self._journal.off_thread(lambda: self.named_now(said))

    def named_now(self, said: str) -> str:
        """`named`, blocking."""
        with self._journal.database.reading() as connection:
            name = find_meant(connection, "proposal", said)
        if name is None:
            raise _no_proposal(said)
        return name

    async def open(self) -> list[tuple[Card, Proposal]]:
        """Every open card of every session with its newest version, oldest first.

        One whose event was altered or removed is left out: nobody can decide it, and `verify` names it.
        """
        return await self._journal.off_thread(self.open_now)

    def open_now(self) -> list[tuple[Card, Proposal]]:
        """`open`, blocking."""
        with self._journal.database.reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM cards WHERE status = 'open' ORDER BY opened_at, proposal"
            ).fetchall()
            return list(_readable(connection, [_card(row) for row in rows]))

    async def opened_since(self, moment: datetime) -> dict[str, datetime]:
        """When cards were opened, whatever became of them, from a moment on."""
        return await self._journal.off_thread(lambda: self._opened_since_now(moment))

    def _opened_since_now(self, moment: datetime) -> dict[str, datetime]:
        with self._journal.database.reading() as connection:
            wanted = "SELECT proposal, opened_at FROM cards WHERE opened_at >= ?"
            return {name: instant(at) for name, at in connection.execute(wanted, (micros(moment),)).fetchall()}

    async def of_session(self, session: str) -> list[Card]:
        """Every open card of one session, oldest first."""
        return await self._journal.off_thread(lambda: self.of_session_now(session))

    def of_session_now(self, session: str) -> list[Card]:
        """`of_session`, blocking."""
        with self._journal.database.reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM cards WHERE session = ? AND status = 'open' ORDER BY opened_at, proposal",
                (session,),
            ).fetchall()
        return [_card(row) for row in rows]


def _no_proposal(said: str) -> DecisionRefused:
    return DecisionRefused(
        f"There is no proposal {typed_name(said)}; `pilothouse proposals` lists the open ones", "unknown"
    )


def _readable(connection: sqlite3.Connection, cards: Sequence[Card]) -> Iterator[tuple[Card, Proposal]]:
    for card in cards:
        try:
            yield card, _newest(connection, card)
        except (BrokenChain, msgspec.MsgspecError, KeyError) as error:
            _log.warning("the card %s of session %s cannot be shown: %s", card.proposal, card.session, error)


def _newest(connection: sqlite3.Connection, card: Card) -> Proposal:
    for event in reading.between(connection, card.row, card.row):
        if isinstance(event.data, ProposalOpened):
            return event.data.proposal
        if isinstance(event.data, ProposalChanged):
            return event.data.revised
    raise BrokenChain(f"The card {card.proposal} of session {card.session} has no event that holds it")


def _card(row: Sequence[Any]) -> Card:
    proposal, session, status, touchpoint, tier, opened_at, approve_by, version, with_agent, snoozed, event = row
    return Card(
        proposal,
        session,
        ProposalStatus(status),
        Touchpoint(touchpoint),
        Tier(tier),
        instant(opened_at),
        None if approve_by is None else instant(approve_by),
        version,
        bool(with_agent),
        None if snoozed is None else instant(snoozed),
        event,
    )
