"""Every schema that was ever released opens, with all its sessions, and all ways to the newest schema meet."""

import hashlib
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from agent_core.config.home import Home
from agent_core.model.errors import StorageError
from agent_core.model.events import OperatorKeyAdded
from agent_core.model.ids import HOME_SESSION
from agent_core.model.intents import SessionQuery
from agent_core.model.run import SessionStatus
from agent_core.store import migrate
from agent_core.store.cards import Cards
from agent_core.store.journal import Journal
from agent_core.store.keys import OperatorKeys
from agent_core.store.leases import Leases
from agent_core.store.migrations.naming import revision
from agent_core.store.migrations.run import HERE, run_migrations
from agent_core.store.sessions import Sessions
from agent_core.store.tables import metadata
from agent_core.store.verify import Verifier
from tests.migrations.make_fixture import FIXTURES, SESSIONS
from tests.unit.store.samples import FixedClock, MemorySecrets, said

NEXT = migrate.SCHEMA + 1
NEXT_SCRIPT = f"{revision(NEXT)}_next.py"
NEXT_SCHEMA = '''"""One more schema, for tests: rebuilds the parent of `events`, and adds a column."""
import sqlalchemy as sa
from alembic import op

revision = "{new}"
down_revision = "{old}"


def upgrade() -> None:
    with op.batch_alter_table("chains") as batch:
        batch.add_column(sa.Column("note", sa.TEXT(), nullable=True))
    {more}
'''


def next_schema(more: str) -> str:
    return NEXT_SCHEMA.format(new=revision(NEXT), old=revision(migrate.SCHEMA), more=more)


def schema(path: Path) -> set[tuple[str, str]]:
    """Everything that the database declares, with its spaces evened out."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    return {(name, " ".join(sql.split()).replace("( ", "(").replace(" )", ")")) for name, sql in rows}


def unpack(fixture: Path, place: Home) -> None:
    """Make the home's database out of a fixture."""
    place.create()
    with closing(sqlite3.connect(place.database)) as connection:
        connection.executescript(fixture.read_text(encoding="utf-8"))


def user_version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.fixture
def fresh(home: Path) -> Path:
    """A database as this version makes it."""
    Journal.open(Home.at(home)).close()
    return Home.at(home).database


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """The migrations, with room for one more."""
    folder = tmp_path / "migrations"
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize("fixture", sorted(FIXTURES.glob("*.sql")), ids=lambda path: path.stem)
async def test_a_released_schema_opens_with_all_its_sessions(home: Path, fixture: Path) -> None:
    place = Home.at(home)
    unpack(fixture, place)
    journal = Journal.open(place)
    sessions = Sessions(journal, Leases(place))
    found = await sessions.page(SessionQuery())
    keys = OperatorKeys(journal, MemorySecrets(), FixedClock())
    for added in keys.added_now():
        (place.keys / f"{added.key_id}.pub").write_text(added.public_key)

    assert [row.session for row in found] == [f"s-{number:02d}" for number in reversed(range(SESSIONS))]
    assert await sessions.count(SessionQuery(text="goal 33")) == 1
    waiting = [row for row in found if row.status is not SessionStatus.ENDED]
    assert {card.session for card, _ in await Cards(journal).open()} == {row.session for row in waiting}
    assert all(finding.ok for finding in Verifier(journal, keys).all_sessions())
    assert isinstance((await journal.read(HOME_SESSION))[0].data, OperatorKeyAdded)
    assert len(await journal.append("s-00", [said()], head=(await journal.read_last("s-00", 1))[0].digest)) == 1
    journal.close()


def test_there_is_a_fixture_a_home_and_a_frozen_schema_for_every_number() -> None:
    numbers = [revision(number) for number in range(1, migrate.SCHEMA + 1)]

    assert [path.stem for path in sorted(FIXTURES.glob("*.sql"))] == numbers
    assert [path.name for path in sorted(FIXTURES.with_name("homes").iterdir())] == numbers
    assert [path.stem for path in sorted((HERE / "schemas").glob("*.sql"))] == numbers
    assert [path.name[:4] for path in sorted((HERE / "versions").glob("0*.py"))] == numbers


