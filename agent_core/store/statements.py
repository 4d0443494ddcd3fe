"""The statements of the event path, in plain SQL: the ORM costs about fifteen times the CPU of an insert."""

SUMMARY_COLUMNS = (
    "session",
    "goal",
    "agent",
    "agent_version",
    "model",
    "pattern",
    "workspace",
    "status",
    "stop_reason",
    "pause_reason",
    "step",
    "started_at",
    "updated_at",
    "open_proposals",
    "open_count",
    "nearest_deadline",
    "urgent_touchpoint",
    "spend",
    "limits",
    "cost_nano",
    "demo",
    "decided_yes",
    "decided_no",
    "decided_edited",
    "message",
)


def _marks(count: int) -> str:
    return ", ".join("?" * count)


INSERT_EVENT = (
    f"INSERT INTO events (id, chain, seq, at, kind, run, step, schema, prev, digest, blobs, data, packed)"
    f" VALUES ({_marks(13)})"
)
INSERT_BLOB = "INSERT OR IGNORE INTO blobs (sha256, bytes) VALUES (?, ?)"
INSERT_TERM = "INSERT OR IGNORE INTO terms (session, term) VALUES (?, ?)"
INSERT_SPEND = f"INSERT INTO spend (at, event, session, run, nano, bound_nano) VALUES ({_marks(6)})"
KEEP_SNAPSHOT = (
    "INSERT OR REPLACE INTO snapshots (chain, version, seq, digest, seal, data)"
    " SELECT c.id, ?, e.seq, e.digest, ?, ? FROM chains c JOIN events e ON e.chain = c.id"
    " WHERE c.session = ? AND e.seq = ? AND e.digest = ?"
)
INSERT_RESERVATION = f"INSERT OR REPLACE INTO reservations (key, session, run, at, nano) VALUES ({_marks(5)})"
DELETE_RESERVATION = "DELETE FROM reservations WHERE key = ?"
SELECT_RESERVATION = "SELECT nano FROM reservations WHERE key = ?"
INSERT_TREE = "INSERT OR REPLACE INTO trees (session, root) VALUES (?, ?)"

UPSERT_SESSION = (
    f"INSERT INTO sessions ({', '.join(SUMMARY_COLUMNS)}) VALUES ({_marks(len(SUMMARY_COLUMNS))})"
    " ON CONFLICT (session) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in SUMMARY_COLUMNS if name != "session")
)

OPEN_CARD = (
    "INSERT OR REPLACE INTO cards"
    " (proposal, session, status, touchpoint, tier, opened_at, approve_by, version, with_agent, snoozed_until, event)"
    " VALUES (?, ?, 'open', ?, ?, ?, ?, 1, 0, NULL, ?)"
)
REVISE_CARD = (
    "UPDATE cards SET touchpoint = ?, tier = ?, approve_by = ?, event = ?, version = version + 1 WHERE proposal = ?"
)
MARK_CARD = "UPDATE cards SET status = ?, with_agent = ? WHERE proposal = ?"
PASS_CARD = "UPDATE cards SET with_agent = ? WHERE proposal = ?"
SNOOZE_CARD = "UPDATE cards SET snoozed_until = ? WHERE proposal = ?"

RAISE_ALERT = (
    f"INSERT INTO alerts (session, alert, at, step, level, message) VALUES ({_marks(6)})"
    " ON CONFLICT (session, alert) DO UPDATE SET at = excluded.at, step = excluded.step, level = excluded.level,"
    " message = excluded.message, acknowledged_by = NULL, acknowledged_at = NULL"
)
ACKNOWLEDGE_ALERT = "UPDATE alerts SET acknowledged_by = ?, acknowledged_at = ? WHERE session = ? AND alert = ?"

EVENT_COLUMNS = (
    "e.id, c.session, e.seq, e.at, e.kind, e.run, e.step, e.schema, e.prev, e.digest, e.blobs, e.data, e.packed"
)
SELECT_EVENTS = f"SELECT {EVENT_COLUMNS} FROM events e JOIN chains c ON c.id = e.chain"
