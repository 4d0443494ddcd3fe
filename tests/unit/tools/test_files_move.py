"""files_move: whole, never over anything, never out."""

from pathlib import Path

import pytest

from tests.unit.tools.workbench import Workbench, file_part, snapshot


async def test_a_folder_moves_with_every_file_named_on_the_card(bench: Workbench) -> None:
    bench.write("old/a.md", "1")
    bench.write("old/in/b.md", "22")
    before = snapshot(bench.root)
    preview = await bench.preview("files_move", source="old", target="archive/2026/old")
    outcome = await bench.run("files_move", source="old", target="archive/2026/old")

    assert preview.summary == "Move old to archive/2026/old (2 files, 3 bytes)"
    assert file_part(preview).names == ["old/a.md (1 byte)", "old/in/b.md (2 bytes)"]
    assert sorted(snapshot(bench.root)) == [
        "archive", "archive/2026", "archive/2026/old", "archive/2026/old/a.md", "archive/2026/old/in",
        "archive/2026/old/in/b.md",
    ]  # fmt: skip
    await bench.undo(outcome)
    assert snapshot(bench.root) == before


@pytest.mark.parametrize(
    ("source", "target", "code"),
    [
        ("nowhere", "x", "not_found"),
        ("a", "b", "exists"),
        ("a", "folder", "exists"),
        ("folder", "folder/inside", "invalid"),
        (".", "x", "denied"),
        ("a", ".", "denied"),
        ("a", "../x", "denied"),
        ("../x", "a", "denied"),
    ],
)
async def test_a_move_that_cannot_be_is_refused(bench: Workbench, source: str, target: str, code: str) -> None:
    bench.write("a", "1")
    bench.write("b", "2")
    (bench.root / "folder").mkdir()
    before = snapshot(bench.root)

    assert (await bench.error("files_move", source=source, target=target)).code == code
    assert snapshot(bench.root) == before


async def test_a_link_is_moved_itself(bench: Workbench, tmp_path: Path) -> None:
    (bench.root / "link").symlink_to(tmp_path)
    await bench.run("files_move", source="link", target="renamed")

    assert (bench.root / "renamed").readlink() == tmp_path
