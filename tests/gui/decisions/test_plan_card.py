"""The plan card, by real mouse and keys: read, approved by its gravest step, edited as a form, rejected."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from agent_core.model.action import Reversibility
from agent_core.model.intents import Trial
from tests.gui.decisions.conftest import Bench, Settle
from tests.gui.widgets.conftest import VirtualClock
from tests.support.engine_lab import eventually
from tests.support.sample_cards import PLAN, entry, plan_card, planned
from ui.views.decisions.plan_form import PlanForm
from ui.widgets.plan_list import PlanList

ALT, LEFT = Qt.KeyboardModifier.AltModifier, Qt.MouseButton.LeftButton


class PlanBench(Bench):
    """A panel with the plan's card; the desk answers every trial as the engine would."""

    @property
    def form(self) -> PlanForm:
        form = self.panel.card.footer.form
        assert isinstance(form, PlanForm)
        return form

    async def edit(self) -> PlanForm:
        self.panel.card.setFocus()
        await asyncio.sleep(0.02)
        self.open_lock()
        self.qtbot.keyClick(self.panel.card, Qt.Key.Key_M)
        self.form.picker.setFocus()
        return self.form

    def steps(self) -> list[str]:
        return [row.name for row in self.form.picker.rows]

    async def tried(self) -> None:
        """Until typing has come to rest and the desk has answered."""
        steps = self.form.draft.steps
        self.desk.trial_answer = Trial(what_changes=planned(steps, PLAN))
        await self.asked_again()

    async def asked_again(self) -> None:
        """Until the form has tried what was last changed."""
        await eventually(lambda: self.desk.trials[-1:] == [self.form.draft.arguments()])
        await self.settle(self.commands)

    async def confirm(self) -> dict[str, Any]:
        self.open_lock()
        await self.click("card.confirm")
        decision = self.desk.decisions[-1]
        assert decision.verdict == "edit"
        assert decision.arguments is not None
        return decision.arguments


@pytest.fixture
def bench(qtbot: QtBot, clock: VirtualClock, settled: Settle) -> Callable[..., PlanBench]:
    return lambda *cards: PlanBench(qtbot, clock, settled, [entry(proposal) for proposal in cards])


@pytest.fixture
async def desk(bench: Callable[..., PlanBench]) -> PlanBench:
    made = bench(plan_card())
    await made.show()
    return made


async def test_the_card_says_of_every_step_what_it_does_after_what_and_whether_it_will_ask(desk: PlanBench) -> None:
    shown = desk.panel.card.findChild(PlanList, "card.plan")
    assert isinstance(shown, PlanList)
    assert [row.words for row in shown.rows] == [
        "bank, Read the bank notes, files_read, will ask you",
        "mark, Mark the invoice as paid, files_edit, after bank, will ask you",
        "file, File what is settled, files_move, after mark, will ask you",
        "sum, Say what stays open, sub-goal with files_write, after mark, will ask you",
    ]


async def test_a_plan_that_can_be_undone_is_approved_in_one_step(desk: PlanBench) -> None:
    await desk.click("card.approve")
    assert desk.verdicts == ["approve"]


async def test_a_plan_with_a_step_that_cannot_be_undone_is_read_on_its_own_page(
    bench: Callable[..., PlanBench],
) -> None:
    made = bench(plan_card(reversibility=Reversibility.IRREVERSIBLE, tier="R3"))
    await made.show()
    assert "Review" in made.button("card.approve").text()
    await made.click("card.approve")
    assert made.verdicts == [], "it opens the page and decides nothing"


async def test_steps_are_moved_taken_out_and_put_back_by_keys_alone(desk: PlanBench) -> None:
    form = await desk.edit()
    keys = desk.qtbot.keyClick
    keys(form.picker, Qt.Key.Key_Down)
    keys(form.picker, Qt.Key.Key_Down)
    keys(form.picker, Qt.Key.Key_Down)
    keys(form.picker, Qt.Key.Key_Up, ALT)
    assert desk.steps() == ["bank", "mark", "sum", "file"]
    keys(form.picker, Qt.Key.Key_Down)
    keys(form.picker, Qt.Key.Key_Delete)
    await desk.tried()

    rows = {row.name: row for row in form.picker.rows}
    assert rows["file"].struck, "what was taken out stays visible"
    arguments = await desk.confirm()
    assert [one["id"] for one in arguments["steps"]] == ["bank", "mark", "sum"]


