"""One transaction of the writer: rows gather in memory and go to the database in a few statements at its end.

Fewer statements means fewer hand-overs of the interpreter lock, each of which a busy event loop makes expensive.
"""

import sqlite3
import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

from agent_core.model.errors import StaleHead
from agent_core.model.events import Event
from agent_core.store.codec import Encoded, EventRow, event_of, place
from agent_core.store.packing import shelve
from agent_core.store.statements import INSERT_BLOB, INSERT_EVENT

_KNOWN_CHAINS = 4096
_KNOWN_SPANS = 10_000
"""A follower that is more turns behind than this takes old rows of its own process for another's."""
_ROW_WEIGHT = 1024
"""Bytes that a row costs in the WAL besides its own: its digests and names, its place in indexes, room left free."""
_COMMIT_WEIGHT = 48 * 1024
"""Bytes that a commit costs however little it says: the pages that it touches are written whole."""


class Head(NamedTuple):
    """The end of a chain: its number in the database, the newest `seq` (0 for none) and its digest."""

    chain: int
    seq: int
    digest: bytes


def _last(span: tuple[int, int]) -> int:
    return span[1]


class Bookmarks:
    """What the writer remembers between transactions while no other connection writes; and which rows are its own."""

    def __init__(self) -> None:
        self.version = -1
        self.next_id = 0
        self.heads: OrderedDict[str, Head] = OrderedDict()
        self._own: list[tuple[int, int]] = []
        self._pending: int | None = None
        self._guard = threading.Lock()

    def forget(self) -> None:
        """Remember nothing of the database."""
        self.version = -1
        self.heads.clear()

    def claim(self, first: int, last: int) -> None:
        """Rows `first` to `last` are to be this process's own. Said before the commit, so that no follower is early."""
        with self._guard:
            self._pending = first if self._pending is None else self._pending
            if self._own and self._own[-1][1] == first - 1:
                self._own[-1] = (self._own[-1][0], last)
            else:
                self._own.append((first, last))
                del self._own[:-_KNOWN_SPANS]

    def committed(self) -> None:
        """The claims hold."""
        with self._guard:
            self._pending = None

    def rolled_back(self) -> None:
        """The claims since the last commit are void: another process may get those numbers."""
        with self._guard:
            if self._pending is not None:
                first, self._pending = self._pending, None
                self._own = [(a, min(b, first - 1)) for a, b in self._own if a < first]
        self.forget()

    def foreign(self, after: int, until: int) -> list[tuple[int, int]]:
        """The spans in (after, until] that this process did not write."""
        gaps = []
        with self._guard:
            for first, last in self._own[bisect_left(self._own, after, key=_last) :]:
                if first > until:
                    break
                if first > after + 1:
                    gaps.append((after + 1, first - 1))
                after = max(after, last)
        if after < until:
            gaps.append((after + 1, until))
        return gaps


class Batch:
    """The transaction under way, in the writer's thread."""

    def __init__(self, connection: sqlite3.Connection, bookmarks: Bookmarks) -> None:
        self._connection = connection
        self._bookmarks = bookmarks
        self._events: list[tuple[Any, ...]] = []
        self._blobs: dict[bytes, bytes] = {}
        self._later: dict[str, list[Sequence[Any]]] = {}
        self.rows: list[EventRow] = []
        """Every event of the transaction, in order."""
        self.weight = _COMMIT_WEIGHT
        self.anew = self._revise()
        """Whether another connection has written since the last transaction, or this is the first."""

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, with everything gathered so far visible to it."""
        self.flush()
        return self._connection

    def head(self, session: str) -> Head:
        """The end of a session's chain, with this transaction's events. A chain that is not there yet has number 0."""
        heads = self._bookmarks.heads
        known = heads.get(session)
        if known is None:
            known = self._look_up(session)
            heads[session] = known
            if len(heads) > _KNOWN_CHAINS:
                heads.popitem(last=False)
        return known

    def expect(self, session: str, digest: str) -> None:
        """Raise StaleHead when the newest event of the session has another digest ("" for no event)."""
        head = self.head(session)
        if head.digest.hex() != digest:
            raise StaleHead(f"Session {session} has gone on to event {head.seq} meanwhile.")

    def append(self, session: str, drafts: Sequence[Encoded]) -> list[tuple[int, Event]]:
        """Give drafts their places at the end of a chain; the events with their row numbers."""
        if not drafts:
            return []
        chain, seq, digest = self._founded(session, self.head(session))
        placed: list[tuple[int, Event]] = []
        for encoded in drafts:
            seq += 1
            row = place(encoded, session, self._bookmarks.next_id, seq, digest)
            digest = row.digest
            self._bookmarks.next_id += 1
            self._blobs.update(encoded.strings)
            self._events.append((row.id, chain, *row[2:-1], *shelve(row.kind, encoded.data, row.data)))
            self.rows.append(row)
            self.weight += _ROW_WEIGHT + len(row.data) + sum(map(len, encoded.strings.values()))
            placed.append((row.id, event_of(row, encoded.draft.data)))
        self._bookmarks.heads[session] = Head(chain, seq, digest)
        return placed

    def later(self, statement: str, row: Sequence[Any]) -> None:
        """Execute a statement when the batch is flushed; among different statements the order is open."""
        self._later.setdefault(statement, []).append(row)

    def now(self, statement: str, row: Sequence[Any]) -> None:
        """Execute a statement at once, in order."""
        self._connection.execute(statement, row)

    def flush(self) -> None:
        """Write what has gathered."""
        if self._blobs:
            self._connection.executemany(INSERT_BLOB, list(self._blobs.items()))
            self._blobs.clear()
        if self._events:
            self._bookmarks.claim(self._events[0][0], self._events[-1][0])
            self._connection.executemany(INSERT_EVENT, self._events)
            self._events.clear()
        for statement, rows in self._later.items():
            self._connection.executemany(statement, rows)
        self._later.clear()

    def _revise(self) -> bool:
        """Drop what is remembered when another connection has written since."""
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        if version == self._bookmarks.version:
            return False
        self._bookmarks.forget()
        self._bookmarks.version = version
        newest = self._connection.execute("SELECT max(id) FROM events").fetchone()[0]
        self._bookmarks.next_id = (newest or 0) + 1
        return True

    def _look_up(self, session: str) -> Head:
        row = self._connection.execute(
            "SELECT c.id, e.seq, e.digest FROM chains c LEFT JOIN events e ON e.chain = c.id"
            " WHERE c.session = ? ORDER BY e.seq DESC LIMIT 1",
            (session,),
        ).fetchone()
        if row is None:
            return Head(0, 0, b"")
        return Head(row[0], row[1] or 0, row[2] or b"")

    def _founded(self, session: str, head: Head) -> Head:
        if head.chain:
            return head
        cursor = self._connection.execute("INSERT INTO chains (session) VALUES (?)", (session,))
        assert cursor.lastrowid is not None
        return Head(cursor.lastrowid, 0, b"")
