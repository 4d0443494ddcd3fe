"""Bringing a database to this version's schema. Alembic is imported only when there is something to migrate.

The number of the schema stands in `PRAGMA user_version`, so looking at it costs nothing, and in Alembic's own table.
"""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from agent_core.model.errors import NewerDatabase, StorageError
from agent_core.store.migrations.naming import revision, schema_statements

SCHEMA = 6
"""The schema that this version reads and writes: the number of the newest migration."""

_KNOWN = frozenset(revision(number) for number in range(SCHEMA + 1))

_ALEMBIC = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,"
    " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)

PAGE_SIZE = 8192
"""Bytes. Events are often 2 kB: pages of 4 kB would be half empty."""


def schema_of(connection: sqlite3.Connection) -> int:
    """The number of a database's schema; 0 for a new, empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_schema(connection: sqlite3.Connection, path: Path) -> int:
    """The number of the schema, refused when a newer version or another program wrote the file. Reads only."""
    number = schema_of(connection)
    if number == 0 and connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
        raise StorageError(f"{path} is a database of another program; set PILOTHOUSE_HOME to another folder")
    named = revision(number) if number == 0 else _named_revision(connection)
    if number > SCHEMA or named not in _KNOWN:
        raise NewerDatabase(
            f"{path} was written by a newer version of Pilothouse "
            f"(schema {number if number > SCHEMA else named}, this one knows {SCHEMA}); "
            "it is left as it is. Install that version, or set PILOTHOUSE_HOME to another folder."
        )
    return number


def _named_revision(connection: sqlite3.Connection) -> str:
    """The schema as Alembic's table names it."""
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(row[0])[:32] if row else ""


def create(connection: sqlite3.Connection) -> None:
    """Make the newest schema in an empty database, in one transaction."""
    for statement in (
        f"PRAGMA page_size = {PAGE_SIZE}",
        "PRAGMA journal_mode = WAL",
        "BEGIN IMMEDIATE",
        *schema_statements(SCHEMA),
        _ALEMBIC,
        f"INSERT INTO alembic_version VALUES ('{revision(SCHEMA)}')",
        f"PRAGMA user_version = {SCHEMA}",
        "COMMIT",
    ):
        connection.execute(statement)


def upgrade(path: Path, number: int, copies: Path) -> Path:
    """Migrate a database of an older schema; gives the copy that was made before. Under the write lock only."""
    copy = _copy_aside(path, number, copies)
    from agent_core.store.migrations.run import run_migrations

    run_migrations(path, SCHEMA)
    return copy


def _copy_aside(path: Path, number: int, copies: Path) -> Path:
    copies.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    copy = copies / f"before-schema-{SCHEMA}-from-{number}-{stamp}.db"
    source = sqlite3.connect(path)
    try:
        source.execute("VACUUM INTO ?", (str(copy),))
    finally:
        source.close()
    return copy
