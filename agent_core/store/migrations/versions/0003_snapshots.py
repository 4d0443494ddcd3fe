"""Snapshots: how a session stood at some event, so that opening it does not fold everything again."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make their table. It fills by itself: whoever opens a long session without a snapshot keeps one."""
    op.execute(
        """
        CREATE TABLE snapshots (
            chain INTEGER NOT NULL,
            version INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            digest BLOB NOT NULL,
            seal BLOB NOT NULL,
            data BLOB NOT NULL,
            CONSTRAINT pk_snapshots PRIMARY KEY (chain),
            CONSTRAINT fk_snapshots_chain_chains FOREIGN KEY (chain) REFERENCES chains (id)
        ) STRICT
        """
    )
