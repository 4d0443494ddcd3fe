"""Packed events: much of a session is the same names again and again."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make room beside the data. Older events stay as they lie: they are never written again."""
    op.execute("ALTER TABLE events ADD COLUMN packed BLOB")
