"""Backups of the database by SQLite's own backup call, and putting one back.

A backup is one snapshot, taken while agents write. A restore replaces everything in one transaction and appends a
signed `restored` event that names the heads it sets back, so that `verify` tells it from a cut tail.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from agent_core.model.errors import InputError, SessionBusy
from agent_core.model.events import Draft, Event, OperatorKeyAdded, Restored
from agent_core.model.ids import HOME_SESSION
from agent_core.store import migrate, reading, signatures
from agent_core.store.batch import Batch, Bookmarks
from agent_core.store.codec import encode, instant
from agent_core.store.database import open_read_only, open_writing, take_write_lock
from agent_core.store.faults import storage_faults
from agent_core.store.heads import RecordedHead
from agent_core.store.journal import Journal
from agent_core.store.keys import OperatorKeys
from agent_core.store.leases import Leases
from agent_core.store.locks import FileLock
from agent_core.store.signatures import OperatorKey


class Backups:
    """The backups of one home."""

    def __init__(self, journal: Journal, leases: Leases, keys: OperatorKeys) -> None:
        self._journal = journal
        self._database = journal.database
        self._leases = leases
        self._keys = keys

    async def backup(self, at: datetime, target: Path | None = None) -> Path:
        """Copy the database as it is now, by default into the home's backups; gives the file. Raises StorageError."""
        return await self._journal.off_thread(lambda: self.backup_now(at, target))

    def backup_now(self, at: datetime, target: Path | None = None) -> Path:
        """`backup`, blocking."""
        if target is None:
            target = self._database.home.backups / f"pilothouse-{at:%Y%m%d-%H%M%S}.db"
        if target.exists():
            raise InputError(f"{target} exists already; name another file")
        with storage_faults(target):
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            partial = target.with_name(f".{target.name}.partial")
            with self._database.reading() as source:
                _copy(source, partial)
            partial.replace(target)
        return target

    async def restore(self, source: Path, by: str, at: datetime) -> Event:
        """Put a backup back; gives the event that says so. What was there before is backed up first.

        Raises InputError for a file that is no sound backup, NewerDatabase, SessionBusy while a session is worked,
        DecisionRefused when the operator's key cannot be reached, WriteLocked, StorageError.
        """
        key = await self._keys.of(by)
        return await self._journal.off_thread(lambda: self._restore(source, key, at))

    def _restore(self, source: Path, key: OperatorKey, at: datetime) -> Event:
        self._refuse_while_working()
        before = self._database.home.backups / f"before-restore-{at:%Y%m%d-%H%M%S-%f}.db"
        lock = FileLock(self._database.home.write_lock)
        try:
            take_write_lock(lock)
            self.backup_now(at, before)
            at = max(at, self._newest())  # no event that is set back may be younger than what sets it back
            with _working_copy(source, self._database.home.backups) as copy, storage_faults(self._database.path):
                event = self._sign(copy, key, at)
                with closing(open_writing(self._database.path)) as target:
                    copy.backup(target)
            head = RecordedHead(session=HOME_SESSION, seq=event.seq, digest=event.digest, at=event.at)
            self._journal.heads.write([head])
            return event
        finally:
            lock.close()

    def _sign(self, copy: sqlite3.Connection, key: OperatorKey, at: datetime) -> Event:
        """Append the record of the restore to the copy, and before it the key that signs, where the copy lacks it."""
        known = {event.data.key_id for event in reading.of_kind(copy, HOME_SESSION, OperatorKeyAdded.kind)
                 if isinstance(event.data, OperatorKeyAdded)}  # fmt: skip
        copy.execute("BEGIN IMMEDIATE")
        batch = Batch(copy, Bookmarks())
        if key.key_id not in known:
            mine = [added for added in self._keys.added_now() if added.key_id == key.key_id]
            batch.append(HOME_SESSION, [encode(Draft(data=added, at=at)) for added in mine])
        prev = batch.head(HOME_SESSION).digest.hex()
        lost = self._set_back(copy)
        signature = key.sign_bytes(signatures.restored_bytes(key.operator, lost, key.key_id, at, prev))
        data = Restored(by=key.operator, heads=lost, signature=signature, key_id=key.key_id)
        ((_, event),) = batch.append(HOME_SESSION, [encode(Draft(data=data, at=at))])
        batch.flush()
        copy.execute("COMMIT")
        return event

    def _set_back(self, copy: sqlite3.Connection) -> dict[str, str]:
        """The heads of today that the copy does not contain: session to digest."""
        with self._database.reading() as connection:
            heads = connection.execute(_HEADS).fetchall()
        return {session: digest.hex() for session, seq, digest in heads if not _contains(copy, session, seq, digest)}

    def _newest(self) -> datetime:
        """When the newest event of today was."""
        with self._database.reading() as connection:
            return instant(connection.execute("SELECT coalesce(max(at), 0) FROM events").fetchone()[0])

    def _refuse_while_working(self) -> None:
        folder = self._database.home.leases
        for path in sorted(folder.glob("[!.]*")):
            pid = self._leases.holder(path.name)
            if pid is not None:
                raise SessionBusy(f"Session {path.name} is being worked by process {pid}; stop it, then restore")


_HEADS = """
SELECT c.session, e.seq, e.digest FROM chains c JOIN events e ON e.chain = c.id
WHERE e.seq = (SELECT max(seq) FROM events WHERE chain = c.id)
"""
_DIGEST = "SELECT e.digest FROM events e JOIN chains c ON c.id = e.chain WHERE c.session = ? AND e.seq = ?"


def _contains(copy: sqlite3.Connection, session: str, seq: int, digest: bytes) -> bool:
    found = copy.execute(_DIGEST, (session, seq)).fetchone()
    return found is not None and found[0] == digest


@contextmanager
def _working_copy(source: Path, folder: Path) -> Iterator[sqlite3.Connection]:
    """A copy of a backup at this version's schema, in a file that is removed afterwards."""
    if not source.is_file():
        raise InputError(f"There is no backup {source}")
    path = folder / f".restoring-{os.getpid()}.db"
    with storage_faults(source, "restore"), closing(open_read_only(source, at_rest=True)) as original:
        schema = _schema_if_sound(original, source)
        _copy(original, path)
    try:
        with storage_faults(path):
            if schema < migrate.SCHEMA:
                migrate.upgrade(path, schema, folder)
            with closing(sqlite3.connect(path, isolation_level=None)) as copy:
                yield copy
    finally:
        for leftover in folder.glob(f"{path.name}*"):
            leftover.unlink(missing_ok=True)


def _schema_if_sound(backup: sqlite3.Connection, source: Path) -> int:
    """The schema of a backup. Raises InputError for a file that is none, or a damaged one."""
    try:
        schema = migrate.check_schema(backup, source)
        sound = schema > 0 and backup.execute("PRAGMA quick_check").fetchone()[0] == "ok"
    except sqlite3.DatabaseError as error:
        if not isinstance(error, sqlite3.OperationalError):
            raise InputError(f"{source} is no backup of Pilothouse, or a damaged one: {error}") from error
        raise
    if not sound:
        raise InputError(f"{source} is not a sound backup of Pilothouse")
    return schema


def _copy(source: sqlite3.Connection, target: Path) -> None:
    """One snapshot into a file of its own, flushed to the disk."""
    target.unlink(missing_ok=True)
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
    file = os.open(target, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
