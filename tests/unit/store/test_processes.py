"""Process groups of tools: ended when they are proven to be ours, left alone otherwise."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import msgspec
import pytest

from agent_core.config.home import Home
from agent_core.store.processes import Processes, start_time

pytestmark = pytest.mark.skipif(os.name == "nt", reason="process groups of POSIX")

STUBBORN = "trap '' TERM INT HUP; (trap '' TERM INT HUP; sleep 999) & echo $!; wait"


@pytest.fixture
def processes(place: Home) -> Processes:
    return Processes(place)


@pytest.fixture
def stubborn() -> Iterator[subprocess.Popen[str]]:
    """A shell in a group of its own, with a child; both ignore polite signals."""
    process = subprocess.Popen(["sh", "-c", STUBBORN], start_new_session=True, stdout=subprocess.PIPE, text=True)
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def test_a_recorded_group_ends_with_its_children(processes: Processes, stubborn: subprocess.Popen[str]) -> None:
    assert stubborn.stdout is not None
    child = int(stubborn.stdout.readline())
    processes.record(stubborn.pid, "s-1", "sh")
    (group,) = processes.groups("s-1")

    assert processes.end(group)
    assert stubborn.wait(5) == -signal.SIGKILL
    assert stubborn.stdout.read() == ""  # the pipe closes when the child, too, is gone
    assert child not in {one.pid for one in processes.groups()}
    assert processes.groups() == []


def test_a_pid_that_was_given_out_again_is_left_alone(processes: Processes, stubborn: subprocess.Popen[str]) -> None:
    group = processes.record(stubborn.pid, "s-1")
    another = msgspec.structs.replace(group, started=str(int(group.started or 0) - 100))

    assert not processes.end(another)
    assert stubborn.poll() is None


def test_a_group_without_its_leader_is_not_proven(processes: Processes) -> None:
    process = subprocess.Popen(["true"], start_new_session=True)
    group = processes.record(process.pid, "s-1")
    process.wait()

    assert not processes.end(group)
    processes.forget(group)
    processes.forget(group)
    assert processes.groups() == []


def test_groups_of_a_dead_owner_are_strays(place: Home, stubborn: subprocess.Popen[str]) -> None:
    code = (
        "import sys; from pathlib import Path; from agent_core.config.home import Home;"
        "from agent_core.store.processes import Processes;"
        "Processes(Home.at(Path(sys.argv[1]))).record(int(sys.argv[2]), 's-1')"
    )
    processes = Processes(place)
    subprocess.run([sys.executable, "-c", code, str(place.data), str(stubborn.pid)], check=True)
    assert [group.pid for group in processes.strays()] == [stubborn.pid]

    processes.record(stubborn.pid, "s-1")  # ours now
    assert processes.strays() == []


def test_records_of_another_boot_and_torn_ones_are_dropped(place: Home, processes: Processes) -> None:
    place.create()
    group = processes.record(os.getpid(), "s-1")
    old = msgspec.structs.replace(group, boot="another boot")
    (place.processes / group.name).write_bytes(msgspec.json.encode(old))
    (place.processes / "77-88").write_bytes(b"{")

    assert processes.groups() == []
    assert list(place.processes.iterdir()) == []


def test_start_times_tell_processes_apart() -> None:
    assert start_time(os.getpid()) == start_time(os.getpid()) is not None
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert start_time(gone.pid) is None
