"""Opening: fresh, current, newer, foreign, locked, full and read-only databases."""

import contextlib
import hashlib
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.model.errors import NewerDatabase, StorageError
from agent_core.model.intents import SessionQuery
from agent_core.store.cards import Cards
from agent_core.store.codec import BLOB_FLOOR
from agent_core.store.database import Database
from agent_core.store.journal import Journal
from agent_core.store.leases import Leases
from agent_core.store.migrate import SCHEMA
from agent_core.store.sessions import Sessions
from tests.unit.store.samples import said


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_fresh_home_gets_a_private_database(place: Home) -> None:
    Database.open(place).close()

    assert place.database.stat().st_mode & 0o077 == 0


def test_a_newer_database_is_refused_and_its_bytes_stay(place: Home) -> None:
    Journal.open(place).close()
    with closing(sqlite3.connect(place.database)) as newer:
        newer.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    before = sha256(place.database)

    with pytest.raises(NewerDatabase, match=f"schema {SCHEMA + 1}.*left as it is"):
        Journal.open(place)
    assert sha256(place.database) == before


def test_a_database_whose_schema_has_a_newer_name_is_refused_too(place: Home) -> None:
    Journal.open(place).close()
    with closing(sqlite3.connect(place.database)) as newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
        newer.commit()

    with pytest.raises(NewerDatabase, match="schema 9999"):
        Journal.open(place)


def test_a_newer_database_with_a_wal_is_left_alone_too(place: Home) -> None:
    Journal.open(place).close()
    with closing(sqlite3.connect(place.database)) as newer:
        newer.execute("PRAGMA wal_autocheckpoint = 0")
        newer.execute(f"PRAGMA user_version = {SCHEMA + 1}")
        wal = place.database.with_name("pilothouse.db-wal")
        before = sha256(place.database), sha256(wal)

        with pytest.raises(NewerDatabase):
            Journal.open(place)
        assert (sha256(place.database), sha256(wal)) == before


def test_a_database_of_another_program_is_refused(place: Home) -> None:
    place.create()
    with closing(sqlite3.connect(place.database)) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    before = sha256(place.database)

    with pytest.raises(StorageError, match="another program"):
        Journal.open(place)
    assert sha256(place.database) == before


def test_a_file_that_is_no_database_is_refused(place: Home) -> None:
    place.create()
    place.database.write_text("this is a letter to my aunt, and not a database at all\n" * 100)

    with pytest.raises(StorageError, match="not a database"):
        Journal.open(place)
    assert place.database.read_text().startswith("this is a letter")


def test_a_killed_writers_database_opens(place: Home) -> None:
    """Its WAL still lies there: a reader has to be able to recover it."""
    code = (
        "import os, sys; from pathlib import Path; from agent_core.config.home import Home;"
        "from agent_core.store.journal import Journal; from tests.unit.store.samples import said;"
        "journal = Journal.open(Home.at(Path(sys.argv[1]))); journal.append_now('s-1', [said('kept')]); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(place.data)], check=True, cwd=Path.cwd())
    place.database.with_name("pilothouse.db-shm").unlink()

    journal = Journal.open(place)
    assert [event.data for event in journal.read_now("s-1")] == [said("kept").data]
    journal.close()


def test_opening_and_listing_imports_neither_alembic_nor_sqlmodel(place: Home) -> None:
    code = (
        "import sys; from pathlib import Path; from agent_core.config.home import Home;"
        "from agent_core.model.intents import SessionQuery;"
        "from agent_core.store.journal import Journal; from agent_core.store.leases import Leases;"
        "from agent_core.store.sessions import Sessions; home = Home.at(Path(sys.argv[1]));"
        "journal = Journal.open(home); Sessions(journal, Leases(home)).page_now(SessionQuery()); journal.close();"
        "print([name for name in ('alembic', 'sqlalchemy', 'sqlmodel', 'cryptography') if name in sys.modules])"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code, str(place.data)], check=True, capture_output=True, text=True, cwd=Path.cwd()
        )
        assert done.stdout.strip() == "[]"


