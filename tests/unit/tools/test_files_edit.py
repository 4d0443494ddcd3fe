"""files_edit: one passage and no other byte."""

import pytest

from tests.unit.tools.workbench import Workbench


async def test_an_edit_changes_one_passage_and_no_other_byte(bench: Workbench) -> None:
    bench.write("a.txt", b"one\r\ntwo caf\xe9\r\nthree")
    preview = await bench.preview("files_edit", path="a.txt", old="two", new="2")
    outcome = await bench.run("files_edit", path="a.txt", old="two", new="2")

    assert preview.summary == "Edit a.txt (1 line changed)"
    assert (bench.root / "a.txt").read_bytes() == b"one\r\n2 caf\xe9\r\nthree"
    assert outcome.result == {"path": "a.txt", "line": 2, "bytes": 18}


async def test_a_passage_of_several_lines_fits_a_file_with_other_line_ends(bench: Workbench) -> None:
    bench.write("a.txt", b"one\r\ntwo\r\nthree\r\n")
    await bench.run("files_edit", path="a.txt", old="one\ntwo", new="1\n2")

    assert (bench.root / "a.txt").read_bytes() == b"1\r\n2\r\nthree\r\n"


@pytest.mark.parametrize(
    ("old", "new", "code", "hint"),
    [
        ("missing", "x", "passage_not_found", "Read the file again"),
        ("ONE", "x", "passage_not_found", "letter case"),
        ("one  two", "x", "passage_not_found", "blanks"),
        ("a", "x", "passage_not_unique", "more around it"),
        ("xx", "y", "passage_not_unique", "more around it"),
        ("one", "one", "nothing_to_change", "Leave"),
    ],
)
async def test_a_passage_that_does_not_fit_says_why(bench: Workbench, old: str, new: str, code: str, hint: str) -> None:
    bench.write("a.txt", "one two\na b a\nxxx\n")
    error = await bench.error("files_edit", path="a.txt", old=old, new=new)

    assert error.code == code
    assert hint in (error.suggestion or "")


async def test_an_edit_cannot_put_in_what_the_encoding_lacks(bench: Workbench) -> None:
    bench.write("a.txt", b"caf\xe9")
    error = await bench.error("files_edit", path="a.txt", old="caf", new="日")

    assert error.code == "invalid"
    assert (bench.root / "a.txt").read_bytes() == b"caf\xe9"
