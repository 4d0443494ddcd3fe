"""Half-filled forms of cards, so that a restart does not lose what a person has typed."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """A table for them; there were none before."""
    op.execute(
        "CREATE TABLE half_filled (proposal TEXT NOT NULL, operator TEXT NOT NULL, verdict TEXT NOT NULL,"
        " about TEXT NOT NULL, entries TEXT NOT NULL, open INTEGER NOT NULL,"
        " CONSTRAINT pk_half_filled PRIMARY KEY (proposal, operator)) STRICT, WITHOUT ROWID"
    )
