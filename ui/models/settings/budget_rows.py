"""The budgets table: each declared limit with what runs usually take of it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from agent_core.config.settings_list import SETTINGS, Kind, Page, Setting
from agent_core.model.context import Worksheet
from agent_core.model.intents import SessionSummary
from ui import formatting
from ui.models.gauges import HEADROOM_SHARE, WARN_SHARE
from ui.models.settings.words import LIMIT_KEYS, then_words
from ui.models.typed_values import as_shown
from ui.models.typical import Typical, day_totals, typical_use
from ui.widgets.context_bar import ContextState, ContextTick


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """One limit: what is typical of it, where it warns, and what happens at it."""

    setting: Setting
    typical: str
    high: str
    warn: str
    then: str


def budget_rows(sessions: Sequence[SessionSummary]) -> list[BudgetRow]:
    """One row for every setting of the budgets page; those of a day come last, as they hold for all."""
    use, days = typical_use(sessions), day_totals(sessions)
    rows = []
    for setting in SETTINGS:
        if setting.page is not Page.BUDGETS:
            continue
        name = LIMIT_KEYS.get(setting.key)
        found = use[name] if name is not None else days if setting.key == "budgets.day_limit_usd" else Typical()
        rows.append(_row(setting, found))
    return sorted(rows, key=lambda row: row.setting.key not in LIMIT_KEYS)


def measured_words(sessions: Sequence[SessionSummary]) -> str:
    """What the figures rest on."""
    runs = max((found.runs for found in typical_use(sessions).values()), default=0)
    if not runs:
        return "Typical values appear once runs have completed."
    return f"Typical (median) and 95th percentile are measured from {formatting.plural(runs, 'completed run')}."


def _row(setting: Setting, found: Typical) -> BudgetRow:
    return BudgetRow(
        setting, _figure(setting, found.median), _figure(setting, found.high), warn_words(), then_words(setting)
    )


def warn_words() -> str:
    """The share at which gauges and cards begin to warn."""
    return formatting.percent(WARN_SHARE)


def _figure(setting: Setting, value: int | float | Decimal | None) -> str:
    if value is None or setting.kind not in (Kind.COUNT, Kind.MONEY, Kind.SECONDS):
        return formatting.MISSING
    return as_shown(setting.kind, value)


def worksheet_state(worksheet: Worksheet) -> ContextState:
    """The empty context bar of a worksheet, with its marks."""
    return ContextState(
        ceiling=worksheet.ceiling,
        headroom=int(worksheet.ceiling * HEADROOM_SHARE),
        ticks=(
            ContextTick("clear", worksheet.clear_at),
            ContextTick("compact", worksheet.compact_at),
            ContextTick("hand-off", worksheet.handoff_at),
        ),
    )


def worksheet_rows(worksheet: Worksheet) -> list[tuple[str, str, str, str]]:
    """Name, tokens, share of the ceiling, and what happens there in this version."""
    marked = "Marked in the context bar; nothing is removed from the history"
    marks = (
        ("Clear", worksheet.clear_at, marked),
        ("Compact", worksheet.compact_at, marked),
        ("Hand-off", worksheet.handoff_at, marked),
        ("Design ceiling", worksheet.ceiling, "The run asks before the next request; without an answer it ends"),
    )
    rows = [
        (name, formatting.count(tokens), formatting.percent(tokens / worksheet.ceiling), then)
        for name, tokens, then in marks
    ]
    cap = f"{worksheet.result_cap:,} characters"
    return [*rows, ("One tool result", cap, formatting.MISSING, "The rest is cut, and the agent is told how to get it")]
