"""A table of alerts, filled from the events that raised them."""

from alembic import op

revision = "0002"
down_revision = "0001"

_TABLE = """
CREATE TABLE alerts (
    session TEXT NOT NULL,
    alert TEXT NOT NULL,
    at INTEGER NOT NULL,
    step INTEGER NOT NULL,
    level TEXT NOT NULL,
    message TEXT NOT NULL,
    acknowledged_by TEXT,
    acknowledged_at INTEGER,
    CONSTRAINT pk_alerts PRIMARY KEY (session, alert)
) STRICT, WITHOUT ROWID
"""
_FILL = """
INSERT OR REPLACE INTO alerts (session, alert, at, step, level, message)
SELECT c.session, e.data ->> '$.alert', e.at, e.step, coalesce(e.data ->> '$.level', 'warn'), e.data ->> '$.message'
FROM events e JOIN chains c ON c.id = e.chain WHERE e.kind = 'alert_raised' ORDER BY e.id
"""


def upgrade() -> None:
    """Make the table and its index."""
    op.execute(_TABLE)
    op.execute("CREATE INDEX ix_alerts_at ON alerts (at)")
    op.execute(_FILL)
