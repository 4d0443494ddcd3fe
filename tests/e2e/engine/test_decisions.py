"""Decisions: what each closing verdict does, and what is never taken for one."""

import asyncio
import json
from typing import Any

import pytest

from agent_core.model import events as ev
from agent_core.model.errors import DecisionRefused
from agent_core.model.intents import Decide, HalfFilled
from agent_core.model.proposal import Touchpoint, Via
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, turn

WRITE = turn(call("files_write", path="out.txt", content="old"))
DONE = turn(text="understood")


async def one_card(lab: Lab) -> tuple[Any, str, str]:
    harness = await lab.open()
    session = await lab.start(harness)
    return harness, session, (await lab.card(harness)).proposal


async def test_a_modified_call_runs_as_modified_and_the_model_is_told_what_changed_and_by_whom(
    make_lab: MakeLab,
) -> None:
    lab = make_lab(WRITE, DONE)
    harness, session, card = await one_card(lab)

    await lab.decide(harness, card, "modify", arguments={"path": "out.txt", "content": "new"}, reason="newer")

    assert (lab.workspace / "out.txt").read_text() == "new"
    (result,) = lab.model.results()
    assert "bar changed the arguments" in result["content"]
    assert '"old" → "new"' in result["content"].replace("\\", "")
    finished = (await lab.events(harness, session, ev.CallFinished))[0].data
    assert isinstance(finished, ev.CallFinished)
    assert finished.changed_by == "bar"


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "../../etc/x", "content": "n"},
        {"path": 5, "content": "n"},
        {"content": "n"},
        {"path": "a.txt", "content": "n", "more": 1},
        {},
    ],
)
async def test_an_edit_that_does_not_fit_is_refused_and_changes_nothing(
    make_lab: MakeLab, arguments: dict[str, Any]
) -> None:
    lab = make_lab(WRITE, DONE)
    harness, session, card = await one_card(lab)
    before = await lab.kinds(harness, session)

    with pytest.raises(DecisionRefused):
        await lab.decide(harness, card, "modify", arguments=arguments)

    assert await lab.kinds(harness, session) == before
    assert not (lab.workspace / "out.txt").exists()


