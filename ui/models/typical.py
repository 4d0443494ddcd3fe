"""What runs usually take, measured from past sessions that came to their end. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from agent_core.model.budget import Figure, LimitName
from agent_core.model.intents import SessionSummary
from agent_core.model.state import StopReason


@dataclass(frozen=True, slots=True)
class Typical:
    """Median and 95th percentile of one limit's use over `runs` runs; both None where nothing was measured."""

    runs: int = 0
    median: Figure | None = None
    high: Figure | None = None


def typical_use(sessions: Iterable[SessionSummary], agent: str | None = None) -> dict[LimitName, Typical]:
    """The use of completed sessions, demos left out; of one agent, or of all. An unknown cost is not counted."""
    spends = [
        found.spend
        for found in sessions
        if found.stop_reason == StopReason.COMPLETED and not found.demo and agent in (None, found.agent)
    ]
    return {name: _typical([use for spend in spends if (use := spend.get(name)) is not None]) for name in LimitName}


def day_totals(sessions: Iterable[SessionSummary]) -> Typical:
    """Spend by local day over the days that had runs, demos left out; days with an unknown cost are not counted."""
    days: dict[object, Decimal | None] = {}
    for found in sessions:
        if found.demo:
            continue
        day = found.started_at.astimezone().date()
        known, cost = days.get(day, Decimal(0)), found.spend.cost_usd
        days[day] = known + cost if known is not None and cost is not None else None
    return _typical([total for total in days.values() if total is not None])


def _typical(uses: Sequence[Figure]) -> Typical:
    """Nearest-rank percentiles: figures that really occurred."""
    if not uses:
        return Typical()
    ranked = sorted(uses)
    return Typical(len(ranked), _rank(ranked, 0.5), _rank(ranked, 0.95))


def _rank(ranked: Sequence[Figure], share: float) -> Figure:
    return ranked[max(0, ceil(share * len(ranked)) - 1)]
