"""The alerts page: what is out of the ordinary anywhere, looked at and put away by keyboard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from agent_core.model.alerts import Alert
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from tests.support.sample_cards import NOW
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.models.alerts_table import alert_cells, alert_name
from ui.views.alerts_page import AlertsPage
from ui.widgets.table import Cell

Settle = Callable[[Commands], Awaitable[None]]


def alert(name: str = "cost_2x", session: str = "s-1", level: str = "warn", by: str | None = None) -> Alert:
    return Alert(
        session=session,
        alert=name,
        at=NOW - timedelta(minutes=5),
        step=7,
        level=level,
        message="The run cost 0.90 USD so far.",
        acknowledged_by=by,
        acknowledged_at=NOW - timedelta(minutes=1) if by else None,
        goal="Reconcile October invoices",
        agent="ap-reconciler",
        demo=False,
    )


class PutAway(StandInDesk):
    """Acknowledges in the reader's list, as the engine would."""

    def __init__(self, reader: StandInReader) -> None:
        super().__init__()
        self._reader = reader

    async def acknowledge(self, session: str, alert: str, by: str) -> None:
        await super().acknowledge(session, alert, by)
        self._reader.raised = [
            msgspec.structs.replace(one, acknowledged_by=by, acknowledged_at=NOW)
            if (one.session, one.alert) == (session, alert)
            else one
            for one in self._reader.raised
        ]


Shown = Callable[..., Awaitable[tuple[AlertsPage, PutAway, Commands]]]


@pytest.fixture
def shown(qtbot: QtBot, settled: Settle) -> Shown:
    async def show(*raised: Alert) -> tuple[AlertsPage, PutAway, Commands]:
        reader = StandInReader()
        reader.raised = list(raised)
        desk = PutAway(reader)
        commands = Commands(StandInSupervisor(), desk, reader, "ana")
        page = AlertsPage(ConsoleState(commands), commands, lambda: NOW)
        qtbot.addWidget(page)
        page.resize(1388, 820)
        page.show()
        await settled(commands)
        return page, desk, commands

    return show


def words_in(page: AlertsPage) -> str:
    return "\n".join(label.text() for label in page.findChildren(QLabel) if label.isVisibleTo(page))


async def test_the_key_a_acknowledges_one_alert_after_the_other(shown: Shown, qtbot: QtBot, settled: Settle) -> None:
    page, desk, commands = await shown(alert("cost_5x"), alert("step_limit", "s-2"))
    page.setFocus()
    assert page.focusWidget() is page.table, "the keys of a page are its list's"
    for _ in range(2):
        qtbot.keyClick(page.table, Qt.Key.Key_A)
        await settled(commands)

    assert desk.acknowledged == [("s-1", "cost_5x", "ana"), ("s-2", "step_limit", "ana")]
    assert page.model.rowCount() == 0
    assert "Nothing out of the ordinary" in words_in(page)


async def test_what_was_acknowledged_can_be_shown_and_not_acknowledged_again(
    shown: Shown, qtbot: QtBot, settled: Settle
) -> None:
    page, desk, commands = await shown(alert(by="ben"))
    assert page.model.rowCount() == 0
    qtbot.mouseClick(page.all, Qt.MouseButton.LeftButton)
    await settled(commands)
    qtbot.keyClick(page.table, Qt.Key.Key_A)
    await settled(commands)

    assert page.model.rowCount() == 1
    assert not page.acknowledge.isEnabled()
    assert desk.acknowledged == []
    assert page.model.cell(0, 6).text.startswith("ben, ")


async def test_enter_opens_the_session_of_the_chosen_alert(shown: Shown, qtbot: QtBot) -> None:
    page, _, _ = await shown(alert(), alert("step_limit", "s-2"))
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Down)
    with qtbot.waitSignal(page.session_wanted) as wanted:
        qtbot.keyClick(page.table, Qt.Key.Key_Return)

    assert wanted.args == ["s-2"]


def test_each_level_has_a_shape_and_a_word_beside_its_colour() -> None:
    cells = [alert_cells(alert(level=level), NOW)[0] for level in ("dang", "warn", "info")]

    assert [cell.icon for cell in cells if isinstance(cell, Cell)] == ["octagon-alert", "triangle-alert", "info"]
    assert alert_name("cost_2x") == "Cost over twice usual"
    assert alert_name("of_a_later_version") == "Of a later version"


async def test_the_table_leads_until_the_last_alert_is_put_away(qtbot: QtBot, shown: Shown, settled: Settle) -> None:
    page, _desk, commands = await shown(alert())
    page.activateWindow()
    page.setFocus()
    qtbot.waitUntil(page.table.hasFocus)

    qtbot.keyClick(page.table, Qt.Key.Key_A)
    await settled(commands)

    assert page.all.hasFocus()
