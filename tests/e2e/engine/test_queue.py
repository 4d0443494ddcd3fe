"""The queue over all sessions: its order, its groups, and deciding like cards together."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest

from agent_core.engine.harness import Harness
from agent_core.model.errors import DecisionRefused, TogetherRefused
from agent_core.model.intents import Decide
from agent_core.model.proposal import Proposal, Via
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, turn

THREE = turn(*(call("files_write", path=f"{name}.txt", content=name) for name in "abc"))
DONE = turn(text="understood")


def words(cards: list[Proposal], verdict: str = "approve", **more: Any) -> list[Decide]:
    return [Decide(proposal=c.proposal, verdict=verdict, by="bar", via=Via.CLI, **more) for c in cards]


async def six_cards(make_lab: MakeLab) -> tuple[Lab, Harness, list[str]]:
    """Three cards each of two sessions, which work in different folders."""
    lab = make_lab(THREE, DONE)
    harness = await lab.open()
    first = await lab.start(harness)
    lab.workspace = lab.root / "other"
    lab.workspace.mkdir()
    return lab, harness, [first, await lab.start(harness)]


async def test_like_cards_of_several_sessions_stand_in_one_group(make_lab: MakeLab) -> None:
    _, harness, _ = await six_cards(make_lab)

    entries = await harness.desk.open_proposals()

    assert len(entries) == 6
    assert len({entry.group for entry in entries}) == 1


async def test_a_session_that_was_taken_out_of_the_list_hides_no_card_of_another(make_lab: MakeLab) -> None:
    lab, harness, (gone, stays) = await six_cards(make_lab)
    with closing(sqlite3.connect(lab.home.database)) as shell:
        shell.execute("DELETE FROM sessions WHERE session = ?", (gone,))
        shell.commit()

    assert {card.session for card in await lab.cards(harness)} == {stays}
    (bad,) = [finding for finding in await harness.reader.verify() if not finding.ok]
    assert (bad.session, bad.reason) == (gone, "no list shows the session: its row was removed")


async def test_cards_of_several_sessions_are_decided_together_and_all_run(make_lab: MakeLab) -> None:
    lab, harness, sessions = await six_cards(make_lab)

    receipts = await harness.desk.decide_all(words(await lab.cards(harness)))

    assert all(receipt.closed for receipt in receipts)
    assert await lab.cards(harness) == []
    for session in sessions:
        await harness.supervisor.wait(session)
        assert (await lab.result(harness, session))["stop_reason"] == "completed"
    assert all(finding.ok for finding in await harness.reader.verify())


async def test_those_that_were_decided_meanwhile_are_named_and_keep_all_others_open(make_lab: MakeLab) -> None:
    lab, harness, sessions = await six_cards(make_lab)
    cards = await lab.cards(harness)
    gone = {cards[0].proposal, cards[-1].proposal}
    for proposal in gone:
        await lab.decide(harness, proposal, "reject", reason="no")
    before = [await lab.kinds(harness, session) for session in sessions]

    with pytest.raises(TogetherRefused, match="1 more") as caught:
        await harness.desk.decide_all(words(cards))

    assert {card.proposal for card in caught.value.refused} == gone
    assert all("already decided" in card.why for card in caught.value.refused)
    assert [await lab.kinds(harness, session) for session in sessions] == before
    assert len(await lab.cards(harness)) == 4


async def test_what_cannot_simply_be_undone_is_never_decided_in_a_list(make_lab: MakeLab) -> None:
    mail = call("email_send", to=["a@example.org"], subject="s", body="b")
    lab = make_lab(turn(call("files_write", path="a.txt", content="a"), mail), DONE)
    harness = await lab.open()
    await lab.start(harness)

    with pytest.raises(DecisionRefused, match="None was decided"):
        await harness.desk.decide_all(words(await lab.cards(harness)))

    assert len(await lab.cards(harness)) == 2


@pytest.mark.parametrize("verdict", ["modify", "take_over", "ask", "", "Approve"])
async def test_only_plain_words_are_said_to_several(make_lab: MakeLab, verdict: str) -> None:
    lab, harness, _ = await six_cards(make_lab)

    with pytest.raises(DecisionRefused):
        await harness.desk.decide_all(words(await lab.cards(harness), verdict))

    assert len(await lab.cards(harness)) == 6


async def test_a_list_is_neither_empty_nor_mixed_nor_names_a_card_twice(make_lab: MakeLab) -> None:
    lab, harness, _ = await six_cards(make_lab)
    cards = await lab.cards(harness)
    mixed = [*words(cards[:1]), *words(cards[1:2], "reject")]

    for wrong in ([], mixed, words([cards[0], cards[0]])):
        with pytest.raises(DecisionRefused):
            await harness.desk.decide_all(wrong)

    assert len(await lab.cards(harness)) == 6


async def test_two_people_with_the_same_list_decide_it_once(make_lab: MakeLab) -> None:
    lab, harness, sessions = await six_cards(make_lab)
    intents = words(await lab.cards(harness))

    outcomes = await asyncio.gather(
        harness.desk.decide_all(intents), harness.desk.decide_all(intents), return_exceptions=True
    )

    assert sum(isinstance(outcome, list) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, DecisionRefused) for outcome in outcomes) == 1
    for session in sessions:
        await harness.supervisor.wait(session)


async def test_a_snoozed_card_waits_behind_the_others_until_its_time(make_lab: MakeLab) -> None:
    lab, harness, _ = await six_cards(make_lab)
    first = (await lab.cards(harness))[0].proposal
    until = (lab.clock.now() + timedelta(minutes=30)).isoformat()

    await lab.decide(harness, first, "postpone", details={"until": until})

    assert (await lab.cards(harness))[-1].proposal == first
    lab.clock.advance(31 * 60)
    assert (await lab.cards(harness))[0].proposal == first
