"""New run, by real mouse and keys: what starts a run, what keeps one from starting, and that nothing typed is lost."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from agent_core.config.home import Home
from agent_core.config.secrets import ModelKeys
from agent_core.config.settings import Settings
from agent_core.model.budget import LimitName
from agent_core.model.intents import DayBudget, StartRun
from tests.support.memory_keyring import MemoryKeyring
from tests.support.sample_summaries import summary
from tests.support.waiting import active, heard
from ui.dialogs.new_run import NewRunDialog, RunChoices
from ui.widgets.checks import ChoiceCard
from ui.widgets.label import Label

LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
DAY = DayBudget(spent_usd=Decimal("4.18"), unknown_runs=0, limit_usd=Decimal(20))


class Bench:
    """One home with a workspace, and the dialog over a window."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.home = Home.at(folder / "house")
        self.home.create()
        self.workspace = folder / "invoices"
        self.workspace.mkdir()
        self.settings = Settings.read(self.home)
        self.window = QWidget()
        self.window.resize(1280, 720)
        qtbot.addWidget(self.window)
        self.window.show()
        self.intents: list[StartRun] = []
        self.dialog: NewRunDialog = None  # type: ignore[assignment]

    async def open(self, **choices: Any) -> NewRunDialog:
        made = RunChoices(self.home, self.settings, "m.keller", DAY, **choices)
        self.dialog = NewRunDialog(made, self.window)
        self.dialog.start_wanted.connect(self.intents.append)
        await heard(self.dialog.loaded, self.dialog.open)
        await active(self.dialog)
        return self.dialog

    def fill(self, goal: str = "Tidy the invoices") -> None:
        self.qtbot.keyClicks(self.dialog.fields.goal, goal)
        self.dialog.fields.workspace.clear()
        self.qtbot.keyClicks(self.dialog.fields.workspace, str(self.workspace))

    def click(self, name: str) -> None:
        button = self.dialog.findChild(QPushButton, f"new_run.{name}")
        assert isinstance(button, QPushButton)
        self.qtbot.mouseClick(button, LEFT)

    def said(self) -> str:
        """Every sentence that is shown."""
        labels = self.dialog.findChildren(Label)
        return "\n".join(label.text() for label in labels if label.isVisibleTo(self.dialog))


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path) -> Bench:
    return Bench(qtbot, tmp_path)


async def test_typing_a_goal_and_ctrl_enter_asks_for_the_run(bench: Bench) -> None:
    dialog = await bench.open()
    assert dialog.fields.goal.hasFocus()

    bench.fill()
    bench.qtbot.keyClick(dialog.fields.goal, Qt.Key.Key_Return, CONTROL)

    [intent] = bench.intents
    assert (intent.goal, intent.workspace) == ("Tidy the invoices", str(bench.workspace))
    assert (intent.profile, intent.by, intent.limits, intent.model) == ("folder-clerk", "m.keller", None, None)
    assert dialog.isVisible(), "it stays until the engine has answered"


async def test_plain_enter_makes_a_line_and_starts_nothing(bench: Bench) -> None:
    dialog = await bench.open()
    bench.fill("One")

    bench.qtbot.keyClick(dialog.fields.goal, Qt.Key.Key_Return)
    bench.qtbot.keyClick(dialog.fields.workspace, Qt.Key.Key_Return)

    assert bench.intents == []
    assert dialog.fields.goal.toPlainText() == "One\n"


async def test_one_press_starts_one_run(bench: Bench) -> None:
    dialog = await bench.open()
    bench.fill()

    bench.click("start")
    bench.qtbot.keyClick(dialog.fields.goal, Qt.Key.Key_Return, CONTROL)
    bench.click("start")

    assert len(bench.intents) == 1


async def test_a_started_run_closes_the_dialog_and_ends_the_draft(bench: Bench) -> None:
    dialog = await bench.open()
    bench.fill()
    bench.click("start")

    dialog.started()
    assert not dialog.isVisible()

    again = await bench.open()
    assert again.fields.goal.toPlainText() == ""
    assert again.fields.workspace.text() == str(bench.workspace)


async def test_a_refused_start_says_why_and_loses_nothing(bench: Bench) -> None:
    dialog = await bench.open()
    bench.fill()
    bench.click("start")

    dialog.refuse("Everything is halted; release the halt first.")

    assert "Everything is halted; release the halt first." in bench.said()
    assert dialog.fields.goal.toPlainText() == "Tidy the invoices"
    bench.click("start")
    assert len(bench.intents) == 2


async def test_without_a_goal_nothing_starts_and_the_goal_gets_the_focus(bench: Bench) -> None:
    dialog = await bench.open()
    assert "Say what the agent is to do." not in bench.said(), "an untouched field is not blamed"
    dialog.fields.workspace.setFocus()

    bench.click("start")

    assert bench.intents == []
    assert "Say what the agent is to do." in bench.said()
    assert dialog.fields.goal.hasFocus()


async def test_a_folder_that_is_not_there_is_said(bench: Bench) -> None:
    dialog = await bench.open()
    bench.fill()
    bench.qtbot.keyClicks(dialog.fields.workspace, "/gone")

    dialog.refresh()

    assert "There is no folder at this path." in bench.said()
    assert not dialog.foot.start.isEnabled()


