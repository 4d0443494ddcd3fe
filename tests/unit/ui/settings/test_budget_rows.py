"""The budgets table follows from the declared settings, and its figures from past runs."""

from datetime import UTC, datetime

from agent_core.config.settings_list import SETTINGS, Page
from agent_core.model.audit import SettingChange
from agent_core.model.budget import Limits
from agent_core.model.context import Worksheet
from tests.support.sample_summaries import summary
from ui.models.settings.budget_rows import (
    agents_of,
    budget_rows,
    change_words,
    measured_words,
    worksheet_rows,
    worksheet_state,
)


def test_every_declared_budget_has_a_row_and_the_day_comes_last() -> None:
    rows = budget_rows(())
    keys = [row.setting.key for row in rows]

    both = [*keys, *(row.then.key for row in rows)]
    assert sorted(both) == sorted(setting.key for setting in SETTINGS if setting.page is Page.BUDGETS)
    assert keys[-1] == "budgets.day_limit_usd"


def test_without_past_runs_nothing_is_claimed() -> None:
    assert {row.typical for row in budget_rows(())} == {"–"}
    assert measured_words(()) == "Typical values appear once runs have completed; those of the demo do not count."


def test_figures_are_those_of_past_runs() -> None:
    rows = {row.setting.key: row for row in budget_rows([summary(n, steps=n, cost="0.10") for n in range(1, 21)])}

    assert (rows["budgets.steps"].typical, rows["budgets.steps"].high) == ("10", "19")
    assert rows["budgets.seconds"].typical == "10:00"
    assert rows["budgets.day_limit_usd"].typical == "$2.00"
    assert rows["budgets.steps"].warn == "80 %"


def test_figures_can_be_those_of_one_agent_with_what_they_suggest() -> None:
    runs = [summary(n, steps=n, agent="clerk" if n % 2 else "other") for n in range(1, 21)]
    suggestion = Limits(steps=24, cost_usd=None)
    rows = {row.setting.key: row for row in budget_rows(runs, "clerk", suggestion)}

    assert agents_of(runs) == ["clerk", "other"]
    assert (rows["budgets.steps"].typical, rows["budgets.steps"].high) == ("9", "19")
    assert (rows["budgets.steps"].suggestion, rows["budgets.steps"].suggested) == ("24", 24)
    assert (rows["budgets.cost_usd"].suggestion, rows["budgets.day_limit_usd"].suggestion) == ("", "")
    assert "10 completed runs" in measured_words(runs, "clerk")


def test_a_change_says_what_who_when_and_why() -> None:
    at = datetime(2026, 11, 29, 9, 36, tzinfo=UTC)
    day = SettingChange(at=at, key="budgets.day_limit_usd", old="", new="$20.00", by="ana", why="Quarter end")
    then = SettingChange(at=at, key="budgets.steps_then", old="ask", new="finish", by="ana", why="")

    assert change_words(day, at).startswith("Day limit: no limit → $20.00, by ana, today")
    assert change_words(day, at).endswith(" · Quarter end")
    assert change_words(then, at).startswith("At the limit of steps: Ask me → Stop with partial result, by ana")


def test_the_worksheets_marks_stand_on_the_bar_and_in_the_table() -> None:
    sheet = Worksheet(ceiling=100_000, clear_at=50_000, compact_at=70_000, handoff_at=90_000)
    state = worksheet_state(sheet)

    assert [tick.tokens for tick in state.ticks] == [50_000, 70_000, 90_000]
    assert worksheet_rows(sheet)[1][:3] == ("Compact", "70,000", "70 %")