def test_migrations_lead_to_the_schema_of_a_fresh_database(fresh: Path, tmp_path: Path) -> None:
    migrated = tmp_path / "migrated.db"
    run_migrations(migrated, migrate.SCHEMA)

    assert schema(migrated) == schema(fresh)
    assert user_version(migrated) == user_version(fresh) == migrate.SCHEMA


def test_the_declared_tables_are_the_tables_of_a_fresh_database(fresh: Path) -> None:
    engine = create_engine(f"sqlite:///{fresh}", poolclass=NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = compare_metadata(context, metadata)
    strict = {name for name, sql in schema(fresh) if sql.startswith("CREATE TABLE") and "STRICT" in sql}

    assert differences == []
    assert strict == set(metadata.tables)


def test_alerts_of_the_first_schema_get_their_rows(tmp_path: Path) -> None:
    older = tmp_path / "older.db"
    run_migrations(older, 1)
    with closing(sqlite3.connect(older)) as connection:
        connection.execute("INSERT INTO chains (id, session) VALUES (1, 's-1')")
        raised = [
            ('{"alert": "cost_2x", "message": "Dear"}', 10),
            ('{"alert": "slow", "message": "m", "level": "info"}', 20),
        ]
        for seq, (data, at) in enumerate(raised, 1):
            connection.execute(
                "INSERT INTO events VALUES (?, 1, ?, ?, 'alert_raised', 'r-1', 3, 1, x'', x'', NULL, ?)",
                (seq, seq, at, data),
            )
        connection.commit()

    run_migrations(older, 2)

    with closing(sqlite3.connect(older)) as connection:
        rows = connection.execute(
            "SELECT session, alert, at, step, level, message, acknowledged_by FROM alerts"
        ).fetchall()
    assert rows == [("s-1", "cost_2x", 10, 3, "warn", "Dear", None), ("s-1", "slow", 20, 3, "info", "m", None)]


def test_an_upgrade_keeps_the_children_of_a_rebuilt_table(fresh: Path, scripts: Path) -> None:
    journal = Journal.open(Home.at(fresh.parent))
    events = journal.append_now("s-1", [said("a"), said("b")])
    journal.close()
    (scripts / "versions" / NEXT_SCRIPT).write_text(next_schema("pass"))

    run_migrations(fresh, NEXT, scripts)

    with closing(sqlite3.connect(fresh)) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (len(events),)
        assert connection.execute("SELECT session, note FROM chains").fetchall() == [("s-1", None)]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert user_version(fresh) == NEXT
    assert "STRICT" in dict(schema(fresh))["chains"]


def test_an_upgrade_begins_with_a_copy_of_the_file(fresh: Path, tmp_path: Path) -> None:
    journal = Journal.open(Home.at(fresh.parent))
    events = journal.append_now("s-1", [said("a"), said("b")])
    journal.close()

    copy = migrate.upgrade(fresh, migrate.SCHEMA, tmp_path / "copies")

    assert copy.parent == tmp_path / "copies"
    assert (user_version(copy), schema(copy)) == (migrate.SCHEMA, schema(fresh))
    other = Home.at(tmp_path / "other")
    other.create()
    copy.rename(other.database)
    again = Journal.open(other)
    assert again.read_now("s-1") == events
    again.close()


@pytest.mark.parametrize(
    "more", ["raise RuntimeError('half way')", "op.execute('DELETE FROM chains')"], ids=["fault", "orphans"]
)
def test_an_upgrade_that_fails_changes_nothing(fresh: Path, scripts: Path, more: str) -> None:
    journal = Journal.open(Home.at(fresh.parent))
    journal.append_now("s-1", [said("a")])
    journal.close()
    before = schema(fresh), hashlib.sha256(fresh.read_bytes()).hexdigest()
    (scripts / "versions" / NEXT_SCRIPT).write_text(next_schema(more))

    with pytest.raises((RuntimeError, StorageError)):
        run_migrations(fresh, NEXT, scripts)

    assert (schema(fresh), hashlib.sha256(fresh.read_bytes()).hexdigest()) == before
    assert user_version(fresh) == migrate.SCHEMA
