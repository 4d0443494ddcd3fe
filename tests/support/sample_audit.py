"""Cards through their life as the audit tells it, and a stand-in for the records that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from agent_core.model.action import Tier
from agent_core.model.audit import (
    AuditDecision,
    AuditEntry,
    AuditPage,
    AuditQuery,
    Calibration,
    CalibrationReport,
)
from agent_core.model.proposal import ProposalStatus, Touchpoint, Verdict, Via
from tests.support.sample_cards import NOW


def decided(verdict: Verdict = Verdict.APPROVE, by: str = "ana", **changes: Any) -> AuditDecision:
    given: dict[str, Any] = {"decision": "d-1", "seq": 9, "verdict": verdict, "by": by, "via": Via.CONSOLE, "at": NOW}
    return AuditDecision(**(given | {"open_seconds": 161.0, "seen": ["message"], "reason": None} | changes))


def entry(number: int = 1, verdict: Verdict | None = Verdict.APPROVE, **changes: Any) -> AuditEntry:
    given: dict[str, Any] = {
        "proposal": f"p-00000{number}",
        "session": f"s-{number}",
        "run": "r-1",
        "step": 3,
        "seq": 7,
        "agent": "ap-reconciler",
        "agent_version": "a1",
        "touchpoint": Touchpoint.APPROVAL,
        "tool": "email_send",
        "tier": Tier.R3,
        "title": "Send an e-mail to 3 recipients",
        "status": ProposalStatus.DECIDED if verdict else ProposalStatus.OPEN,
        "opened_at": NOW - timedelta(minutes=3),
        "proposed": {"to": ["a@x.example", "b@x.example"], "subject": "Invoice"},
        "confidence": 0.91,
        "decisions": [decided(verdict)] if verdict else [],
        "closed_at": NOW if verdict else None,
        "verdict": verdict,
        "by": "ana" if verdict else None,
    }
    return AuditEntry(**(given | changes))


class StandInRecords:
    """Keeps what was asked, gives what it was made with."""

    def __init__(self, entries: Sequence[AuditEntry] = (), broken: Sequence[str] = ()) -> None:
        self.entries, self.broken = list(entries), list(broken)
        self.queries: list[AuditQuery] = []

    async def audit(self, query: AuditQuery) -> AuditPage:
        self.queries.append(query)
        return AuditPage(entries=self.entries, total=len(self.entries), broken=self.broken)

    async def entry(self, proposal: str) -> AuditEntry:
        return next(one for one in self.entries if one.proposal == proposal)

    async def export_audit(self, query: AuditQuery, form: str, out: Path) -> int:
        return len(self.entries)

    async def export_record(self, proposal: str, out: Path) -> None:
        return None

    async def calibration(self, days: int = 30) -> CalibrationReport:
        ana = Calibration(
            who="ana",
            cards=40,
            median_seconds=38,
            approved=0.8,
            edited=0.1,
            refused=0.1,
            expired=0.0,
            hasty=2,
            regrets=1,
        )
        return CalibrationReport(operators=[ana], agents=[])
