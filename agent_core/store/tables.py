"""The tables, declared once: what migrations are compared with, and what searches are built from.

Instants are microseconds since 1970 (UTC), money is billionths of a US dollar. Events are written by plain statements
(`statements`); table classes validate nothing, so nothing from outside is ever put into one.
"""

from typing import ClassVar

from sqlalchemy import BLOB, INTEGER, TEXT, Index, MetaData, UniqueConstraint, text
from sqlmodel import Field, SQLModel

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)
_STRICT = {"sqlite_strict": True}
_STRICT_BY_KEY = {"sqlite_strict": True, "sqlite_with_rowid": False}


class Table(SQLModel):
    """Base of every table."""

    metadata: ClassVar[MetaData] = metadata


class ChainTable(Table, table=True):
    """The number of each session's chain; rows of `events` name it instead of the session."""

    __tablename__ = "chains"
    __table_args__ = (UniqueConstraint("session"), _STRICT)

    id: int = Field(primary_key=True, sa_type=INTEGER)
    session: str = Field(sa_type=TEXT)


class EventTable(Table, table=True):
    """Everything that ever happened. `id` is the order over all sessions; triggers forbid changes."""

    __tablename__ = "events"
    __table_args__ = (UniqueConstraint("chain", "seq"), _STRICT)

    id: int = Field(primary_key=True, sa_type=INTEGER)
    chain: int = Field(foreign_key="chains.id", sa_type=INTEGER)
    seq: int = Field(sa_type=INTEGER)
    at: int = Field(sa_type=INTEGER)
    kind: str = Field(sa_type=TEXT)
    run: str | None = Field(sa_type=TEXT)
    step: int = Field(sa_type=INTEGER)
    schema_: int = Field(sa_type=INTEGER, sa_column_kwargs={"name": "schema"})
    prev: bytes = Field(sa_type=BLOB)
    digest: bytes = Field(sa_type=BLOB)
    blobs: str | None = Field(sa_type=TEXT)
    data: str = Field(sa_type=TEXT)
    packed: bytes | None = Field(sa_type=BLOB)


class BlobTable(Table, table=True):
    """Long strings of events, by the SHA-256 of their UTF-8."""

    __tablename__ = "blobs"
    __table_args__ = (UniqueConstraint("sha256"), _STRICT)

    id: int = Field(primary_key=True, sa_type=INTEGER)
    sha256: bytes = Field(sa_type=BLOB)
    bytes_: bytes = Field(sa_type=BLOB, sa_column_kwargs={"name": "bytes"})


class SnapshotTable(Table, table=True):
    """How a session stood right after event `seq`; a cache, never believed alone."""

    __tablename__ = "snapshots"
    __table_args__ = (_STRICT,)

    chain: int = Field(primary_key=True, foreign_key="chains.id", sa_type=INTEGER)
    version: int = Field(sa_type=INTEGER)
    seq: int = Field(sa_type=INTEGER)
    digest: bytes = Field(sa_type=BLOB)
    seal: bytes = Field(sa_type=BLOB)
    data: bytes = Field(sa_type=BLOB)


class SessionTable(Table, table=True):
    """One row a session, as lists show it; rewritten with each append."""

    __tablename__ = "sessions"
    __table_args__ = (_STRICT_BY_KEY,)

    session: str = Field(primary_key=True, sa_type=TEXT)
    goal: str = Field(sa_type=TEXT)
    agent: str = Field(sa_type=TEXT)
    agent_version: str = Field(sa_type=TEXT)
    model: str = Field(sa_type=TEXT)
    pattern: str = Field(sa_type=TEXT)
    workspace: str = Field(sa_type=TEXT)
    status: str = Field(sa_type=TEXT)
    stop_reason: str | None = Field(sa_type=TEXT)
    pause_reason: str | None = Field(sa_type=TEXT)
    step: int = Field(sa_type=INTEGER)
    started_at: int = Field(sa_type=INTEGER, index=True)
    updated_at: int = Field(sa_type=INTEGER)
    open_proposals: str = Field(sa_type=TEXT)
    open_count: int = Field(sa_type=INTEGER)
    nearest_deadline: int | None = Field(sa_type=INTEGER)
    urgent_touchpoint: str | None = Field(sa_type=TEXT)
    spend: str = Field(sa_type=TEXT)
    limits: str = Field(sa_type=TEXT)
    cost_nano: int | None = Field(sa_type=INTEGER)
    demo: int = Field(sa_type=INTEGER)
    decided_yes: int = Field(sa_type=INTEGER)
    decided_no: int = Field(sa_type=INTEGER)
    decided_edited: int = Field(sa_type=INTEGER)
    message: str = Field(sa_type=TEXT)


