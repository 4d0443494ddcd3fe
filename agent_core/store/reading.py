"""Reading events: pages of one session, or rows by number. Always whole lists, so no transaction stays open."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from agent_core.model.events import Event
from agent_core.store.codec import EventRow, decode
from agent_core.store.packing import unshelve
from agent_core.store.statements import SELECT_EVENTS

_CHAIN = f"{SELECT_EVENTS} WHERE c.session = ? AND e.seq > ? ORDER BY e.seq LIMIT ?"
_LAST = f"{SELECT_EVENTS} WHERE c.session = ? ORDER BY e.seq DESC LIMIT ?"
_OF_KIND = f"{SELECT_EVENTS} WHERE c.session = ? AND e.kind = ? ORDER BY e.seq"
_FOLLOWING = f"{SELECT_EVENTS} WHERE c.session = ? AND e.prev = ? ORDER BY e.seq LIMIT 1"
_RESPONSES = """
SELECT e.seq, e.step, e.data, e.packed FROM events e JOIN chains c ON c.id = e.chain
WHERE c.session = ? AND e.kind = 'model_responded' AND e.seq < ? ORDER BY e.seq DESC LIMIT 1000
"""
_BY_ROW = f"{SELECT_EVENTS} WHERE e.id BETWEEN ? AND ? ORDER BY e.id"


def page(connection: sqlite3.Connection, session: str, after: int, limit: int | None) -> list[Event]:
    """Events of a session with a `seq` above `after`, in order."""
    return _events(connection, rows(connection, session, after, limit))


def rows(connection: sqlite3.Connection, session: str, after: int, limit: int | None) -> list[EventRow]:
    """The same as rows, undecoded."""
    found = connection.execute(_CHAIN, (session, after, -1 if limit is None else limit)).fetchall()
    return [_row(row) for row in found]


def last(connection: sqlite3.Connection, session: str, count: int) -> list[Event]:
    """The newest events of a session, in order."""
    found = connection.execute(_LAST, (session, max(count, 0))).fetchall()
    return _events(connection, [_row(row) for row in reversed(found)])


def of_kind(connection: sqlite3.Connection, session: str, kind: str) -> list[Event]:
    """Events of one kind of a session, in order."""
    found = connection.execute(_OF_KIND, (session, kind)).fetchall()
    return _events(connection, [_row(row) for row in found])


def follower(connection: sqlite3.Connection, session: str, digest: bytes) -> int | None:
    """The `seq` of the session's event that was written right after the one of that digest. Looks at all of them."""
    found = connection.execute(_FOLLOWING, (session, digest)).fetchone()
    return None if found is None else _row(found).seq


def between(connection: sqlite3.Connection, first: int, final: int) -> list[Event]:
    """Events of any session by their row numbers, both included."""
    found = connection.execute(_BY_ROW, (first, final)).fetchall()
    return _events(connection, [_row(row) for row in found])


def step_of_call(connection: sqlite3.Connection, session: str, call: str) -> int | None:
    """The step of the response that asked for a call; None for none. Looks at the newest responses first."""
    asked, before = f'"call_id":"{call}"', 1 << 62
    while found := connection.execute(_RESPONSES, (session, before)).fetchall():
        for seq, step, text, packed in found:
            if asked in unshelve(text, packed):
                return int(step)
            before = seq
    return None


def blob_reader(connection: sqlite3.Connection) -> Callable[[bytes], bytes | None]:
    """What gives a blob by its SHA-256."""

    def fetch(digest: bytes) -> bytes | None:
        found = connection.execute("SELECT bytes FROM blobs WHERE sha256 = ?", (digest,)).fetchone()
        return None if found is None else found[0]

    return fetch


def _events(connection: sqlite3.Connection, found: Iterable[EventRow]) -> list[Event]:
    fetch = blob_reader(connection)
    return [decode(row, fetch) for row in found]


def _row(values: Sequence[Any]) -> EventRow:
    return EventRow._make((*values[:-2], unshelve(values[-2], values[-1])))
