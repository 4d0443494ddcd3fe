"""Heads of the chains, kept outside the database: a chain that lost its tail no longer contains a head known here.

`heads.log` gets a line of JSON for each decision, card, pause, stop and clean close: `session`, `seq`, `digest`, `at`.
"""

import logging
import os
from datetime import datetime
from pathlib import Path

import msgspec

from agent_core.model.events import (
    DecisionMade,
    DecisionUndone,
    HaltReleased,
    HaltSet,
    OperatorKeyAdded,
    ProposalExpired,
    ProposalOpened,
    Restored,
    RunPaused,
    RunStopped,
)
from agent_core.store.batch import Batch
from agent_core.store.codec import EventRow, instant
from agent_core.store.faults import storage_faults

RECORDED = frozenset(
    kind.kind
    for kind in (
        DecisionMade,
        DecisionUndone,
        HaltReleased,
        HaltSet,
        OperatorKeyAdded,
        ProposalExpired,
        ProposalOpened,
        Restored,
        RunPaused,
        RunStopped,
    )
)
"""Kinds of events after which a chain's head is recorded: decisions, and whatever a session rests on."""

_log = logging.getLogger(__name__)


class RecordedHead(msgspec.Struct, frozen=True, kw_only=True):
    """One line: the digest that event `seq` of the session had when it was the newest."""

    session: str
    seq: int
    digest: str
    at: datetime


class HeadLog:
    """The file of heads of one home."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "heads.log"
        self._pending: dict[str, EventRow] = {}

    def follow(self, batch: Batch) -> None:
        """Take note of committed events; record the heads of those chains that got an event of a recorded kind."""
        due: dict[str, EventRow] = {}
        for row in batch.rows:
            self._pending[row.session] = row
            if row.kind in RECORDED:
                due[row.session] = row
        if due:
            self._write_quietly([self._pending.pop(session) for session in due])

    def close(self) -> None:
        """Record the heads of all chains that went on since they were last recorded: a clean close."""
        if self._pending:
            self._write_quietly(list(self._pending.values()))
            self._pending.clear()

    def write(self, heads: list[RecordedHead]) -> None:
        """Append lines, flushed to the disk. Raises StorageError."""
        lines = b"".join(msgspec.json.encode(head) + b"\n" for head in heads)
        with storage_faults(self.path):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(file, lines)
                os.fsync(file)
            finally:
                os.close(file)

    def read(self) -> list[RecordedHead]:
        """Every line that can be read, in order; one that a crash cut off is left out. Raises StorageError."""
        with storage_faults(self.path, "read"):
            try:
                lines = self.path.read_bytes().split(b"\n")
            except FileNotFoundError:
                return []
        heads = []
        for line in lines:
            try:
                heads.append(msgspec.json.decode(line, type=RecordedHead))
            except msgspec.MsgspecError:
                continue
        return heads

    def _write_quietly(self, rows: list[EventRow]) -> None:
        heads = [
            RecordedHead(session=row.session, seq=row.seq, digest=row.digest.hex(), at=instant(row.at)) for row in rows
        ]
        try:
            self.write(heads)
        except Exception as error:  # noqa: BLE001 - the events are safe; without the line a cut tail is found later
            _log.warning("heads were not recorded: %s", error)