async def test_a_half_filled_form_is_kept_and_one_with_a_known_secret_is_not(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open(environ={"SERVICE_TOKEN": "tok-1f9c2b7e6a5d4c3b"})
    await lab.start(harness)
    card = (await lab.card(harness)).proposal
    typed = HalfFilled(verdict="modify", entries={"card.form.argument.content": "ne"})

    await harness.desk.keep_half_filled(card, "bar", typed)
    assert await harness.desk.half_filled("bar") == {card: typed}
    secret = HalfFilled(verdict="modify", entries={"card.form.argument.content": "key: tok-1f9c2b7e6a5d4c3b"})
    await harness.desk.keep_half_filled(card, "bar", secret)
    assert await harness.desk.half_filled("bar") == {}


async def test_an_edit_into_what_a_rule_denies_is_refused(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    lab.write_profile('[[rules]]\ntool = "files_write"\nwhen = { path = "secret/**" }\nverdict = "deny"\n')
    harness, _, card = await one_card(lab)

    with pytest.raises(DecisionRefused, match="den"):
        await lab.decide(harness, card, "modify", arguments={"path": "secret/x", "content": "n"})


@pytest.mark.parametrize("verdict", ["", "maybe", "Yes", "APPROVE", "approved", "none", "extend", "answer", "ask"])
async def test_what_is_no_verdict_of_the_card_leaves_it_open(make_lab: MakeLab, verdict: str) -> None:
    lab = make_lab(WRITE, DONE)
    harness, session, card = await one_card(lab)

    with pytest.raises(DecisionRefused):
        await lab.decide(harness, card, verdict)

    assert (await lab.result(harness, session))["open_proposals"] == [card]


async def test_a_rejection_reaches_the_model_as_an_error_and_the_run_goes_on(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness, session, card = await one_card(lab)

    await lab.decide(harness, card, "reject", reason="wrong target")

    (result,) = lab.model.results()
    assert result["is_error"]
    error = json.loads(result["content"])["error"]
    assert (error["code"], error["retryable"]) == ("rejected", False)
    assert "wrong target" in error["message"]
    assert (await lab.result(harness, session))["stop_reason"] == "completed"


async def test_a_rejection_that_stops_ends_the_run_rejected_and_answers_every_call(make_lab: MakeLab) -> None:
    asked = turn(call("files_write", path="a", content="a"), call("files_write", path="b", content="b"))
    lab = make_lab(asked, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    first, _ = await lab.cards(harness)

    await lab.decide(harness, first.proposal, "reject", reason="enough", details={"then": "stop"})

    state = await lab.state(harness, session)
    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["completed"], result["open_proposals"]) == ("rejected", False, [])
    assert all(found.finished is not None for found in state.calls.values())
    assert len(lab.model.requests) == 1


async def test_taking_over_records_what_the_operator_did_and_runs_nothing(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness, session, card = await one_card(lab)

    await lab.decide(harness, card, "take_over", details={"reference": "T-17", "done": True})

    (result,) = lab.model.results()
    assert "T-17" in result["content"]
    assert "is_error" not in result
    assert "call_started" not in await lab.kinds(harness, session)


async def test_escalating_and_postponing_leave_the_card_open(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness, session, card = await one_card(lab)

    escalated = await lab.decide(harness, card, "escalate", details={"to": "finance-lead"})
    until = (lab.clock.now()).replace(hour=10).isoformat()
    postponed = await lab.decide(harness, card, "postpone", details={"until": until})

    assert (escalated.closed, postponed.closed) == (False, False)
    entry = (await harness.desk.open_proposals())[0]
    assert entry.proposal.escalate_to == "finance-lead"
    assert entry.snoozed_until is not None
    assert (await lab.result(harness, session))["status"] == "awaiting_decision"
    await lab.decide(harness, card, "reject")
    assert (await lab.result(harness, session))["status"] == "ended"


async def test_a_question_is_answered_or_declined(make_lab: MakeLab) -> None:
    asked = turn(
        call("ask_operator", question="Which year?", options=["2025", "2026"]), call("ask_operator", question="Why?")
    )
    lab = make_lab(asked, DONE)
    harness = await lab.open()
    await lab.start(harness)
    year, why = await lab.cards(harness)
    assert (year.touchpoint, year.summary, year.options) == (Touchpoint.QUESTION, "Which year?", ["2025", "2026"])

    await lab.decide(harness, year.proposal, "answer", answer="2026")
    await lab.decide(harness, why.proposal, "decline", reason="not now")

    answered, declined = lab.model.results()
    assert "2026" in answered["content"]
    assert declined["is_error"]
    assert "not now" in declined["content"]


RULE = '[[rules]]\ntool = "files_write"\nwhen = { content = "*" }\nverdict = "allow"\n'
ODD = turn(call("files_write", path="deep/odd/place.txt", content="x"))


@pytest.mark.parametrize(
    ("verdict", "more", "runs"),
    [
        ("best_effort", {"reason": "good enough"}, True),
        ("answer", {"answer": "use reports/place.txt"}, False),
        ("take_over", {}, False),
    ],
)
async def test_a_call_that_a_rule_allows_asks_when_its_confidence_is_low(
    make_lab: MakeLab, verdict: str, more: dict[str, Any], runs: bool
) -> None:
    lab = make_lab(ODD, DONE)
    lab.write_profile(RULE)
    harness = await lab.open()
    session = await lab.start(harness)
    card = await lab.card(harness)
    assert card.touchpoint is Touchpoint.CONFIDENCE
    assert card.confidence is not None
    assert card.confidence.below_threshold

    await lab.decide(harness, card.proposal, verdict, **more)

    assert (lab.workspace / "deep/odd/place.txt").exists() is runs
    assert (await lab.result(harness, session))["stop_reason"] == "completed"


async def test_abandoning_a_confidence_card_ends_the_run(make_lab: MakeLab) -> None:
    lab = make_lab(ODD, DONE)
    lab.write_profile(RULE)
    harness, session, card = await one_card(lab)

    await lab.decide(harness, card, "abandon", reason="pointless")

    assert (await lab.result(harness, session))["stop_reason"] == "rejected"


async def test_of_many_deciders_exactly_one_wins_and_the_call_runs_at_most_once(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness, session, card = await one_card(lab)
    other = await lab.open(works=False)

    async def attempt(desk: Any, verdict: str) -> str:
        try:
            await desk.decide(Decide(proposal=card, verdict=verdict, by="bar", via=Via.CLI))
        except DecisionRefused as refused:
            return str(refused)
        return "won"

    outcomes = await asyncio.gather(
        *(attempt(desk, verdict) for desk in (harness.desk, other.desk) for verdict in ("approve", "reject") * 2)
    )
    await harness.supervisor.wait(session)

    assert outcomes.count("won") == 1
    assert all('bar already decided "' in said for said in outcomes if said != "won")
    kinds = await lab.kinds(harness, session)
    assert kinds.count("decision_made") == 1
    assert kinds.count("call_started") <= 1


async def test_a_decision_on_another_version_of_the_card_is_refused(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness, _, card = await one_card(lab)

    with pytest.raises(DecisionRefused, match="changed"):
        await lab.decide(harness, card, "approve", digest="0" * 64)


async def test_an_unknown_proposal_is_refused_by_name(make_lab: MakeLab) -> None:
    lab = make_lab(DONE)
    harness = await lab.open()

    with pytest.raises(DecisionRefused, match="p-none"):
        await lab.decide(harness, "p-none", "approve")


async def test_a_reversible_approval_from_the_console_waits_and_can_be_taken_back(make_lab: MakeLab) -> None:
    from tests.support.virtual_clock import VirtualClock

    lab = make_lab(WRITE, DONE, clock=VirtualClock(passes=1.0))
    harness, session, card = await one_card(lab)
    receipt = await harness.desk.decide(Decide(proposal=card, verdict="approve", by="bar", via=Via.CONSOLE))
    assert receipt.effective_at is not None

    await harness.desk.undo(card, "bar")
    await harness.supervisor.wait(session)

    assert (await lab.result(harness, session))["open_proposals"] == [card]
    assert "call_started" not in await lab.kinds(harness, session)
    await harness.desk.decide(Decide(proposal=card, verdict="approve", by="bar", via=Via.CONSOLE))
    lab.clock.advance(9)
    await harness.supervisor.wait(session)
    assert (lab.workspace / "out.txt").exists()
    with pytest.raises(DecisionRefused):
        await harness.desk.undo(card, "bar")


async def test_a_trial_shows_errors_or_the_new_preview_and_decides_nothing(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness, session, card = await one_card(lab)

    wrong = await harness.desk.trial(card, {"path": 5, "content": "x"})
    outside = await harness.desk.trial(card, {"path": "../x", "content": "x"})
    right = await harness.desk.trial(card, {"path": "other.txt", "content": "x"})

    assert list(wrong.errors) == ["path"]
    assert outside.errors
    assert not right.errors
    assert "other.txt" in right.summary
    assert (await lab.result(harness, session))["open_proposals"] == [card]


async def test_presenting_is_recorded_once_and_extending_moves_the_deadline(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness, session, card = await one_card(lab)
    before = (await lab.card(harness)).approve_by

    await harness.desk.present(card, "bar")
    await harness.desk.present(card, "bar")
    await harness.desk.extend_deadline(card, 15, "bar")

    assert (await lab.kinds(harness, session)).count("proposal_presented") == 1
    after = (await lab.card(harness)).approve_by
    assert before is not None
    assert after is not None
    assert (after - before).total_seconds() == 900


async def test_a_decision_never_comes_from_a_process_that_a_tool_started(make_lab: MakeLab) -> None:
    import os

    from agent_core.store.processes import Processes

    lab = make_lab(WRITE, DONE)
    harness, session, card = await one_card(lab)
    Processes(lab.home).record(os.getpid(), session, "a stand-in for a tool")

    with pytest.raises(DecisionRefused) as refused:
        await lab.decide(harness, card, "approve")

    assert refused.value.code == "not_a_person"


async def test_a_refused_call_asked_for_again_says_who_refused_it_and_no_rule_lets_it_through(
    make_lab: MakeLab,
) -> None:
    again = turn(call("files_write", path="out.txt", content="old"), call("files_write", path="other.txt", content="x"))
    lab = make_lab(WRITE, DONE, again, DONE)
    harness = await lab.open()
    session = await lab.start(harness, "write old to out.txt and x to other.txt")
    await lab.decide(harness, (await lab.card(harness)).proposal, "reject", reason="not now")
    lab.write_profile('[[rules]]\ntool = "files_write"\nwhen = { path = "*.txt" }\nverdict = "allow"\n')

    await lab.resume(harness, session, "go on")

    card = await lab.card(harness)
    assert card.repeat_of == "step 1 (refused by bar at 09:00 UTC)"
    assert any("repeat of step 1" in reason for reason in card.verdict_reasons)
    assert [path.name for path in lab.workspace.iterdir()] == ["other.txt"], "other calls go by the rule"


async def test_a_modification_that_makes_a_call_graver_is_asked_about_once_more_and_then_runs_as_modified(
    make_lab: MakeLab,
) -> None:
    lab = make_lab(turn(call("files_delete", path="a.txt")), DONE)
    (lab.workspace / "a.txt").write_text("a")
    (lab.workspace / "old").mkdir()
    (lab.workspace / "old" / "b.txt").write_text("b")
    harness, _, card = await one_card(lab)

    await lab.decide(harness, card, "modify", arguments={"path": "old"})
    graver = await lab.card(harness)
    assert graver.arguments == {"path": "old"}
    assert (lab.workspace / "old").exists(), "what was approved was less grave"
    await lab.decide(harness, graver.proposal, "approve")

    assert [path.name for path in lab.workspace.iterdir()] == ["a.txt"]
    (result,) = lab.model.results()
    assert "bar changed the arguments" in result["content"]
