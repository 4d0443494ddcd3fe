"""files_delete: into the trash, with everything on the card."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from agent_core.model.action import Reversibility, ToolError
from agent_core.model.proposal import CheckResult
from tests.unit.tools.workbench import Workbench, file_part, results, snapshot, text_part


async def test_a_file_is_deleted_into_the_trash_and_comes_back(bench: Workbench) -> None:
    file = bench.write("a.md", "text\n")
    file.chmod(0o640)
    preview = await bench.preview("files_delete", path="a.md")
    outcome = await bench.run("files_delete", path="a.md")

    assert preview.summary == "Delete a.md (5 bytes)"
    assert preview.reversibility is Reversibility.REVERSIBLE
    assert (text_part(preview).before, text_part(preview).after) == ("text\n", None)
    assert not file.exists()
    await bench.undo(outcome)
    assert file.read_text() == "text\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


async def test_a_folder_is_partly_reversible_and_shows_every_file(bench: Workbench) -> None:
    for number in range(14):
        bench.write(f"old/{number % 3}/{number}.bin", b"x" * 170_000)
    before = snapshot(bench.root)
    preview = await bench.preview("files_delete", path="old")
    outcome = await bench.run("files_delete", path="old")

    assert preview.summary == "Delete 14 files, 2.4 MB, in old/"
    assert preview.reversibility is Reversibility.PARTLY_REVERSIBLE
    assert preview.what_changes.headline == "14 files in 4 folders, 2.4 MB"
    assert len(file_part(preview).names) == 14
    assert file_part(preview).size == 14 * 170_000
    assert outcome.summary == "Deleted 14 files, 2.4 MB, in old/"
    assert snapshot(bench.root) == {}
    await bench.undo(outcome)
    assert snapshot(bench.root) == before


async def test_of_a_link_only_the_link_goes(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "x").write_text("x")
    (bench.root / "link").symlink_to(tmp_path / "target")
    preview = await bench.preview("files_delete", path="link")
    await bench.run("files_delete", path="link")

    assert preview.summary == "Delete the link link"
    assert (tmp_path / "target" / "x").exists()
    assert not (bench.root / "link").is_symlink()


async def test_a_history_fails_a_check_and_fresh_files_warn(bench: Workbench) -> None:
    bench.write("project/.git/HEAD", "ref")
    preview = await bench.preview("files_delete", path="project")

    assert results(preview)["no history is lost"] is CheckResult.FAIL
    assert results(preview)["not in use"] is CheckResult.WARN


@pytest.mark.parametrize("path", [".", "a", "a/home", "a/home/agents"])
async def test_what_holds_or_is_denied_cannot_be_deleted_or_moved(bench: Workbench, path: str) -> None:
    bench.denied = [bench.root / "a" / "home"]
    bench.write("a/home/agents/x.toml", "x")
    before = snapshot(bench.root)

    assert (await bench.error("files_delete", path=path)).code == "denied"
    assert (await bench.error("files_move", source=path, target="z")).code == "denied"
    assert snapshot(bench.root) == before


async def test_a_folder_that_got_another_file_after_the_look_is_not_deleted(bench: Workbench) -> None:
    bench.write("old/a", "1")
    bench.calls = 1
    examined = await bench.examine("files_delete", path="old")
    assert examined.resolved is not None
    bench.write("old/precious", "2")
    answer = await bench.executor.execute(
        bench.authorise("files_delete", examined.resolved.seen, path="old"), bench.context()
    )

    assert isinstance(answer, ToolError)
    assert answer.code == "changed"
    assert bench.read("old/precious") == "2"


async def test_a_trash_on_another_disk_still_keeps_everything(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.rename

    def other_disk(source: Any, target: Any, **where: Any) -> None:
        if "trash" in str(target) and "workspace" not in str(target):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        real(source, target, **where)

    monkeypatch.setattr(os, "rename", other_disk)
    bench.write("old/a", "1")
    before = snapshot(bench.root)
    outcome = await bench.run("files_delete", path="old")

    assert snapshot(bench.root) == {}
    assert [entry["name"] for entry in (await bench.run("files_list", path=".")).result["entries"]] == []
    await bench.undo(outcome)
    assert snapshot(bench.root) == before
