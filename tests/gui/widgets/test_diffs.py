"""Diffs, tables and the cost graph: nothing out of reach, seen to the end, quick at any size."""

from __future__ import annotations

import math
import time

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from ui.theme import Theme, ThemeMode
from ui.widgets.cost_data import CostState, StepCost
from ui.widgets.cost_graph import CostGraph
from ui.widgets.field_diff import FieldChange, FieldDiff, change_words
from ui.widgets.table import Cell, CellTableModel, Column, Table
from ui.widgets.table_diff import TableDiff
from ui.widgets.text_diff import TextDiff
from ui.widgets.virtual_rows import VirtualRows

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
COLUMNS = (Column("Customer", stretch=1), Column("Amount", 90, right=True))


def all_text(view: VirtualRows) -> str:
    return "\n".join(view.row_text(row) for row in range(view.row_count))


# ------------------------------------------------------------------------------------------------ fields


def test_changes_are_said_in_words() -> None:
    assert change_words(FieldChange("changed", "Open balance", "24,720.00", "24,308.00")) == (
        "changed Open balance from 24,720.00 to 24,308.00"
    )
    assert change_words(FieldChange("added", "Credit note", "", "€412.00")) == "added Credit note: €412.00"
    assert change_words(FieldChange("removed", "recipient", "a@b.c")) == "removed recipient: a@b.c"


def test_a_short_change_is_one_row_and_a_long_one_keeps_every_character(qtbot: QtBot) -> None:
    value = "0123456789 " * 400
    diff = FieldDiff([FieldChange("changed", "status", "Open", "Closed"), FieldChange("added", "memo", "", value)])
    qtbot.addWidget(diff)
    diff.resize(400, 300)
    assert diff.row_text(0) == "changed status from Open to Closed"
    assert "".join(diff.row_text(row) for row in range(2, diff.row_count)) == value


def test_hidden_characters_in_values_show(qtbot: QtBot) -> None:
    diff = FieldDiff([FieldChange("added", "to", "", "a\u202eb")])
    qtbot.addWidget(diff)
    diff.resize(400, 100)
    assert "\\u202e" in all_text(diff)


def test_a_short_list_is_seen_when_it_is_on_screen(qtbot: QtBot) -> None:
    diff = FieldDiff([FieldChange("added", "Credit note", "", "€412.00")])
    qtbot.addWidget(diff)
    diff.resize(400, diff.sizeHint().height())
    assert not diff.is_seen_to_end
    with qtbot.waitSignal(diff.seen_to_end):
        diff.show()


def test_what_an_outer_scroll_area_hides_is_not_seen(qtbot: QtBot) -> None:
    content = QWidget()
    body = QVBoxLayout(content)
    top, diff = QWidget(), FieldDiff([FieldChange("added", "Credit note", "", "€412.00")])
    top.setFixedHeight(1_000)
    body.addWidget(top)
    body.addWidget(diff)
    area = QScrollArea()
    area.setWidget(content)
    area.setWidgetResizable(True)
    qtbot.addWidget(area)
    area.resize(400, 300)
    area.show()
    qtbot.waitExposed(area)
    assert not diff.is_seen_to_end
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    qtbot.waitUntil(lambda: diff.is_seen_to_end)


# ------------------------------------------------------------------------------------------------ text


@pytest.fixture
def text_diff(qtbot: QtBot) -> TextDiff:
    view = TextDiff()
    qtbot.addWidget(view)
    view.resize(600, 300)
    view.show()
    qtbot.waitExposed(view)
    return view


def test_unchanged_stretches_fold_and_a_click_opens_them(text_diff: TextDiff) -> None:
    before = "\n".join(f"line {n}" for n in range(60))
    text_diff.set_texts(before, before.replace("line 30", "line thirty"))
    assert text_diff.row_text(0) == "27 unchanged lines"
    folded = text_diff.row_count
    QTest.mouseClick(text_diff.viewport(), LEFT, NONE, QPoint(60, 10))
    assert text_diff.row_count == folded + 26
    text_diff.unfold_all()
    assert text_diff.row_count == 61
    assert "− line 30" in all_text(text_diff)
    assert "+ line thirty" in all_text(text_diff)


def test_a_region_is_numbered_as_its_file_is(text_diff: TextDiff) -> None:
    text_diff.set_texts("a\nb\n", "a\nB\n", first=(4998, 5001))
    assert [text_diff.number(row) for row in range(text_diff.row_count)] == [5001, 4999, 5002]


def test_the_end_counts_as_seen_only_after_scrolling_there(qtbot: QtBot, text_diff: TextDiff) -> None:
    text_diff.set_texts("", "\n".join(f"new {n}" for n in range(500)))
    text_diff.repaint()
    assert not text_diff.is_seen_to_end
    text_diff.setFocus()
    with qtbot.waitSignal(text_diff.seen_to_end):
        QTest.keyClick(text_diff, Qt.Key.Key_End)


