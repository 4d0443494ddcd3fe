"""Two people, and cards that were passed on: whose yes counts."""

from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.profile import GateSettings
from agent_core.model.action import Reversibility
from agent_core.model.errors import DecisionRefused
from agent_core.model.intents import Decide
from agent_core.model.proposal import (
    APPROVING,
    OPEN_VERDICTS,
    REFUSING,
    Escalation,
    FirstApproval,
    Proposal,
    Verdict,
    Via,
)
from agent_core.model.state import ProposalState
from agent_core.policy.card_changes import card_changes
from agent_core.policy.decisions import CheckedDecision, check_decision, same_person
from agent_core.policy.two_people import people_needed
from tests.unit.policy.cards import NOW
from tests.unit.policy.cards import card as open_card


def proposal() -> Proposal:
    return open_card().proposal


NAMES = st.sampled_from(["bar", "Bar ", "dana", "kim"])


def decide(card: Proposal, verdict: Verdict, by: str) -> CheckedDecision:
    details = {"to": "lee"} if verdict is Verdict.ESCALATE else {}
    answer = "Why?" if verdict is Verdict.ASK else None
    intent = Decide(
        proposal=card.proposal, verdict=verdict, by=by, via=Via.CLI, details=details, answer=answer, reason="because"
        if answer is None else None,
    )  # fmt: skip
    return check_decision(intent, ProposalState(card), now=card.opened_at)


def with_first(by: str) -> Proposal:
    first = FirstApproval(decision="d-1", by=by, at=NOW)
    return msgspec.structs.replace(proposal(), people=2, first_approval=first)


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("José", "José"),
        ("José", "Jose\u0301"),
        ("José", " JOSÉ"),
        ("José", "Ｊｏｓé"),
        ("Μα\u0390ρα", "Μα\u0390ρα".upper()),
    ],
)
def test_one_person_stays_one_however_the_name_is_written(name: str, again: str) -> None:
    with pytest.raises(DecisionRefused) as refused:
        decide(with_first(name), Verdict.APPROVE, again)
    assert refused.value.code == "needs_second_person"


@given(NAMES, NAMES)
def test_two_approvals_close_a_card_only_when_they_are_of_two_people(first: str, second: str) -> None:
    alone = decide(msgspec.structs.replace(proposal(), people=2), Verdict.APPROVE, first)
    assert (alone.closes, alone.awaits_second, alone.second_of) == (False, True, None)
    if same_person(first, second):
        with pytest.raises(DecisionRefused) as refused:
            decide(with_first(first), Verdict.APPROVE, second)
        assert refused.value.code == "needs_second_person"
    else:
        together = decide(with_first(first), Verdict.APPROVE, second)
        assert (together.closes, together.awaits_second, together.second_of) == (True, False, "d-1")


@given(NAMES)
def test_one_person_refuses_what_two_must_approve(by: str) -> None:
    assert decide(with_first("bar"), Verdict.REJECT, by).closes


@given(st.sampled_from([Verdict.APPROVE, Verdict.REJECT, Verdict.ASK, Verdict.ESCALATE]), NAMES)
def test_a_card_that_was_passed_on_takes_a_yes_of_its_decider_alone(verdict: Verdict, by: str) -> None:
    card = msgspec.structs.replace(proposal(), escalation=Escalation(to="dana", by="bar", at=NOW))
    if same_person(by, "dana") or verdict in REFUSING | OPEN_VERDICTS:
        assert decide(card, verdict, by).verdict is verdict
    else:
        with pytest.raises(DecisionRefused) as refused:
            decide(card, verdict, by)
        assert refused.value.code == "not_the_decider"


def test_no_verdict_both_approves_and_refuses() -> None:
    assert not APPROVING & REFUSING
    assert not OPEN_VERDICTS & REFUSING


def changed(card: Proposal, by: str) -> CheckedDecision:
    intent = Decide(proposal=card.proposal, verdict="modify", by=by, via=Via.CLI, arguments=dict(card.arguments))
    return check_decision(intent, ProposalState(card), now=card.opened_at)


@given(st.none() | NAMES, NAMES)
def test_a_change_is_always_the_first_of_two_whoever_makes_it(first: str | None, by: str) -> None:
    card = msgspec.structs.replace(proposal(), people=2) if first is None else with_first(first)
    made = changed(card, by)
    assert (made.closes, made.awaits_second, made.second_of) == (False, True, None)


@given(NAMES, NAMES)
def test_whoever_changed_it_cannot_second_the_change(changer: str, second: str) -> None:
    arguments = {"path": "other.txt"}
    first = FirstApproval(decision="d-1", by=changer, at=NOW, arguments=arguments)
    card = msgspec.structs.replace(proposal(), people=2, first_approval=first)
    if same_person(changer, second):
        with pytest.raises(DecisionRefused):
            decide(card, Verdict.APPROVE, second)
    else:
        assert decide(card, Verdict.APPROVE, second).arguments == arguments


@given(st.sampled_from(Reversibility), st.lists(st.sampled_from(["irreversible", "email_send", "reversible"])))
def test_a_call_needs_two_people_by_its_reversibility_or_its_tool(kind: Reversibility, listed: list[str]) -> None:
    gate = GateSettings(two_person=listed)
    assert people_needed(gate, kind, "email_send") == (2 if {kind.value, "email_send"} & set(listed) else 1)


def test_a_version_says_what_is_different_from_the_one_before() -> None:
    before = proposal()
    later = msgspec.structs.replace(
        before, summary="Write more", approve_by=before.opened_at + timedelta(hours=9), digest="other"
    )
    said = " ".join(card_changes(before, later))
    assert "Write more" in said
    assert "deadline" in said
    assert card_changes(before, before) == []
