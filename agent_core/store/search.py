"""Searches over sessions: the filters of a query as one SQLModel statement."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, func, or_
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool
from sqlmodel import Session, col, create_engine, exists, select

from agent_core.model.intents import SessionQuery
from agent_core.model.run import SessionStatus
from agent_core.store.codec import micros
from agent_core.store.database import Database, open_read_only
from agent_core.store.faults import storage_faults
from agent_core.store.projection import fold_case
from agent_core.store.statements import SUMMARY_COLUMNS
from agent_core.store.tables import SessionTable, TermTable


def search(database: Database, query: SessionQuery, running: Sequence[str] | None) -> list[tuple[Any, ...]]:
    """The rows of a page, in the order of `SUMMARY_COLUMNS`. `running` are the running sessions that are wanted."""
    columns = [getattr(SessionTable, name) for name in SUMMARY_COLUMNS]
    statement: Select[Any] = select(*columns)
    statement = statement.where(*_conditions(query, running))
    statement = statement.order_by(col(SessionTable.started_at).desc(), col(SessionTable.session).desc())
    statement = statement.offset(query.offset).limit(query.limit)
    with _session(database) as session:
        return [tuple(row) for row in session.execute(statement)]


def count(database: Database, query: SessionQuery, running: Sequence[str] | None) -> int:
    """How many sessions match."""
    statement = select(func.count()).select_from(SessionTable).where(*_conditions(query, running))
    with _session(database) as session:
        return int(session.exec(statement).one())


@contextmanager
def _session(database: Database) -> Iterator[Session]:
    with storage_faults(database.path, "read"):
        database.check_in_place()
        try:
            with Session(_engine(database.path)) as session:
                yield session
        except DBAPIError as error:
            raise error.orig or error from None


def _conditions(query: SessionQuery, running: Sequence[str] | None) -> list[ColumnElement[bool]]:
    conditions = [_word(word) for word in fold_case(query.text).split()]
    if query.statuses:
        conditions.append(_status(query.statuses, running))
    if query.agent is not None:
        conditions.append(col(SessionTable.agent) == query.agent)
    if query.since is not None:
        conditions.append(col(SessionTable.started_at) >= micros(query.since))
    if query.has_decisions:
        conditions.append(col(SessionTable.open_count) > 0)
    return conditions


def _word(word: str) -> ColumnElement[bool]:
    found = exists().where(col(TermTable.session) == col(SessionTable.session), func.instr(TermTable.term, word) > 0)
    return or_(found, col(SessionTable.session).startswith(word, autoescape=True))


def _status(statuses: Sequence[SessionStatus], running: Sequence[str] | None) -> ColumnElement[bool]:
    stored = {SessionStatus.RUNNING if s is SessionStatus.INTERRUPTED else s for s in statuses}
    if running is None:
        return col(SessionTable.status).in_([status.value for status in stored])
    rest = [status.value for status in stored - {SessionStatus.RUNNING}]
    return or_(col(SessionTable.status).in_(rest), col(SessionTable.session).in_(running))


@lru_cache(maxsize=4)
def _engine(path: Path) -> Engine:
    # Without a pool: a search leaves no connection behind that somebody would have to close.
    return create_engine("sqlite://", creator=lambda: open_read_only(path), poolclass=NullPool)