async def test_words_tool_and_dependencies_are_edited_and_the_difference_is_shown(desk: PlanBench) -> None:
    form = await desk.edit()
    desk.qtbot.keyClick(form.picker, Qt.Key.Key_Down)
    desk.qtbot.keyClick(form.picker, Qt.Key.Key_F2)
    assert form.goal.hasFocus()
    form.goal.selectAll()
    desk.qtbot.keyClicks(form.goal, "Mark it, but only after a look")
    form.means.setFocus()
    desk.qtbot.keyClick(form.means, Qt.Key.Key_Home)
    form.after.menu_of_words.popup(QPoint(0, 0))
    for action in form.after.menu_of_words.actions():
        if action.text() == "bank":
            desk.qtbot.mouseClick(
                form.after.menu_of_words, LEFT, pos=form.after.menu_of_words.actionGeometry(action).center()
            )
    assert form.after.menu_of_words.isVisible(), "several can be ticked"
    form.after.menu_of_words.close()
    await desk.tried()

    row = form.picker.rows[1]
    assert row.sign == "~"
    assert [one.text for one in row.remarks] == ["was Mark the invoice as paid", "was files_edit", "was after bank"]
    changed = (await desk.confirm())["steps"][1]
    assert changed == {"id": "mark", "goal": "Mark it, but only after a look"}


async def test_a_new_step_is_added_behind_the_current_one_and_needs_words(desk: PlanBench) -> None:
    form = await desk.edit()
    desk.desk.trial_answer = Trial(errors={"steps.1.goal": "It is empty."})
    desk.qtbot.keyClick(form.picker, Qt.Key.Key_Insert)
    assert desk.steps() == ["bank", "new1", "mark", "file", "sum"]
    await desk.asked_again()
    assert form.problem() == "Step new1: It is empty."
    assert not desk.button("card.confirm").isEnabled()

    desk.qtbot.keyClicks(form.goal, "Ask the bank")
    await desk.tried()
    assert (await desk.confirm())["steps"][1] == {"id": "new1", "goal": "Ask the bank"}


async def test_an_untouched_plan_cannot_be_approved_as_edited_and_escape_changes_nothing(desk: PlanBench) -> None:
    form = await desk.edit()
    assert not desk.panel.card.changes_area.isVisible(), "the form shows what the body does"
    assert not desk.button("card.confirm").isEnabled()
    desk.qtbot.keyClick(form.picker, Qt.Key.Key_Delete)
    desk.qtbot.keyClick(form.picker, Qt.Key.Key_Escape)
    assert desk.panel.card.footer.form is None
    assert desk.panel.card.changes_area.isVisible()
    assert desk.verdicts == []


async def test_reset_gives_the_proposal_back(desk: PlanBench) -> None:
    form = await desk.edit()
    desk.qtbot.keyClick(form.picker, Qt.Key.Key_Delete)
    assert form.picker.rows[0].struck
    reset = desk.panel.card.findChild(QPushButton, "card.form.reset")
    assert isinstance(reset, QPushButton)
    desk.qtbot.mouseClick(reset, LEFT)
    assert desk.steps() == [one.id for one in PLAN]
    assert not any(row.struck for row in form.picker.rows)
    assert form.problem()


async def test_a_rejected_plan_carries_its_reason(desk: PlanBench) -> None:
    desk.panel.card.setFocus()
    await asyncio.sleep(0.02)
    desk.open_lock()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_R)
    await desk.settle(desk.commands)
    form = desk.panel.card.footer.form
    assert form is not None
    desk.qtbot.keyClicks(form.first_field(), "ask the bank first")
    desk.open_lock()
    await desk.click("card.confirm")
    assert (desk.verdicts, desk.desk.decisions[0].reason) == (["reject"], "ask the bank first")