def test_two_processes_make_one_database(place: Home) -> None:
    journals: list[Journal] = []
    threads = [threading.Thread(target=lambda: journals.append(Journal.open(place))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for number, journal in enumerate(journals):
        journal.append_now("s-1", [said(str(number))])
    assert len(journals[0].read_now("s-1")) == 4
    for journal in journals:
        journal.close()


def test_a_database_that_was_migrated_under_us_is_left_alone(journal: Journal) -> None:
    journal.append_now("s-1", [said()])
    with closing(sqlite3.connect(journal.database.path)) as newer:
        newer.execute(f"PRAGMA user_version = {SCHEMA + 1}")

    with pytest.raises(NewerDatabase):
        journal.append_now("s-1", [said()])
    assert len(journal.read_now("s-1")) == 1


CALLS: dict[str, Callable[[Journal], object]] = {
    "append": lambda journal: journal.append_now("s-1", [said()]),
    "read": lambda journal: journal.read_now("s-1"),
    "list": lambda journal: Sessions(journal, Leases(journal.database.home)).page_now(SessionQuery()),
    "search": lambda journal: Sessions(journal, Leases(journal.database.home)).page_now(SessionQuery(text="x")),
    "cards": lambda journal: Cards(journal).open_now(),
    "follow": lambda journal: journal.follower().poll(),
    "open": lambda journal: Journal.open(journal.database.home).close(),
    "close": lambda journal: journal.close(),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("mode", ["IMMEDIATE", "EXCLUSIVE"])
def test_another_programs_short_lock_is_waited_out(journal: Journal, name: str, mode: str) -> None:
    journal.append_now("s-1", [said()])
    other = sqlite3.connect(journal.database.path, isolation_level=None, check_same_thread=False)
    other.execute(f"BEGIN {mode}")
    release = threading.Timer(0.2, lambda: other.execute("ROLLBACK"))
    release.start()
    CALLS[name](journal)
    release.join()
    other.close()


def test_a_reader_in_the_middle_blocks_no_writer(journal: Journal) -> None:
    journal.append_now("s-1", [said(str(number)) for number in range(100)])
    with journal.database.reading() as connection:
        cursor = connection.execute("SELECT seq FROM events")
        cursor.fetchone()
        assert len(journal.append_now("s-1", [said()])) == 1
        assert len(cursor.fetchall()) == 99  # its own snapshot


def test_the_database_grows_with_its_content_and_little_more(place: Home) -> None:
    def size(events: int, length: int) -> tuple[int, int]:
        home = Home.at(place.data / f"{events}-{length}")
        journal = Journal.open(home)
        for number in range(events):
            journal.append_now("s-1", [said(f"{number:06d}" + "x" * (length - 6))])
        journal.close()
        return home.database.stat().st_size, events * length

    (empty, _), (small, _), (large, content) = size(0, 0), size(50, 2000), size(500, 2000)

    assert (large - empty) <= 2 * content
    assert (large - empty) / 500 <= 1.1 * (small - empty) / 50
    (longer, content) = size(20, BLOB_FLOOR * 4)
    assert (longer - empty) <= 2 * content


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("mounting needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_named_and_nothing_is_claimed(tiny_disk: Path) -> None:
    journal = Journal.open(Home.at(tiny_disk))
    saved = 0

    def fill() -> None:
        nonlocal saved
        while True:
            journal.append_now("s-1", [said("x" * 10_000)])
            saved += 1

    with pytest.raises(StorageError, match=rf"Cannot save to {tiny_disk}.*disk is full"):
        fill()
    assert 0 < saved < 200
    assert len(journal.read_now("s-1")) == saved
    journal.close()


def test_a_disk_with_room_again_takes_events_again(tiny_disk: Path) -> None:
    journal = Journal.open(Home.at(tiny_disk))
    journal.append_now("s-1", [said()])
    ballast = tiny_disk / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass
    with pytest.raises(StorageError, match="disk is full"):
        journal.append_now("s-1", [said("x" * 15_000) for _ in range(20)])
    ballast.unlink()

    assert journal.append_now("s-1", [said("after")])[0].seq == 2
    journal.close()


def test_a_read_only_home_says_so(tiny_disk: Path) -> None:
    journal = Journal.open(Home.at(tiny_disk))
    journal.append_now("s-1", [said()])
    journal.close()
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)

    journal = Journal.open(Home.at(tiny_disk))
    assert len(journal.read_now("s-1")) == 1
    with pytest.raises(StorageError, match="read-only"):
        journal.append_now("s-1", [said()])
    journal.close()
