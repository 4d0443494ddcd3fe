"""Escalation and two people: who may say yes, and that everybody may say no."""

from datetime import timedelta

import pytest

from agent_core.model import events as ev
from agent_core.model.errors import DecisionRefused, ProfileError
from agent_core.model.intents import Decide
from agent_core.model.proposal import DeadlineOutcome, Verdict, Via
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, turn

WRITE = turn(call("files_write", path="out.txt", content="new"))
MAIL = turn(call("email_send", to=["a@example.org"], subject="Hello", body="Text"))
DONE = turn(text="understood")
TWO = 'two_person = ["files_write"]'


async def test_an_escalated_card_has_the_whole_time_again_and_says_with_whom_it_is(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    lab.write_profile(gate='approve_within = "1h"')
    harness = await lab.open()
    await lab.start(harness)
    before = await lab.card(harness)
    lab.clock.advance(1800)

    await lab.decide(harness, before.proposal, "escalate", details={"to": "dana"}, reason="Above my limit")

    card = await lab.card(harness)
    assert before.approve_by is not None
    assert card.approve_by == before.approve_by + timedelta(minutes=30)
    assert card.escalation is not None
    assert (card.decider, card.escalation.by, card.escalation.note) == ("dana", "bar", "Above my limit")
    assert card.deadline_outcome is DeadlineOutcome.CANCEL
    assert card.changed[0] == "bar passed it to dana."


@pytest.mark.parametrize(("verdict", "more"), [("approve", {}), ("modify", {"arguments": {}}), ("take_over", {})])
async def test_only_the_named_person_says_yes_from_then_on(
    make_lab: MakeLab, verdict: str, more: dict[str, object]
) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await lab.decide(harness, card, "escalate", details={"to": "dana"})

    with pytest.raises(DecisionRefused, match="with dana") as refused:
        await lab.decide(harness, card, verdict, **more)

    assert refused.value.code == "not_the_decider"
    await lab.decide(harness, card, "approve", by="dana")
    assert (lab.workspace / "out.txt").exists()


async def test_whoever_passed_it_on_can_still_refuse(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await lab.decide(harness, card, "escalate", details={"to": "dana"})

    await lab.decide(harness, card, "reject", reason="no longer needed")

    assert not (lab.workspace / "out.txt").exists()
    assert (await lab.state(harness, session)).proposals[card].closing is not None


async def test_a_name_that_is_no_operator_of_the_home_is_refused(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    lab.home.create()
    lab.home.settings.write_text('[policies]\noperators = ["bar", "dana"]\n')
    harness = await lab.open()
    await lab.start(harness)
    card = (await lab.card(harness)).proposal

    with pytest.raises(DecisionRefused, match="not an operator"):
        await lab.decide(harness, card, "escalate", details={"to": "nobody"})


async def test_the_first_of_two_approvals_is_shown_and_runs_nothing(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    lab.write_profile(gate=TWO)
    harness = await lab.open()
    session = await lab.start(harness)
    before = await lab.card(harness)
    assert (before.people, Verdict.MODIFY in before.verdicts) == (2, True)

    receipt = await lab.decide(harness, before.proposal, "approve", reason="fine")

    card = await lab.card(harness)
    assert not receipt.closed
    assert card.first_approval is not None
    assert card.first_approval.by == "bar"
    assert not (lab.workspace / "out.txt").exists()
    assert (await lab.result(harness, session))["open_proposals"] == [before.proposal]


@pytest.mark.parametrize("again", ["bar", " BAR "])
async def test_the_second_may_not_be_the_first(make_lab: MakeLab, again: str) -> None:
    lab = make_lab(WRITE, DONE)
    lab.write_profile(gate=TWO)
    harness = await lab.open()
    await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await lab.decide(harness, card, "approve")

    with pytest.raises(DecisionRefused, match="second, other person"):
        await lab.decide(harness, card, "approve", by=again)

    assert not (lab.workspace / "out.txt").exists()


async def test_two_people_approve_and_both_signatures_hold(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    lab.write_profile(gate=TWO)
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await lab.decide(harness, card, "approve")

    await lab.decide(harness, card, "approve", by="dana")

    assert (lab.workspace / "out.txt").exists()
    decisions = [event.data.decision for event in await lab.events(harness, session, ev.DecisionMade)]
    first, second = decisions
    assert (first.awaits_second, second.second_of, first.digest) == (True, first.decision, second.digest)
    assert first.key_id != second.key_id
    assert all(finding.ok for finding in await harness.reader.verify())


async def test_a_rule_lets_nothing_through_that_two_people_must_approve(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    lab.write_profile('[[rules]]\ntool = "files_write"\nverdict = "allow"\n', gate=TWO)
    harness = await lab.open()
    await lab.start(harness)

    assert (await lab.card(harness)).people == 2
    assert not (lab.workspace / "out.txt").exists()


async def test_a_profile_that_comes_to_want_two_people_takes_the_approval_of_one_back(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await lab.close()
    recorder = await lab.open(works=False)
    await recorder.desk.decide(Decide(proposal=card, verdict="approve", by="bar", via=Via.CLI))
    await lab.close()
    lab.write_profile(gate=TWO)

    later = await lab.open()
    await lab.resume(later, session)

    again = await lab.card(later)
    assert again.people == 2
    assert again.proposal != card
    assert not (lab.workspace / "out.txt").exists()


async def test_a_changed_target_makes_the_first_approval_void(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    (lab.workspace / "out.txt").write_text("old")
    lab.write_profile(gate=TWO)
    harness = await lab.open()
    await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await lab.decide(harness, card, "approve")
    (lab.workspace / "out.txt").write_text("changed by somebody")

    assert await harness.desk.recheck(card)

    revised = await lab.card(harness)
    assert revised.first_approval is None
    assert any("no longer counts" in line for line in revised.changed)
    await lab.decide(harness, card, "approve", by="dana")
    assert (lab.workspace / "out.txt").read_text() == "changed by somebody"


def test_a_profile_names_what_two_people_may_approve(make_lab: MakeLab) -> None:
    from agent_core.config.profile_file import load_profile

    lab = make_lab(WRITE)
    lab.write_profile(gate='two_person = ["irreversibel"]')
    with pytest.raises(ProfileError, match='did you mean "irreversible"'):
        load_profile(str(lab.profile), lab.home)
