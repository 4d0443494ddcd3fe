"""Stop, pause, halt and close: everything rests where it is told to, and the history stays valid."""

import asyncio
from typing import Any

import pytest

from agent_core.model import events as ev
from agent_core.model.errors import Halted, InputError
from agent_core.model.intents import Decide, StartRun
from agent_core.model.proposal import Via
from agent_core.policy.containment import DENIALS
from agent_core.store.processes import Processes
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, eventually, turn
from tests.support.history_rules import raw_problems
from tests.support.virtual_clock import VirtualClock

READ = turn(call("files_list", path="."))
SLOW = turn(call("files_list", path="."), text="slow", delay_s=1000)
DONE = turn(text="done")


async def begin(lab: Lab, harness: Any) -> str:
    start = StartRun(profile=str(lab.profile), goal="x", workspace=str(lab.workspace), by="bar")
    session: str = await harness.supervisor.start(start)
    return session


async def asked(lab: Lab, times: int) -> None:
    await eventually(lambda: len(lab.model.requests) >= times)


async def test_stopping_cuts_the_stream_and_ends_cancelled_without_calls(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SLOW)
    harness = await lab.open()
    session = await begin(lab, harness)
    await asked(lab, 2)

    await harness.supervisor.stop(session, "bar")
    await harness.supervisor.wait(session)

    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["completed"]) == ("cancelled", False)
    assert (await lab.kinds(harness, session)).count("call_judged") == 1


async def test_a_stopped_session_can_be_talked_to_and_its_history_is_valid(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("files_write", path="a", content="a"), call("files_list", path=".")), DONE)
    harness = await lab.open()
    session = await lab.start(harness)

    await harness.supervisor.stop(session, "bar")
    await lab.resume(harness, session, "go on without it")

    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["open_proposals"]) == ("completed", [])
    assert not raw_problems(lab.model.requests[-1].messages)
    assert "cancelled" in str(lab.model.messages()[-1])


async def test_pausing_lets_the_response_come_and_runs_nothing_after_it(make_lab: MakeLab) -> None:
    lab = make_lab(READ, turn(call("files_list", path="."), delay_s=10.0), DONE)
    harness = await lab.open()
    session = await begin(lab, harness)
    await asked(lab, 1)

    await harness.supervisor.pause(session, "bar")
    await harness.supervisor.wait(session)

    result = await lab.result(harness, session)
    assert result["status"] == "paused"
    await lab.resume(harness, session)
    assert (await lab.result(harness, session))["stop_reason"] == "completed"


async def test_pausing_a_session_that_rests_on_its_cards_holds_it_until_it_is_resumed(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("files_write", path="a", content="a")), DONE)
    harness = await lab.open(takes_decided=True)
    session = await lab.start(harness)

    for _ in range(2):
        await harness.supervisor.pause(session, "bar")
    await lab.decide(harness, (await lab.card(harness)).proposal, "approve")
    await harness.supervisor.wait(session)

    assert (await lab.result(harness, session))["status"] == "paused"
    assert not (lab.workspace / "a").exists()
    assert (await lab.kinds(harness, session)).count("run_paused") == 1

    await lab.resume(harness, session)
    assert (lab.workspace / "a").read_text() == "a"
    with pytest.raises(InputError, match="has ended already"):
        await harness.supervisor.pause(session, "bar")


async def test_the_halt_stops_all_and_lets_nothing_start_until_it_is_released(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SLOW)
    harness = await lab.open()
    session = await begin(lab, harness)
    await asked(lab, 2)
    other = await lab.open(works=False)

    await other.supervisor.stop_all("eve")
    async with asyncio.timeout(3):
        await harness.supervisor.wait(session)

    assert (await lab.result(harness, session))["stop_reason"] == "cancelled"
    with pytest.raises(Halted):
        await lab.start(harness)
    await lab.close()
    again = await lab.open()
    with pytest.raises(Halted):
        await lab.start(again)
    await again.supervisor.release("eve")
    lab.model._scripted._script.turns[:] = [DONE]
    assert (await lab.result(again, await lab.start(again)))["stop_reason"] == "completed"
    kinds = [event.kind for event in await again.reader.events("home")]
    assert [kind for kind in kinds if "halt" in kind] == ["halt_set", "halt_released"]