def test_without_wrapping_the_right_edge_counts_too(qtbot: QtBot, text_diff: TextDiff) -> None:
    text_diff.set_wrap(False)
    text_diff.set_texts("", "x" * 900)
    text_diff.repaint()
    assert not text_diff.is_seen_to_end
    with qtbot.waitSignal(text_diff.seen_to_end):
        text_diff.horizontalScrollBar().setValue(text_diff.horizontalScrollBar().maximum())


def test_new_content_has_to_be_seen_again(qtbot: QtBot, text_diff: TextDiff) -> None:
    text_diff.set_texts("a", "b")
    qtbot.waitUntil(lambda: text_diff.is_seen_to_end)
    text_diff.set_texts("", "\n".join("y" * 300))
    assert not text_diff.is_seen_to_end


@pytest.mark.parametrize("text", ["x" * 1_000_000, "\n".join(f"line {n}" for n in range(100_000)), "é日 " * 200_000])
def test_a_megabyte_opens_scrolls_and_keeps_its_last_word(qtbot: QtBot, text_diff: TextDiff, text: str) -> None:
    text_diff.set_texts("", text + "\nTHE END")
    qtbot.waitUntil(lambda: not text_diff.is_waiting, timeout=20_000)
    assert text_diff.row_text(text_diff.row_count - 1) == "+ THE END"
    started = time.process_time()
    for share in (0, 0.3, 0.6, 1):
        bar = text_diff.verticalScrollBar()
        bar.setValue(round(bar.maximum() * share))
        text_diff.repaint()
    assert time.process_time() - started < 2
    assert text_diff.is_seen_to_end


def test_an_older_comparison_never_replaces_a_newer_one(qtbot: QtBot, text_diff: TextDiff) -> None:
    text_diff.set_texts("", "old " * 100_000)
    text_diff.set_texts("", "newer")
    qtbot.waitUntil(lambda: not text_diff.is_waiting)
    QTest.qWait(300)
    assert all_text(text_diff).endswith("+ newer")


def test_letters_and_enter_are_left_to_the_card(text_diff: TextDiff) -> None:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent

    for key, text in ((Qt.Key.Key_M, "m"), (Qt.Key.Key_Return, "\r"), (Qt.Key.Key_Space, " ")):
        event = QKeyEvent(QEvent.Type.KeyPress, key, NONE, text)
        text_diff.keyPressEvent(event)
        assert not event.isAccepted()


# ------------------------------------------------------------------------------------------------ tables


def test_the_cell_model_keeps_qts_contract(qtmodeltester: ModelTester) -> None:
    model = CellTableModel(COLUMNS)
    model.set_rows([("Alpina", "€1"), (Cell("Brandt", "attn", icon="triangle-alert"), "€2"), ("short",)])
    qtmodeltester.check(model)
    assert model.rowCount(model.index(0, 0)) == 0
    assert model.data(QModelIndex()) is None


def test_cells_are_plain_and_hide_nothing() -> None:
    model = CellTableModel(COLUMNS)
    model.set_rows([("<b>x</b>\u202e", "1")])
    assert model.data(model.index(0, 0)) == "<b>x</b>\\u202e"
    assert "&lt;b&gt;" in model.data(model.index(0, 0), Qt.ItemDataRole.ToolTipRole)


def test_a_fitted_table_shows_every_row_above_the_bar_of_wide_columns(qtbot: QtBot) -> None:
    table = TableDiff([Column("File", 300), Column("Why", 300)], name="Files")
    qtbot.addWidget(table)
    table.set_rows([("a.txt", "old"), ("b.txt", "old"), ("c.txt", "old")])
    table.fit_rows()
    table.resize(900, table.height())
    table.show()
    qtbot.waitExposed(table)
    roomy = table.height()
    table.resize(400, table.height())
    qtbot.waitUntil(table.horizontalScrollBar().isVisible)
    qtbot.waitUntil(lambda: not table.verticalScrollBar().isVisible())
    assert table.viewport().height() >= 3 * 32
    table.resize(900, table.height())
    qtbot.waitUntil(lambda: table.height() == roomy)


@pytest.mark.parametrize(("rows", "words"), [(1, "1 row"), (2, "2 rows"), (1_200, "1,200 rows")])
def test_a_table_counts_its_rows_in_words(qtbot: QtBot, rows: int, words: str) -> None:
    table = TableDiff(COLUMNS, name="Rows")
    qtbot.addWidget(table)
    table.set_rows([("x", "1")] * rows)
    assert table.summary() == words


