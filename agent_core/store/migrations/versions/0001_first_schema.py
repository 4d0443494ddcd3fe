"""The first schema."""

from alembic import op

from agent_core.store.migrations.naming import schema_statements

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table, index and trigger."""
    for statement in schema_statements(1):
        op.execute(statement)