class CardTable(Table, table=True):
    """One row a proposal; `event` is the row of `events` that holds its newest version."""

    __tablename__ = "cards"
    __table_args__ = (Index("ix_cards_open", "session", sqlite_where=text("status = 'open'")), _STRICT_BY_KEY)

    proposal: str = Field(primary_key=True, sa_type=TEXT)
    session: str = Field(sa_type=TEXT)
    status: str = Field(sa_type=TEXT)
    touchpoint: str = Field(sa_type=TEXT)
    tier: str = Field(sa_type=TEXT)
    opened_at: int = Field(sa_type=INTEGER)
    approve_by: int | None = Field(sa_type=INTEGER)
    version: int = Field(sa_type=INTEGER)
    with_agent: int = Field(sa_type=INTEGER)
    snoozed_until: int | None = Field(sa_type=INTEGER)
    event: int = Field(sa_type=INTEGER)


class TermTable(Table, table=True):
    """What a search finds a session by, case folded: goal, agent, tools, short arguments, reasons of decisions."""

    __tablename__ = "terms"
    __table_args__ = (_STRICT_BY_KEY,)

    session: str = Field(primary_key=True, sa_type=TEXT)
    term: str = Field(primary_key=True, sa_type=TEXT)


class AlertTable(Table, table=True):
    """One row an alert; who looked at it, once somebody did."""

    __tablename__ = "alerts"
    __table_args__ = (Index("ix_alerts_at", "at"), _STRICT_BY_KEY)

    session: str = Field(primary_key=True, sa_type=TEXT)
    alert: str = Field(primary_key=True, sa_type=TEXT)
    at: int = Field(sa_type=INTEGER)
    step: int = Field(sa_type=INTEGER)
    level: str = Field(sa_type=TEXT)
    message: str = Field(sa_type=TEXT)
    acknowledged_by: str | None = Field(sa_type=TEXT)
    acknowledged_at: int | None = Field(sa_type=INTEGER)


class SpendTable(Table, table=True):
    """What each response cost (None: unknown), and what lost requests may have cost at most."""

    __tablename__ = "spend"
    __table_args__ = (Index("ix_spend_session", "session"), _STRICT_BY_KEY)

    at: int = Field(primary_key=True, sa_type=INTEGER)
    event: int = Field(primary_key=True, sa_type=INTEGER)
    session: str = Field(sa_type=TEXT)
    run: str = Field(sa_type=TEXT)
    nano: int | None = Field(sa_type=INTEGER)
    bound_nano: int = Field(sa_type=INTEGER)


class ReservationTable(Table, table=True):
    """Money set aside for a request under way; gone once its outcome is journaled."""

    __tablename__ = "reservations"
    __table_args__ = (_STRICT_BY_KEY,)

    key: str = Field(primary_key=True, sa_type=TEXT)
    session: str = Field(sa_type=TEXT)
    run: str = Field(sa_type=TEXT)
    at: int = Field(sa_type=INTEGER)
    nano: int = Field(sa_type=INTEGER)


class TreeTable(Table, table=True):
    """The tree of each session that was forked from another: the session that it began with."""

    __tablename__ = "trees"
    __table_args__ = (Index("ix_trees_root", "root"), _STRICT_BY_KEY)

    session: str = Field(primary_key=True, sa_type=TEXT)
    root: str = Field(sa_type=TEXT)


class HalfFilledTable(Table, table=True):
    """The form of an open card that an operator has begun to fill in. Nothing rests on it, so it is no event."""

    __tablename__ = "half_filled"
    __table_args__ = (_STRICT_BY_KEY,)

    proposal: str = Field(primary_key=True, sa_type=TEXT)
    operator: str = Field(primary_key=True, sa_type=TEXT)
    verdict: str = Field(sa_type=TEXT)
    about: str = Field(sa_type=TEXT)
    entries: str = Field(sa_type=TEXT)
    open: int = Field(sa_type=INTEGER)
