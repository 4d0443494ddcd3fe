"""Checking chains: names the first event that was altered, removed or reordered, a cut tail, and false signatures.

Works on the events themselves and on what lies outside the database: recorded heads and public keys.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

import msgspec

from agent_core.model.errors import BrokenChain
from agent_core.model.events import DecisionMade, Event, OperatorKeyAdded, Restored
from agent_core.model.ids import HOME_SESSION, meant
from agent_core.model.proposal import Decision
from agent_core.store import reading, signatures
from agent_core.store.codec import EventRow, blob_references, decode, digest_of
from agent_core.store.heads import RecordedHead
from agent_core.store.journal import Journal
from agent_core.store.keys import OperatorKeys
from agent_core.store.names import no_session

_PAGE = 1000


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """How one session's chain stands; `first_bad_seq` and `reason` are None where all is well."""

    session: str
    ok: bool
    first_bad_seq: int | None = None
    reason: str | None = None


class _Bad(Exception):
    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(reason)
        self.seq = seq


@dataclass
class _Outside:
    """What is known from outside the chain that is checked."""

    listed: set[str]
    """The sessions that the database names."""
    shown: set[str]
    """Those of them that lists show."""
    heads: dict[str, list[RecordedHead]]
    restores: list[tuple[datetime, Restored]]
    fault_of: Callable[[Decision], str | None]

    def expected(self, session: str) -> dict[int, RecordedHead]:
        """The heads that its chain must hold, by `seq`: those recorded since a signed restore last set it back."""
        set_back = max((at for at, restored in self.restores if session in restored.heads), default=None)
        return {head.seq: head for head in self.heads.get(session, ()) if set_back is None or head.at > set_back}


