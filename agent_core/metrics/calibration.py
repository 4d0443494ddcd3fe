"""Calibration: how people decide, so that they and the rules can be put right. Pure; from entries of the audit."""

from collections.abc import Sequence
from statistics import median

from agent_core.model.audit import AuditEntry, Calibration, CalibrationReport
from agent_core.model.proposal import APPROVING, EDITING, REFUSING, ProposalStatus

HASTY_SECONDS = 3.0


def calibration(entries: Sequence[AuditEntry]) -> CalibrationReport:
    """By operator (whose decision closed the card) and by agent. What nobody decided counts for the agent only."""
    operators = sorted({entry.by for entry in entries if entry.by is not None})
    agents = sorted({entry.agent for entry in entries if not entry.drill})
    return CalibrationReport(
        operators=[_figures(name, [e for e in entries if e.by == name]) for name in operators],
        agents=[_figures(name, [e for e in entries if e.agent == name and not e.drill]) for name in agents],
    )


def _figures(who: str, entries: Sequence[AuditEntry]) -> Calibration:
    drills = [entry for entry in entries if entry.drill and entry.verdict is not None]
    closed = [e for e in entries if not e.drill and e.status in (ProposalStatus.DECIDED, ProposalStatus.EXPIRED)]
    seconds = [_seconds(entry) for entry in closed if entry.verdict is not None]
    approving = [entry for entry in closed if entry.verdict in APPROVING]
    return Calibration(
        who=who,
        cards=len(closed),
        median_seconds=median(seconds) if seconds else None,
        approved=_share(sum(entry.verdict not in EDITING for entry in approving), len(closed)),
        edited=_share(sum(entry.verdict in EDITING for entry in approving), len(closed)),
        refused=_share(sum(entry.verdict in REFUSING for entry in closed), len(closed)),
        expired=_share(sum(entry.status is ProposalStatus.EXPIRED for entry in closed), len(closed)),
        hasty=sum(_seconds(entry) < HASTY_SECONDS for entry in approving),
        regrets=sum(entry.regret is not None for entry in closed),
        drills=len(drills),
        caught=sum(entry.verdict in REFUSING for entry in drills),
    )


def _seconds(entry: AuditEntry) -> float:
    """How long the closing decision took: from when a person was shown the card, else from its opening."""
    closing = next(one for one in reversed(entry.decisions) if one.verdict is entry.verdict)
    began = entry.presented_at if entry.presented_at is not None and entry.presented_at <= closing.at else None
    return max(0.0, (closing.at - (began or entry.opened_at)).total_seconds())


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
