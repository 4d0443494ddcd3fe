"""Kill -9 at every commit boundary: nothing is lost, nothing is done twice, every session comes to its end."""

import asyncio
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

from agent_core.model import events as ev
from agent_core.model.ids import HOME_SESSION
from agent_core.model.intents import SessionQuery
from agent_core.model.state import CallState, CallStatus
from tests.support import killed
from tests.support.history_rules import raw_problems

NEVER = 10_000


async def child(root: Path, after: int | str, story: str = "react") -> int:
    """Run the self-killing process; gives its return code."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.killed", str(root), str(after), story, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    return int(output) if process.returncode == 0 else process.returncode or 0


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("story", killed.STORIES)
async def test_a_kill_after_any_event_loses_nothing_and_doubles_nothing(tmp_path: Path, story: str) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    count = await killed.work(whole, NEVER, story)
    assert files_in(whole) == {"out.txt": "one\n", "b.txt": "1\n2\n"}
    assert killed.mails(whole) == 1

    for after in range(1, count) if story == "react" else first_of_each_kind(whole):
        root = tmp_path / f"killed{after}"
        root.mkdir()
        assert await child(root, after, story) == -signal.SIGKILL, f"the process outlived event {after}"
        await check_after_the_kill(root, after, story)


def first_of_each_kind(root: Path) -> list[int]:
    """After how many events each kind was there for the first time: another story adds kinds, not ways to die."""
    database = sqlite3.connect(root / "pilothouse-home" / "pilothouse.db")
    kinds = [kind for (kind,) in database.execute("SELECT kind FROM events ORDER BY id")]
    database.close()
    return sorted(kinds.index(kind) + 1 for kind in set(kinds[:-1]))


def files_in(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (root / "workspace").iterdir()}


async def check_after_the_kill(root: Path, after: int, story: str) -> None:
    database = sqlite3.connect(root / "pilothouse-home" / "pilothouse.db")
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    saved = {digest.hex() for (digest,) in database.execute("SELECT digest FROM events")}
    database.close()

    await killed.work(root, None, story)

    made = killed.lab(root, story)
    harness = await made.open(works=False)
    try:
        (row,) = await harness.reader.sessions(SessionQuery())
        state = await made.state(harness, row.session)
        events = await made.events(harness, row.session)
        home = await harness.reader.events(HOME_SESSION)
        assert row.stop_reason == "completed", f"killed after event {after}"
        assert saved <= {event.digest for event in [*events, *home]}, "an event that was saved is gone"
        assert all(finding.ok for finding in await harness.reader.verify())
        calls = {call.tool: call for call in state.calls.values()}
        assert all(call.status is CallStatus.FINISHED for call in calls.values())
        check_effects(root, calls)
    finally:
        await made.close()


def check_effects(root: Path, calls: dict[str, CallState]) -> None:
    """What really happened is what the journal says, once."""
    files = files_in(root)
    assert files["out.txt"] == "one\n"
    assert ("b.txt" in files) is happened(calls["files_move"])
    assert ("a.txt" in files) is not ("b.txt" in files)
    assert killed.mails(root) == int(happened(calls["email_send"]))


def happened(call: CallState) -> bool:
    assert call.finished is not None
    return call.finished.ok


async def test_a_kill_during_a_model_request_sends_it_again_and_keeps_its_cost_as_a_bound(tmp_path: Path) -> None:
    root = tmp_path
    # Events: opened, started, requested. The process dies with the first request under way.
    assert await child(root, 3) == -signal.SIGKILL

    await killed.work(root, None)

    made = killed.lab(root)
    harness = await made.open(works=False)
    try:
        (row,) = await harness.reader.sessions(SessionQuery())
        state = await made.state(harness, row.session)
        assert state.run.spend.cost_bound_usd > 0
        requested = [e.data for e in await made.events(harness, row.session, ev.ModelRequested)]
        first, second = requested[0], requested[1]
        assert isinstance(first, ev.ModelRequested)
        assert isinstance(second, ev.ModelRequested)
        assert (first.request_id, first.attempt, second.attempt) == (second.request_id, 1, 2)
        assert first.note == second.note
    finally:
        await made.close()


def test_the_recorded_histories_are_valid(tmp_path: Path) -> None:
    made = killed.lab(tmp_path)

    async def play() -> None:
        harness = await made.open()
        session = await made.start(harness, killed.GOAL)
        await killed.settle(made, harness, session)
        await made.close()

    asyncio.run(play())
    assert made.model.requests
    assert all(not raw_problems(request.messages) for request in made.model.requests)