class Verifier:
    """Checks chains of one home. Reads only; blocks."""

    def __init__(self, journal: Journal, keys: OperatorKeys) -> None:
        self._journal = journal
        self._keys = keys

    def all_sessions(self) -> list[Finding]:
        """Every chain there is, or should be according to the heads that were recorded; by name."""
        outside = self._outside()
        return [self._check(session, outside) for session in sorted(outside.listed | set(outside.heads))]

    def missing(self) -> list[str]:
        """Sessions whose heads were recorded here, that no restore took away, and that no list shows."""
        there = self._shown()
        if all(head.session in there for head in self._journal.heads.read()):
            return []
        outside = self._outside()
        return sorted(name for name in set(outside.heads) - there if outside.expected(name))

    def session(self, session: str) -> Finding:
        """One chain. Raises InputError for a session that neither the database nor the recorded heads know."""
        outside = self._outside()
        name = meant("session", session, {*outside.listed, *outside.heads})
        if name is None:
            raise no_session(session)
        return self._check(name, outside)

    def _check(self, session: str, outside: _Outside) -> Finding:
        try:
            self._walk(session, outside)
        except _Bad as bad:
            return Finding(session=session, ok=False, first_bad_seq=bad.seq, reason=str(bad))
        return Finding(session=session, ok=True)

    def _walk(self, session: str, outside: _Outside) -> None:
        expected = outside.expected(session)
        seq, digest, decided = 0, b"", set[str]()
        for row, event in self._rows(session):
            seq += 1
            if row.seq != seq or row.prev != digest:
                raise _Bad(seq, _out_of_place(row, seq, self._follower(session, digest)))
            if digest_of(row, row.data.encode()) != row.digest:
                raise _Bad(seq, f"event {seq} was altered")
            digest = row.digest
            head = expected.pop(seq, None)
            if head is not None and head.digest != digest.hex():
                raise _Bad(seq, f"event {seq} is not the one whose digest was recorded on {head.at:%Y-%m-%d %H:%M} UTC")
            self._check_proofs(event, decided, outside)
        if expected:
            beyond = max(expected)
            recorded = expected[beyond]
            raise _Bad(
                seq + 1,
                f"the chain ends at event {seq}, but event {beyond} was recorded on {recorded.at:%Y-%m-%d %H:%M} UTC: "
                "its tail was cut",
            )
        if seq == 0 and session in outside.listed:
            raise _Bad(1, "the session is listed, but has no events")
        if seq > 0 and session not in outside.shown and session in outside.heads:
            raise _Bad(1, "no list shows the session: its row was removed")

    def _rows(self, session: str) -> Iterator[tuple[EventRow, Event]]:
        after = 0
        while True:
            with self._journal.database.reading() as connection:
                rows = reading.rows(connection, session, after, _PAGE)
                fetch = reading.blob_reader(connection)
                whole = [(row, _decoded(row, fetch)) for row in rows]
            yield from whole
            if len(rows) < _PAGE:
                return
            after = rows[-1].seq

    def _follower(self, session: str, digest: bytes) -> int | None:
        """Where the event stands that was written after the one of that digest; None where there is none."""
        with self._journal.database.reading() as connection:
            return reading.follower(connection, session, digest)

    def _check_proofs(self, event: Event, decided: set[str], outside: _Outside) -> None:
        data = event.data
        if isinstance(data, DecisionMade):
            fault = outside.fault_of(data.decision) or _misquoted(data)
            if data.decision.decision in decided:
                fault = "it was presented before"
            decided.add(data.decision.decision)
            if fault is not None:
                raise _Bad(event.seq, f"the decision in event {event.seq} proves nothing: {fault}")
        if isinstance(data, OperatorKeyAdded) and not self._keys.is_ours(data):
            raise _Bad(event.seq, f"the key {data.key_id} in event {event.seq} was not made in this home")
        if isinstance(data, Restored) and not self._is_signed(event, data):
            raise _Bad(event.seq, f"the restore in event {event.seq} is not signed by an operator of this home")

    def _outside(self) -> _Outside:
        heads: dict[str, list[RecordedHead]] = defaultdict(list)
        for head in self._journal.heads.read():
            heads[head.session].append(head)
        with self._journal.database.reading() as connection:
            events = reading.of_kind(connection, HOME_SESSION, Restored.kind)
        restores = [
            (event.at, event.data)
            for event in events
            if isinstance(event.data, Restored) and self._is_signed(event, event.data)
        ]
        return _Outside(self._sessions(), self._shown(), heads, restores, self._keys.judge(self._keys.added_now()))

    def _is_signed(self, event: Event, data: Restored) -> bool:
        message = signatures.restored_bytes(data.by, data.heads, data.key_id, event.at, event.prev)
        return any(
            key.key_id == data.key_id
            and key.operator == data.by
            and self._keys.is_ours(key)
            and signatures.verify_bytes(message, data.signature, key.public_key)
            for key in self._keys.added_now()
        )

    def _shown(self) -> set[str]:
        with self._journal.database.reading() as connection:
            rows = connection.execute("SELECT session FROM sessions").fetchall()
        return {HOME_SESSION, *(session for (session,) in rows)}

    def _sessions(self) -> set[str]:
        with self._journal.database.reading() as connection:
            rows = connection.execute("SELECT session FROM chains UNION SELECT session FROM sessions").fetchall()
        return {session for (session,) in rows}


def _out_of_place(row: EventRow, seq: int, follower: int | None) -> str:
    """What happened to the event that belongs at `seq`, where another row stands; `follower` is where it is now."""
    if follower is not None:
        return f"event {seq} was reordered: the one that belongs there stands at {follower} now"
    if row.seq != seq:
        return f"event {seq} was removed"
    return f"event {seq} was removed or replaced: the one that stands there now does not belong there"


def _decoded(row: EventRow, fetch: Callable[[bytes], bytes | None]) -> Event:
    try:
        if row.blobs is not None:
            for digest in blob_references(row.blobs).values():
                content = fetch(bytes.fromhex(digest))
                if content is None or hashlib.sha256(content).hexdigest() != digest:
                    raise _Bad(row.seq, f"event {row.seq} was altered: a long text of it is not what it was")
        return decode(row, fetch)
    except (BrokenChain, msgspec.MsgspecError, ValueError) as error:
        raise _Bad(row.seq, f"event {row.seq} was altered: {error}") from error


def _misquoted(data: DecisionMade) -> str | None:
    """What readers see at the top of the event has to be what was signed."""
    decision = data.decision
    shown = (data.proposal, data.verdict, data.by, data.via, data.reason)
    signed = (decision.proposal, decision.verdict.value, decision.by, decision.via, decision.reason)
    return None if shown == signed else "its event says something else than what was signed"
