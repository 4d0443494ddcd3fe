"""Backups: whole while agents write, and put back with a record that `verify` believes."""

import asyncio
import sqlite3
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.model.errors import InputError, NewerDatabase, SessionBusy, StorageError
from agent_core.model.events import Restored, RunPaused
from agent_core.model.ids import HOME_SESSION
from agent_core.store.backup import Backups
from agent_core.store.journal import Journal
from agent_core.store.keys import OperatorKeys
from agent_core.store.leases import Leases
from agent_core.store.migrate import SCHEMA
from agent_core.store.verify import Verifier
from tests.unit.store.samples import NOON, asked, decided, decision, draft, opened, said, summary

LATER = NOON + timedelta(hours=1)
PAUSED = RunPaused(reason="operator")


@pytest.fixture
def backups(place: Home, journal: Journal, keys: OperatorKeys) -> Backups:
    return Backups(journal, Leases(place), keys)


def well(journal: Journal, keys: OperatorKeys) -> bool:
    return all(finding.ok for finding in Verifier(journal, keys).all_sessions())


async def test_a_backup_is_a_whole_database(journal: Journal, backups: Backups, place: Home) -> None:
    events = await journal.append("s-1", [said("x" * 30_000)])
    path = await backups.backup(NOON)

    assert path == place.backups / "pilothouse-20261129-120000.db"
    assert path.stat().st_mode & 0o077 == 0
    other = Home.at(place.data / "other")
    other.create()
    path.rename(other.database)
    copy = Journal.open(other)
    assert copy.read_now("s-1") == events
    copy.close()


async def test_a_backup_taken_while_agents_write_is_sound(journal: Journal, backups: Backups, tmp_path: Path) -> None:
    await journal.append("s-1", [said()])
    done = asyncio.Event()

    async def write() -> None:
        while not done.is_set():
            await journal.append("s-1", [said("x" * 5_000) for _ in range(5)])

    writing = asyncio.create_task(write())
    for number in range(5):
        path = await backups.backup(NOON, tmp_path / f"{number}.db")
        with closing(sqlite3.connect(path)) as copy:
            assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert copy.execute("SELECT count(*) = max(seq) FROM events").fetchone() == (1,)
    done.set()
    await writing


