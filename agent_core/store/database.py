"""The database file: opened, checked, read. Writing goes through `writer` alone.

Readers open the file read-only and hold no transaction beyond one call, so a slow reader never blocks the writer.
Nothing here may open the file, its WAL or its index by other means: closing any handle on them drops SQLite's locks.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from agent_core.config.home import Home
from agent_core.model.errors import StorageError, WriteLocked
from agent_core.store import locks, migrate
from agent_core.store.faults import storage_faults
from agent_core.store.locks import FileLock

LOCK_PATIENCE = 5.0
"""Seconds that a writer waits for another process."""

_BUSY_MILLIS = 5000
_IDLE_READERS = 4


class Database:
    """One home's database, at this version's schema. Any thread may read."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.path = home.database
        self._idle: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self._identity: tuple[int, int] | None = None
        self._closed = False

    @classmethod
    def open(cls, home: Home, patience: float = LOCK_PATIENCE) -> Self:
        """Open the home's database; made when there is none, migrated when it is older.

        Raises NewerDatabase with the file untouched, WriteLocked when it has to be made and another process writes.
        """
        with storage_faults(home.database, "open"):
            home.create()
        database = cls(home)
        if database._schema() < migrate.SCHEMA:
            database._make_current(patience)
        database._identity = database._stat()
        return database

    @classmethod
    def as_it_is(cls, home: Home) -> Self | None:
        """The home's database for a look at it; None where it has to be made or migrated first. Writes nothing."""
        database = cls(home)
        if database._schema() != migrate.SCHEMA:
            return None
        database._identity = database._stat()
        return database

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection for one call. Fetch all rows of each statement before it ends."""
        with storage_faults(self.path, "read"):
            connection = self._borrow()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
        self._give_back(connection)

    def check_in_place(self) -> None:
        """Raise StorageError when the file was removed or replaced since it was opened."""
        if self._stat() != self._identity:
            raise StorageError(
                f"{self.path} was removed or replaced while it was open; nothing more can be saved there. "
                "Put it back or restore a backup, then start Pilothouse again."
            )

    def close(self) -> None:
        """Close the readers. Idle ones at once, borrowed ones when they come back."""
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _borrow(self) -> sqlite3.Connection:
        self.check_in_place()
        with self._guard:
            if self._idle:
                return self._idle.pop()
        return open_read_only(self.path)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._guard:
            if not self._closed and len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()

    def _stat(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def _schema(self) -> int:
        """The schema of the file as it is; 0 when there is none. Writes nothing."""
        with storage_faults(self.path, "open"):
            if not self.path.exists() or self.path.stat().st_size == 0:
                return 0
            connection = open_read_only(self.path)
            try:
                return migrate.check_schema(connection, self.path)
            finally:
                connection.close()

    def _make_current(self, patience: float) -> None:
        lock = FileLock(self.home.write_lock)
        try:
            take_write_lock(lock, patience)
            number = self._schema()  # again: another process may have made it meanwhile
            with storage_faults(self.path, "prepare"):
                if number == 0:
                    self.path.touch(mode=0o600)
                    connection = sqlite3.connect(self.path, isolation_level=None)
                    try:
                        migrate.create(connection)
                    finally:
                        connection.close()
                elif number < migrate.SCHEMA:
                    migrate.upgrade(self.path, number, self.home.backups)
        finally:
            lock.close()


def take_write_lock(lock: FileLock, patience: float = LOCK_PATIENCE) -> None:
    """Take a home's write lock. Raises WriteLocked, naming the process that holds it."""
    if lock.acquire(patience):
        return
    pid = locks.holder(lock.path)
    who = f"process {pid}" if pid else "another process"
    raise WriteLocked(f"Cannot save: {who} has held {lock.path} for {patience:g} seconds. End it, then resume.")


def open_read_only(path: Path, *, at_rest: bool = False) -> sqlite3.Connection:
    """A connection that cannot write; any thread may use it, one at a time. Raises sqlite3.Error.

    A file `at_rest` is one that nobody writes: it is read as it is, and nothing is made beside it.
    """
    uri = f"{path.absolute().as_uri()}?mode=ro"
    if (at_rest or not os.access(path.parent, os.W_OK)) and not path.with_name(f"{path.name}-wal").exists():
        # On read-only media SQLite cannot make the index that readers share. Where nobody writes, none is needed.
        uri += "&immutable=1"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLIS}")
    except BaseException:
        connection.close()
        raise
    return connection


def open_writing(path: Path) -> sqlite3.Connection:
    """The writing connection. Only for the holder of the write lock. Raises sqlite3.Error."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.executescript(
            f"""
            PRAGMA busy_timeout = {_BUSY_MILLIS};
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA fullfsync = ON;
            PRAGMA foreign_keys = ON;
            """
        )
    except BaseException:
        connection.close()
        raise
    return connection
