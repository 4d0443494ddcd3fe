"""What the card says is what then happens."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.action import ToolError
from agent_core.tools.base import Outcome
from tests.unit.tools.workbench import Workbench, text_part

NAMES = st.sampled_from(["a.md", "b.csv", "c.json", "d/e.txt", "d/f.md", "new/g.md"])
CONTENT = st.text(alphabet=st.sampled_from('ab,:;"{}[]1\n\r é'), max_size=30)
WRITE = st.tuples(st.just("files_write"), st.fixed_dictionaries({"path": NAMES, "content": CONTENT}))
EDIT = st.tuples(
    st.just("files_edit"),
    st.fixed_dictionaries({"path": NAMES, "old": st.text("ab1,\n", min_size=1, max_size=3), "new": CONTENT}),
)
FOLDERS = st.sampled_from(["d", "new", "z", "d/e.txt", "a.md", "z/y"])
MOVE = st.tuples(st.just("files_move"), st.fixed_dictionaries({"source": FOLDERS, "target": FOLDERS}))
DELETE = st.tuples(st.just("files_delete"), st.fixed_dictionaries({"path": FOLDERS}))
CALLS = st.lists(WRITE | WRITE | EDIT | EDIT | MOVE | DELETE, min_size=1, max_size=5)


def fresh(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    bench = Workbench(tmp_path_factory.mktemp("bench"))
    bench.write("a.md", "a\nb1\n")
    bench.write("b.csv", "id,x\n1,a\n")
    bench.write("d/e.txt", "ab\n")
    return bench


@given(st.one_of(WRITE, EDIT))
async def test_the_text_on_the_card_is_the_text_of_the_file_afterwards(
    tmp_path_factory: pytest.TempPathFactory, call: tuple[str, dict[str, str]]
) -> None:
    bench = fresh(tmp_path_factory)
    name, arguments = call
    file = bench.root / arguments["path"]
    before = file.read_bytes().decode() if file.exists() else None
    examined = await bench.examine(name, **arguments)
    answer = await bench.answer(name, **arguments)

    if examined.preview is None:
        assert isinstance(answer, ToolError)
        assert answer == examined.error
        return
    assert isinstance(answer, Outcome)
    part = text_part(examined.preview)
    assert (part.before, part.after) == (before, file.read_bytes().decode())


@given(CALLS)
async def test_cards_of_one_response_see_what_earlier_calls_would_leave(
    tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[str, dict[str, str]]]
) -> None:
    bench = fresh(tmp_path_factory)
    overlay: dict[Path, bytes | None] = {}
    planned = []
    for name, arguments in calls:
        examined = await bench.examine(name, overlay, **arguments)
        planned.append(examined)
        if examined.preview is not None:
            overlay = {**overlay, **bench.leaves(name, overlay, **arguments)}

    for (name, arguments), examined in zip(calls, planned, strict=True):
        bench.calls += 1
        now = await bench.examine(name, **arguments)
        if examined.preview is None:
            assert now.error == examined.error
            continue
        assert now.preview is not None, now.error
        assert now.preview.what_changes == examined.preview.what_changes
        assert now.preview.summary == examined.preview.summary
        assert now.resolved is not None
        assert examined.resolved is not None
        assert now.resolved.seen == examined.resolved.seen
        call = bench.authorise(name, examined.resolved.seen, **arguments)
        assert isinstance(await bench.executor.execute(call, bench.context()), Outcome)