async def test_a_backup_replaces_no_file(backups: Backups, tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("precious")
    with pytest.raises(InputError, match="exists already"):
        await backups.backup(NOON, tmp_path / "a.db")
    assert (tmp_path / "a.db").read_text() == "precious"


async def test_a_restore_is_signed_and_names_what_it_sets_back(
    journal: Journal, backups: Backups, keys: OperatorKeys
) -> None:
    key = await keys.of("anna")
    signed = [opened(), asked(), decided(key.sign(decision()))]
    await journal.append("s-1", signed, summary=summary("s-1"))
    await journal.append("s-2", [draft(PAUSED)], summary=summary("s-2"))
    path = await backups.backup(NOON)
    (lost,) = await journal.append("s-1", [draft(PAUSED, 60)])
    (gone,) = await journal.append("s-3", [draft(PAUSED, 60)])

    event = await backups.restore(path, "anna", LATER)

    assert [file.name for file in path.parent.glob(f"{path.name}*")] == [path.name], "nothing is left beside it"
    assert isinstance(event.data, Restored)
    assert event.data.heads == {"s-1": lost.digest, "s-3": gone.digest}
    assert len(await journal.read("s-1")) == 3
    assert await journal.read("s-3") == []
    assert (await journal.read_last(HOME_SESSION, 1)) == [event]
    assert well(journal, keys)


async def test_work_goes_on_after_a_restore(journal: Journal, backups: Backups, keys: OperatorKeys) -> None:
    await journal.append("s-1", [said("a")], summary=summary("s-1"))
    path = await backups.backup(NOON)
    await journal.append("s-1", [said("b"), draft(PAUSED, 1)])
    follower = journal.follower()
    await backups.restore(path, "anna", LATER)

    (event,) = await journal.append("s-1", [draft(PAUSED, 7200)])
    assert event.seq == 2
    assert well(journal, keys)
    follower.poll()
    other = Journal.open(journal.database.home)
    await other.append("s-9", [said()])
    assert [found.session for found in follower.poll()] == ["s-9"]
    follower.close()
    other.close()


async def test_a_key_made_after_the_backup_comes_along(journal: Journal, backups: Backups, keys: OperatorKeys) -> None:
    await journal.append("s-1", [said()])
    path = await backups.backup(NOON)
    key = await keys.of("anna")
    await backups.restore(path, "anna", LATER)

    assert [added.key_id for added in keys.added_now()] == [key.key_id]
    assert well(journal, keys)


async def test_what_was_there_before_is_kept(journal: Journal, backups: Backups, place: Home) -> None:
    await journal.append("s-1", [said("a")])
    path = await backups.backup(NOON)
    await journal.append("s-1", [said("b")])
    await backups.restore(path, "anna", LATER)
    (kept,) = place.backups.glob("before-restore-*.db")

    await backups.restore(kept, "anna", LATER + timedelta(minutes=1))
    assert len(await journal.read("s-1")) == 2


async def test_a_second_cut_is_not_excused_by_an_old_restore(
    journal: Journal, backups: Backups, keys: OperatorKeys
) -> None:
    await journal.append("s-1", [said("a")])
    path = await backups.backup(NOON)
    await journal.append("s-1", [draft(PAUSED, 1)])
    await backups.restore(path, "anna", LATER)
    await journal.append("s-1", [draft(PAUSED, 7200)])
    with closing(sqlite3.connect(journal.database.path)) as shell:
        shell.execute("DROP TRIGGER events_are_not_deleted")
        shell.execute("DELETE FROM events WHERE seq = 2 AND chain = (SELECT id FROM chains WHERE session = 's-1')")
        shell.commit()

    assert not Verifier(journal, keys).session("s-1").ok


async def test_an_unsigned_restore_excuses_nothing(journal: Journal, keys: OperatorKeys) -> None:
    (lost,) = await journal.append("s-1", [draft(PAUSED)])
    await journal.append("s-1", [said()])
    with closing(sqlite3.connect(journal.database.path)) as shell:
        shell.execute("DROP TRIGGER events_are_not_deleted")
        shell.execute("DELETE FROM events")
        shell.commit()
    await journal.append(HOME_SESSION, [draft(Restored(by="anna", heads={"s-1": lost.digest}), 60)])
    findings = {one.session: one for one in Verifier(journal, keys).all_sessions()}

    assert not findings["s-1"].ok
    assert "not signed" in (findings[HOME_SESSION].reason or "")


async def test_bad_backups_change_nothing(
    journal: Journal, backups: Backups, keys: OperatorKeys, tmp_path: Path
) -> None:
    await journal.append("s-1", [said()])
    good = await backups.backup(NOON, tmp_path / "good.db")
    newer, torn, other = tmp_path / "newer.db", tmp_path / "torn.db", tmp_path / "other.db"
    newer.write_bytes(good.read_bytes())
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    torn.write_bytes(good.read_bytes()[:40_000])
    other.write_bytes(b"")

    for path, error in (
        (newer, NewerDatabase),
        (torn, (InputError, StorageError)),
        (other, InputError),
        (tmp_path / "no.db", InputError),
    ):
        with pytest.raises(error):  # type: ignore[call-overload]
            await backups.restore(path, "anna", LATER)
    assert len(await journal.read("s-1")) == 1
    assert [path.name for path in journal.database.home.backups.iterdir() if path.name.startswith(".")] == []
    assert well(journal, keys)


async def test_nothing_is_restored_under_a_working_session(journal: Journal, backups: Backups, place: Home) -> None:
    await journal.append("s-1", [said()])
    path = await backups.backup(NOON)
    with Leases(place).take("s-1"), pytest.raises(SessionBusy, match="s-1 is being worked"):
        await backups.restore(path, "anna", LATER)


async def test_readers_and_writers_of_other_processes_see_the_restored_state(
    journal: Journal, backups: Backups, place: Home
) -> None:
    other = Journal.open(place)
    await other.append("s-1", [said("a")])
    path = await backups.backup(NOON)
    await other.append("s-1", [said("b")])
    await backups.restore(path, "anna", LATER)

    assert len(await other.read("s-1")) == 1
    (event,) = await other.append("s-1", [said("c")])
    assert event.seq == 2
    with suppress(StorageError):
        other.close()
