"""Table changes: rows by key, cells side by side, odd rows first, totals that can be trusted."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.proposal import Sign, TableChange
from agent_core.tools.shared.previews.numbers import number
from agent_core.tools.shared.previews.table_diff import parse_table, table_change

BEFORE = "Invoice,Customer,Amount\nR-1,Nordwind,100.00\nR-2,Alba,250.50\nR-3,Ceder,80.00\n"


def change(before: str, after: str) -> TableChange:
    old, new = parse_table(before, ".csv"), parse_table(after, ".csv")
    assert old is not None
    assert new is not None
    return table_change("ledger.csv", old, new)


def test_one_changed_cell_is_one_changed_row() -> None:
    found = change(BEFORE, BEFORE.replace("250.50", "250.75"))

    (row,) = found.rows
    assert (row.sign, row.before, row.cells) == (Sign.CHANGED, ["R-2", "Alba", "250.50"], ["R-2", "Alba", "250.75"])
    assert row.flag is None
    assert found.unchanged == 2
    assert [(t.field, t.before, t.after) for t in found.totals] == [
        ("Rows", "3", "3"),
        ("Total of Amount", "430.50", "430.75"),
    ]


def test_rows_are_told_apart_by_key_so_order_does_not_matter() -> None:
    head, *rows = BEFORE.splitlines(keepends=True)

    assert change(BEFORE, head + "".join(reversed(rows))).rows == []


def test_a_row_put_in_changes_no_other() -> None:
    found = change(BEFORE, BEFORE.replace("R-2", "R-9,Dora,5.00\nR-2"))

    assert [(row.sign, row.cells[0]) for row in found.rows] == [(Sign.ADDED, "R-9")]
    assert found.unchanged == 3


@pytest.mark.parametrize(
    ("old", "new", "flag"),
    [
        ("100.00", "1000.00", "Amount is five times larger or more"),
        ("100.00", "10.00", "Amount is a fifth or less"),
        ("100.00", "-100.00", "Amount changes its sign"),
        ("100.00", "", "Amount is emptied"),
        ("100.00", "n/a", "Amount is no longer a number"),
        ("Nordwind", "=cmd|x", "Customer looks like a formula"),
    ],
)
def test_odd_changes_are_flagged_and_come_first(old: str, new: str, flag: str) -> None:
    found = change(BEFORE, BEFORE.replace("80.00", "81.00").replace(old, new))

    assert [row.flag for row in found.rows] == [flag, None]


def test_removed_rows_are_flagged() -> None:
    found = change(BEFORE, BEFORE.replace("R-3,Ceder,80.00\n", ""))

    assert [(row.sign, row.flag) for row in found.rows] == [(Sign.REMOVED, "row is removed")]


def test_a_column_that_goes_stays_visible() -> None:
    found = change(BEFORE, "Invoice,Amount\nR-1,100.00\nR-2,250.50\nR-3,80.00\n")

    assert found.columns == ["Invoice", "Amount", "Customer"]
    assert found.rows[0].before == ["R-1", "100.00", "Nordwind"]


def test_a_column_that_is_no_sum_gets_no_total() -> None:
    table = "Item,Year,Amount,Note\na,2025,1,x\nb,2026,2,y\n"

    assert [total.field for total in change(table, table).totals] == ["Rows", "Total of Amount"]


def test_repeated_rows_are_counted() -> None:
    table = "Item,Amount\na,1\na,1\na,1\n"

    assert ("Repeated rows", "2") in [(total.field, total.after) for total in change(table, table).totals]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a;b\n1;2,5\n", ["a", "b"]),
        ("a\tb\n1\t2\n", ["a", "b"]),
        ('a,b\n"x, y",2\n', ["a", "b"]),
        ("\ufeffa,b\r\n1,2\r\n", ["a", "b"]),
        ("1,2\n3,4\n", ["column 1", "column 2"]),
    ],
)
def test_tables_are_read_in_their_own_form(text: str, columns: list[str]) -> None:
    table = parse_table(text, ".csv")

    assert table is not None
    assert table.columns == columns


@pytest.mark.parametrize(
    "text", ["", "only one column\nx\n", "a,b\n1,2,3\n", 'a,b\n"open,2\n', "just prose, and more\n\nnext\n"]
)
def test_what_is_no_regular_table_is_left_to_the_text_diff(text: str) -> None:
    assert parse_table(text, ".csv") is None


CELLS = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6)
TABLES = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=8)
)


@given(TABLES, TABLES)
def test_every_row_of_both_tables_is_accounted_for(old: list[list[str]], new: list[list[str]]) -> None:
    def written(rows: list[list[str]]) -> str:
        out = io.StringIO()
        csv.writer(out).writerows([[f"c{n}" for n in range(len(rows[0]))], *rows])
        return out.getvalue()

    before, after = parse_table(written(old), ".csv"), parse_table(written(new), ".csv")
    if before is None or after is None:
        return
    found = table_change("t.csv", before, after)
    signs = [row.sign for row in found.rows]

    assert signs.count(Sign.REMOVED) + signs.count(Sign.CHANGED) + found.unchanged == len(before.rows)
    assert signs.count(Sign.ADDED) + signs.count(Sign.CHANGED) + found.unchanged == len(after.rows)
    assert all(len(row.cells) == len(found.columns) for row in found.rows)


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1,234", "1234"), ("1.234,50", "1234.50"), ("0,5", "0.5"), ("-3", "-3"), ("1,23", "1.23"), ("12.5", "12.5")],
)
def test_numbers_are_read_in_common_forms(cell: str, value: str) -> None:
    assert str(number(cell)) == value


@pytest.mark.parametrize("cell", ["", "1e5", "nan", "inf", "1,2,3", "1.2.3", "12 €", "0x1", "１２", "9" * 100])
def test_anything_else_is_no_number(cell: str) -> None:
    assert number(cell) is None
