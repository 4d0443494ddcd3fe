"""Time: a deadline never approves; it is the system's act, judged by the wall clock alone."""

from datetime import timedelta

import pytest

from agent_core.model import events as ev
from agent_core.model.errors import DecisionRefused
from agent_core.model.intents import StartRun
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, eventually, turn

WRITE = turn(call("files_write", path="out.txt", content="x"))
DONE = turn(text="done")
HOURS = 3600.0


async def test_a_passed_deadline_cancels_as_the_systems_act_and_tells_the_model(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    session = await lab.start(harness)

    lab.clock.advance(8 * HOURS, loop=False)

    async def ended() -> bool:
        return (await lab.result(harness, session))["status"] == "ended"

    await eventually(ended)
    (expired,) = await lab.events(harness, session, ev.ProposalExpired)
    assert isinstance(expired.data, ev.ProposalExpired)
    assert expired.data.by == "system"
    assert "decision_made" not in await lab.kinds(harness, session)
    assert not (lab.workspace / "out.txt").exists()
    (result,) = lab.model.results()
    assert '"expired"' in result["content"]
    assert "No person refused it" in result["content"]


async def test_a_card_whose_profile_names_no_deadline_has_the_default_one_and_says_what_it_means(
    make_lab: MakeLab,
) -> None:
    lab = make_lab(WRITE, turn(call("ask_operator", question="which?")), DONE)
    harness = await lab.open()
    await lab.start(harness)
    approval = await lab.card(harness)
    await lab.decide(harness, approval.proposal, "approve")
    question = await lab.card(harness)

    for card in (approval, question):
        assert card.approve_by == card.opened_at + timedelta(hours=4)
        assert "Nothing is approved by itself." in card.deadline_text


async def test_a_decision_after_the_deadline_is_refused_before_any_writer_journaled_it(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await lab.close()
    lab.clock.advance(5 * HOURS)
    late = await lab.open(works=False)

    with pytest.raises(DecisionRefused) as refused:
        await lab.decide(late, card, "approve")

    assert refused.value.code == "expired"
    entry = (await late.desk.open_proposals())[0]
    assert entry.expired
    assert "proposal_expired" not in await lab.kinds(late, session)


async def test_after_three_days_off_the_card_has_expired_and_the_run_goes_on_without_it(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    await lab.close()
    lab.clock.advance(72 * HOURS)

    again = await lab.open()
    await lab.resume(again, session)

    assert (await lab.result(again, session))["stop_reason"] == "completed"
    assert not (lab.workspace / "out.txt").exists()


async def test_a_clock_that_was_set_back_expires_nothing_early(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    await lab.start(harness)
    card = await lab.card(harness)

    lab.clock.advance(-2 * HOURS)
    await harness.desk.expire(card.session)
    assert not (await harness.desk.open_proposals())[0].expired
    await lab.decide(harness, card.proposal, "approve")

    assert (lab.workspace / "out.txt").exists()


async def test_stop_on_deadline_ends_the_run(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    lab.write_profile(gate='on_deadline = "stop"')
    harness = await lab.open()
    session = await lab.start(harness)

    lab.clock.advance(5 * HOURS)
    await harness.desk.expire(session)
    await harness.supervisor.wait(session)

    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["completed"]) == ("deadline_passed", False)


async def test_escalation_on_deadline_happens_once_and_then_cancels(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    lab.write_profile(gate='on_deadline = "escalate"\nescalate_to = "finance-lead"\napprove_within = "1h"')
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal

    lab.clock.advance(1.1 * HOURS)
    await harness.desk.expire(session)
    (entry,) = await harness.desk.open_proposals()
    assert entry.proposal.proposal == card
    assert not entry.expired
    assert "finance-lead" in entry.proposal.deadline_text
    lab.clock.advance(1.1 * HOURS)
    await harness.desk.expire(session)
    await harness.supervisor.wait(session)

    assert (await lab.result(harness, session))["stop_reason"] == "completed"
    assert not (lab.workspace / "out.txt").exists()


async def test_an_approval_of_an_expired_card_is_not_used_by_the_next_call(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, turn(call("files_write", path="out.txt", content="x")), DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    first = (await lab.card(harness)).proposal
    lab.clock.advance(5 * HOURS)
    await harness.desk.expire(session)
    await harness.supervisor.wait(session)

    second = (await lab.card(harness)).proposal
    assert second != first
    with pytest.raises(DecisionRefused):
        await lab.decide(harness, first, "approve")
    assert not (lab.workspace / "out.txt").exists()


async def test_waiting_for_a_person_is_no_active_time(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    lab.clock.advance(2 * HOURS)

    await lab.decide(harness, (await lab.card(harness)).proposal, "approve")

    assert (await lab.result(harness, session))["spend"]["active_seconds"] < 60


async def test_an_approval_that_waited_longer_than_its_card_may_is_asked_about_again(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open(works=False)
    session = await lab.start(harness)
    first = (await lab.card(harness)).proposal
    await lab.decide(harness, first, "approve")
    lab.clock.advance(72 * HOURS, loop=False)

    await lab.resume(harness, session)

    assert not (lab.workspace / "out.txt").exists()
    fresh = await lab.card(harness)
    assert fresh.proposal != first
    (withdrawn,) = await lab.events(harness, session, ev.ProposalWithdrawn)
    assert isinstance(withdrawn.data, ev.ProposalWithdrawn)
    assert "expired" in withdrawn.data.why
    await lab.decide(harness, fresh.proposal, "approve")
    await lab.resume(harness, session)
    assert (lab.workspace / "out.txt").exists()


async def test_a_sleep_in_the_middle_of_a_request_is_told_and_is_no_active_time(make_lab: MakeLab) -> None:
    lab = make_lab(turn(text="done", delay_s=400))
    harness = await lab.open()
    start = StartRun(profile=str(lab.profile), goal="x", workspace=str(lab.workspace), by="bar")
    session = await harness.supervisor.start(start)
    await eventually(lambda: len(lab.model.requests) == 1)
    asleep = lab.clock.now()

    lab.clock.advance(8 * HOURS, loop=False)
    await harness.supervisor.wait(session)

    (jumped,) = await lab.events(harness, session, ev.ClockJumped)
    assert isinstance(jumped.data, ev.ClockJumped)
    assert (jumped.data.since, jumped.at) == (asleep, lab.clock.now())
    kinds = await lab.kinds(harness, session)
    assert kinds.index("clock_jumped") < kinds.index("model_responded")
    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["spend"]["active_seconds"]) == ("completed", 0)


async def test_a_sleep_while_only_people_were_waited_for_is_no_event(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    lab.write_profile(gate='approve_within = "2d"')
    harness = await lab.open()
    session = await lab.start(harness)

    lab.clock.advance(8 * HOURS, loop=False)
    await lab.decide(harness, (await lab.card(harness)).proposal, "approve")

    assert "clock_jumped" not in await lab.kinds(harness, session)
    assert (await lab.result(harness, session))["stop_reason"] == "completed"
