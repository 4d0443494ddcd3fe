"""A call that two people must approve and one changes: the other approves it as changed, or nothing runs."""

from typing import Any

import msgspec
import pytest

from agent_core.engine.approvals import Approvals
from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.audit import AuditQuery
from agent_core.model.errors import DecisionRefused
from agent_core.model.proposal import ProposalStatus, TextChange
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, turn

WRITE = turn(call("files_write", path="out.txt", content="new"))
DONE = turn(text="understood")
TWO = 'two_person = ["files_write"]'
CHANGED: dict[str, Any] = {"path": "out.txt", "content": "newer"}


async def opened(make_lab: MakeLab) -> tuple[Lab, Harness, str, str]:
    lab = make_lab(WRITE, DONE)
    lab.write_profile(gate=TWO)
    harness = await lab.open()
    session = await lab.start(harness)
    return lab, harness, session, (await lab.card(harness)).proposal


async def test_the_card_shows_the_call_as_the_first_person_changed_it(make_lab: MakeLab) -> None:
    lab, harness, _, card = await opened(make_lab)
    before = await lab.card(harness)

    receipt = await lab.decide(harness, card, "modify", arguments=CHANGED)

    shown = await lab.card(harness)
    assert not receipt.closed
    assert shown.proposal == card
    assert shown.arguments == CHANGED
    assert shown.digest != before.digest
    assert shown.what_changes is not None
    assert any(isinstance(part, TextChange) and part.after == "newer" for part in shown.what_changes.parts)
    assert shown.first_approval is not None
    assert shown.first_approval.changes == ['content: "new" → "newer"']
    assert 'Changed: content: "new" → "newer".' in shown.changed
    assert not (lab.workspace / "out.txt").exists()


async def test_the_second_person_approves_the_changed_call_and_it_runs_as_changed(make_lab: MakeLab) -> None:
    lab, harness, session, card = await opened(make_lab)
    await lab.decide(harness, card, "modify", arguments=CHANGED)

    await lab.decide(harness, card, "approve", by="dana")

    assert (lab.workspace / "out.txt").read_text() == "newer"
    first, second = [event.data.decision for event in await lab.events(harness, session, ev.DecisionMade)]
    assert first.digest == second.digest is not None
    assert (first.awaits_second, second.second_of) == (True, first.decision)
    (finished,) = [e.data for e in await lab.events(harness, session, ev.CallFinished) if e.data.tool == "files_write"]
    assert finished.changed_by == "bar"
    assert all(finding.ok for finding in await harness.reader.verify())
    (entry,) = [e for e in (await harness.records.audit(AuditQuery())).entries if e.proposal == card]
    assert (entry.proposed, entry.executed) == ({"path": "out.txt", "content": "new"}, CHANGED)


async def test_whoever_changed_it_cannot_approve_it_alone(make_lab: MakeLab) -> None:
    lab, harness, _, card = await opened(make_lab)
    await lab.decide(harness, card, "modify", arguments=CHANGED)

    with pytest.raises(DecisionRefused, match="second, other person"):
        await lab.decide(harness, card, "approve", by=" Bar ")

    assert not (lab.workspace / "out.txt").exists()


async def test_the_second_person_who_changes_it_becomes_the_first(make_lab: MakeLab) -> None:
    lab, harness, _, card = await opened(make_lab)
    await lab.decide(harness, card, "approve")

    await lab.decide(harness, card, "modify", by="dana", arguments=CHANGED)

    shown = await lab.card(harness)
    assert shown.first_approval is not None
    assert shown.first_approval.by == "dana"
    assert not (lab.workspace / "out.txt").exists()
    await lab.decide(harness, card, "approve")
    assert (lab.workspace / "out.txt").read_text() == "newer"


async def test_a_target_that_changes_takes_the_change_and_its_approval_back(make_lab: MakeLab) -> None:
    lab, harness, _, card = await opened(make_lab)
    await lab.decide(harness, card, "modify", arguments=CHANGED)
    (lab.workspace / "out.txt").write_text("somebody else's")

    assert await harness.desk.recheck(card)

    shown = await lab.card(harness)
    assert shown.first_approval is None
    assert shown.arguments == {"path": "out.txt", "content": "new"}
    assert not await harness.desk.recheck(card)


async def test_a_target_that_changes_after_both_approved_runs_nothing(make_lab: MakeLab) -> None:
    lab, harness, session, card = await opened(make_lab)
    await lab.decide(harness, card, "modify", arguments=CHANGED)
    (lab.workspace / "out.txt").write_text("somebody else's")

    await lab.decide(harness, card, "approve", by="dana")

    assert (lab.workspace / "out.txt").read_text() == "somebody else's"
    state = await lab.state(harness, session)
    assert state.proposals[card].status is ProposalStatus.WITHDRAWN
    assert (await lab.card(harness)).proposal != card


async def test_a_recheck_leaves_a_changed_card_alone_while_nothing_else_changed(make_lab: MakeLab) -> None:
    lab, harness, _, card = await opened(make_lab)
    await lab.decide(harness, card, "modify", arguments=CHANGED)

    assert not await harness.desk.recheck(card)
    assert (await lab.card(harness)).arguments == CHANGED


async def test_a_change_that_the_gate_denies_changes_nothing(make_lab: MakeLab) -> None:
    lab, harness, _, card = await opened(make_lab)
    before = await lab.card(harness)

    with pytest.raises(DecisionRefused):
        await lab.decide(harness, card, "modify", arguments={"path": "../out.txt", "content": "newer"})

    assert await lab.card(harness) == before


async def test_a_change_that_makes_it_graver_is_refused(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("files_delete", path="a.txt")), DONE)
    (lab.workspace / "a.txt").write_text("a")
    (lab.workspace / "folder").mkdir()
    (lab.workspace / "folder" / "b.txt").write_text("b")
    lab.write_profile(gate='two_person = ["files_delete"]')
    harness = await lab.open()
    await lab.start(harness)
    card = (await lab.card(harness)).proposal

    with pytest.raises(DecisionRefused, match="graver"):
        await lab.decide(harness, card, "modify", arguments={"path": "folder"})

    assert (await lab.card(harness)).first_approval is None


async def test_an_edited_row_does_not_make_two_of_one(make_lab: MakeLab) -> None:
    """The second approval must carry what the first one changed: another object is no approval of it."""
    lab, harness, session, card = await opened(make_lab)
    await lab.decide(harness, card, "modify", arguments=CHANGED)
    await lab.decide(harness, card, "approve", by="dana")
    state = await lab.state(harness, session)
    known = state.proposals[card]
    assert known.closing is not None
    forged = msgspec.structs.replace(known.closing, arguments={"path": "out.txt", "content": "worst"})
    known.closing = forged

    class All:
        async def fault_of(self, decision: object) -> None:
            return None

    problem = await Approvals(All()).problem(known, forged, state.calls[known.proposal.call_id or ""], lab.clock.now())
    assert problem is not None
