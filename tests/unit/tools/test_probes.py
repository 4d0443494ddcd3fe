"""Whether a call of unknown outcome happened: a truth table."""

import pytest

from tests.unit.tools.workbench import Workbench, snapshot

PROBED: list[tuple[str, dict[str, str]]] = [
    ("files_write", {"path": "a.md", "content": "new"}),
    ("files_edit", {"path": "a.md", "old": "old", "new": "new"}),
    ("files_move", {"source": "a.md", "target": "b.md"}),
    ("files_move", {"source": "folder", "target": "b"}),
    ("files_delete", {"path": "a.md"}),
    ("files_delete", {"path": "folder"}),
]


@pytest.mark.parametrize(("name", "arguments"), PROBED)
@pytest.mark.parametrize("ran", [True, False])
async def test_a_probe_tells_whether_it_happened(
    bench: Workbench, name: str, arguments: dict[str, str], ran: bool
) -> None:
    bench.write("a.md", "old text")
    bench.write("folder/x", "1")
    examined = await bench.examine(name, **arguments)
    assert examined.resolved is not None
    if ran:
        await bench.run(name, **arguments)
    before = snapshot(bench.root)
    answer = bench.probe(name, examined.resolved.seen, **arguments)

    assert answer is not None
    assert answer.happened is ran
    assert snapshot(bench.root) == before


@pytest.mark.parametrize(("name", "arguments"), PROBED)
async def test_a_probe_does_not_guess_when_somebody_else_was_there(
    bench: Workbench, name: str, arguments: dict[str, str]
) -> None:
    bench.write("a.md", "old text")
    bench.write("folder/x", "1")
    examined = await bench.examine(name, **arguments)
    assert examined.resolved is not None
    await bench.run(name, **arguments)
    bench.write("a.md", "another")
    bench.write("folder/x", "another")
    answer = bench.probe(name, examined.resolved.seen, **arguments)

    assert answer is not None
    assert answer.happened is None


async def test_a_deletion_that_somebody_else_made_is_not_taken_for_ours(bench: Workbench) -> None:
    bench.write("a.md", "old")
    examined = await bench.examine("files_delete", path="a.md")
    assert examined.resolved is not None
    (bench.root / "a.md").unlink()
    answer = bench.probe("files_delete", examined.resolved.seen, path="a.md")

    assert answer is not None
    assert answer.happened is None
