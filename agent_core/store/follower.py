"""Noticing what other processes append: SQLite counts foreign commits, and row numbers say which events are new."""

import sqlite3
import threading

from agent_core.model.errors import BrokenChain
from agent_core.model.events import Event
from agent_core.store import reading
from agent_core.store.batch import Bookmarks
from agent_core.store.database import Database, open_read_only
from agent_core.store.faults import storage_faults

POLL_SECONDS = 0.25


class Follower:
    """A position in the journal of all sessions, and the connection that asks for more. Any thread may close it."""

    def __init__(self, database: Database, bookmarks: Bookmarks) -> None:
        self._database = database
        self._bookmarks = bookmarks
        self._connection: sqlite3.Connection | None = None
        self._version = -1
        self._polling = threading.Lock()
        with database.reading() as connection:
            self._seen = _newest(connection)

    def poll(self) -> list[Event]:
        """Events of other processes since the last time, in the order they were written. Raises StorageError."""
        with self._polling, storage_faults(self._database.path, "read"):
            try:
                return self._poll()
            except BaseException:
                self._let_go()
                raise

    def close(self) -> None:
        """Let go of the connection, once nobody asks it any more: SQLite does not survive being closed in a query."""
        with self._polling:
            self._let_go()

    def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _poll(self) -> list[Event]:
        if self._connection is None:
            self._database.check_in_place()
            self._connection = open_read_only(self._database.path)
            self._version = -1
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version:
            return []
        self._version = version
        newest = _newest(self._connection)
        if newest < self._seen:  # a backup was restored
            self._seen = newest
            return []
        spans = self._bookmarks.foreign(self._seen, newest)
        try:
            events = [event for first, last in spans for event in reading.between(self._connection, first, last)]
        except BrokenChain:
            self._seen = newest  # a row that is no event will never be one
            raise
        self._seen = newest
        return events


def _newest(connection: sqlite3.Connection) -> int:
    return connection.execute("SELECT max(id) FROM events").fetchone()[0] or 0
