"""The audit page: who decided what, when, on what evidence, and whether the proof holds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from agent_core.model.audit import (
    AuditEntry,
    AuditQuery,
)
from agent_core.model.proposal import ProposalStatus, Touchpoint, Verdict
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from tests.support.sample_audit import StandInRecords, decided, entry
from tests.support.sample_cards import NOW
from ui.commands import Commands
from ui.models.audit_table import audit_cells, changed_fields, event_cell, signed_cell, story
from ui.views.audit_page import AuditPageView
from ui.widgets.table import Cell

Settle = Callable[[Commands], Awaitable[None]]


Shown = Callable[..., Awaitable[tuple[AuditPageView, StandInRecords, Commands]]]


@pytest.fixture
def shown(qtbot: QtBot, settled: Settle) -> Shown:
    async def show(
        *entries: AuditEntry, broken: list[str] | None = None
    ) -> tuple[AuditPageView, StandInRecords, Commands]:
        records = StandInRecords(list(entries), broken or [])
        commands = Commands(StandInSupervisor(), StandInDesk(), StandInReader(), "ana")
        page = AuditPageView(commands, records, lambda: NOW)
        qtbot.addWidget(page)
        page.resize(1388, 820)
        page.show()
        await settled(commands)
        return page, records, commands

    return show


def words_in(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if not label.isHidden())


async def test_proposed_and_executed_are_held_against_each_other(shown: Shown) -> None:
    executed = {"to": ["a@x.example"], "subject": "Invoice"}
    one = entry(1, Verdict.MODIFY, executed=executed, executed_at=NOW, outcome="ran")
    assert [(c.kind, c.field) for c in changed_fields(one)] == [("changed", "to")]
    page, _, _ = await shown(one)
    words = words_in(page.detail)
    for part in ("modified by ana", "looked at: message", "open 2 min 41 s", "Proposed against executed"):
        assert part in words


async def test_a_call_without_an_answer_is_not_said_to_have_run(shown: Shown) -> None:
    one = entry(1, executed=entry(1).proposed, executed_at=NOW, outcome="unknown")
    page, _, _ = await shown(one)

    assert event_cell(one).text == "Unknown"
    words = words_in(page.detail)
    assert "approved by ana, outcome unknown since" in words
    assert "With exactly the arguments that were proposed." in words


async def test_an_altered_chain_and_an_unproven_signature_are_said(shown: Shown) -> None:
    altered = entry(1, chain_fault="event 4 was altered")
    unproven = entry(2, decisions=[decided(fault="signed by no known key")])
    assert signed_cell(altered).text == "altered"
    assert signed_cell(unproven).text == "no proof"
    page, _, _ = await shown(altered, unproven, broken=("s-1",))
    assert "1 session altered" in words_in(page)
    page.table.selectRow(1)
    assert "signed by no known key" in words_in(page.detail)


def test_what_nobody_decided_is_not_laid_at_a_persons_door() -> None:
    expired = entry(1, None, status=ProposalStatus.EXPIRED)
    assert event_cell(expired).text == "Expired"
    cells = [cell.text if isinstance(cell, Cell) else cell for cell in audit_cells(expired, NOW)]
    assert cells[2] == "system"


async def test_the_filters_ask_for_what_they_say(shown: Shown, qtbot: QtBot, settled: Settle) -> None:
    page, records, commands = await shown(entry(1))
    qtbot.mouseClick(page.refused, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(page.week, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(page.search, "email")
    page.refresh()
    await settled(commands)
    asked = records.queries[-1]
    assert asked.text == "email"
    assert Verdict.REJECT in asked.verdicts
    assert asked.since == NOW - timedelta(days=7)


async def test_how_people_decide_is_a_tab_of_its_own(shown: Shown, settled: Settle) -> None:
    page, _, commands = await shown(entry(1))
    page.tabs.setCurrentIndex(1)
    await settled(commands)
    row = [page.people.data(page.people.index(0, column)) for column in range(page.people.columnCount())]
    assert row[:5] == ["ana", "person", "40", "38 s", "80 %"]
    assert "in the last 30 days" in words_in(page)
    assert not page.search.isVisible(), "the filters are for cards alone"
    page.tabs.setCurrentIndex(0)
    assert page.search.isVisible()


@pytest.mark.parametrize(
    ("one", "rule", "regret"),
    [
        (entry(), True, True),
        (entry(verdict=None), False, False),
        (entry(touchpoint=Touchpoint.BUDGET, tool=None), False, True),
        (entry(touchpoint=Touchpoint.PLAN, tool="plan_propose"), False, True),
        (entry(touchpoint=Touchpoint.QUESTION, tool="ask_operator"), False, True),
        (entry(drill=True), False, True),
    ],
)
async def test_only_what_can_be_done_with_a_card_is_offered(
    shown: Shown, one: AuditEntry, rule: bool, regret: bool
) -> None:
    page, _, _ = await shown(one)
    offered = {name: page.findChild(QPushButton, f"audit.{name}") for name in ("rule", "regret")}
    assert {name: button is not None and button.isEnabled() for name, button in offered.items()} == {
        "rule": rule,
        "regret": regret,
    }


def test_a_regretted_decision_says_so_in_the_list() -> None:
    assert event_cell(entry(1, regret="wrong amount", regret_by="ana")).text == "Approved, regretted"


async def test_export_and_records_are_asked_for_with_the_present_filter(shown: Shown, qtbot: QtBot) -> None:
    page, _, _ = await shown(entry(1))
    asked: list[tuple[str, AuditQuery]] = []
    records: list[str] = []
    page.export_wanted.connect(lambda form, query: asked.append((form, query)))
    page.record_wanted.connect(records.append)
    for name in ("audit.export.csv", "audit.record"):
        button = page.findChild(QPushButton, name)
        assert button is not None
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert [form for form, _ in asked] == ["csv"]
    assert records == ["p-000001"]


async def test_an_empty_audit_says_so(shown: Shown) -> None:
    page, _, _ = await shown()
    seen = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    assert "Nothing to audit yet" in seen
    assert "No card matches" not in seen
    page.refused.click()
    await page._commands.settle()
    seen = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    assert "No card matches" in seen
    assert "Nothing to audit yet" not in seen
    assert not page.table.isVisible()


def test_what_was_taken_over_says_whether_it_was_done_and_by_which_evidence() -> None:
    made = decided(Verdict.TAKE_OVER, details={"done": False, "reference": "told Mia"})
    ((_icon, words),) = story(entry(verdict=Verdict.TAKE_OVER, decisions=[made]))
    assert words.endswith("not done · reference: told Mia")