async def test_another_process_stops_one_session_by_a_file(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SLOW)
    harness = await lab.open()
    session = await begin(lab, harness)
    await asked(lab, 2)
    other = await lab.open(works=False)

    await other.supervisor.stop(session, "eve")
    async with asyncio.timeout(3):
        await harness.supervisor.wait(session)

    (stopped,) = await lab.events(harness, session, ev.RunStopped)
    assert isinstance(stopped.data, ev.RunStopped)
    assert stopped.data.by == "eve"


async def test_a_message_reaches_the_next_request(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("files_write", path="a", content="a")), DONE)
    harness = await lab.open()
    session = await lab.start(harness)

    await harness.supervisor.message(session, "mind the date", "bar")
    await lab.decide(harness, (await lab.card(harness)).proposal, "approve")

    assert "mind the date" in str(lab.model.messages()[-1])
    assert not raw_problems(lab.model.requests[-1].messages)
    with pytest.raises(InputError):
        await harness.supervisor.message(session, "too late", "bar")


async def test_closing_with_open_cards_changes_nothing_about_them(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("files_write", path="a", content="a")), DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    before = await lab.kinds(harness, session)
    await lab.close()

    again = await lab.open()

    assert await lab.kinds(again, session) == before
    assert (await lab.card(again)).proposal == card


async def test_a_hundred_closes_at_odd_moments_leave_nothing_pending(make_lab: MakeLab) -> None:
    lab = make_lab(*[READ] * 3, turn(call("files_write", path="a", content="a")))
    for moment in range(30):
        harness = await lab.open()
        session = await begin(lab, harness)
        for _ in range(moment):
            await asyncio.sleep(0)
        await lab.close()
        assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    again = await lab.open()
    assert all(finding.ok for finding in await again.reader.verify(session))


async def test_quitting_inside_the_time_to_undo_keeps_the_decision_and_the_next_console_executes_it(
    make_lab: MakeLab,
) -> None:
    lab = make_lab(turn(call("files_write", path="a", content="a")), DONE, clock=VirtualClock(passes=1.0))
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await harness.desk.decide(Decide(proposal=card, verdict="approve", by="bar", via=Via.CONSOLE))
    await lab.close()
    assert not (lab.workspace / "a").exists()
    lab.clock.advance(60)

    console = await lab.open(takes_decided=True)
    await console.supervisor.wait(session)

    assert (lab.workspace / "a").exists()
    assert (await lab.result(console, session))["stop_reason"] == "completed"


async def test_force_ends_the_recorded_processes_of_a_session_and_no_others(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SLOW)
    harness = await lab.open()
    session = await begin(lab, harness)
    await asked(lab, 2)
    sleepers = [await asyncio.create_subprocess_exec("sleep", "60", start_new_session=True) for _ in range(2)]
    Processes(lab.home).record(sleepers[0].pid, session, "sleep")
    other = await lab.open(works=False)

    await other.supervisor.stop(session, "eve", force=True)

    async with asyncio.timeout(5):
        await sleepers[0].wait()
    assert sleepers[1].returncode is None
    sleepers[1].kill()
    await sleepers[1].wait()
    await harness.supervisor.wait(session)
    assert (await lab.result(harness, session))["stop_reason"] == "cancelled"


async def test_a_containment_is_lifted_while_its_run_lasts_and_not_after_it(make_lab: MakeLab) -> None:
    away = [turn(call("files_read", path=f"../secret{number}")) for number in range(DENIALS)]
    lab = make_lab(*away, turn(call("ask_operator", question="?")), DONE)
    harness = await lab.open()
    lifted, left = await lab.start(harness), await lab.start(harness)

    await harness.supervisor.lift(lifted, "files_read", "bar")
    for card in await lab.cards(harness):
        await lab.decide(harness, card.proposal, "decline")

    assert len(await lab.events(harness, lifted, ev.ToolReleased)) == 1
    with pytest.raises(InputError, match=f"Session {left} has ended"):
        await harness.supervisor.lift(left, "files_read", "bar")
    assert (await lab.kinds(harness, left))[-1] == "run_stopped"
