"""Whether a process descends from a tool's is told by its ancestors, however many they are and whatever their names."""

from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.engine import ancestry
from agent_core.tools.shared import keeper

pytestmark = pytest.mark.skipif(not ancestry.LINUX, reason="only Linux tells ancestry")

FIRST, KEEPER = 5_000, 4_000
NAMES = [b"sh", b"gn\xc3", b"a) S 1 1 (b", b" ) (", b"\xff\xfe"]


def process(proc: Path, pid: int, parent: int, *, name: bytes = b"sh", command: bytes = b"sh") -> None:
    place = proc / str(pid)
    place.mkdir()
    rest = b" ".join(b"%d" % field for field in (parent, pid, *range(16), 77))
    (place / "stat").write_bytes(b"%d (%s) S %s\n" % (pid, name, rest))
    (place / "cmdline").write_bytes(command)


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Processes as the system would tell of them: the first one, and a keeper that it may descend from."""
    place = tmp_path / "proc"
    place.mkdir()
    (place / "self").symlink_to(str(FIRST))
    process(place, 1, 0, name=b"init", command=b"init")
    process(place, KEEPER, 1, command=b"python\0-I\0-S\0" + keeper.__file__.encode())
    monkeypatch.setattr(ancestry, "PROC", place)
    return place


def chain(proc: Path, length: int, top: int, name: bytes = b"sh") -> None:
    for place in range(length):
        process(proc, FIRST + place, FIRST + place + 1 if place < length - 1 else top, name=name)


@pytest.mark.parametrize("length", [1, 2, 64, 65, 1_000])
def test_a_keeper_is_found_however_many_processes_stand_between(proc: Path, tmp_path: Path, length: int) -> None:
    chain(proc, length, KEEPER)
    assert ancestry.tool_above(Home.at(tmp_path)) == f"{KEEPER}-77"


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_any_bytes_hides_no_keeper_and_keeps_no_person_out(proc: Path, tmp_path: Path, name: bytes) -> None:
    chain(proc, 3, KEEPER, name)
    assert ancestry.tool_above(Home.at(tmp_path)) == f"{KEEPER}-77"
    process(proc, 2, 1, name=name)
    (proc / "self").unlink()
    (proc / "self").symlink_to("2")
    assert ancestry.tool_above(Home.at(tmp_path)) is None


def test_a_process_that_a_home_recorded_is_found_by_its_name(proc: Path, tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    chain(proc, 3, 1)
    assert ancestry.tool_above(home) is None
    home.processes.mkdir(parents=True)
    (home.processes / f"{FIRST + 2}-77").touch()
    assert ancestry.tool_above(home) == f"{FIRST + 2}-77"


@pytest.mark.parametrize("parent", [FIRST, FIRST + 1])
def test_ancestors_that_lead_nowhere_or_in_a_circle_end_the_search(proc: Path, tmp_path: Path, parent: int) -> None:
    chain(proc, 1, parent)
    assert ancestry.tool_above(Home.at(tmp_path)) is None
