"""The writer: groups what queues, holds the lock while it writes, and outlives faults."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.model.errors import StorageError, WriteLocked
from agent_core.store.batch import Batch
from agent_core.store.codec import encode
from agent_core.store.database import Database
from agent_core.store.journal import Journal
from agent_core.store.locks import FileLock, holder
from agent_core.store.writer import CHECKPOINT_BYTES, Writer
from tests.unit.store.samples import said

HOLD = """
import sys
from pathlib import Path
from agent_core.store.locks import FileLock
lock = FileLock(Path(sys.argv[1]))
assert lock.acquire(5)
print("held", flush=True)
sys.stdin.readline()
lock.close()
"""


def one_event(session: str) -> Callable[[Batch], object]:
    return lambda batch: batch.append(session, [encode(said())])


async def test_what_queues_during_a_commit_is_one_transaction(place: Home) -> None:
    database = Database.open(place)
    commits: list[int] = []
    writer = Writer(database, lambda batch: commits.append(len(batch.rows)))

    await asyncio.gather(*(writer.run(one_event(f"s-{number}")) for number in range(64)))
    writer.close()
    database.close()

    assert sum(commits) == 64
    assert len(commits) <= 8


async def test_a_bug_in_what_follows_a_commit_is_not_a_failed_append(place: Home) -> None:
    def broken(batch: Batch) -> None:
        raise RuntimeError("listener")

    database = Database.open(place)
    writer = Writer(database, broken)

    assert await writer.run(one_event("s-1"))
    assert await writer.run(one_event("s-1"))
    writer.close()
    database.close()


async def test_every_commit_and_checkpoint_happens_under_the_lock(place: Home) -> None:
    """A probe at each commit finds the lock held by this process, and free once all is written."""
    database = Database.open(place)
    holders: list[int | None] = []
    writer = Writer(database, lambda batch: holders.append(holder(place.write_lock)))

    for number in range(20):
        await writer.run(one_event(f"s-{number}"))
    idle = holder(place.write_lock)
    writer.close()
    database.close()

    assert set(holders) == {os.getpid()}
    assert idle is None


async def test_the_wal_is_checkpointed_while_it_is_written(place: Home) -> None:
    journal = Journal.open(place)
    text = "x" * 15_000
    for _ in range(80):
        await journal.append("s-1", [said(text) for _ in range(20)])
    wal, kept = place.database.with_name("pilothouse.db-wal").stat().st_size, place.database.stat().st_size
    journal.close()

    assert wal < 2 * CHECKPOINT_BYTES
    assert kept > CHECKPOINT_BYTES / 2


def test_another_process_with_the_lock_is_waited_for(place: Home) -> None:
    journal = Journal.open(place)
    with Holder(place.write_lock) as other:
        releasing = threading.Timer(0.3, other.release)
        releasing.start()
        journal.append_now("s-1", [said()])
        releasing.join()
    journal.close()


def test_a_process_that_keeps_the_lock_is_named(place: Home) -> None:
    journal = Journal.open(place, patience=0.2)
    with Holder(place.write_lock) as other:
        with pytest.raises(WriteLocked, match=rf"process {other.pid} .*write\.lock"):
            journal.append_now("s-1", [said()])
        assert journal.read_now("s-1") == []

    assert len(journal.append_now("s-1", [said()])) == 1  # and nothing stays broken
    journal.close()


def test_nothing_is_checkpointed_at_the_end_without_the_lock(place: Home) -> None:
    journal = Journal.open(place, patience=0.1)
    journal.append_now("s-1", [said()])
    with Holder(place.write_lock):
        journal.close()
        assert place.database.with_name("pilothouse.db-wal").stat().st_size > 0
    again = Journal.open(place)
    assert len(again.read_now("s-1")) == 1
    again.close()


def test_a_dead_process_holds_nothing(place: Home) -> None:
    journal = Journal.open(place, patience=2)
    with Holder(place.write_lock) as other:
        other.kill()
        assert len(journal.append_now("s-1", [said()])) == 1
    journal.close()


def test_a_removed_database_is_noticed_before_anything_is_claimed(place: Home) -> None:
    journal = Journal.open(place)
    journal.append_now("s-1", [said()])
    place.database.unlink()

    with pytest.raises(StorageError, match="removed or replaced"):
        journal.append_now("s-1", [said()])
    with pytest.raises(StorageError, match="removed or replaced"):
        journal.read_now("s-1")
    journal.close()


def test_a_removed_lock_file_locks_again(place: Home) -> None:
    """Two processes must never hold "the" lock on two files of one name."""
    first, second = FileLock(place.state / "x.lock"), FileLock(place.state / "x.lock")
    assert first.acquire()
    (place.state / "x.lock").unlink()
    assert second.acquire()
    first.release()

    assert not first.acquire(0.05)
    second.close()
    assert first.acquire()
    first.close()


class Holder:
    """Another process that holds a lock until it is told to let go."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.pid = self._process.pid

    def __enter__(self) -> "Holder":
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"held\n"
        return self

    def release(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
