"""Unexpected errors lead to one report: logged with their traceback, without secrets, and told once."""

import asyncio
import json
import logging
import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.model.errors import StorageError
from console.faults import LOG_NAME, Faults, install, one_line, record, redact_for

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def faults(home: Path, told: list[str]) -> Iterator[Faults]:
    place = Home.at(home)
    place.create()
    faults = install(place, redact_for({"ANTHROPIC_API_KEY": KEY}), told.append)
    yield faults
    faults.remove()


def logged(home: Path) -> list[dict[str, str]]:
    """What was logged after the first line, which tells the versions."""
    return [json.loads(line) for line in (home / "logs" / LOG_NAME).read_text().splitlines()][1:]


def raised(words: str = "broken") -> Exception:
    try:
        raise RuntimeError(words)
    except RuntimeError as error:
        return error


def test_a_fault_is_logged_with_its_traceback_and_told_once(home: Path, faults: Faults, told: list[str]) -> None:
    faults.report(raised(), "a view")
    faults.report(raised(), "a view")

    first, second = logged(home)
    assert "Traceback" in first["traceback"]
    assert first["level"] == second["level"] == "error"
    assert told == [f"Something went wrong in a view (RuntimeError); details are in {home / 'logs' / LOG_NAME}"]


def test_the_log_begins_with_the_versions_in_use(home: Path, faults: Faults) -> None:
    first = json.loads((home / "logs" / LOG_NAME).read_text().splitlines()[0])

    assert first["level"] == "info"
    assert f"SQLite {sqlite3.sqlite_version}" in first["message"]


def test_keys_never_reach_the_log(home: Path, faults: Faults) -> None:
    faults.report(raised(f"401 for {KEY}"), "a request")
    logging.getLogger("some.library").warning("Authorization: Bearer %s", KEY)

    text = (home / "logs" / LOG_NAME).read_text()
    assert KEY not in text
    assert text.count("{{secret:ANTHROPIC_API_KEY}}") >= 2


def test_every_hook_leads_to_the_report(home: Path, faults: Faults, told: list[str]) -> None:
    sys.excepthook(RuntimeError, raised("main"), None)
    thread = threading.Thread(target=lambda: (_ for _ in ()).throw(raised("thread")), name="worker")
    thread.start()
    thread.join()
    loop = asyncio.new_event_loop()
    faults.loop_handler(loop, {"exception": raised("loop"), "message": "lost task"})
    faults.loop_handler(loop, {"exception": asyncio.CancelledError()})
    loop.close()
    faults.qt_handler(0, None, "QWidget: odd")

    assert [entry["message"] for entry in logged(home)] == [
        "unexpected error in the program",
        "unexpected error in the thread worker",
        "unexpected error in the event loop",
        "Qt: QWidget: odd",
    ]
    assert len(told) == 3


def test_afterwards_every_hook_is_as_it_was(home: Path) -> None:
    hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook, list(logging.getLogger().handlers))
    Home.at(home).create()

    install(Home.at(home), str).remove()

    assert hooks == (sys.excepthook, threading.excepthook, sys.unraisablehook, logging.getLogger().handlers)


def test_a_bug_is_one_line_that_names_its_place() -> None:
    line = one_line(raised("a\nb"))

    assert line.startswith("RuntimeError: a b (test_faults.py line ")
    assert "\n" not in line


def test_recording_a_fault_never_makes_another(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert record(raised(), {"PILOTHOUSE_HOME": str(tmp_path / "file")}) is None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_log_on_a_full_disk_prints_nothing_and_stops_nothing(
    home: Path, told: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    place = Home.at(home)
    place.create()
    (place.logs / LOG_NAME).symlink_to("/dev/full")
    faults = install(place, redact_for({}), told.append)

    faults.report(raised(), "a view")
    faults.remove()

    assert capfd.readouterr() == ("", "")
    assert told == [f"Something went wrong in a view (RuntimeError); details are in {place.logs / LOG_NAME}"]


def test_a_log_that_cannot_be_opened_is_a_fault_of_storage(home: Path) -> None:
    place = Home.at(home)
    place.create()
    (place.logs / LOG_NAME).mkdir()

    with pytest.raises(StorageError, match=LOG_NAME):
        install(place, redact_for({}))
    assert record(raised(), {"PILOTHOUSE_HOME": str(home)}) is None
