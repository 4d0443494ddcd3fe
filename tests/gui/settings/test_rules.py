"""Standing rules, by real mouse and keys: made, edited and removed, in the file at once."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from agent_core.config.profile import Rule, RuleScope
from agent_core.config.settings import Settings
from agent_core.engine.outlook import rule_text
from agent_core.model.action import GateVerdict
from tests.gui.settings.conftest import LEFT, SettingsBench
from tests.support.waiting import active
from ui.views.settings.rule_form import RuleForm
from ui.widgets.label import Label

CONTROL = Qt.KeyboardModifier.ControlModifier
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def rule(tool: str, verdict: GateVerdict = GateVerdict.ASK, **more: object) -> Rule:
    return Rule(tool=tool, verdict=verdict, scope=RuleScope.ALWAYS, **more)  # type: ignore[arg-type]


async def opened(bench: SettingsBench, *rules: Rule) -> None:
    if rules:
        Settings.read(bench.home).change_rules(rules)
    await bench.open("policies")


def form(bench: SettingsBench) -> RuleForm:
    [shown] = [found for found in bench.page.findChildren(RuleForm) if found.isVisible()]
    return shown


def press(shown: RuleForm, bench: SettingsBench, name: str) -> None:
    widget = shown.findChild(QWidget, f"rule.{name}")
    assert isinstance(widget, QWidget)
    bench.qtbot.mouseClick(widget, LEFT)


async def test_without_rules_it_says_what_holds(bench: SettingsBench) -> None:
    await opened(bench)

    assert "No standing rules." in bench.said()


async def test_a_rule_is_made_word_for_word(bench: SettingsBench) -> None:
    await opened(bench)
    bench.click("rules.add")
    made = form(bench)
    await active(made)

    made.tool.setFocus()
    bench.qtbot.keyClicks(made.tool, "files_write")
    press(made, bench, "verdict.allow")
    press(made, bench, "add")
    value = made.findChild(QWidget, "rule.when.0.value")
    assert value is not None
    assert made.focusWidget() is value
    assert not made.save.isEnabled()
    bench.qtbot.keyClicks(value, "reports/**")
    bench.qtbot.keyClicks(made.because, "reports are ours")
    words = 'allow files_write, when path matches "reports/**" (glob), always'
    assert made.words.text() == words
    bench.qtbot.keyClick(made.because, Qt.Key.Key_Return, CONTROL)

    [kept] = bench.rules
    assert rule_text(kept) == words
    assert kept.because == "reports are ours"
    assert words in bench.said(), "the new rule is selected and its exact words stand below the table"


async def test_the_form_says_that_what_cannot_be_undone_still_asks(bench: SettingsBench) -> None:
    await opened(bench, rule("email_send", GateVerdict.ALLOW))
    bench.policies.rules.table.selectRow(0)
    bench.click("rules.edit")

    said = "\n".join(label.text() for label in form(bench).findChildren(Label))

    assert "it will still ask" in said
    assert "no rule can lower that" in said


async def test_enter_edits_and_escape_changes_nothing(bench: SettingsBench) -> None:
    await opened(bench, rule("files_edit"), rule("files_move"))
    table = bench.policies.rules.table
    table.setFocus()
    table.selectRow(1)
    bench.qtbot.keyClick(table, Qt.Key.Key_Return)
    shown = form(bench)
    assert shown.tool.currentText() == "files_move"

    press(shown, bench, "verdict.deny")
    bench.qtbot.keyClick(shown, Qt.Key.Key_Escape)

    assert [kept.verdict for kept in bench.rules] == [GateVerdict.ASK, GateVerdict.ASK]


async def test_an_edit_stays_in_its_place(bench: SettingsBench) -> None:
    await opened(bench, rule("files_edit"), rule("files_move"))
    bench.policies.rules.table.selectRow(0)
    bench.click("rules.edit")
    shown = form(bench)

    press(shown, bench, "verdict.deny")
    press(shown, bench, "save")

    assert [(kept.tool, kept.verdict.value) for kept in bench.rules] == [("files_edit", "deny"), ("files_move", "ask")]


async def test_removing_asks_once_with_the_exact_words(bench: SettingsBench) -> None:
    await opened(bench, rule("files_edit"), rule("files_move"))
    table = bench.policies.rules.table
    table.setFocus()
    table.selectRow(0)

    bench.qtbot.keyClick(table, Qt.Key.Key_Delete)
    go = bench.page.findChild(QPushButton, "dialog.go")
    assert isinstance(go, QPushButton)
    assert len(bench.rules) == 2
    assert "ask files_edit, always." in bench.said()
    bench.qtbot.mouseClick(go, LEFT)

    assert [kept.tool for kept in bench.rules] == ["files_move"]


@pytest.mark.parametrize(("button", "left"), [("go", 0), ("cancel", 1)])
async def test_enter_presses_the_button_of_a_dialog_that_has_the_focus(
    bench: SettingsBench, button: str, left: int
) -> None:
    await opened(bench, rule("files_edit"))
    bench.policies.rules.table.selectRow(0)
    bench.click("rules.remove")
    pressed = bench.page.findChild(QPushButton, f"dialog.{button}")
    assert isinstance(pressed, QPushButton)

    pressed.setFocus()
    bench.qtbot.keyClick(pressed, Qt.Key.Key_Return)

    assert len(bench.rules) == left


async def test_a_rule_that_changed_by_hand_shows_and_the_selection_stays(bench: SettingsBench) -> None:
    await opened(bench, rule("files_edit"), rule("files_move"))
    rules = bench.policies.rules
    rules.table.selectRow(1)
    Settings.read(bench.home).change_rules([rule("files_edit"), rule("files_delete", GateVerdict.DENY)])

    bench.page.reload()

    assert rules.chosen == 1
    assert "deny files_delete, always" in bench.said()


async def test_a_refused_save_is_said_and_the_table_stays(bench: SettingsBench) -> None:
    await opened(bench, rule("files_edit"), rule("files_move"))
    bench.policies.rules.table.selectRow(0)
    bench.home.settings.write_text("[torn")

    bench.click("rules.remove")
    go = bench.page.findChild(QPushButton, "dialog.go")
    assert isinstance(go, QPushButton)
    bench.qtbot.mouseClick(go, LEFT)

    assert "Not saved: settings.toml line 1" in bench.said()
    assert [kept.tool for kept in bench.settings.rules] == ["files_edit", "files_move"]


@pytest.mark.parametrize("verdict", [GateVerdict.ASK, GateVerdict.DENY])
async def test_only_allowing_counts_uses(bench: SettingsBench, verdict: GateVerdict) -> None:
    await opened(bench, rule("files_edit", verdict))
    bench.policies.rules.table.selectRow(0)
    bench.click("rules.edit")
    shown = form(bench)

    assert not shown.uses.isEnabled()
    press(shown, bench, "verdict.allow")
    assert shown.uses.isEnabled()
    bench.qtbot.keyClicks(shown.uses, "3")
    assert shown.words.text().endswith(", 3 times")


@pytest.mark.parametrize(("width", "columns"), [(1388, 8), (1048, 5), (900, 3)])
async def test_a_narrow_table_drops_columns_and_never_scrolls_sideways(
    bench: SettingsBench, width: int, columns: int
) -> None:
    await opened(bench, rule("files_edit"), rule("files_move", uses=None, because="needed"))
    table = bench.policies.rules.table
    table.selectRow(1)

    bench.page.resize(width, 700)
    await bench.show("policies")

    assert table.model().columnCount() == columns
    assert table.horizontalScrollBar().maximum() == 0
    assert bench.policies.rules.chosen == 1
    assert "ask files_move, always" in bench.said()


async def test_tab_goes_through_the_conditions_where_they_stand(bench: SettingsBench) -> None:
    await opened(bench, rule("files_edit", when={"path": "ledger.csv"}))
    bench.policies.rules.table.selectRow(0)
    bench.click("rules.edit")
    shown = form(bench)
    await active(shown)
    press(shown, bench, "add")

    shown.verdicts[GateVerdict.ASK].setFocus()
    met = []
    for _ in range(9):
        focus = shown.focusWidget()
        assert focus is not None
        bench.qtbot.keyClick(focus, Qt.Key.Key_Tab)
        now = shown.focusWidget()
        met.append(now.accessibleName() if now is not None else "")

    row = ["Argument", "Condition", "Value", "Remove this condition"]
    assert met == [*row, *row, "Add a condition"]


async def test_a_rule_of_a_tool_that_the_list_lacks_never_becomes_one_of_another(bench: SettingsBench) -> None:
    await opened(bench)

    bench.policies.rules.propose(rule("plan_propose", GateVerdict.ALLOW))

    assert form(bench).tool.currentText() == "plan_propose"
    assert not form(bench).save.isEnabled()
    assert not form(bench).add.isEnabled(), "nothing is known of its arguments"


async def test_a_duration_ends_on_a_whole_second(bench: SettingsBench) -> None:
    await opened(bench)
    bench.policies.rules.propose(rule("files_edit", GateVerdict.ALLOW))
    made = form(bench)

    bench.qtbot.keyClicks(made.expires, "30d")

    assert re.search(r"until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$", made.words.text())
