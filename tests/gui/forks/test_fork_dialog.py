"""Forking by real mouse and keys: what is on offer, what keeps one from forking, and what is asked of the engine."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from agent_core.model.budget import LimitName, Limits
from agent_core.model.intents import ForkPlan, ForkPoint, ForkSession
from tests.support.waiting import active
from ui.dialogs.fork import ForkDialog
from ui.widgets.label import Label

LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
PLAN = ForkPlan(
    session="s-1",
    goal="Sort the invoices",
    limits=Limits(steps=12, cost_usd=Decimal("0.50"), tree_cost_usd=Decimal("1.00")),
    points=[ForkPoint(step=0, words="The goal alone"), ForkPoint(step=1, words="Listed 3 files")],
    why_not_later="Step 2 is not whole: files_write waits for a decision",
)


@pytest.fixture
def asked() -> list[ForkSession]:
    return []


@pytest.fixture
def opened(qtbot: QtBot, asked: list[ForkSession]) -> Callable[[], ForkDialog]:
    window = QWidget()
    window.resize(1280, 720)
    qtbot.addWidget(window)
    window.show()

    def make() -> ForkDialog:
        dialog = ForkDialog(PLAN, "ana", window)
        dialog.fork_wanted.connect(asked.append)
        dialog.open()
        return dialog

    return make


def said(dialog: ForkDialog) -> str:
    labels = dialog.findChildren(Label)
    return "\n".join(label.text() for label in labels if label.isVisibleTo(dialog))


async def test_ctrl_enter_forks_after_the_newest_whole_step_as_it_was(
    opened: Callable[[], ForkDialog], asked: list[ForkSession], qtbot: QtBot
) -> None:
    dialog = opened()
    await active(dialog)
    assert dialog.step.hasFocus()
    assert dialog.step.currentText() == "Step 1 · Listed 3 files"

    qtbot.keyClick(dialog.step, Qt.Key.Key_Return, CONTROL)

    assert asked == [ForkSession(session="s-1", by="ana", step=1)]


async def test_step_goal_and_limits_can_be_others(
    opened: Callable[[], ForkDialog], asked: list[ForkSession], qtbot: QtBot
) -> None:
    dialog = opened()
    await active(dialog)
    qtbot.keyClick(dialog.step, Qt.Key.Key_Down)
    dialog.goal.selectAll()
    qtbot.keyClicks(dialog.goal, "Sort the receipts")
    dialog.limits[LimitName.STEPS].selectAll()
    qtbot.keyClicks(dialog.limits[LimitName.STEPS], "30")

    qtbot.mouseClick(dialog.start, LEFT)

    (intent,) = asked
    assert (intent.step, intent.goal) == (0, "Sort the receipts")
    assert intent.limits is not None
    assert (intent.limits.steps, intent.limits.tree_cost_usd) == (30, Decimal("1.00"))


async def test_it_says_what_holds_for_all_forks_and_what_is_not_rewound(opened: Callable[[], ForkDialog]) -> None:
    words = said(opened())
    assert "$1.00 hold for this session and all forks together" in words
    assert "The workspace is not rewound" in words
    assert "files_write waits for a decision." in words


@pytest.mark.parametrize("typed", ["nan", "-1", "inf", "1e999", "½", "abc"])
@pytest.mark.parametrize("name", list(ForkDialog.LIMITS))
async def test_nonsense_keeps_it_from_forking(
    opened: Callable[[], ForkDialog], asked: list[ForkSession], qtbot: QtBot, name: LimitName, typed: str
) -> None:
    dialog = opened()
    await active(dialog)
    dialog.limits[name].selectAll()
    qtbot.keyClicks(dialog.limits[name], typed)
    qtbot.keyClick(dialog.limits[name], Qt.Key.Key_Return, CONTROL)

    assert asked == []
    assert not dialog.start.isEnabled()
    assert "must be" in said(dialog)


async def test_an_empty_goal_keeps_it_from_forking_and_escape_forks_nothing(
    opened: Callable[[], ForkDialog], asked: list[ForkSession], qtbot: QtBot
) -> None:
    dialog = opened()
    await active(dialog)
    dialog.goal.selectAll()
    qtbot.keyClick(dialog.goal, Qt.Key.Key_Delete)
    qtbot.keyClick(dialog.goal, Qt.Key.Key_Return, CONTROL)
    assert "Say what the agent is to do." in said(dialog)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert asked == []
