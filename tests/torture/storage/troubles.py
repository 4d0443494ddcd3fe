"""What can go wrong with a disk while agents work, how it is brought about, and how it is mended again."""

import os
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass

from agent_core.config.home import Home
from agent_core.store.locks import FileLock
from tests.torture.storage.shelf import fill

Mend = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Trouble:
    """One kind: its name, what brings it about (and gives what mends it), and words that the notice must have."""

    name: str
    make: Callable[[Home], Mend]
    words: str
    needs_shelf: bool = False


def _full(home: Home) -> Mend:
    filler = fill(home.data.parent)
    return filler.unlink


def _locked_by_us(home: Home) -> Mend:
    """Another process of ours writes, and does not end."""
    lock = FileLock(home.write_lock)
    assert lock.acquire(5.0)
    return lock.close


def _locked_by_others(home: Home) -> Mend:
    """Another program holds the database itself."""
    release, held = threading.Event(), threading.Event()

    def hold() -> None:
        connection = sqlite3.connect(home.database, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        held.set()
        release.wait()
        connection.execute("ROLLBACK")
        connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()

    def mend() -> None:
        release.set()
        thread.join()

    return mend


def _deleted(home: Home) -> Mend:
    kept = home.data.parent / "kept"
    kept.mkdir(exist_ok=True)
    names = [path for path in home.data.glob("pilothouse.db*") if path.is_file()]
    for path in names:
        os.link(path, kept / path.name)
    for path in names:
        path.unlink()

    def mend() -> None:
        for path in names:
            (kept / path.name).rename(path)

    return mend


def _replaced(home: Home) -> Mend:
    put_back = _deleted(home)
    sqlite3.connect(home.database).close()
    home.database.touch()

    def mend() -> None:
        home.database.unlink()
        put_back()

    return mend


TROUBLES: tuple[Trouble, ...] = (
    Trouble("disk full", _full, "full", needs_shelf=True),
    Trouble("locked by another of our processes", _locked_by_us, "has held"),
    Trouble("locked by another program", _locked_by_others, "another program holds"),
    Trouble("file deleted while open", _deleted, "removed or replaced"),
    Trouble("file replaced while open", _replaced, "removed or replaced"),
)
