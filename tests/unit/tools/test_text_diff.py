"""Line diffs: right for every pair of texts, and linear in their length."""

import time

from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.patch import patch_lines
from agent_core.tools.shared.previews.text_diff import WHOLE, added_and_removed, hunks, lines, text_changes

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "x" * 50 + "\n"]), max_size=40)


@given(st.text(alphabet="ab\n\r", max_size=40))
def test_lines_join_to_the_text(text: str) -> None:
    assert "".join(lines(text)) == text
    assert all(line.endswith("\n") for line in lines(text)[:-1])


def apply(before: list[str], after: list[str]) -> list[str]:
    """The new lines, rebuilt from the old ones and the hunks."""
    built: list[str] = []
    at = 0
    for hunk in hunks(before, after):
        assert before[at : hunk.before_start] == after[len(built) : hunk.after_start]
        built += before[at : hunk.before_start] + after[hunk.after_start : hunk.after_end]
        at = hunk.before_end
    return built + before[at:]


@given(LINES, LINES)
def test_hunks_lead_from_the_one_text_to_the_other(before: list[str], after: list[str]) -> None:
    assert apply(before, after) == after
    assert hunks(before, before) == []


@given(st.integers(0, 5000), st.integers(0, 5000), st.integers(1, 50))
def test_a_change_in_a_long_text_is_found_where_it_is(at: int, gone: int, added: int) -> None:
    before = [f"line {number}\n" for number in range(10_000)]
    after = before[:at] + ["new\n"] * added + before[at + gone :]
    found = hunks(before, after)

    assert apply(before, after) == after
    assert added_and_removed(found) == (added, gone)


def test_two_edits_far_apart_in_a_long_text_are_two_hunks() -> None:
    before = [f"line {number}\n" for number in range(5000)]
    after = [*before[:10], "one\n", *before[11:4000], "two\n", *before[4001:]]

    assert [(hunk.before_start, hunk.before_end) for hunk in hunks(before, after)] == [(10, 11), (4000, 4001)]


def test_the_cost_grows_no_faster_than_the_texts() -> None:
    def seconds(size: int) -> float:
        before = [f"{number % 7}\n" for number in range(size)]
        after = [f"{number % 5}\n" for number in range(size)]
        start = time.perf_counter()
        hunks(before, after)
        return time.perf_counter() - start

    seconds(2_000)
    assert seconds(80_000) < 40 * max(seconds(8_000), 0.005)


def test_a_small_change_carries_both_texts_whole() -> None:
    (change,) = text_changes("a.md", "one\ntwo\n", "one\n2\nthree\n")

    assert (change.before, change.after) == ("one\ntwo\n", "one\n2\nthree\n")
    assert (change.added, change.removed) == (2, 1)


def test_a_large_text_comes_in_regions_that_leave_out_nothing_that_changes() -> None:
    before = "".join(f"line {number} {'x' * 60}\n" for number in range(WHOLE // 60))
    after = before.replace("line 50 ", "LINE 50 ").replace("line 5000 ", "line 5000 new\nand more ")
    changes = text_changes("big.txt", before, after)

    assert [change.path for change in changes] == ["big.txt, lines 48 to 54", "big.txt, lines 4,998 to 5,004"]
    assert "LINE 50 " in str(changes[0].after)
    assert "and more " in str(changes[1].after)
    assert sum(change.added for change in changes) == 3
    assert [(change.first_before, change.first_after) for change in changes] == [(48, 48), (4998, 4998)]
    assert next(patch_lines(changes[1])) == "@@ -4999,5 +4999,6 @@", "with two lines around a change"
    rebuilt = before
    for change in changes:
        assert rebuilt.count(str(change.before)) == 1
        rebuilt = rebuilt.replace(str(change.before), str(change.after))
    assert rebuilt == after


def test_a_new_file_is_whole_however_large() -> None:
    (change,) = text_changes("big.txt", None, "x\n" * WHOLE)

    assert change.before is None
    assert change.added == WHOLE
