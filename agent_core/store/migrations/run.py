"""Running migrations from the program: one transaction, foreign keys off, everything checked before it is kept.

Rebuilding a parent table with foreign keys on would delete its children, hence off. Only under the write lock.
"""

import sqlite3
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import StaticPool

from agent_core.model.errors import StorageError
from agent_core.store.migrations.naming import revision

HERE = Path(__file__).parent


def run_migrations(path: Path, schema: int, scripts: Path = HERE) -> None:
    """Bring the database to that schema, or leave it as it is and raise."""
    raw = sqlite3.connect(path, isolation_level=None)
    try:
        raw.execute("PRAGMA foreign_keys = OFF")
        engine = create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool)
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
        with engine.begin() as connection:
            command.upgrade(_config(scripts, connection), revision(schema))
            _check(connection, path)
            connection.exec_driver_sql(f"PRAGMA user_version = {schema:d}")
    finally:
        raw.close()


def _config(scripts: Path, connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(scripts))
    config.attributes["connection"] = connection
    return config


def _check(connection: Connection, path: Path) -> None:
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if orphans:
        raise StorageError(f"{path} cannot be brought up to date: {len(orphans)} rows would lose what they belong to")
