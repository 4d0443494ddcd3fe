"""Cards over all sessions agree with the fold of the events, whatever happens to them."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from itertools import count

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.action import Tier
from agent_core.model.budget import Limits
from agent_core.model.errors import DecisionRefused, InputError
from agent_core.model.events import (
    DecisionUndone,
    Draft,
    ProposalChanged,
    ProposalExpired,
    ProposalWithdrawn,
    RunStarted,
)
from agent_core.model.proposal import DeadlineOutcome, ProposalStatus, Touchpoint, Verdict
from agent_core.model.state import fold
from agent_core.store.cards import Cards
from agent_core.store.journal import Journal
from tests.unit.store.samples import NOON, asked, decided, decision, draft, opened, proposal

ACTS = ("change", "ask", "postpone", "approve", "reject", "undo", "withdraw", "expire")


def history(session: str, acts: Sequence[tuple[int, str]]) -> list[Draft]:
    """A history in which each act is possible where it stands; others are left out."""
    drafts = [opened(), draft(RunStarted(limits=Limits(), agent_version="1", by="anna"))]
    status: dict[str, str] = {}
    for number, (card, act) in enumerate(acts):
        name = f"p-{session}-{card}"
        if name not in status:
            drafts.append(asked(name, session))
            status[name] = "open"
        event = _act(name, session, act, status[name], f"d-{session}-{number}")
        if event is not None:
            drafts.append(event)
            status[name] = {"approve": "decided", "reject": "decided", "undo": "open", "withdraw": "gone",
                            "expire": "gone"}.get(act, status[name])  # fmt: skip
    return drafts


def _act(name: str, session: str, act: str, status: str, made: str) -> Draft | None:
    if act == "undo":
        return draft(DecisionUndone(proposal=name, decision=made, by="anna")) if status == "decided" else None
    if status != "open":
        return None
    if act == "change":
        revised = proposal(name, session, touchpoint=Touchpoint.EXCEPTION, tier=Tier.R3, approve_by=None)
        return draft(ProposalChanged(proposal=name, revised=revised, why="re-checked"))
    if act == "withdraw":
        return draft(ProposalWithdrawn(proposal=name, why="moot"))
    if act == "expire":
        return draft(ProposalExpired(proposal=name, outcome=DeadlineOutcome.CANCEL))
    until = {"until": (NOON + timedelta(hours=1)).isoformat()} if act == "postpone" else {}
    return decided(decision(Verdict(act), of=name, name=made, details=until))


_numbers = count()
acts = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(ACTS)), max_size=14)


@given(acts, acts)
def test_cards_agree_with_the_fold(
    journal: Journal, first: list[tuple[int, str]], second: list[tuple[int, str]]
) -> None:
    cards, number = Cards(journal), next(_numbers)
    plans = {f"s-{number}-a": first, f"s-{number}-b": second}
    states = [fold(journal.append_now(name, history(name, plan))) for name, plan in plans.items()]
    shown = {card.proposal: (card, newest) for card, newest in cards.open_now()}
    for state in states:
        for name, expected in state.proposals.items():
            card = cards.find_now(name)
            assert (card.session, card.status) == (state.session, expected.status)
            assert (card.touchpoint, card.tier) == (expected.proposal.touchpoint, expected.proposal.tier)
            assert (card.approve_by, card.version) == (expected.proposal.approve_by, len(expected.versions))
            assert (card.with_agent, card.snoozed_until) == (expected.with_agent, expected.snoozed_until)
            assert (name in shown) == (expected.status is ProposalStatus.OPEN)
            if name in shown:
                assert shown[name] == (card, expected.proposal)
        assert [card.proposal for card in cards.of_session_now(state.session)] == sorted(state.open_proposals)


async def test_an_unknown_proposal_is_refused_as_unknown(journal: Journal) -> None:
    with pytest.raises(DecisionRefused, match="no proposal p-404") as refused:
        await Cards(journal).find("p-404")
    assert refused.value.code == "unknown"


async def test_a_card_is_found_by_its_short_form_unless_several_have_it(journal: Journal) -> None:
    await journal.append("s-1", [opened(), asked("p-01a-8f2kd3"), asked("p-01b-8f2kd3"), asked("p-01c-cjfbfr")])
    cards = Cards(journal)

    assert await cards.named("cjfbfr") == "p-01c-cjfbfr"
    with pytest.raises(DecisionRefused) as refusal:
        await cards.named("p-404")
    assert refusal.value.code == "unknown"
    with pytest.raises(InputError, match="2 proposals; name one in full: p-01a-8f2kd3, p-01b-8f2kd3"):
        await cards.named("p-8f2kd3")


async def test_a_card_with_long_evidence_comes_back_whole(journal: Journal) -> None:
    long = msgspec.structs.replace(proposal(), could_go_wrong=["x" * 50_000])
    await journal.append("s-1", [asked(could_go_wrong=["x" * 50_000])])

    assert [newest for _, newest in await Cards(journal).open()] == [long]


def test_a_card_whose_event_is_gone_is_left_out_and_hides_no_other(journal: Journal) -> None:
    journal.append_now("s-1", [opened(), asked()])
    with closing(sqlite3.connect(journal.database.path)) as shell:
        shell.execute("DROP TRIGGER events_are_not_deleted")
        shell.execute("DELETE FROM events WHERE kind = 'proposal_opened'")
        shell.commit()
    journal.append_now("s-2", [opened(), asked("p-2", "s-2")])

    assert [card.proposal for _, card in Cards(journal).open_now()] == ["p-2"]
