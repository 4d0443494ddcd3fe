"""What a card shows of a file that gets other bytes."""

import pytest

from agent_core.model.proposal import CheckResult, FieldsChange, FileChange, TableChange, TextChange
from agent_core.tools.shared.previews.file_change import FileDiff, file_diff


def results(diff: FileDiff) -> dict[str, CheckResult]:
    return {check.name: check.result for check in diff.checks}


def test_a_table_is_shown_as_rows_and_as_text() -> None:
    diff = file_diff("a.csv", b"id,x\n1,2\n", b"id,x\n1,3\n")

    assert [type(part) for part in diff.parts] == [TableChange, TextChange]
    assert diff.headline == "1 of 1 row differs; total of x 2 → 3"


def test_a_reordered_table_says_that_only_the_order_changes() -> None:
    diff = file_diff("a.csv", b"id,x\n1,2\n2,2\n", b"id,x\n2,2\n1,2\n")

    assert diff.headline == "Every row stays as it is; only their order or their form changes"


def test_a_json_file_is_shown_as_values_and_as_text() -> None:
    diff = file_diff("a.json", b'{"a": 1}', b'{"a": 2}')

    assert [type(part) for part in diff.parts] == [FieldsChange, TextChange]


@pytest.mark.parametrize(
    ("path", "after", "check"),
    [
        ("a.json", b'{"a": 1', "JSON can be read"),
        ("a.json", b'{"a": 1, "a": 2}', "JSON can be read"),
        ("a.toml", b"a = ", "TOML can be read"),
        ("a.csv", b"id,x\n1,2,3\n", "table is regular"),
    ],
)
def test_content_that_breaks_its_own_form_fails_a_check(path: str, after: bytes, check: str) -> None:
    before = {"a.json": b'{"a": 1}', "a.toml": b"a = 1", "a.csv": b"id,x\n1,2\n"}[path]
    diff = file_diff(path, before, after)

    assert results(diff)[check] is CheckResult.FAIL
    assert isinstance(diff.parts[-1], TextChange)


@pytest.mark.parametrize(
    "line",
    [
        "... rest of the file unchanged ...",
        "# … existing code stays the same",
        "[truncated]",
        "// remaining rows omitted",
        "<!-- other entries unchanged -->",
    ],
)
def test_a_stand_in_for_content_that_was_left_out_fails_a_check(line: str) -> None:
    diff = file_diff("a.md", b"one\ntwo\n", f"one\n{line}\n".encode())

    assert results(diff)["content is whole"] is CheckResult.FAIL


def test_a_stand_in_that_was_there_before_is_none() -> None:
    text = b"[truncated]\n"

    assert results(file_diff("a.md", text, text + b"more\n"))["content is whole"] is CheckResult.PASS


def test_ordinary_words_are_no_stand_in() -> None:
    text = b"The rest of the team is here and the other invoices are unchanged since May, as agreed.\n"

    assert results(file_diff("a.md", None, text))["content is whole"] is CheckResult.PASS


def test_a_text_that_loses_more_than_half_is_warned_about() -> None:
    assert results(file_diff("a.md", b"line\n" * 500, b"line\n"))["content is whole"] is CheckResult.WARN


def test_binary_content_is_not_shown_as_text() -> None:
    diff = file_diff("data.bin", b"\x7fELF\0\0", b"text")

    assert [type(part) for part in diff.parts] == [FileChange, TextChange]
    assert "not text" in diff.headline


def test_the_whole_new_content_is_always_within_reach() -> None:
    text = "".join(f"line {number}\n" for number in range(300_000))
    diff = file_diff("big.txt", None, text.encode())
    (part,) = diff.parts

    assert isinstance(part, TextChange)
    assert part.after == text
