"""What the gauges and the context bar say of a run. Pure."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from agent_core.model.budget import MONEY_LIMITS, Figure, LimitName
from agent_core.model.context import Slot, Worksheet
from agent_core.model.state import RunState, SessionState
from ui import formatting
from ui.widgets.context_bar import ContextSlot, ContextState, ContextTick
from ui.widgets.gauge import GaugeState

WARN_SHARE = 0.8
GAUGE_ORDER = (LimitName.STEPS, LimitName.TOOL_CALLS, LimitName.TOKENS, LimitName.COST_USD, LimitName.SECONDS)
"""The limits of a run's own spend, as the gauges stand."""
LIMIT_ORDER = (*GAUGE_ORDER, LimitName.TREE_COST_USD)
"""Every limit, as forms ask for them."""
GAUGE_WORDS: Mapping[LimitName, str] = {
    LimitName.STEPS: "Steps",
    LimitName.TOOL_CALLS: "Tool calls",
    LimitName.TOKENS: "Tokens",
    LimitName.COST_USD: "Cost",
    LimitName.SECONDS: "Time",
    LimitName.TREE_COST_USD: "Cost with forks",
}


def no_limit_words(name: LimitName) -> str:
    """What an empty field of a limit means: only limits in money may be left out."""
    return "no limit" if name in MONEY_LIMITS else ""


_SLOT_WORDS: Mapping[Slot, str] = {
    Slot.SYSTEM: "System",
    Slot.TOOLS: "Tools",
    Slot.SKILLS: "Skills",
    Slot.MEMORY: "Memory",
    Slot.NOTES: "Notes",
    Slot.HISTORY: "History",
    Slot.RESULTS: "Results",
}
HEADROOM_SHARE = 0.1


def gauge_states(run: RunState, now: datetime) -> dict[LimitName, GaugeState]:
    """One state a gauge. An unknown cost says so and is never 0.

    The projection is where each gauge would stand when the first of them reaches its limit, at the run's pace so far.
    """
    shares = {name: share for name in GAUGE_ORDER if (share := _share(run, name, now)) is not None}
    fullest = max(shares.values(), default=0.0)
    projects = run.stopped is None and run.spend.steps >= 2 and 0 < fullest < 1
    return {name: _gauge(run, name, now, shares.get(name), fullest if projects else None) for name in GAUGE_ORDER}


def spent_of_limit(name: LimitName, spent: object, limit: object) -> GaugeState:
    """A gauge from the texts or figures of a card; what is missing or no number is unknown."""
    used, most = decimal_of(spent), decimal_of(limit)
    return GaugeState(
        value="unknown" if used is None else _figure(name, used),
        limit="no limit" if most is None else _figure(name, most),
        share=0.0 if used is None or most is None else float(used / most) if most else 1.0,
        projected=None,
        warn=WARN_SHARE,
    )


def decimal_of(value: object) -> Decimal | None:
    """The finite number in a text or figure of a card; None where there is none."""
    try:
        number = Decimal(str(value))
    except ArithmeticError:
        return None
    return number if number.is_finite() else None


def active_seconds(run: RunState, now: datetime) -> float:
    """Time that counts, with the part that is running."""
    running = (now - run.active_since).total_seconds() if run.active_since is not None else 0.0
    return run.spend.active_seconds + max(0.0, running)


def _share(run: RunState, name: LimitName, now: datetime) -> float | None:
    spent, limit = _spent(run, name, now), run.limits.get(name)
    if spent is None or limit is None:
        return None
    return float(Decimal(str(spent)) / Decimal(str(limit))) if limit else 1.0


def _gauge(run: RunState, name: LimitName, now: datetime, share: float | None, fullest: float | None) -> GaugeState:
    spent, limit = _spent(run, name, now), run.limits.get(name)
    return GaugeState(
        value="cost unknown" if spent is None else _figure(name, spent),
        limit="no limit" if limit is None else _figure(name, limit),
        share=share or 0.0,
        projected=share / fullest if share is not None and fullest is not None else None,
        warn=WARN_SHARE,
    )


def _spent(run: RunState, name: LimitName, now: datetime) -> Figure | None:
    return active_seconds(run, now) if name is LimitName.SECONDS else run.spend.get(name)


def _figure(name: LimitName, value: Figure) -> str:
    if name in MONEY_LIMITS:
        return formatting.money(value)
    if name is LimitName.SECONDS:
        return formatting.stopwatch(float(value))
    return formatting.compact_count(float(value))


def context_state(state: SessionState, worksheet: Worksheet) -> ContextState:
    """The slots of the newest request, scaled to what the provider counted."""
    request = state.last_request
    slots = dict(request.requested.slots) if request is not None else {}
    shown = [
        ContextSlot(name=words, tokens=slots[slot.value])
        for slot, words in _SLOT_WORDS.items()
        if slots.get(slot.value)
    ]
    return ContextState(
        slots=shown,
        ceiling=worksheet.ceiling,
        headroom=int(worksheet.ceiling * HEADROOM_SHARE),
        ticks=(
            ContextTick("clear", worksheet.clear_at),
            ContextTick("compact", worksheet.compact_at),
            ContextTick("hand-off", worksheet.handoff_at),
        ),
    )
