"""Leases and stop files: who works a session, and how others stop it without asking the database."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.model.errors import InputError, SessionBusy
from agent_core.store.leases import Leases
from agent_core.store.stops import Stops
from tests.unit.store.samples import NOON

LEASING = """
import sys
from pathlib import Path
from agent_core.config.home import Home
from agent_core.store.leases import Leases
lease = Leases(Home.at(Path(sys.argv[1]))).take("s-1")
print("leased", flush=True)
sys.stdin.readline()
"""
HOSTILE = ("../write.lock", "s-1/../../halt", "", ".", "..", "S-1", "s 1", "s-1\0", "s-" + "x" * 100)


@pytest.fixture
def leases(place: Home) -> Leases:
    return Leases(place)


@pytest.fixture
def stops(place: Home) -> Stops:
    return Stops(place)


def test_a_lease_excludes_others_until_it_is_released(leases: Leases) -> None:
    with leases.take("s-1"):
        with pytest.raises(SessionBusy, match=f"s-1 is being worked by process {os.getpid()}"):
            leases.take("s-1")
        assert leases.holder("s-1") == os.getpid()
        leases.take("s-2").release()
    assert leases.holder("s-1") is None
    leases.take("s-1").release()


def test_a_killed_process_loses_its_lease(place: Home, leases: Leases) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LEASING, str(place.data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path.cwd()
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"leased\n"
        assert leases.holder("s-1") == process.pid
        with pytest.raises(SessionBusy, match=f"process {process.pid}"):
            leases.take("s-1")
        process.kill()
        process.wait()
        assert leases.holder("s-1") is None
        leases.take("s-1").release()


def test_looking_who_holds_a_lease_never_keeps_it_from_its_taker(leases: Leases) -> None:
    for _ in range(200):
        assert leases.holder("s-1") is None
        leases.take("s-1").release()


@pytest.mark.parametrize("name", HOSTILE)
def test_names_cannot_leave_their_folder(leases: Leases, stops: Stops, name: str) -> None:
    for attempt in (leases.take, leases.holder, stops.ordered, stops.clear):
        with pytest.raises(InputError, match="no identifier"):
            attempt(name)


def test_the_halt_flag_says_who_and_outlives_everything(place: Home, stops: Stops) -> None:
    assert stops.halt() is None
    stops.set_halt("anna", NOON, force=True, reason="wrong customer")
    order = Stops(place).halt()

    assert order is not None
    assert (order.by, order.at, order.force, order.reason) == ("anna", NOON, True, "wrong customer")
    assert stops.clear_halt()
    assert not stops.clear_halt()
    assert stops.halt() is None


def test_a_torn_flag_still_halts(place: Home, stops: Stops) -> None:
    place.create()
    for content in (b"", b"{", b"\xff\xfe", b'{"by": 3}'):
        place.halt.write_bytes(content)
        assert stops.halt() is not None


def test_single_sessions_are_stopped_and_cleared(stops: Stops) -> None:
    stops.order("s-2", "anna", NOON)
    stops.order("s-1", "ben", NOON, force=True)

    assert stops.sessions() == ["s-1", "s-2"]
    assert stops.ordered("s-1") is not None
    assert stops.ordered("s-3") is None
    assert stops.clear("s-1")
    assert stops.sessions() == ["s-2"]


def test_stopping_works_while_the_database_is_locked(place: Home, stops: Stops) -> None:
    from agent_core.store.locks import FileLock

    place.create()
    lock = FileLock(place.write_lock)
    assert lock.acquire()
    stops.set_halt("anna", NOON)
    assert stops.halt() is not None
    lock.close()


@pytest.mark.skipif(sys.platform == "win32", reason="looks are shared locks, as POSIX has them")
def test_somebody_who_only_looks_slowly_keeps_nobody_from_working_a_session(place: Home, leases: Leases) -> None:
    import fcntl

    leases.take("s-1").release()
    with (place.leases / "s-1").open() as look:
        fcntl.flock(look, fcntl.LOCK_SH)
        timer = threading.Timer(0.3, fcntl.flock, (look, fcntl.LOCK_UN))
        timer.start()

        with leases.take("s-1") as lease:
            assert lease.session == "s-1"
        timer.join()
