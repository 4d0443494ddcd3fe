"""Resume: what was done stays done, whatever process goes on with it."""

import pytest

from agent_core.model import events as ev
from agent_core.model.errors import InputError, SessionBusy
from agent_core.model.intents import Decide, StartRun
from agent_core.model.proposal import Via
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, eventually, turn
from tests.support.history_rules import raw_problems

READ = turn(call("files_list", path="."))
WRITE = turn(call("files_write", path="out.txt", content="v1"))
DONE = turn(text="done")


async def test_a_decision_of_another_process_is_executed_by_the_next_resume(make_lab: MakeLab) -> None:
    lab = make_lab(READ, WRITE, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    card = await lab.card(harness)
    await lab.close()
    recorder = await lab.open(works=False)

    receipt = await lab.decide(recorder, card.proposal, "approve")
    assert receipt.closed
    assert not (lab.workspace / "out.txt").exists(), "recording executes nothing"
    await lab.close()
    worker = await lab.open()
    await lab.resume(worker, session)

    assert (lab.workspace / "out.txt").read_text() == "v1"
    assert len(lab.model.requests) == 3, "no model request is repeated"
    kinds = await lab.kinds(worker, session)
    assert kinds.count("call_started") == 2, "no finished call runs again"
    assert "run_resumed" not in kinds
    assert all(not raw_problems(request.messages) for request in lab.model.requests)


async def test_a_process_that_works_the_session_picks_up_a_decision_of_another(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    other = await lab.open(works=False)
    card = await lab.card(other)

    await other.desk.decide(Decide(proposal=card.proposal, verdict="approve", by="bar", via=Via.CLI))
    await eventually((lab.workspace / "out.txt").exists)
    await harness.supervisor.wait(session)

    assert (await lab.result(harness, session))["stop_reason"] == "completed"


async def test_an_opened_console_goes_on_with_sessions_whose_decision_has_come_and_no_others(
    make_lab: MakeLab,
) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    decided, waiting = await lab.start(harness, "one"), await lab.start(harness, "two")
    card = next(c for c in await lab.cards(harness) if c.session == decided)
    await lab.close()
    recorder = await lab.open(works=False)
    await lab.decide(recorder, card.proposal, "approve")
    await lab.close()

    console = await lab.open(takes_decided=True)
    await console.supervisor.wait(decided)

    assert (await lab.result(console, decided))["status"] == "ended"
    assert (await lab.result(console, waiting))["status"] == "awaiting_decision"


async def test_the_events_are_the_same_live_and_after_a_restart(make_lab: MakeLab) -> None:
    turns = (READ, turn(call("files_write", path="a", content="a"), call("ask_operator", question="ok?")), DONE)
    live, restarted = make_lab(*turns), make_lab(*turns)
    kinds = []
    for lab, restart in ((live, False), (restarted, True)):
        harness = await lab.open()
        session = await lab.start(harness)
        for verdict, more in (("approve", {}), ("answer", {"answer": "yes"})):
            if restart:
                await lab.close()
                harness = await lab.open()
            touchpoint = "approval" if verdict == "approve" else "question"
            card = next(c for c in await lab.cards(harness) if c.touchpoint == touchpoint)
            await lab.decide(harness, card.proposal, verdict, **more)
            if restart:
                await lab.resume(harness, session)
        kinds.append(await lab.kinds(harness, session))

    assert kinds[0] == kinds[1]


async def test_a_session_that_this_machine_works_elsewhere_is_busy(make_lab: MakeLab) -> None:
    lab = make_lab(turn(text="slow", delay_s=1000), DONE)
    harness, other = await lab.open(), await lab.open()
    start = StartRun(profile=str(lab.profile), goal="x", workspace=str(lab.workspace), by="bar")
    session = await harness.supervisor.start(start)

    with pytest.raises(SessionBusy):
        await other.supervisor.resume(session, "bar")


async def test_an_ended_session_needs_a_message_and_starts_a_new_run_with_fresh_limits(make_lab: MakeLab) -> None:
    lab = make_lab(READ, DONE, turn(text="also done"))
    harness = await lab.open()
    session = await lab.start(harness)
    with pytest.raises(InputError, match="message"):
        await harness.supervisor.resume(session, "bar")

    await lab.resume(harness, session, "now the other half")

    state = await lab.state(harness, session)
    assert len(state.runs) == 2
    assert state.run.spend.steps == 1
    assert state.run.step == 3
    assert "now the other half" in str(lab.model.messages()[-1])
    assert not raw_problems(lab.model.requests[-1].messages)


async def test_an_unknown_session_is_refused_by_name(make_lab: MakeLab) -> None:
    lab = make_lab(DONE)
    harness = await lab.open()

    with pytest.raises(InputError, match="s-none"):
        await harness.supervisor.resume("s-none", "bar")


async def test_closing_in_the_middle_of_a_stream_pauses_and_resuming_sends_the_request_again(
    make_lab: MakeLab,
) -> None:
    lab = make_lab(READ, turn(text="slow", delay_s=1000))
    harness = await lab.open()
    start = StartRun(profile=str(lab.profile), goal="x", workspace=str(lab.workspace), by="bar")
    session = await harness.supervisor.start(start)
    await eventually(lambda: len(lab.model.requests) == 2)
    await lab.close()

    lab.model._scripted._script.turns[1] = DONE
    again = await lab.open()
    paused = await lab.result(again, session)
    assert (paused["status"], paused["open_proposals"]) == ("paused", [])
    said = (await again.supervisor.preflight(session)).next_step
    await lab.resume(again, session)

    assert (await lab.result(again, session))["stop_reason"] == "completed"
    assert len(lab.model.requests) == 3
    asked = (await lab.events(again, session, ev.ModelRequested))[-1]
    assert said == asked.step == 2, "the person was told where it goes on"
    spend = (await lab.state(again, session)).run.spend
    assert spend.cost_bound_usd > 0, "what the cut request may have cost is kept"
    attempts = [e.data.attempt for e in await lab.events(again, session, ev.ModelRequested)]
    assert attempts == [1, 1, 2]


async def test_spend_survives_restarts(make_lab: MakeLab) -> None:
    lab = make_lab(READ, WRITE, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    before = (await lab.result(harness, session))["spend"]
    await lab.close()

    again = await lab.open()

    assert (await lab.result(again, session))["spend"] == before
    assert before["steps"] == 2


async def test_a_preflight_looks_at_the_workspace_and_not_at_words_about_it(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    lab.profile = lab.profile.rename(lab.workspace / "agent.toml")
    harness = await lab.open()
    session = await lab.start(harness)
    lab.profile.unlink()

    there = await harness.supervisor.preflight(session)
    lab.workspace.rename(lab.workspace.with_name("elsewhere"))
    gone = await harness.supervisor.preflight(session)

    assert "workspace" in next(text for fine, text in there.lines if not fine), "the profile's path names it, too"
    assert there.can_resume
    assert there.next_step == 1, "the call of step 1 waits for a person"
    assert (False, "The workspace is gone.") in gone.lines
    assert not gone.can_resume


async def test_nothing_goes_on_without_its_workspace(make_lab: MakeLab) -> None:
    lab = make_lab(READ, DONE, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    away = lab.workspace.rename(lab.workspace.with_name("elsewhere"))

    with pytest.raises(InputError, match=rf"The workspace {lab.workspace} is gone; put it back"):
        await harness.supervisor.resume(session, "bar", "and again")
    assert len((await lab.state(harness, session)).runs) == 1
    away.rename(lab.workspace)
    await lab.resume(harness, session, "and again")

    assert (await lab.result(harness, session))["stop_reason"] == "completed"
