"""Shares: whose money counts against a limit that several runs share, and whether a request still fits under it.

An intent sets money aside in its own transaction, and is judged there: runs in any number of processes never overshoot
a limit together. Its outcome takes that back in its own transaction. What a process that died had set aside stays so
until recovery journals what became of the request.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from agent_core.model.errors import RoomTaken
from agent_core.model.events import Draft, ModelRequested, SideAsked
from agent_core.store.codec import micros
from agent_core.store.money import floor_nano, from_nano, to_nano


@dataclass(frozen=True, slots=True)
class Day:
    """All sessions, from the instant at which the operator's day began."""

    since: datetime


@dataclass(frozen=True, slots=True)
class Tree:
    """A session with all its runs, and every session forked from it or from those; any of them names it."""

    session: str


Share = Day | Tree


@dataclass(frozen=True, slots=True)
class Bound:
    """What a share may cost, in US dollars."""

    share: Share
    limit: Decimal

    @property
    def whole(self) -> Decimal:
        """The limit as it can be held: whole billionths, none more than it says."""
        return from_nano(floor_nano(self.limit))


@dataclass(frozen=True, slots=True)
class Spent:
    """What a share cost so far, in US dollars."""

    known: Decimal
    """The sum of all costs that are known."""
    bound: Decimal
    """What lost requests and answers of unknown cost may have cost, at most, on top."""
    reserved: Decimal
    """What is set aside for requests under way."""
    unknown_runs: int
    """Runs with a response whose cost is not known."""


def spent_of(connection: sqlite3.Connection, share: Share) -> Spent:
    """What counts against a share."""
    where, values = _where(connection, share)
    known, bound, unknown = connection.execute(
        "SELECT coalesce(sum(nano), 0), coalesce(sum(bound_nano), 0),"
        f" count(DISTINCT CASE WHEN nano IS NULL THEN run END) FROM spend WHERE {where}",
        values,
    ).fetchone()
    reserved = connection.execute(f"SELECT coalesce(sum(nano), 0) FROM reservations WHERE {where}", values).fetchone()
    return Spent(from_nano(known), from_nano(bound), from_nano(reserved[0]), unknown)


def judge(connection: sqlite3.Connection, drafts: Sequence[Draft], bounds: Sequence[Bound]) -> None:
    """Raise RoomTaken for intents whose money does not fit any more. Of unknown price: run limits on tokens hold it."""
    wanted = [one.data.reserved_cost_usd for one in drafts if isinstance(one.data, ModelRequested | SideAsked)]
    amount = sum(to_nano(usd) for usd in wanted if usd is not None)
    if not amount:
        return
    for bound in bounds:
        spent = spent_of(connection, bound.share)
        taken = to_nano(spent.known + spent.bound + spent.reserved)
        if taken + amount > floor_nano(bound.limit):
            raise RoomTaken("Another request took the money meanwhile.")


def root_of(connection: sqlite3.Connection, session: str) -> str:
    """The session that a tree began with."""
    row = connection.execute("SELECT root FROM trees WHERE session = ?", (session,)).fetchone()
    return str(row[0]) if row is not None else session


def members_of(connection: sqlite3.Connection, session: str) -> list[str]:
    """Every session of a tree, the one it began with first."""
    root = root_of(connection, session)
    rows = connection.execute("SELECT session FROM trees WHERE root = ? ORDER BY session", (root,))
    return [root, *(name for (name,) in rows)]


def _where(connection: sqlite3.Connection, share: Share) -> tuple[str, tuple[object, ...]]:
    if isinstance(share, Day):
        return "at >= ?", (micros(share.since),)
    root = root_of(connection, share.session)
    return "session IN (SELECT ? UNION ALL SELECT session FROM trees WHERE root = ?)", (root, root)
