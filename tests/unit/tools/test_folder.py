"""Open folders hold what was checked: a link that is swapped in meanwhile leads nowhere."""

import os
import shutil
import stat
import threading
from pathlib import Path

import pytest

from agent_core.model.action import ToolError
from agent_core.tools.base import ToolFailure
from agent_core.tools.shared.folder import Folder
from agent_core.tools.shared.paths import BY_HANDLE, Place, Workspace
from tests.unit.tools.workbench import Workbench

MODES = [pytest.param(True, marks=pytest.mark.skipif(not BY_HANDLE, reason="needs open folders")), False]


@pytest.fixture(params=MODES, ids=["by handle", "by path"])
def workspace(tmp_path: Path, request: pytest.FixtureRequest) -> Workspace:
    root = tmp_path / "workspace"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "x.md").write_text("inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.md").write_text("outside")
    return Workspace(root, [tmp_path / "home"], by_handle=request.param)


def error_of(failure: pytest.ExceptionInfo[ToolFailure]) -> ToolError:
    return failure.value.error


def test_a_folder_swapped_for_a_link_after_the_check_is_not_entered(workspace: Workspace, tmp_path: Path) -> None:
    place = workspace.place("a/x.md")
    shutil.rmtree(workspace.root / "a")
    (workspace.root / "a").symlink_to(tmp_path / "outside")

    with pytest.raises(ToolFailure) as failure:
        Folder.open(workspace, place.parent)

    assert error_of(failure).code == "denied"


def test_a_file_swapped_for_a_link_after_the_check_is_not_read(workspace: Workspace, tmp_path: Path) -> None:
    with Folder.open(workspace, Place(("a",))) as folder:
        (workspace.root / "a" / "x.md").unlink()
        (workspace.root / "a" / "x.md").symlink_to(tmp_path / "outside" / "x.md")
        with pytest.raises(ToolFailure) as failure:
            folder.file("x.md")

    assert error_of(failure).code == "denied"


def test_a_link_swapped_in_is_not_written_through(workspace: Workspace, tmp_path: Path) -> None:
    with Folder.open(workspace, Place(("a",))) as folder:
        was = folder.stamp("x.md")
        (workspace.root / "a" / "x.md").unlink()
        (workspace.root / "a" / "x.md").symlink_to(tmp_path / "outside" / "x.md")
        with pytest.raises(ToolFailure):
            folder.replace("x.md", b"new", was)

    assert (tmp_path / "outside" / "x.md").read_text() == "outside"