def test_flagged_rows_come_first_and_count_when_opened(qtbot: QtBot) -> None:
    table = TableDiff(COLUMNS, name="Recipients")
    qtbot.addWidget(table)
    table.set_rows([(f"customer {n}", "€1") for n in range(30)], flagged=(7, 19))
    table.resize(400, 200)
    table.show()
    qtbot.waitExposed(table)
    assert [table.model().index(row, 0).data() for row in range(3)] == ["customer 7", "customer 19", "customer 0"]
    assert table.summary() == "2 flagged first, 28 more below"
    for row in (0, 0, 5, 1):
        at = table.visualRect(table.model().index(row, 0)).center()
        QTest.mouseClick(table.viewport(), LEFT, NONE, at)
    assert table.unopened_flagged == 1 or table.unopened_flagged == 0
    table.scrollToTop()
    QTest.mouseClick(table.viewport(), LEFT, NONE, table.visualRect(table.model().index(1, 0)).center())
    assert table.unopened_flagged == 0
    assert not table.is_seen_to_end
    with qtbot.waitSignal(table.seen_to_end):
        table.scrollToBottom()


def test_a_hundred_thousand_rows_paint_quickly(qtbot: QtBot) -> None:
    table = TableDiff(COLUMNS)
    qtbot.addWidget(table)
    table.resize(600, 500)
    started = time.process_time()
    table.set_rows([(f"customer {n}", "€1") for n in range(100_000)])
    table.show()
    qtbot.waitExposed(table)
    table.scrollToBottom()
    table.repaint()
    assert time.process_time() - started < 3


def test_enter_opens_a_row_and_ctrl_enter_does_not(qtbot: QtBot) -> None:
    model = CellTableModel(COLUMNS)
    model.set_rows([("a", "1"), ("b", "2")])
    table = Table(model, name="Sessions")
    qtbot.addWidget(table)
    table.show()
    opened: list[int] = []
    table.row_opened.connect(opened.append)
    table.setCurrentIndex(model.index(1, 0))
    QTest.keyClick(table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert opened == [1]


# ------------------------------------------------------------------------------------------------ costs


@pytest.fixture
def graph(qtbot: QtBot) -> CostGraph:
    widget = CostGraph()
    qtbot.addWidget(widget)
    widget.resize(700, 170)
    widget.build_plot()
    widget.show()
    qtbot.waitExposed(widget)
    return widget


@pytest.mark.parametrize("state", [
    CostState(), CostState((), 0.5, 0.4, 10),
    CostState([StepCost(1, math.nan, math.inf, -1, 0)], math.nan, math.inf, 5),
    CostState([StepCost(n, output=1e-9) for n in range(3)], 1e9), CostState([StepCost(1)], 0, -1, 0),
    CostState([StepCost(n, output=0.01) for n in range(50_000)], 600),
])  # fmt: skip
def test_no_figures_break_the_graph(graph: CostGraph, state: CostState) -> None:
    graph.set_state(state)
    graph.grab()


def test_the_graph_folds_to_one_line(qtbot: QtBot, graph: CostGraph) -> None:
    graph.set_state(CostState([StepCost(1, output=0.31)], 0.5, 0.41, 20, 0.92))
    assert graph.summary() == "$0.31 of $0.50 · projected $0.41 · cache read 92 %"
    with qtbot.waitSignal(graph.collapsed_changed):
        graph.set_collapsed(True)
    assert graph.sizeHint().height() < 40
    assert "cache read 92 %" in graph.accessibleName()


def test_a_click_on_a_bar_names_its_step(qtbot: QtBot, graph: CostGraph) -> None:
    graph.set_state(CostState([StepCost(n, output=0.01) for n in range(1, 16)], 0.5))
    qtbot.wait(50)
    plot = graph._plot
    assert plot is not None
    box = plot.getPlotItem().vb
    at = plot.mapFromScene(box.mapViewToScene(box.viewRect().center()))
    with qtbot.waitSignal(graph.step_clicked) as heard:
        QTest.mouseClick(plot.viewport(), LEFT, NONE, at)
    assert heard.args == [8]


def test_the_graph_follows_the_theme(graph: CostGraph, kit_theme: Theme) -> None:
    graph.set_state(CostState([StepCost(1, output=0.31)], 0.5))
    light = graph.grab().toImage()
    kit_theme.set_mode(ThemeMode.DARK)
    assert graph.grab().toImage() != light


def test_pyqtgraph_is_not_imported_for_a_folded_graph() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from PySide6.QtWidgets import QApplication; app = QApplication([]);"
        "from ui.widgets.cost_graph import CostGraph; g = CostGraph(); g.set_collapsed(True); g.show();"
        "app.sendPostedEvents(); sys.exit('pyqtgraph' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_open_graph_loads_pyqtgraph_by_itself(qtbot: QtBot) -> None:
    widget = CostGraph(CostState([StepCost(1, output=0.1)], 0.5))
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitUntil(lambda: widget._plot is not None, timeout=20_000)
