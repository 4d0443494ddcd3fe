"""Drills: known-bad cards that are decided and scored, and that can never run, whatever is said to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.engine.drills import TRAPS, drafts, trap_of
from agent_core.model.audit import AuditQuery
from agent_core.model.events import CallStarted, ModelRequested, ProposalOpened
from agent_core.model.proposal import Verdict
from tests.e2e.engine.conftest import MakeLab
from tests.support.virtual_clock import VirtualClock


@pytest.mark.parametrize(("verdict", "caught"), [("approve", 0), ("reject", 1)])
async def test_a_drill_is_scored_and_nothing_runs(make_lab: MakeLab, verdict: str, caught: int) -> None:
    lab = make_lab()
    harness = await lab.open(takes_decided=True)
    card = await harness.desk.open_drill("bar")
    assert (await lab.card(harness)).drill

    assert (await harness.records.entry(card)).lesson == "", "it would give the answer away"

    receipt = await lab.decide(harness, card, verdict, reason="as I see it")

    assert receipt.closed
    assert (await harness.records.entry(card)).lesson in {trap.lesson for trap in TRAPS}
    assert receipt.effective_at is None
    assert await lab.events(harness, receipt.session, CallStarted, ModelRequested) == []
    assert lab.model.requests == []
    (bar,) = (await harness.records.calibration()).operators
    assert (bar.cards, bar.drills, bar.caught) == (0, 1, caught)
    assert (await harness.records.audit(AuditQuery(drills=False))).total == 0
    assert all(finding.ok for finding in await harness.reader.verify())


async def test_a_drill_that_nobody_answers_expires(make_lab: MakeLab) -> None:
    lab = make_lab()
    harness = await lab.open()
    await harness.desk.open_drill("bar")
    session = (await lab.card(harness)).session
    lab.clock.advance(16 * 60)
    await harness.desk.expire(session)
    assert await lab.cards(harness) == []


@given(st.integers(0, 10**9))
def test_no_drill_carries_a_call_a_digest_or_an_agent_that_could_go_on(number: int) -> None:
    made = drafts(trap_of(number), session="s", run="r", proposal="p", by="bar", now=VirtualClock().now())
    kinds = [draft.data.kind for draft in made]
    assert kinds == ["session_opened", "run_started", "run_stopped", "proposal_opened"]
    opened = made[-1].data
    assert isinstance(opened, ProposalOpened)
    card = opened.proposal
    assert (card.call_id, card.digest, card.drill) == (None, None, True)
    assert set(card.verdicts) == {Verdict.APPROVE, Verdict.REJECT}
    assert card.facts["lesson"]


def test_what_is_shown_of_a_drill_beside_its_card_is_the_same_for_every_trap() -> None:
    given = {"session": "s", "run": "r", "proposal": "p", "by": "bar", "now": VirtualClock().now()}
    beside = [[draft.data for draft in drafts(trap, **given)[:-1]] for trap in TRAPS]  # type: ignore[arg-type]
    assert all(one == beside[0] for one in beside)
