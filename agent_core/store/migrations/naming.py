"""How schemas are numbered, and the frozen statements of each."""

import sqlite3
from pathlib import Path

_SCHEMAS = Path(__file__).parent / "schemas"


def revision(number: int) -> str:
    """Alembic's name of a schema."""
    return f"{number:04d}"


def schema_statements(number: int) -> list[str]:
    """The frozen statements that make that schema in an empty database, one by one."""
    statements, pending = [], ""
    for line in (_SCHEMAS / f"{revision(number)}.sql").read_text(encoding="utf-8").splitlines(keepends=True):
        if line.startswith("--"):
            continue
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending.strip())
            pending = ""
    return [statement for statement in statements if statement]
