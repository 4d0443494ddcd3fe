"""The one writer of a process: a thread, a connection, and the write lock whenever the connection is used.

There is no timer. The writer commits whatever has queued the moment it is free, in one transaction with full
synchronisation; what queues during that commit is the next one. SQLite up to 3.51.2 can corrupt a WAL that two
connections write or checkpoint at once, so opening, committing, checkpointing and closing all happen under the lock.
"""

import asyncio
import contextlib
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

from agent_core.model.errors import PilothouseError, StorageError
from agent_core.store import migrate
from agent_core.store.batch import Batch, Bookmarks
from agent_core.store.database import LOCK_PATIENCE, Database, open_writing, take_write_lock
from agent_core.store.faults import storage_faults
from agent_core.store.locks import FileLock

T = TypeVar("T")
Work = Callable[[Batch], Any]
"""What one caller wants written. It raises PilothouseError before its first row, or not at all."""

CHECKPOINT_BYTES = 16 * 1024 * 1024
"""About so much is written to the WAL before it is carried into the database, which costs two synchronisations."""

_MOST_IN_ONE = 1024
_log = logging.getLogger(__name__)


class _Job(NamedTuple):
    work: Work
    future: "asyncio.Future[Any] | Future[Any]"
    loop: asyncio.AbstractEventLoop | None


class _Done(NamedTuple):
    job: _Job
    value: Any
    error: Exception | None


class Writer:
    """Runs callers' work in transactions. `committed` hears of each batch, in the writer's thread, once durable."""

    def __init__(
        self, database: Database, committed: Callable[[Batch], None], *, patience: float = LOCK_PATIENCE
    ) -> None:
        self._database = database
        self._committed = committed
        self._patience = patience
        self._lock = FileLock(database.home.write_lock)
        self._connection: sqlite3.Connection | None = None
        self._uncheckpointed = 0
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self.bookmarks = Bookmarks()

    async def run(self, work: Callable[[Batch], T]) -> T:
        """Have it written; what it returned, once it is durable. Raises what `work` raised, or StorageError."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._put(_Job(work, future, loop))
        return await future

    def run_now(self, work: Callable[[Batch], T]) -> T:
        """The same for callers without a loop; waits."""
        future: Future[T] = Future()
        self._put(_Job(work, future, None))
        return future.result()

    def close(self) -> None:
        """Write what has queued, checkpoint and close. Waits for the thread."""
        with self._guard:
            self._closed = True
            self._queue.put(None)
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
        self._lock.close()

    def _put(self, job: _Job) -> None:
        with self._guard:
            if self._closed:
                raise StorageError(f"Cannot save to {self._database.path}: it was closed")
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="journal-writer", daemon=True)
                self._thread.start()
            self._queue.put(job)

    def _loop(self) -> None:
        last = False
        while not last:
            jobs = [self._queue.get()]
            with contextlib.suppress(queue.Empty):
                while len(jobs) < _MOST_IN_ONE:
                    jobs.append(self._queue.get_nowait())
            last = None in jobs
            wanted = [job for job in jobs if job is not None]
            if wanted:
                _deliver(self._commit(wanted))
        self._retire()

    def _commit(self, jobs: Sequence[_Job]) -> list[_Done]:
        try:
            with self._locked():
                return self._transact(jobs)
        except PilothouseError as error:
            return [_Done(job, None, error) for job in jobs]
        except Exception as error:  # noqa: BLE001 - a bug must reach its own caller, and not end the only writer
            if len(jobs) > 1:
                return [done for job in jobs for done in self._commit([job])]
            return [_Done(jobs[0], None, error)]

    def _transact(self, jobs: Sequence[_Job]) -> list[_Done]:
        connection = self._open()
        try:
            with storage_faults(self._database.path):
                connection.execute("BEGIN IMMEDIATE")
                self._database.check_in_place()
                batch = Batch(connection, self.bookmarks)
                if batch.anew:  # a newer version may have come and migrated the file under us
                    migrate.check_schema(connection, self._database.path)
                done = [_attempt(job, batch) for job in jobs]
                batch.flush()
                connection.execute("COMMIT")
        except BaseException:
            self._give_up()
            raise
        self.bookmarks.committed()
        if batch.rows:
            self._tell(batch)
            self._uncheckpointed += batch.weight
            if self._uncheckpointed > CHECKPOINT_BYTES:
                self._checkpoint(connection)
        return done

    def _tell(self, batch: Batch) -> None:
        try:
            self._committed(batch)
        except Exception:  # noqa: BLE001 - the batch is durable, and its callers must hear so
            _log.exception("what follows a commit failed")

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        take_write_lock(self._lock, self._patience)
        try:
            yield
        finally:
            self._lock.release()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._database.check_in_place()
            with storage_faults(self._database.path):
                self._connection = open_writing(self._database.path)
        return self._connection

    def _give_up(self) -> None:
        """After a failure: nothing of the batch stays, and the next one begins with a fresh connection."""
        self.bookmarks.rolled_back()
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.rollback()
            with contextlib.suppress(sqlite3.Error):
                connection.close()

    def _checkpoint(self, connection: sqlite3.Connection) -> None:
        self._uncheckpointed = 0
        try:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except sqlite3.Error as error:
            # What was committed is safe in the WAL; the next checkpoint tries again.
            _log.warning("checkpoint of %s failed: %s", self._database.path, error)

    def _retire(self) -> None:
        if self._connection is None:
            return
        try:
            with self._locked():
                self._checkpoint(self._connection)
                self._connection.close()
                self._connection = None
        except (PilothouseError, sqlite3.Error) as error:
            # Closing checkpoints, which is not ours to do without the lock: the connection stays open to the end.
            _log.warning("leaving %s without a checkpoint: %s", self._database.path, error)


def _attempt(job: _Job, batch: Batch) -> _Done:
    try:
        return _Done(job, job.work(batch), None)
    except PilothouseError as error:
        return _Done(job, None, error)


def _deliver(done: Sequence[_Done]) -> None:
    """Give each caller its outcome; one wake-up per event loop, however many wait there."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Done]] = {}
    for one in done:
        if one.job.loop is None:
            _settle(one)
        else:
            by_loop.setdefault(one.job.loop, []).append(one)
    for loop, mine in by_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits there any more
            loop.call_soon_threadsafe(_settle_all, mine)


def _settle_all(done: Sequence[_Done]) -> None:
    for one in done:
        _settle(one)


def _settle(one: _Done) -> None:
    future = one.job.future
    if future.done():  # its caller was cancelled
        return
    if one.error is not None:
        future.set_exception(one.error)
    else:
        future.set_result(one.value)
