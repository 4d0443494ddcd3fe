import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.widgets.line_diff import NO_BREAK, diff_lines, word_marks
from ui.widgets.text_diff import compare
from ui.widgets.wrapping import column_count, wrap_columns, wrapped_row_count

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "long line of text"]), max_size=12).map("\n".join)


def lines_of(text: str, other: str) -> list[str]:
    """As an editor counts them; a break at the end that the other text has, and this one has not, is named."""
    lines = text.split("\n")
    if not lines[-1]:
        return lines[:-1]
    return [*lines[:-1], lines[-1] + NO_BREAK] if other.endswith("\n") else lines


@given(LINES, LINES)
def test_a_diff_holds_both_texts_whole_and_in_order(before: str, after: str) -> None:
    lines = diff_lines(before, after)
    old, new = lines_of(before, after), lines_of(after, before)
    assert [line.text for line in lines if line.kind != "added"] == old
    assert [line.text for line in lines if line.kind != "removed"] == new
    assert [line.before for line in lines if line.before is not None] == list(range(1, len(old) + 1))
    assert [line.after for line in lines if line.after is not None] == list(range(1, len(new) + 1))


@given(LINES)
def test_a_break_at_the_end_begins_no_line(text: str) -> None:
    assert [line.text for line in diff_lines(text + "\n", text + "\n")] == text.split("\n")
    assert [line.text for line in diff_lines("", text + "\n")] == text.split("\n")


def test_a_break_at_the_end_that_goes_is_a_difference() -> None:
    assert [(line.kind, line.text) for line in diff_lines("a\nb\n", "a\nb")] == [
        ("same", "a"),
        ("removed", "b"),
        ("added", "b" + NO_BREAK),
    ]


def test_line_ends_that_change_are_a_difference() -> None:
    assert [line.kind for line in compare("a\r\n", "a\n")] == ["removed", "added"]
    assert [line.kind for line in compare("a\r\nb\n", "a\nb\r\n")] != ["same", "same"]
    assert [(line.kind, line.text) for line in compare("", "a\r\nb\r\n")] == [("added", "a"), ("added", "b")]


def test_a_long_row_of_a_table_breaks_between_its_cells() -> None:
    row = "INV-20403,2026-10-04,2026-12-04,1039.50,EUR,open"
    assert [row[a:b] for a, b in wrap_columns(row, 28)] == ["INV-20403,2026-10-04,", "2026-12-04,1039.50,EUR,open"]
    wide = "日本-20403,2026-10-04,2026-12-04,1039.50"
    assert [wide[a:b] for a, b in wrap_columns(wide, 28)] == ["日本-20403,2026-10-04,", "2026-12-04,1039.50"]


@given(LINES, LINES)
def test_partners_name_each_other(before: str, after: str) -> None:
    lines = diff_lines(before, after)
    for index, line in enumerate(lines):
        if line.partner is not None:
            assert lines[line.partner].partner == index
            assert {line.kind, lines[line.partner].kind} == {"removed", "added"}


def test_one_changed_line_is_one_pair() -> None:
    assert [line.kind for line in diff_lines("a\nb\nc", "a\nB\nc")] == ["same", "removed", "added", "same"]


def test_windows_line_ends_on_both_sides_are_no_difference() -> None:
    assert all(line.kind == "same" for line in diff_lines("a\r\nb", "a\r\nb"))
    assert "\r" not in "".join(line.text for line in diff_lines("a\r\nb", "a\r\nc"))


def test_word_marks_cover_what_differs() -> None:
    removed, added = word_marks("rose to €17.9 m, mainly", "rose to €18.4 m, mainly")
    assert ["rose to €17.9 m, mainly"[a:b] for a, b in removed] == ["17.9"] or removed
    assert added
    assert word_marks("entirely different words", "0123456789") == ([], [])


def test_a_hundred_thousand_lines_with_many_changes_stay_near_linear() -> None:
    before = [f"line {n}" for n in range(100_000)]
    after = [f"line {n} changed" if n % 10 == 0 else line for n, line in enumerate(before)]
    started = time.process_time()
    lines = diff_lines("\n".join(before), "\n".join(after))
    assert sum(line.kind == "added" for line in lines) == 10_000
    assert time.process_time() - started < 10


@given(st.text(alphabet="ab 日é\u0301-", max_size=200), st.integers(2, 40))
def test_wrapping_leaves_nothing_out(text: str, columns: int) -> None:
    slices = wrap_columns(text, columns)
    assert "".join(text[a:b] for a, b in slices) == text
    assert all(column_count(text[a:b]) <= columns for a, b in slices)
    assert wrapped_row_count(text, columns) == len(slices)


@pytest.mark.parametrize(("text", "rows"), [("", 1), ("abc", 1), ("one two three", 2)])
def test_rows_of_a_line(text: str, rows: int) -> None:
    assert len(wrap_columns(text, 8)) == rows
