"""Trees of sessions, and spend found by session."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """A table for what was forked from what; reservations no longer name a process."""
    op.execute("ALTER TABLE reservations DROP COLUMN pid")
    op.execute("CREATE INDEX ix_spend_session ON spend (session)")
    op.execute(
        "CREATE TABLE trees (session TEXT NOT NULL, root TEXT NOT NULL,"
        " CONSTRAINT pk_trees PRIMARY KEY (session)) STRICT, WITHOUT ROWID"
    )
    op.execute("CREATE INDEX ix_trees_root ON trees (root)")
