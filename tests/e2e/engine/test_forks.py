"""Forks: a session that begins with what another one had come to. Nothing is run, asked about or counted again."""

import pytest

from agent_core.model import events as ev
from agent_core.model.budget import Limits
from agent_core.model.errors import InputError
from agent_core.model.intents import ForkSession
from agent_core.model.proposal import Touchpoint
from agent_core.model.run import HistoryKind
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, turn
from tests.support.history_rules import raw_problems

READ = turn(call("files_list", path="."))
NOTE = turn(call("notes_write", key="plan", text="first a, then b"), text="I take a note.")
WRITE = turn(call("files_write", path="report.md", content="old"))
DONE = turn(text="done")


async def fork(lab: Lab, session: str, step: int | None = None, **more: object) -> str:
    """Fork a session and wait until the fork rests."""
    harness = lab.open_harnesses[-1]
    made = await harness.supervisor.fork(ForkSession(session=session, by="bar", step=step, **more))  # type: ignore[arg-type]
    await harness.supervisor.wait(made)
    return made


async def test_a_fork_goes_on_after_the_step_with_the_very_bytes_of_the_source(make_lab: MakeLab) -> None:
    lab = make_lab(READ, NOTE, READ, DONE)
    harness = await lab.open()
    source = await lab.start(harness)
    sent = lab.model.requests[2]
    lab.model.requests.clear()

    made = await fork(lab, source, 2)

    request = lab.model.requests[0]
    assert raw_problems(request.messages) == []
    assert [bytes(raw) for raw in request.messages[:-1]] == [bytes(raw) for raw in sent.messages[:-1]]
    assert (request.system, request.tools, request.step) == (sent.system, sent.tools, 3)
    result = await lab.result(harness, made)
    assert (result["status"], result["stop_reason"], result["output"]) == ("ended", "completed", "done")
    assert (await lab.state(harness, made)).run.notes == {"plan": "first a, then b"}


async def test_a_fork_counts_only_what_it_did_itself(make_lab: MakeLab) -> None:
    lab = make_lab(READ, NOTE, READ, DONE)
    harness = await lab.open()
    source = await lab.start(harness, limits=Limits(steps=9))
    before = (await lab.result(harness, source))["spend"]
    day = await harness.reader.day_budget()

    made = await fork(lab, source, 2)

    spend = (await lab.result(harness, made))["spend"]
    assert (spend["steps"], spend["tool_calls"]) == (2, 1)
    assert (await lab.state(harness, made)).run.limits.steps == 9
    assert (await lab.result(harness, source))["spend"] == before, "the source stays as it is"
    after = await harness.reader.day_budget()
    assert after.spent_usd is not None
    assert day.spent_usd is not None
    assert str(after.spent_usd - day.spent_usd) == spend["cost_usd"]


async def test_no_effect_is_repeated_and_the_fork_is_told_what_was_done_since(make_lab: MakeLab) -> None:
    lab = make_lab(READ, WRITE, DONE)
    harness = await lab.open()
    source = await lab.start(harness)
    await lab.decide(harness, (await lab.card(harness)).proposal, "approve")
    report = lab.workspace / "report.md"
    report.write_text("changed by hand since")

    late = await fork(lab, source, 2)
    early = await fork(lab, source, 1)

    assert report.read_text() == "changed by hand since"
    assert await lab.events(harness, late, ev.CallStarted, ev.CallJudged, ev.ProposalOpened) == []
    (begun,) = await lab.events(harness, early, ev.SessionForked)
    assert isinstance(begun.data, ev.SessionForked)
    assert "report.md" in begun.data.note
    assert "look before you rely" in begun.data.note
    told = [entry.text for entry in (await lab.state(harness, early)).history if entry.kind is HistoryKind.NOTE]
    assert begun.data.note in told


