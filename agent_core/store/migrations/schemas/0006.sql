-- The sixth schema: half-filled forms of cards. Frozen, as those before.
-- Instants are microseconds since 1970 (UTC), money is billionths of a US dollar, digests are raw SHA-256.

CREATE TABLE chains (
    id INTEGER NOT NULL,
    session TEXT NOT NULL,
    CONSTRAINT pk_chains PRIMARY KEY (id),
    CONSTRAINT uq_chains_session UNIQUE (session)
) STRICT;

CREATE TABLE events (
    id INTEGER NOT NULL,
    chain INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    run TEXT,
    step INTEGER NOT NULL,
    schema INTEGER NOT NULL,
    prev BLOB NOT NULL,
    digest BLOB NOT NULL,
    blobs TEXT,
    data TEXT NOT NULL,
    packed BLOB,
    CONSTRAINT pk_events PRIMARY KEY (id),
    CONSTRAINT uq_events_chain_seq UNIQUE (chain, seq),
    CONSTRAINT fk_events_chain_chains FOREIGN KEY (chain) REFERENCES chains (id)
) STRICT;

CREATE TABLE blobs (
    id INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    bytes BLOB NOT NULL,
    CONSTRAINT pk_blobs PRIMARY KEY (id),
    CONSTRAINT uq_blobs_sha256 UNIQUE (sha256)
) STRICT;

CREATE TRIGGER events_are_not_updated BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER blobs_are_not_updated BEFORE UPDATE ON blobs
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER blobs_are_not_deleted BEFORE DELETE ON blobs
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TABLE sessions (
    session TEXT NOT NULL,
    goal TEXT NOT NULL,
    agent TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    model TEXT NOT NULL,
    pattern TEXT NOT NULL,
    workspace TEXT NOT NULL,
    status TEXT NOT NULL,
    stop_reason TEXT,
    pause_reason TEXT,
    step INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    open_proposals TEXT NOT NULL,
    open_count INTEGER NOT NULL,
    nearest_deadline INTEGER,
    urgent_touchpoint TEXT,
    spend TEXT NOT NULL,
    limits TEXT NOT NULL,
    cost_nano INTEGER,
    demo INTEGER NOT NULL,
    decided_yes INTEGER NOT NULL,
    decided_no INTEGER NOT NULL,
    decided_edited INTEGER NOT NULL,
    message TEXT NOT NULL,
    CONSTRAINT pk_sessions PRIMARY KEY (session)
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_sessions_started_at ON sessions (started_at);

CREATE TABLE cards (
    proposal TEXT NOT NULL,
    session TEXT NOT NULL,
    status TEXT NOT NULL,
    touchpoint TEXT NOT NULL,
    tier TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    approve_by INTEGER,
    version INTEGER NOT NULL,
    with_agent INTEGER NOT NULL,
    snoozed_until INTEGER,
    event INTEGER NOT NULL,
    CONSTRAINT pk_cards PRIMARY KEY (proposal)
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_cards_open ON cards (session) WHERE status = 'open';

CREATE TABLE terms (
    session TEXT NOT NULL,
    term TEXT NOT NULL,
    CONSTRAINT pk_terms PRIMARY KEY (session, term)
) STRICT, WITHOUT ROWID;

CREATE TABLE spend (
    at INTEGER NOT NULL,
    event INTEGER NOT NULL,
    session TEXT NOT NULL,
    run TEXT NOT NULL,
    nano INTEGER,
    bound_nano INTEGER NOT NULL,
    CONSTRAINT pk_spend PRIMARY KEY (at, event)
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_spend_session ON spend (session);

CREATE TABLE reservations (
    key TEXT NOT NULL,
    session TEXT NOT NULL,
    run TEXT NOT NULL,
    at INTEGER NOT NULL,
    nano INTEGER NOT NULL,
    CONSTRAINT pk_reservations PRIMARY KEY (key)
) STRICT, WITHOUT ROWID;

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
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_alerts_at ON alerts (at);

CREATE TABLE snapshots (
    chain INTEGER NOT NULL,
    version INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    digest BLOB NOT NULL,
    seal BLOB NOT NULL,
    data BLOB NOT NULL,
    CONSTRAINT pk_snapshots PRIMARY KEY (chain),
    CONSTRAINT fk_snapshots_chain_chains FOREIGN KEY (chain) REFERENCES chains (id)
) STRICT;

CREATE TABLE trees (
    session TEXT NOT NULL,
    root TEXT NOT NULL,
    CONSTRAINT pk_trees PRIMARY KEY (session)
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_trees_root ON trees (root);

CREATE TABLE half_filled (
    proposal TEXT NOT NULL,
    operator TEXT NOT NULL,
    verdict TEXT NOT NULL,
    about TEXT NOT NULL,
    entries TEXT NOT NULL,
    open INTEGER NOT NULL,
    CONSTRAINT pk_half_filled PRIMARY KEY (proposal, operator)
) STRICT, WITHOUT ROWID;
