"""Records: the audit over all sessions, how people decide, what runs took, and who changed which setting."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from agent_core.config.atomic_file import write_atomically
from agent_core.config.operators import check_may_decide
from agent_core.engine import ancestry, audit_files
from agent_core.engine.house import House
from agent_core.metrics import audit
from agent_core.metrics.calibration import calibration
from agent_core.metrics.rollup import high, usual
from agent_core.model.audit import (
    AuditEntry,
    AuditPage,
    AuditQuery,
    CalibrationReport,
    SettingChange,
    SpendFigures,
)
from agent_core.model.errors import InputError, StorageError
from agent_core.model.events import Draft, SettingChanged
from agent_core.model.ids import HOME_SESSION
from agent_core.model.intents import SessionQuery, SessionSummary
from agent_core.model.run import SessionStatus, StopReason
from agent_core.policy.limits import suggest

FORMS: dict[str, Callable[[list[AuditEntry]], bytes]] = {
    "csv": audit_files.csv_bytes,
    "jsonl": audit_files.jsonl_bytes,
}
_PAGE = 500


class LiveRecords:
    """The records of one home. What was folded of a session is kept until the session goes on."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._kept: dict[str, tuple[str, list[AuditEntry]]] = {}

    async def audit(self, query: AuditQuery) -> AuditPage:
        """A page of cards, what happened last first, each with its decisions, their signatures and what came of it."""
        found = await self._found(query)
        broken = sorted({entry.session for entry in found if entry.chain_fault is not None})
        return AuditPage(entries=found[query.offset : query.offset + query.limit], total=len(found), broken=broken)

    async def entry(self, proposal: str) -> AuditEntry:
        """One card. Raises DecisionRefused (unknown)."""
        place = await self._house.cards.find(proposal)
        row = await self._house.sessions.summary(place.session)
        return next(one for one in await self._of(row) if one.proposal == proposal)

    async def export_audit(self, query: AuditQuery, form: str, out: Path) -> int:
        """Write every card that the query wants, as csv or jsonl; gives how many. Raises InputError, StorageError."""
        write = FORMS.get(form)
        if write is None:
            raise InputError(f'The audit is written as {" or ".join(FORMS)}, not as "{form[:40]}".')
        found = await self._found(query)
        await _written(out, write(found))
        return len(found)

    async def export_record(self, proposal: str, out: Path) -> None:
        """Write one card and its decisions as a self-contained HTML page. Raises DecisionRefused, StorageError."""
        await _written(out, audit_files.html_bytes(await self.entry(proposal)))

    async def calibration(self, days: int = 30) -> CalibrationReport:
        """How operators decided and agents were decided about in the last days."""
        since = self._house.clock.now() - timedelta(days=days)
        return calibration(await self._found(AuditQuery(since=since)))

    async def note_setting(self, key: str, old: str, new: str, by: str, why: str) -> None:
        """Record that somebody changed a setting. Raises DecisionRefused, StorageError."""
        check_may_decide(by, self._house.settings.usable())
        ancestry.refuse_tools(self._house.home, "Changing a setting")
        changed = SettingChanged(key=key, old=old, new=new, by=by, why=why.strip())
        await self._house.journal.append(HOME_SESSION, [Draft(data=changed, at=self._house.clock.now())])

    async def setting_changes(self, count: int) -> list[SettingChange]:
        """The newest changes of settings, newest first."""
        events = await self._house.journal.read(HOME_SESSION)
        found = [(event.at, event.data) for event in events if isinstance(event.data, SettingChanged)]
        return [
            SettingChange(at=at, key=data.key, old=data.old, new=data.new, by=data.by, why=data.why)
            for at, data in found[::-1][:count]
        ]

    async def spend_figures(self, agent: str | None) -> SpendFigures:
        """What completed runs took: typical, high, and limits that they suggest; of one agent, or of all."""
        query = SessionQuery(agent=agent, statuses=[SessionStatus.ENDED], limit=_PAGE)
        rows = await self._house.sessions.page(query)
        history = [row.spend for row in rows if row.stop_reason == StopReason.COMPLETED and not row.demo]
        return SpendFigures(runs=len(history), typical=usual(history), high=high(history), suggestion=suggest(history))

    async def entries(self, since: datetime) -> list[AuditEntry]:
        """Every card since then, newest first."""
        return await self._found(AuditQuery(since=since))

    async def _found(self, query: AuditQuery) -> list[AuditEntry]:
        is_wanted = audit.wanted(query)
        found: list[AuditEntry] = []
        for row in await self._rows(query):
            found += [entry for entry in await self._of(row) if is_wanted(entry)]
        return sorted(found, key=lambda entry: (entry.at, entry.seq, entry.proposal), reverse=True)

    async def _rows(self, query: AuditQuery) -> list[SessionSummary]:
        rows: list[SessionSummary] = []
        while page := await self._house.sessions.page(SessionQuery(offset=len(rows), limit=_PAGE)):
            rows += page
        return [
            row
            for row in rows
            if (not query.sessions or row.session in query.sessions)
            and (not query.agents or row.agent in query.agents)
            and (query.since is None or row.updated_at >= query.since)
        ]

    async def _of(self, row: SessionSummary) -> list[AuditEntry]:
        newest = await self._house.journal.read_last(row.session, 1)
        head = newest[0].digest if newest else ""
        kept = self._kept.get(row.session)
        if kept is None or kept[0] != head:
            kept = self._kept[row.session] = (head, await asyncio.to_thread(self._read, row.session))
        return kept[1]

    def _read(self, session: str) -> list[AuditEntry]:
        finding = self._house.verifier.session(session)
        fault_of = self._house.keys.judge(self._house.keys.added_now())
        events = self._house.journal.read_now(session)
        return audit.entries_of(events, session, fault_of, None if finding.ok else finding.reason)


async def _written(out: Path, content: bytes) -> None:
    if not out.parent.is_dir():
        raise InputError(f"The folder {out.parent} does not exist")
    try:
        await asyncio.to_thread(write_atomically, out, content)
    except OSError as error:
        raise StorageError(f"{out} cannot be written: {error.strerror}") from error
