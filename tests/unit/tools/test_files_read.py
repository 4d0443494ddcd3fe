"""files_list, files_read and files_search: honest about what they did not see."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.tools.shared.globs import glob_pattern
from tests.unit.tools.workbench import Workbench


async def test_a_folder_lists_its_entries_with_kind_and_size(bench: Workbench) -> None:
    bench.write("b.txt", "hello")
    bench.write("a/x", "")
    (bench.root / "link").symlink_to("b.txt")
    (bench.root / ".pilothouse").mkdir()

    outcome = await bench.run("files_list", path=".")

    assert [(entry["name"], entry["kind"], entry.get("size")) for entry in outcome.result["entries"]] == [
        ("a", "folder", None),
        ("b.txt", "file", 5),
        ("link", "link", None),
    ]
    assert outcome.summary == "The workspace holds 3 entries"
    assert (await bench.run("files_list", path="a")).summary == "a holds 1 entry"


async def test_the_root_is_called_the_workspace_in_what_is_asked_and_told(bench: Workbench) -> None:
    bench.write("a.txt", "hello")

    assert (await bench.preview("files_list", path=".")).summary == "List the workspace"
    assert (await bench.preview("files_search", pattern="h")).summary == 'Search the workspace for "h"'
    assert (await bench.run("files_search", pattern="h")).summary == "1 match in 1 file of the workspace"


async def test_an_empty_folder_and_a_missing_one_never_look_alike(bench: Workbench) -> None:
    (bench.root / "empty").mkdir()
    bench.write("file", "")

    assert (await bench.run("files_list", path="empty")).result == {"path": "empty", "count": 0, "entries": []}
    assert (await bench.error("files_list", path="nowhere")).code == "not_found"
    assert (await bench.error("files_list", path="file")).code == "not_a_folder"


async def test_denied_folders_are_neither_listed_nor_searched(bench: Workbench) -> None:
    bench.denied = [bench.root / "home"]
    bench.write("home/agents/x.toml", "needle")
    bench.write("b.txt", "needle")

    listed = await bench.run("files_list", path=".")
    found = await bench.run("files_search", pattern="needle")

    assert [entry["name"] for entry in listed.result["entries"]] == ["b.txt"]
    assert [match["path"] for match in found.result["matches"]] == ["b.txt"]


async def test_a_text_is_read_whole(bench: Workbench) -> None:
    bench.write("a.md", "héllo\n")
    outcome = await bench.run("files_read", path="a.md")

    assert outcome.result == {
        "path": "a.md", "bytes": 7, "characters": 6, "offset": 0, "next_offset": None, "text": "héllo\n",
    }  # fmt: skip
    assert [source.name for source in outcome.sources] == ["a.md"]
    assert outcome.sources[0].age_seconds is not None


async def test_pages_join_to_the_whole_text(bench: Workbench) -> None:
    text = "".join(f"línea {number}\n" for number in range(3000))
    bench.write("long.txt", text)
    parts, offset = [], 0
    while offset is not None:
        page = (await bench.run("files_read", path="long.txt", offset=offset, limit=7001)).result
        parts.append(page["text"])
        offset = page["next_offset"]

    assert "".join(parts) == text
    assert len(parts) > 2


async def test_a_summary_says_how_much_was_read(bench: Workbench) -> None:
    bench.write("a.txt", "x" * 20_000)

    assert (await bench.run("files_read", path="a.txt", limit=20_000)).summary == "Read a.txt (20,000 characters)"
    page = await bench.run("files_read", path="a.txt", offset=10_000, limit=5_000)
    assert page.summary == "Read a.txt (characters 10,001 to 15,000 of 20,000)"


async def test_an_offset_past_the_end_is_an_error_not_an_empty_text(bench: Workbench) -> None:
    bench.write("a.md", "abc")
    bench.write("empty.md", "")

    assert (await bench.error("files_read", path="a.md", offset=3)).code == "past_the_end"
    assert (await bench.run("files_read", path="empty.md")).result["text"] == ""


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("café".encode("latin-1"), "café", "not UTF-8; read as cp1252, which is a guess"),
        (b"\x81caf\xe9", "\x81café", "not UTF-8; read as latin-1, which is a guess"),
        ("\ufeffcafé".encode("utf-16-le"), "café", "utf-16-le"),
        ("\ufeffcafé".encode(), "café", None),
    ],
)
async def test_other_encodings_are_read_and_named(
    bench: Workbench, data: bytes, text: str, encoding: str | None
) -> None:
    bench.write("a.txt", data)
    result = (await bench.run("files_read", path="a.txt")).result

    assert result["text"] == text
    assert result.get("encoding") == encoding


@pytest.mark.parametrize(
    ("data", "kind"), [(b"\x89PNG\r\n", "a PNG image"), (b"a\0b", "binary data"), (b"%PDF-1.7", "a PDF document")]
)
async def test_binary_files_are_refused_by_what_they_are(bench: Workbench, data: bytes, kind: str) -> None:
    bench.write("x.bin", data)
    error = await bench.error("files_read", path="x.bin")

    assert error.code == "not_text"
    assert kind in error.message


async def test_a_very_large_file_is_read_by_pages_too(bench: Workbench) -> None:
    file = bench.write("huge.txt", "")
    line = "0123456789abcdé\n" * 65_536
    with file.open("w", encoding="utf-8") as out:
        for _ in range(66):
            out.write(line)
    result = (await bench.run("files_read", path="huge.txt", offset=60_000_000, limit=20)).result

    assert result["text"] == (line * 2)[60_000_000 % 16 :][:20]
    assert result["characters"] is None
    assert result["next_offset"] == 60_000_020
    last = 66 * len(line) - 5
    end = (await bench.run("files_read", path="huge.txt", offset=last)).result
    assert (end["text"], end["next_offset"]) == ("bcdé\n", None)


async def test_a_folder_and_a_missing_file_cannot_be_read(bench: Workbench) -> None:
    (bench.root / "a").mkdir()

    assert (await bench.error("files_read", path="a")).code == "not_a_file"
    assert (await bench.error("files_read", path=".")).code == "not_a_file"
    assert (await bench.error("files_read", path="a/x")).code == "not_found"


async def test_matches_come_with_line_offset_and_text(bench: Workbench) -> None:
    bench.write("a/ledger.csv", "id,amount\nR-1,5\nR-2,7\n")
    bench.write("b.txt", "nothing")
    result = (await bench.run("files_search", pattern=r"R-\d,7")).result

    assert result["matches"] == [{"path": "a/ledger.csv", "line": 3, "offset": 16, "text": "R-2,7"}]
    assert (result["complete"], result["files_searched"]) == (True, 2)
    read = await bench.run("files_read", path="a/ledger.csv", offset=16, limit=5)
    assert read.result["text"] == "R-2,7"


async def test_no_match_says_how_much_was_searched(bench: Workbench) -> None:
    bench.write("a.txt", "x")
    bench.write("b.bin", b"\0")
    result = (await bench.run("files_search", pattern="needle")).result

    assert result["matches"] == []
    assert (result["complete"], result["files_searched"], result["binary_files_skipped"]) == (True, 2, 1)


async def test_a_search_where_nothing_is_is_an_error(bench: Workbench) -> None:
    assert (await bench.error("files_search", pattern="x", path="nowhere")).code == "not_found"


async def test_too_many_matches_are_cut_and_said(bench: Workbench) -> None:
    bench.write("a.txt", "x\n" * 1000)
    result = (await bench.run("files_search", pattern="x")).result

    assert len(result["matches"]) == 200
    assert result["complete"] is False
    assert result["stopped_because"] == "200 matches were found"


async def test_a_hostile_pattern_ends_at_once(bench: Workbench) -> None:
    bench.write("a.txt", "a" * 50_000 + "!")
    start = time.monotonic()
    await bench.run("files_search", pattern="(a+)+$", glob="**/**/**/**/**/*a*a*a*a*b")
    await bench.run("files_search", pattern="(a|a)*(a|a)*(a|a)*c")

    assert time.monotonic() - start < 5


@pytest.mark.parametrize("pattern", ["(", r"(a)\1", "(?=a)", "a{99999}"])
async def test_a_bad_pattern_is_one_sentence_with_a_way_out(bench: Workbench, pattern: str) -> None:
    error = await bench.error("files_search", pattern=pattern)

    assert error.code == "invalid"
    assert error.suggestion is not None


async def test_an_empty_pattern_finds_files_by_name(bench: Workbench) -> None:
    bench.write("a/b/x.csv", "")
    bench.write("x.md", "")
    result = (await bench.run("files_search", pattern="", glob="*.csv")).result

    assert [match["path"] for match in result["matches"]] == ["a/b/x.csv"]


async def test_links_are_not_followed_by_a_search(bench: Workbench) -> None:
    (bench.folder / "outside").mkdir()
    (bench.folder / "outside" / "x").write_text("needle")
    (bench.root / "out").symlink_to(bench.folder / "outside")
    (bench.root / "file").symlink_to(bench.folder / "outside" / "x")

    assert (await bench.run("files_search", pattern="needle")).result["matches"] == []


async def test_a_long_line_is_excerpted_around_the_match(bench: Workbench) -> None:
    bench.write("a.txt", "x" * 5000 + "needle" + "y" * 5000)
    (match,) = (await bench.run("files_search", pattern="needle")).result["matches"]

    assert "needle" in match["text"]
    assert len(match["text"]) < 320


@pytest.mark.parametrize(
    ("glob", "fits", "not_fits"),
    [
        ("*.csv", ["a.csv", "x/y/a.csv"], ["a.csv.bak", "a.csvx"]),
        ("reports/*.md", ["reports/a.md"], ["reports/x/a.md", "x/reports/a.md"]),
        ("reports/**/*.md", ["reports/a.md", "reports/x/y/a.md"], ["a.md"]),
        ("reports/**", ["reports/a", "reports/x/y"], ["reports", "other/a"]),
        ("./a?.txt", ["x/ab.txt", "a1.txt"], ["a.txt", "a12.txt"]),
        ("a[1].txt", ["a[1].txt"], ["a1.txt"]),
    ],
)
def test_globs_mean_what_people_expect(glob: str, fits: list[str], not_fits: list[str]) -> None:
    pattern = glob_pattern(glob)

    assert all(pattern.fullmatch(path) for path in fits)
    assert not any(pattern.fullmatch(path) for path in not_fits)


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_glob_raises(glob: str, path: str) -> None:
    glob_pattern(glob).fullmatch(path)


async def test_reading_calls_have_a_card_that_says_that_nothing_changes(bench: Workbench) -> None:
    bench.write("a.txt", "x")
    for name, arguments in (
        ("files_list", {"path": "."}),
        ("files_read", {"path": "a.txt"}),
        ("files_search", {"pattern": "x"}),
        ("notes_read", {}),
    ):
        preview = await bench.preview(name, **arguments)
        assert preview.what_changes.headline.startswith("Nothing changes"), json.dumps(arguments)
