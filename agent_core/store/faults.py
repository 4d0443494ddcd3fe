"""Faults of the disk and of SQLite as sentences that name the file and the way out."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent_core.model.errors import StorageError

_BY_SQLITE_CODE = {
    sqlite3.SQLITE_FULL: "the disk is full. Free some space and resume",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_PERM: "access is denied",
    sqlite3.SQLITE_BUSY: "another program holds the database. Close it and resume",
    sqlite3.SQLITE_LOCKED: "another program holds the database. Close it and resume",
    sqlite3.SQLITE_CORRUPT: "it is damaged. Restore a backup",
    sqlite3.SQLITE_NOTADB: "it is not a database",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
}
_BY_ERRNO = {
    errno.ENOSPC: "the disk is full. Free some space and resume",
    errno.EROFS: "it is read-only",
    errno.EACCES: "access is denied",
}
_BUGS = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.DataError)
"""What SQLite says of our own mistakes: no fault of the disk, so never told as one."""


@contextmanager
def storage_faults(path: Path, attempt: str = "save to") -> Iterator[None]:
    """Turn errors of SQLite and the file system into a StorageError: "Cannot save to PATH: the disk is full."."""
    try:
        yield
    except _BUGS:
        raise
    except (sqlite3.Error, OSError) as error:
        raise StorageError(f"Cannot {attempt} {path}: {_cause(error)}") from error


def _cause(error: sqlite3.Error | OSError) -> str:
    if isinstance(error, OSError):
        return _BY_ERRNO.get(error.errno or 0, error.strerror or str(error))
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return str(error)
    return _BY_SQLITE_CODE.get(code & 0xFF, str(error))