async def test_cards_are_not_copied_and_a_step_that_waits_is_not_on_offer(make_lab: MakeLab) -> None:
    lab = make_lab(READ, WRITE, DONE)
    harness = await lab.open()
    source = await lab.start(harness)
    open_card = await lab.card(harness)

    plan = await harness.reader.fork_plan(source)
    assert [point.step for point in plan.points] == [0, 1]
    assert "waits for a decision" in plan.why_not_later
    with pytest.raises(InputError, match="0 to 1, not after 2; step 2 is not whole: files_write waits"):
        await fork(lab, source, 2)

    made = await fork(lab, source)
    cards = await lab.cards(harness)
    assert {card.session for card in cards} == {source, made}
    assert len({card.proposal for card in cards}) == 2, "it asks for itself"
    assert open_card.proposal in {card.proposal for card in cards}


async def test_a_fork_from_the_goal_alone_may_have_another_goal(make_lab: MakeLab) -> None:
    lab = make_lab(READ, DONE)
    harness = await lab.open()
    source = await lab.start(harness, goal="Sort the invoices")

    made = await fork(lab, source, 0, goal="Sort the receipts")

    state = await lab.state(harness, made)
    assert state.opened is not None
    assert state.opened.goal == "Sort the receipts"
    assert len(lab.model.messages(2)) == 1
    with pytest.raises(InputError, match="The goal is empty"):
        await fork(lab, source, 0, goal="  ")


async def test_another_goal_drops_reasoning_that_was_signed_under_the_old_one(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("files_list", path="."), thinking="hm"), DONE)
    lab.model = type(lab.model)(lab.model._scripted._script.turns, lab.clock)
    harness = await lab.open()
    source = await lab.start(harness)

    await fork(lab, source, 1)
    kept = lab.model.messages()[1]["content"]
    await fork(lab, source, 1, goal="another one")
    dropped = lab.model.messages()[1]["content"]

    assert [block["type"] for block in dropped] == ["tool_use"]
    assert "tool_use" in [block["type"] for block in kept]
    assert raw_problems(lab.model.requests[-1].messages) == []


async def test_a_fork_can_be_forked_and_goes_on_after_a_restart(make_lab: MakeLab) -> None:
    lab = make_lab(READ, NOTE, turn(call("ask_operator", question="Which?")), DONE)
    harness = await lab.open()
    source = await lab.start(harness)
    first = await fork(lab, source, 2)
    second = await fork(lab, first, 1)
    await lab.close()
    harness = await lab.open()

    for session in (first, second):
        (card,) = [card for card in await lab.cards(harness) if card.session == session]
        assert card.touchpoint is Touchpoint.QUESTION
        await lab.resume(harness, session)
        await lab.decide(harness, card.proposal, "answer", answer="the left one")
        assert (await lab.result(harness, session))["status"] == "ended"
        assert raw_problems(lab.model.requests[-1].messages) == []
    assert all(finding.ok for finding in await harness.reader.verify())


async def test_an_operator_reads_a_past_call_once_in_the_history_of_rules(make_lab: MakeLab) -> None:
    lab = make_lab(READ, WRITE, DONE)
    harness = await lab.open()
    source = await lab.start(harness)
    await lab.decide(harness, (await lab.card(harness)).proposal, "approve")
    before = len(await harness.rulebook.history(30))

    await fork(lab, source, 2)

    assert len(await harness.rulebook.history(30)) == before


async def test_what_cannot_be_forked_is_refused(make_lab: MakeLab) -> None:
    lab = make_lab(DONE)
    harness = await lab.open()
    source = await lab.start(harness)
    for step in (-1, 2, 99):
        with pytest.raises(InputError, match="can be forked after the steps 0 to 1"):
            await fork(lab, source, step)
    with pytest.raises(InputError, match="There is no session"):
        await fork(lab, "s-nobody", 0)
    lab.workspace.rename(lab.workspace.with_name("elsewhere"))
    with pytest.raises(InputError, match="is not a folder"):
        await fork(lab, source, 0)
