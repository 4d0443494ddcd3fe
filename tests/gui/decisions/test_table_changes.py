"""Tables on a card: totals first, flagged rows one by one, no cell out of reach."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from agent_core.model.proposal import FileChange, FileFlag, Sign, TableChange, TableRow, WhatChanges
from agent_core.tools.shared.previews.file_change import file_diff
from tests.gui.decisions.conftest import Bench
from tests.gui.widgets.conftest import VirtualClock
from tests.support.sample_cards import card, entry
from ui.commands import Commands
from ui.views.decisions.change_part import ChangePart, unseen_words
from ui.views.decisions.changes import draw_change
from ui.widgets.field_diff import FieldDiff
from ui.widgets.table_diff import TableDiff

Settle = Callable[[Commands], Awaitable[None]]
HEAD = "invoice,customer,issued on,amount,state\n"
LONG = "Handelsgesellschaft für Gartenbau und Landschaft, Niederlassung Nord " * 3


def line(number: int, amount: str = "100.00", state: str = "open") -> str:
    return f'INV-{number},"{LONG}{number}",2026-10-04,{amount},{state}\n'


def changed() -> TableChange:
    before = HEAD + "".join(line(number) for number in range(12))
    after = HEAD + "".join(line(number, "900.00" if number in (3, 5) else "100.00", "paid") for number in range(12))
    part = file_diff("invoices.csv", before.encode(), after.encode()).parts[0]
    assert isinstance(part, TableChange)
    return part


def table_of(part: ChangePart) -> TableDiff:
    return part.widget.findChildren(TableDiff)[0]


def titles(table: TableDiff) -> list[str]:
    model = table.model()
    return [str(model.headerData(place, Qt.Orientation.Horizontal)) for place in range(model.columnCount())]


def drawn(qtbot: QtBot, part: ChangePart) -> TableDiff:
    qtbot.addWidget(part.widget)
    part.widget.resize(400, 500)
    part.widget.show()
    qtbot.waitExposed(part.widget)
    return table_of(part)


def detail_words(part: ChangePart) -> str:
    detail = part.widget.findChild(FieldDiff, "change.row")
    assert isinstance(detail, FieldDiff)
    return "\n".join(detail.row_text(row) for row in range(detail.row_count))


def test_a_card_shows_the_cells_that_change_beside_their_key(qtbot: QtBot) -> None:
    part = draw_change(changed())
    table = drawn(qtbot, part)
    assert titles(table) == ["", "Look at", "invoice", "amount", "state"]


def test_a_page_shows_every_column_and_those_that_change_first(qtbot: QtBot) -> None:
    part = draw_change(changed(), tall=True)
    table = drawn(qtbot, part)
    assert titles(table) == ["", "Look at", "invoice", "amount", "state", "customer", "issued on"]


def test_rows_that_come_hide_no_column_on_a_card(qtbot: QtBot) -> None:
    rows = [TableRow(sign=Sign.ADDED, cells=[str(number), "x", "y"]) for number in range(9)]
    part = draw_change(TableChange(path="a.csv", columns=["id", "one", "two"], rows=rows))
    table = drawn(qtbot, part)
    assert titles(table) == ["", "id", "one", "two"]


def test_a_chosen_row_is_told_whole_to_its_last_letter(qtbot: QtBot) -> None:
    part = draw_change(changed())
    table = drawn(qtbot, part)
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    QTest.keyClick(table, Qt.Key.Key_Down)
    told = detail_words(part)
    assert "".join(LONG.split()) + "5" in "".join(told.split())
    assert "changed amount from 100.00 to 900.00" in told
    assert "amount is five times larger or more" in told


def test_the_totals_stand_above_the_rows(qtbot: QtBot) -> None:
    part = draw_change(changed())
    table = drawn(qtbot, part)
    totals = part.widget.findChild(FieldDiff, "change.totals")
    assert isinstance(totals, FieldDiff)
    assert "changed Total of amount from 1,200.00 to 2,800.00" in totals.row_text(0)
    top = part.widget.mapFromGlobal(totals.mapToGlobal(totals.rect().topLeft())).y()
    assert top < part.widget.mapFromGlobal(table.mapToGlobal(table.rect().topLeft())).y()


def test_odd_files_come_first_with_the_reason(qtbot: QtBot) -> None:
    names = [f"old/{number}.bin (1.0 kB)" for number in range(30)]
    flags = [FileFlag(name=names[0], why="changed within 24 hours")]
    change = FileChange(action="delete", path="old", files=30, size=30_000, names=names, flagged=flags)
    part = draw_change(change)
    table = drawn(qtbot, part)
    assert [table.model().index(0, place).data() for place in (0, 1)] == ["changed within 24 hours", names[0]]
    assert table.model().rowCount() == 30
    assert not part.seen()
    QTest.keyClick(table, Qt.Key.Key_End)
    table.scrollToBottom()
    qtbot.waitUntil(part.seen)


async def test_v_goes_through_the_flagged_rows_and_then_approval_opens(
    qtbot: QtBot, clock: VirtualClock, settled: Settle
) -> None:
    what = WhatChanges(headline="12 rows differ", parts=[changed()])
    desk = Bench(qtbot, clock, settled, [entry(card(1, what_changes=what))])
    await desk.show()
    view = desk.panel.card
    assert unseen_words(view.footer.parts) == "2 flagged rows (V)"
    view.setFocus()
    for _ in range(12):
        QTest.keyClick(view, Qt.Key.Key_V)
        await settled(desk.commands)
        view.repaint()
    assert unseen_words(view.footer.parts) == ""
    area = view.findChild(QScrollArea)
    assert area is not None
    assert area.widget().width() <= area.viewport().width()
