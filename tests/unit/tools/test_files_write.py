"""files_write: what the card says, what is written, and what stops it."""

from pathlib import Path

import pytest

from agent_core.model.action import ToolError
from agent_core.model.proposal import CheckResult
from agent_core.tools.base import Outcome, ToolFailure
from tests.unit.tools.workbench import Workbench, results, snapshot


async def test_a_write_says_what_it_does_and_does_it(bench: Workbench) -> None:
    bench.write("reports/october.md", "one\ntwo\nthree\n")
    call = {"path": "reports/october.md", "content": "one\n2\nthree\nfour\n"}
    preview = await bench.preview("files_write", **call)
    outcome = await bench.run("files_write", **call)

    assert preview.summary == "Write reports/october.md (4 lines, 2 changed)"
    assert preview.what_changes.headline == "2 lines added, 1 line removed"
    assert results(preview)["overwrites nothing"] is CheckResult.WARN
    assert [source.name for source in preview.sources] == ["reports/october.md"]
    assert bench.read("reports/october.md") == call["content"]
    assert outcome.summary == "Wrote reports/october.md, 17 bytes"
    assert outcome.result == {"path": "reports/october.md", "bytes": 17, "created": False, "changed": True}


async def test_a_new_file_names_the_folders_that_are_made(bench: Workbench) -> None:
    preview = await bench.preview("files_write", path="a/b/new.md", content="x")
    outcome = await bench.run("files_write", path="a/b/new.md", content="x")

    assert preview.summary == "Write a/b/new.md (1 line, new)"
    assert next(check for check in preview.checks if check.name == "folder exists").detail == "Creates a, a/b."
    assert outcome.result["created"] is True
    await bench.undo(outcome)
    assert snapshot(bench.root) == {}


async def test_a_second_attempt_with_the_same_key_finds_its_own_work(bench: Workbench) -> None:
    bench.write("a.md", "old")
    bench.calls = 1
    examined = await bench.examine("files_write", path="a.md", content="new")
    assert examined.resolved is not None
    first = await bench.executor.execute(
        bench.authorise("files_write", examined.resolved.seen, path="a.md", content="new"), bench.context()
    )
    second = await bench.executor.execute(
        bench.authorise("files_write", examined.resolved.seen, attempt=2, path="a.md", content="new"), bench.context()
    )

    assert isinstance(first, Outcome)
    assert isinstance(second, Outcome)
    assert (second.result, second.undo) == (first.result, first.undo)
    await bench.undo(second)
    assert bench.read("a.md") == "old"


async def test_writing_what_is_there_already_has_no_way_back(bench: Workbench) -> None:
    bench.write("a.md", "same")
    outcome = await bench.run("files_write", path="a.md", content="same")

    assert outcome.undo is None
    assert outcome.result["changed"] is False
    assert bench.read("a.md") == "same"


async def test_a_file_that_changed_after_the_look_is_not_overwritten(bench: Workbench) -> None:
    file = bench.write("a.md", "as judged")
    bench.calls = 1
    examined = await bench.examine("files_write", path="a.md", content="new")
    assert examined.resolved is not None
    file.write_text("changed meanwhile")
    answer = await bench.executor.execute(
        bench.authorise("files_write", examined.resolved.seen, path="a.md", content="new"), bench.context()
    )

    assert isinstance(answer, ToolError)
    assert answer.code == "changed"
    assert "a.md" in answer.message
    assert bench.read("a.md") == "changed meanwhile"


async def test_a_link_swapped_in_after_the_look_is_not_written_through(bench: Workbench, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s")
    file = bench.write("a.md", "as judged")
    bench.calls = 1
    examined = await bench.examine("files_write", path="a.md", content="new")
    assert examined.resolved is not None
    file.unlink()
    file.symlink_to(secret)
    answer = await bench.executor.execute(
        bench.authorise("files_write", examined.resolved.seen, path="a.md", content="new"), bench.context()
    )

    assert isinstance(answer, ToolError)
    assert secret.read_text() == "s"


async def test_a_refused_write_makes_no_folders(bench: Workbench) -> None:
    tool = bench.registry.find("files_write")
    arguments = bench.registry.validate(tool, {"path": "gone/a.md", "content": "x"})
    with pytest.raises(ToolFailure) as failure:
        tool.run(arguments, bench.context(expected={"gone/a.md": "was there"}))

    assert failure.value.error.code == "changed"
    assert snapshot(bench.root) == {}


async def test_a_name_that_looks_like_another_is_warned_about(bench: Workbench) -> None:
    bench.write("Report.md", "x")
    preview = await bench.preview("files_write", path="report.md", content="y")

    assert results(preview)["name is no look-alike"] is CheckResult.WARN


@pytest.mark.parametrize(
    ("path", "code"),
    [(".", "not_a_file"), ("folder", "not_a_file"), ("file/x", "not_a_folder"), ("x" * 300, "invalid")],
)
async def test_a_path_that_can_hold_no_file_is_refused_before_anyone_is_asked(
    bench: Workbench, path: str, code: str
) -> None:
    (bench.root / "folder").mkdir()
    bench.write("file", "")
    examined = await bench.examine("files_write", path=path, content="x")

    assert examined.error is not None
    assert examined.error.code == code
    assert (await bench.error("files_write", path=path, content="x")).code == code


async def test_hostile_names_are_shown_inert_and_kept_exactly(bench: Workbench) -> None:
    name = "gpj\u202etxt.md\n<b>"
    preview = await bench.preview("files_write", path=name, content="x")
    await bench.run("files_write", path=name, content="x")

    assert "\u202e" not in preview.summary
    assert "\n" not in preview.summary
    assert "\\u202e" in preview.summary
    assert [path.name for path in bench.root.iterdir()] == [name]
