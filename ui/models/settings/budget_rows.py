"""The budgets table: each declared limit with what runs usually take of it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agent_core.config.settings_list import BY_KEY, SETTINGS, Kind, Page, Setting, Value
from agent_core.model.audit import SettingChange
from agent_core.model.budget import Figure, Limits
from agent_core.model.context import Worksheet
from agent_core.model.intents import SessionSummary
from agent_core.model.run import StopReason
from ui import formatting
from ui.models.gauges import HEADROOM_SHARE, WARN_SHARE
from ui.models.settings.words import LIMIT_KEYS, THEN_SUFFIX, choice_words
from ui.models.typed_values import as_shown, as_typed
from ui.models.typical import day_totals, typical_use
from ui.widgets.context_bar import ContextState, ContextTick


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """One limit: what is typical of it, what that suggests, where it warns; `then` is the setting of what follows."""

    setting: Setting
    then: Setting
    typical: str
    high: str
    warn: str
    suggestion: str = ""
    suggested: Value = None


def budget_rows(
    sessions: Sequence[SessionSummary], agent: str | None = None, suggestion: Limits | None = None
) -> list[BudgetRow]:
    """One row for every limit of the budgets page; that of the day comes last, as it holds for all."""
    use, days = typical_use(sessions, agent), day_totals(sessions)
    rows = []
    for setting in SETTINGS:
        if setting.page is not Page.BUDGETS or setting.key.endswith(THEN_SUFFIX):
            continue
        name = LIMIT_KEYS.get(setting.key)
        found = use[name] if name is not None else days
        suggested = suggestion.get(name) if suggestion is not None and name is not None else None
        rows.append(
            BudgetRow(
                setting,
                BY_KEY[setting.key + THEN_SUFFIX],
                _figure(setting, found.median),
                _figure(setting, found.high),
                warn_words(),
                as_typed(setting.kind, suggested),
                suggested,
            )
        )
    return sorted(rows, key=lambda row: row.setting.key not in LIMIT_KEYS)


def agents_of(sessions: Sequence[SessionSummary]) -> list[str]:
    """The agents whose runs have completed, by name."""
    completed = StopReason.COMPLETED.value
    return sorted({found.agent for found in sessions if found.stop_reason == completed and not found.demo})


def measured_words(sessions: Sequence[SessionSummary], agent: str | None = None) -> str:
    """What the figures rest on."""
    runs = max((found.runs for found in typical_use(sessions, agent).values()), default=0)
    if not runs:
        return "Typical values appear once runs have completed; those of the demo do not count."
    return (
        f"Measured from {formatting.plural(runs, 'completed run')}; suggested is what 99 % of them stayed within, and "
        "a quarter more."
    )


def change_words(change: SettingChange, now: datetime) -> str:
    """Who changed which budget, and why, in one line."""
    setting = BY_KEY.get(change.key)
    title = setting.title if setting is not None else change.key
    values = (change.old or "no limit", change.new or "no limit")
    if setting is not None and setting.key.endswith(THEN_SUFFIX):
        values = (choice_words(setting, change.old), choice_words(setting, change.new))
    why = f" · {change.why}" if change.why else ""
    when = formatting.day_and_time(change.at.astimezone(), now.astimezone())
    return f"{title}: {values[0]} → {values[1]}, by {change.by}, {when}{why}"


def warn_words() -> str:
    """The share at which gauges and cards begin to warn."""
    return formatting.percent(WARN_SHARE)


def _figure(setting: Setting, value: Figure | None) -> str:
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