@pytest.mark.skipif(not BY_HANDLE, reason="needs open folders")
def test_an_open_folder_stays_the_one_that_was_opened(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    (root / "a").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    with Folder.open(Workspace(root), Place(("a",))) as folder:
        (root / "a").rename(root / "moved")
        (root / "a").symlink_to(tmp_path / "outside")
        folder.replace("new.md", b"x", None)

    assert (root / "moved" / "new.md").read_bytes() == b"x"
    assert list((tmp_path / "outside").iterdir()) == []


async def test_swapping_links_all_the_time_never_lets_a_call_out(bench: Workbench, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("secret")
    bench.write("real/x.md", "inside")
    target = bench.root / "a"
    stop = threading.Event()

    def swap() -> None:
        turn = 0
        while not stop.is_set():
            link = bench.root / f"next-{turn}"
            link.symlink_to(outside if turn % 2 else bench.root / "real")
            link.replace(target)
            turn += 1

    swapper = threading.Thread(target=swap)
    swapper.start()
    read: list[str] = []
    try:
        for number in range(150):
            answer = await bench.answer("files_read", path="a/x.md")
            if not isinstance(answer, ToolError):
                read.append(str(getattr(answer, "result", "")))
            await bench.answer("files_write", path="a/y.md", content=f"{number}")
            await bench.answer("files_delete", path="a/x.md") if number == 149 else None
    finally:
        stop.set()
        swapper.join()

    assert "secret" not in "".join(read)
    assert [path.name for path in outside.iterdir()] == ["x.md"]
    assert (outside / "x.md").read_text() == "secret"


def test_a_pipe_is_refused_without_waiting_for_its_writer(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "a" / "pipe")
    with Folder.open(workspace, Place(("a",))) as folder, pytest.raises(ToolFailure) as failure:
        folder.file("pipe")

    assert error_of(failure).code == "not_a_file"


def test_a_denied_folder_is_not_entered_under_any_name(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.root / "own").mkdir()
    closed = Workspace(workspace.root, [workspace.root / "own"], by_handle=workspace.by_handle)
    (workspace.root / "own").rename(workspace.root / "renamed")

    with pytest.raises(ToolFailure) as failure:
        Folder.open(closed, Place(("renamed",)))

    assert error_of(failure).code == "denied"


def test_a_write_keeps_the_mode_and_leaves_nothing_behind(workspace: Workspace) -> None:
    file = workspace.root / "a" / "x.md"
    file.chmod(0o640)
    with Folder.open(workspace, Place(("a",))) as folder:
        folder.replace("x.md", b"new", folder.stamp("x.md"))

    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert sorted(path.name for path in (workspace.root / "a").iterdir()) == ["b", "x.md"]


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(workspace: Workspace) -> None:
    with Folder.open(workspace, Place(("a",))) as folder:
        was = folder.stamp("x.md")
        (workspace.root / "a" / "x.md").write_text("somebody else was faster")
        with pytest.raises(ToolFailure) as failure:
            folder.replace("x.md", b"new", was)

    assert error_of(failure).code == "changed"
    assert (workspace.root / "a" / "x.md").read_text() == "somebody else was faster"
    assert sorted(path.name for path in (workspace.root / "a").iterdir()) == ["b", "x.md"]


def test_a_write_does_not_go_through_a_hard_link(workspace: Workspace, tmp_path: Path) -> None:
    os.link(tmp_path / "outside" / "x.md", workspace.root / "a" / "linked.md")
    with Folder.open(workspace, Place(("a",))) as folder:
        folder.replace("linked.md", b"new", folder.stamp("linked.md"))

    assert (tmp_path / "outside" / "x.md").read_text() == "outside"


def test_a_move_never_overwrites(workspace: Workspace) -> None:
    (workspace.root / "a" / "y.md").write_text("there")
    with Folder.open(workspace, Place(("a",))) as folder, pytest.raises(ToolFailure) as failure:
        folder.move("x.md", folder, "y.md")

    assert error_of(failure).code == "exists"
    assert (workspace.root / "a" / "y.md").read_text() == "there"


def test_a_folder_is_not_moved_over_an_empty_one(workspace: Workspace) -> None:
    (workspace.root / "empty").mkdir()
    with Folder.open(workspace, Place(())) as folder, pytest.raises(ToolFailure) as failure:
        folder.move("a", folder, "empty")

    assert error_of(failure).code == "exists"
    assert (workspace.root / "a" / "x.md").exists()


def test_missing_folders_are_made_and_named(workspace: Workspace) -> None:
    made: list[Place] = []
    with Folder.open(workspace, Place(("a", "c", "d")), made) as folder:
        assert folder.names() == []

    assert [place.text for place in made] == ["a/c", "a/c/d"]


@pytest.mark.parametrize(
    ("parts", "code"), [(("nowhere",), "not_found"), (("a", "x.md"), "not_a_folder"), (("n" * 300,), "invalid")]
)
def test_what_is_no_folder_is_named_for_what_it_is(workspace: Workspace, parts: tuple[str, ...], code: str) -> None:
    with pytest.raises(ToolFailure) as failure:
        Folder.open(workspace, Place(parts))

    assert error_of(failure).code == code


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user who may be refused")
def test_what_may_not_be_read_says_so(workspace: Workspace) -> None:
    (workspace.root / "a" / "x.md").chmod(0)
    with Folder.open(workspace, Place(("a",))) as folder, pytest.raises(ToolFailure) as failure:
        folder.file("x.md")

    assert error_of(failure).code == "no_permission"
