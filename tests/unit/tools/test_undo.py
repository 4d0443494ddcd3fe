"""Taking calls back restores every byte, or refuses."""

from pathlib import Path
from typing import Any

import pytest

from agent_core.model.action import ToolError
from agent_core.tools.base import Outcome
from tests.unit.tools.workbench import Workbench, snapshot


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("files_write", {"path": "a.md", "content": "new"}),
        ("files_write", {"path": "x/y.md", "content": "new"}),
        ("files_edit", {"path": "a.md", "old": "text", "new": "TEXT"}),
        ("files_move", {"source": "a.md", "target": "b/c.md"}),
        ("files_move", {"source": "folder", "target": "other"}),
        ("files_delete", {"path": "a.md"}),
        ("files_delete", {"path": "folder"}),
    ],
)
async def test_taking_a_call_back_restores_every_byte(bench: Workbench, name: str, arguments: dict[str, Any]) -> None:
    bench.write("a.md", b"some text \xe9\r\n")
    bench.write("folder/in/b.md", "b")
    (bench.root / "folder" / "link").symlink_to("in")
    before = snapshot(bench.root)
    outcome = await bench.run(name, **arguments)

    assert snapshot(bench.root) != before
    assert isinstance(await bench.undo(outcome), Outcome)
    assert snapshot(bench.root) == before
    assert isinstance(await bench.undo(outcome), ToolError)
    assert snapshot(bench.root) == before


async def test_taking_back_refuses_where_somebody_changed_things_since(bench: Workbench) -> None:
    bench.write("a.md", "old")
    bench.write("b.md", "b")
    bench.write("c.md", "c")
    written = await bench.run("files_write", path="a.md", content="new")
    deleted = await bench.run("files_delete", path="b.md")
    moved = await bench.run("files_move", source="c.md", target="d.md")
    bench.write("a.md", "newer")
    bench.write("b.md", "another")
    bench.write("d.md", "another")
    before = snapshot(bench.root)

    for outcome, code in ((written, "changed"), (deleted, "exists"), (moved, "changed")):
        answer = await bench.undo(outcome)
        assert isinstance(answer, ToolError)
        assert answer.code == code
    assert snapshot(bench.root) == before


async def test_a_forged_way_back_reaches_nothing(bench: Workbench, tmp_path: Path) -> None:
    bench.write("a.md", "x")
    (tmp_path / "outside").write_text("s")
    for undo in (
        {"action": "restore", "path": "../outside", "kept": None, "after": "x"},
        {"action": "explode", "path": "a.md"},
        {"action": "bring_back", "path": "b.md", "kept": "nothing/here"},
        {"action": "move_back", "path": "b.md"},
        {},
    ):
        assert isinstance(await bench.executor.take_back(undo, bench.context()), ToolError)
    assert (tmp_path / "outside").exists()
    assert bench.read("a.md") == "x"