async def test_limits_are_prefilled_checked_and_taken(bench: Bench) -> None:
    dialog = await bench.open(sessions=[summary(n, steps=n) for n in range(1, 21)])
    steps = dialog.fields.limits[LimitName.STEPS]
    assert (steps.text(), dialog.fields.limits[LimitName.COST_USD].text()) == ("25", "$2.00")
    assert "typical values from 20 runs of this agent" in bench.said()
    assert "typ. 10" in bench.said()
    bench.fill()

    steps.selectAll()
    bench.qtbot.keyClicks(steps, "many")
    dialog.refresh()
    assert "Steps must be a whole number" in bench.said()
    bench.click("start")
    assert bench.intents == []

    steps.selectAll()
    bench.qtbot.keyClicks(steps, "40")
    dialog.refresh()
    bench.click("start")
    assert bench.intents[0].limits is not None
    assert bench.intents[0].limits.steps == 40


async def test_a_broken_profile_is_listed_with_its_sentence_and_starts_nothing(bench: Bench) -> None:
    (bench.home.agents / "broken.toml").write_text('name = "x"\nmodle = "y"\n')
    dialog = await bench.open()
    bench.fill()

    dialog.fields.profile.setFocus()
    bench.qtbot.keyClick(dialog.fields.profile, Qt.Key.Key_Home)

    assert dialog.fields.profile.currentText() == "broken (cannot be used)"
    assert 'unknown key "modle"; did you mean "model"?' in bench.said()
    bench.qtbot.keyClick(dialog.fields.goal, Qt.Key.Key_Return, CONTROL)
    assert bench.intents == []


async def test_it_says_what_the_agent_may_do(bench: Bench) -> None:
    await bench.open()

    said = bench.said()

    assert "list, read and search files" in said
    assert "write, edit, move and delete files" in said
    assert "send e-mail; anything else, and anything outside the workspace" in said
    assert "Today $4.18 of $20.00, this run adds at most $2.00" in said


async def test_escape_keeps_the_draft(bench: Bench) -> None:
    dialog = await bench.open()
    bench.fill("Half a tho")

    bench.qtbot.keyClick(dialog.fields.goal, Qt.Key.Key_Escape)
    assert not dialog.isVisible()

    again = await bench.open()
    assert again.fields.goal.toPlainText() == "Half a tho"
    assert again.fields.goal.textCursor().selectedText() == "Half a tho"


async def test_viewing_the_rules_leaves_the_dialog(bench: Bench) -> None:
    dialog = await bench.open()

    wanted: list[str] = []
    dialog.rules_wanted.connect(lambda: wanted.append("rules"))
    bench.click("rules")

    assert wanted == ["rules"]
    assert not dialog.isVisible()


async def test_without_a_key_it_says_so_and_offers_the_demo(bench: Bench) -> None:
    dialog = await bench.open(keys=ModelKeys({}, MemoryKeyring()))
    keeper = dialog._keeper
    assert keeper is not None
    if keeper.current is None:
        await heard(keeper.changed, lambda: None)

    assert "No key yet" in bench.said()
    wanted: list[str] = []
    dialog.demo_wanted.connect(lambda: wanted.append("demo"))
    bench.click("demo")
    assert wanted == ["demo"]
    assert not dialog.isVisible()


async def test_with_a_key_nothing_is_said_of_it(bench: Bench) -> None:
    dialog = await bench.open(keys=ModelKeys({"ANTHROPIC_API_KEY": "sk-ant-0123456789"}, MemoryKeyring()))
    keeper = dialog._keeper
    assert keeper is not None
    if keeper.current is None:
        await heard(keeper.changed, lambda: None)

    assert "No key yet" not in bench.said()


async def test_a_folder_is_chosen_without_a_nested_loop(bench: Bench) -> None:
    dialog = await bench.open()

    bench.click("choose")
    chooser = dialog.findChild(QFileDialog, "new_run.folder")
    assert isinstance(chooser, QFileDialog)
    chooser.fileSelected.emit(str(bench.workspace))
    chooser.reject()

    assert dialog.fields.workspace.text() == str(bench.workspace)
    assert dialog.fields.workspace.hasFocus()


@pytest.mark.parametrize("scale", [90, 100, 150])
async def test_it_fits_into_the_smallest_window(bench: Bench, kit_theme: Any, scale: int) -> None:
    kit_theme.set_scale(scale)
    dialog = await bench.open()

    assert dialog.height() <= 720
    for button in (dialog.foot.start, dialog.foot.cancel):
        assert dialog.rect().contains(button.mapTo(dialog, button.rect().center()))


async def test_the_pattern_is_the_profile_s_until_another_is_chosen(bench: Bench) -> None:
    dialog = await bench.open()
    bench.fill()
    shown = [card.accessibleName() for card in dialog.fields.pattern.findChildren(ChoiceCard)]
    assert shown == ["ReAct", "Plan-execute"], "only what this version has is on offer"

    bench.click("start")
    dialog.refuse("Not now.")
    planned = dialog.findChild(ChoiceCard, "new_run.pattern.plan_execute")
    assert isinstance(planned, ChoiceCard)
    bench.qtbot.mouseClick(planned, LEFT)
    assert not dialog.foot.plan_first.isVisible(), "it plans first anyway"
    bench.click("start")

    assert [intent.pattern for intent in bench.intents] == [None, "plan_execute"]


async def test_plan_first_starts_with_a_plan(bench: Bench) -> None:
    await bench.open()
    bench.click("plan_first")
    assert bench.intents == [], "it looks at the fields as Start run does"
    assert "Say what the agent is to do." in bench.said()

    bench.fill()
    bench.dialog.refresh()
    bench.click("plan_first")

    assert [intent.pattern for intent in bench.intents] == ["plan_execute"]
