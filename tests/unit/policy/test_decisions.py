"""Decisions: what may be recorded on a card, in which form, and what is refused with which sentence."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.profile import Rule
from agent_core.model.action import GateVerdict, Reversibility, Tier
from agent_core.model.budget import Spend
from agent_core.model.errors import DecisionRefused
from agent_core.model.proposal import (
    APPROVING,
    OPEN_VERDICTS,
    VERDICTS,
    DeadlineOutcome,
    ProposalStatus,
    Touchpoint,
    Verdict,
    Via,
)
from agent_core.model.state import ProposalState
from agent_core.policy.decisions import (
    NO_REASON,
    CheckedDecision,
    changes,
    check_decision,
    describe_decision,
    describe_expiry,
    is_expired,
)
from tests.unit.policy.cards import LOW, NOW, card, closed, decision, intent

NEEDED: dict[Verdict, dict[str, Any]] = {
    Verdict.MODIFY: {"arguments": {"path": "reports/b.md"}},
    Verdict.EDIT: {"arguments": {"path": "reports/b.md"}},
    Verdict.ASK: {"answer": "Why this folder?"},
    Verdict.ANSWER: {"answer": "Nordwind in Kiel"},
    Verdict.OTHER_WAY: {"answer": "Use the other ledger."},
    Verdict.ESCALATE: {"details": {"to": "bert"}},
    Verdict.EXTEND: {"details": {"steps": 40}},
    Verdict.POSTPONE: {"details": {"until": (NOW + timedelta(minutes=30)).isoformat()}},
}
"""What each verdict cannot do without."""

PAIRS = [(kind, verdict) for kind in Touchpoint for verdict in (*VERDICTS[kind], Verdict.POSTPONE)]


def check(state: ProposalState, verdict: Any, **parts: Any) -> CheckedDecision:
    """The decision as it would be recorded."""
    more = {name: parts.pop(name) for name in ("spend", "require_console", "deny_rules", "now") if name in parts}
    return check_decision(intent(verdict, **parts), state, **{"now": NOW, **more})


def refusal(state: ProposalState, verdict: Any, **parts: Any) -> DecisionRefused:
    """Why the decision is refused; one sentence, and the card is as it was."""
    before = repr(state)
    with pytest.raises(DecisionRefused) as refused:
        check(state, verdict, **parts)
    assert repr(state) == before
    sentence = str(refused.value)
    assert sentence
    assert "\n" not in sentence
    assert not sentence[0].islower() or sentence.startswith("bert")
    return refused.value


@pytest.mark.parametrize(("kind", "verdict"), PAIRS)
def test_every_verdict_of_every_kind_is_taken_with_its_parts(kind: Touchpoint, verdict: Verdict) -> None:
    checked = check(card(kind), verdict.value, **NEEDED.get(verdict, {}))
    assert checked.verdict is verdict
    assert checked.closes == (verdict not in OPEN_VERDICTS)
    assert (checked.arguments is not None) == (verdict in (Verdict.MODIFY, Verdict.EDIT))


@pytest.mark.parametrize(("kind", "verdict"), [p for p in PAIRS if p[1] in NEEDED])
def test_a_verdict_without_its_parts_is_refused(kind: Touchpoint, verdict: Verdict) -> None:
    assert refusal(card(kind), verdict.value).code == "invalid"


@pytest.mark.parametrize(
    "verdict",
    [
        None,
        "",
        0,
        [],
        {},
        True,
        "Yes",
        "yes",
        "APPROVE",
        "approve ",
        "approved",
        {"approved": "false"},
        b"approve",
        "ok",
    ],
    ids=repr,
)
def test_what_is_no_verdict_is_refused_and_never_taken_for_yes(verdict: Any) -> None:
    for kind in Touchpoint:
        assert refusal(card(kind), verdict).code == "invalid"


@given(st.none() | st.text(max_size=12) | st.integers() | st.lists(st.text(max_size=3), max_size=2))
def test_only_the_exact_words_are_verdicts(verdict: Any) -> None:
    if verdict not in [v.value for v in (*VERDICTS[Touchpoint.APPROVAL], Verdict.POSTPONE)]:
        refusal(card(), verdict)


@pytest.mark.parametrize("kind", Touchpoint)
def test_a_verdict_of_another_kind_is_refused(kind: Touchpoint) -> None:
    for verdict in set(Verdict) - set(VERDICTS[kind]) - {Verdict.POSTPONE}:
        why = refusal(card(kind), verdict.value, **NEEDED.get(verdict, {}))
        assert why.code == "invalid"
        assert VERDICTS[kind][0].value in str(why)


def test_a_verdict_that_this_card_does_not_offer_is_not_in_this_version() -> None:
    offered = card(verdicts=[Verdict.APPROVE, Verdict.REJECT])
    why = refusal(offered, "ask", answer="Why?")
    assert (why.code, str(why)) == (
        "not_in_this_version",
        '"ask" is not on offer for this card; it takes approve, reject, postpone',
    )


# ------------------------------------------------------------------------------------- once, in time, by a person


def test_a_second_decision_hears_who_was_first_and_when() -> None:
    state = closed(ProposalStatus.DECIDED, closing=decision(Verdict.REJECT, by="bert"))
    why = refusal(state, "approve")
    assert (why.code, str(why)) == (
        "closed",
        'bert already decided "reject" at 2026-11-29 11:59:00 UTC; nothing was changed',
    )


def test_a_card_that_expired_or_was_withdrawn_takes_nothing() -> None:
    assert refusal(closed(ProposalStatus.EXPIRED), "approve").code == "expired"
    why = refusal(closed(ProposalStatus.WITHDRAWN, withdrawn_because="The file changed."), "approve")
    assert (why.code, str(why)) == ("closed", "This card was withdrawn at 2026-11-29 11:59:00 UTC: The file changed")


@given(st.sampled_from(PAIRS), st.timedeltas(timedelta(0), timedelta(days=30)))
def test_after_its_deadline_no_verdict_is_taken_whether_it_was_journaled_or_not(
    pair: tuple[Touchpoint, Verdict], late: timedelta
) -> None:
    kind, verdict = pair
    why = refusal(card(kind, approve_by=NOW), verdict.value, now=NOW + late, **NEEDED.get(verdict, {}))
    assert why.code == "expired"


def test_cards_that_stay_open_never_expire() -> None:
    waiting = card(Touchpoint.OUTCOME_UNKNOWN, approve_by=NOW, deadline_outcome=DeadlineOutcome.STAY)
    assert not is_expired(waiting.proposal, NOW + timedelta(days=9))
    assert check(waiting, "happened", now=NOW + timedelta(days=9)).closes
    assert not is_expired(card(approve_by=None).proposal, NOW)


@pytest.mark.parametrize("parts", [{"by": ""}, {"by": "  "}, {"by": None}, {"via": Via.SYSTEM}])
def test_a_decision_has_a_person(parts: dict[str, Any]) -> None:
    assert refusal(card(), "approve", **parts).code == "not_a_person"


def test_a_card_that_changed_since_it_was_read_is_not_decided() -> None:
    assert refusal(card(), "approve", digest="d0").code == "changed"
    assert check(card(), "approve", digest="d1").verdict is Verdict.APPROVE


@pytest.mark.parametrize("verdict", [v for v in VERDICTS[Touchpoint.APPROVAL] if v in APPROVING])
def test_the_profile_may_leave_approvals_to_the_console(verdict: Verdict) -> None:
    final = card(reversibility=Reversibility.IRREVERSIBLE, tier=Tier.R3)
    parts = NEEDED.get(verdict, {})
    for via in (Via.CLI, Via.FILE):
        why = refusal(final, verdict.value, via=via, require_console=["irreversible"], **parts)
        assert "console" in str(why)
    for via in (Via.CONSOLE, Via.TERMINAL):
        assert check(final, verdict.value, via=via, require_console=["irreversible"], **parts)
    assert check(card(), verdict.value, require_console=["irreversible"], **parts)
    assert check(final, "reject", require_console=["irreversible"])


# ------------------------------------------------------------------------------------- reasons


@pytest.mark.parametrize("tier", Tier)
def test_a_refusal_of_something_grave_needs_a_reason_at_the_console(tier: Tier) -> None:
    grave = tier in (Tier.R2, Tier.R3)
    for via in (Via.CONSOLE, Via.TERMINAL):
        if grave:
            assert "reason" in str(refusal(card(tier=tier), "reject", via=via, reason="  "))
        else:
            assert check(card(tier=tier), "reject", via=via).reason is None
    for via in (Via.CLI, Via.FILE):
        assert check(card(tier=tier), "reject", via=via).reason == (NO_REASON if grave else None)
    assert check(card(tier=tier), "reject", via=Via.CONSOLE, reason=" wrong target ").reason == "wrong target"


@pytest.mark.parametrize("reversibility", [*Reversibility, None])
def test_to_approve_below_the_threshold_what_cannot_be_undone_needs_a_reason(
    reversibility: Reversibility | None,
) -> None:
    doubtful = card(confidence=LOW, reversibility=reversibility)
    needs = reversibility is not Reversibility.REVERSIBLE
    if needs:
        assert "threshold" in str(refusal(doubtful, "approve", via=Via.CONSOLE))
    else:
        assert check(doubtful, "approve", via=Via.CONSOLE).reason is None
    assert check(doubtful, "approve", via=Via.FILE).reason == (NO_REASON if needs else None)


def test_best_effort_needs_a_reason_at_the_console() -> None:
    assert refusal(card(Touchpoint.CONFIDENCE), "best_effort", via=Via.CONSOLE).code == "invalid"
    assert check(card(Touchpoint.CONFIDENCE), "best_effort").reason == NO_REASON


# ------------------------------------------------------------------------------------- modified arguments


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"path": ""},
        {"path": 5},
        {"path": None},
        {"count": 1},
        {"path": "a", "count": "1"},
        {"path": "a", "count": 1.0},
        {"path": "a", "count": True},
        {"path": "a", "count": -1},
        {"path": "a", "share": float("nan")},
        {"path": "a", "count": 2**60},
        {"path": "\ud83d"},
        {"path": "a", "extra": 1},
        {"path": "a", "rationale": {"why": "x"}},
        [],
        "path",
        {1: "a"},
    ],
    ids=repr,
)
def test_an_invalid_edit_is_an_error_and_never_the_original_call(arguments: Any) -> None:
    assert refusal(card(), "modify", arguments=arguments).code == "invalid"


def test_arguments_that_do_not_fit_are_told_with_their_field_in_words_of_our_own() -> None:
    address = {"type": "string", "format": "email"}
    schema = {"properties": {"to": {"anyOf": [address, {"type": "array", "items": address}]}}}

    why = refusal(card(schema=schema, arguments={"to": "a@b.example"}), "modify", arguments={"to": ["ana"]})

    assert str(why) == ('The new arguments do not fit: to.0: "ana" is not an e-mail address such as name@example.com')


def test_a_modify_is_the_complete_new_object_with_its_types() -> None:
    checked = check(card(), "modify", arguments={"path": "reports/b.md", "share": 1})
    assert checked.arguments == {"path": "reports/b.md", "share": 1}


def test_arguments_beside_an_approval_are_refused() -> None:
    assert "modify" in str(refusal(card(), "approve", arguments={"path": "b"}))


@pytest.mark.parametrize(
    "path", ["secrets/key", "./secrets/key", "reports/../secrets/key", "SECRETS/key", "secrets", "../x"]
)
def test_an_edit_into_what_a_rule_denies_is_refused(path: str) -> None:
    rules = [Rule(tool="files_write", verdict=GateVerdict.DENY, when={"path": "secrets/**"})]
    assert "secrets/**" in str(refusal(card(), "modify", arguments={"path": path}, deny_rules=rules))
    assert check(card(), "modify", arguments={"path": "./reports/b.md"}, deny_rules=rules).arguments


# ------------------------------------------------------------------------------------- details


@pytest.mark.parametrize(
    ("verdict", "kind", "given", "normal"),
    [
        ("reject", Touchpoint.APPROVAL, {}, {"then": "continue"}),
        ("reject", Touchpoint.APPROVAL, {"then": "stop"}, {"then": "stop"}),
        ("take_over", Touchpoint.APPROVAL, {"done": True, "reference": " TX 9 "}, {"reference": "TX 9", "done": True}),
        ("happened", Touchpoint.OUTCOME_UNKNOWN, {"reference": "TX 9"}, {"reference": "TX 9"}),
        ("escalate", Touchpoint.APPROVAL, {"to": " bert "}, {"to": "bert"}),
        ("extend", Touchpoint.BUDGET, {"cost_usd": "1.30", "seconds": "20m"}, {"cost_usd": "1.30", "seconds": "1200"}),
        (
            "postpone",
            Touchpoint.APPROVAL,
            {"until": "2026-11-29T13:30:00+01:00"},
            {"until": "2026-11-29T12:30:00+00:00"},
        ),
        ("approve", Touchpoint.APPROVAL, {}, {}),
    ],
)
def test_details_come_to_one_form(
    verdict: str, kind: Touchpoint, given: dict[str, Any], normal: dict[str, Any]
) -> None:
    assert check(card(kind), verdict, details=given).details == normal


@pytest.mark.parametrize(
    ("verdict", "kind", "details"),
    [
        ("approve", Touchpoint.APPROVAL, {"then": "stop"}),
        ("reject", Touchpoint.APPROVAL, {"then": "carry on"}),
        ("reject", Touchpoint.APPROVAL, {"then": None}),
        ("reject", Touchpoint.APPROVAL, {"than": "stop"}),
        ("take_over", Touchpoint.APPROVAL, {"done": "true"}),
        ("take_over", Touchpoint.APPROVAL, {"reference": "  "}),
        ("take_over", Touchpoint.APPROVAL, {"reference": 9}),
        ("escalate", Touchpoint.APPROVAL, {"to": ""}),
        ("escalate", Touchpoint.APPROVAL, {"to": "anna"}),
        ("postpone", Touchpoint.APPROVAL, {"until": "tomorrow"}),
        ("postpone", Touchpoint.APPROVAL, {"until": "2026-11-29T12:30:00"}),
        ("postpone", Touchpoint.APPROVAL, {"until": NOW.isoformat()}),
        ("postpone", Touchpoint.APPROVAL, {"until": (NOW + timedelta(hours=1)).isoformat()}),
        ("postpone", Touchpoint.APPROVAL, {"until": 5}),
        ("postpone", Touchpoint.APPROVAL, {"until": "0001-01-01T00:00:00+14:00"}),
        ("extend", Touchpoint.BUDGET, {}),
        ("extend", Touchpoint.BUDGET, {"step": 40}),
        ("extend", Touchpoint.BUDGET, {"steps": "many"}),
        ("extend", Touchpoint.BUDGET, {"steps": 40, "cost_usd": -1}),
        ("approve", Touchpoint.APPROVAL, []),
        ("approve", Touchpoint.APPROVAL, None),
    ],
)
def test_details_that_cannot_be_meant_are_refused(verdict: str, kind: Touchpoint, details: Any) -> None:
    refused = refusal(card(kind), verdict, details=details)

    assert refused.code == "invalid"
    if details:
        assert any(f'"{name}"' in str(refused) or f" {name} " in str(refused) for name in details), refused


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_limit_is_only_extended_above_what_is_spent(spent: int, wanted: int) -> None:
    spend = Spend(steps=spent, cost_usd=Decimal(spent), input_tokens=spent, active_seconds=float(spent))
    for name in ("steps", "cost_usd", "tokens", "seconds"):
        if wanted > spent:
            assert check(card(Touchpoint.BUDGET), "extend", details={name: wanted}, spend=spend).details == {
                name: str(wanted)
            }
        else:
            assert "already spent" in str(
                refusal(card(Touchpoint.BUDGET), "extend", details={name: wanted}, spend=spend)
            )


def test_only_the_limits_on_offer_are_extended() -> None:
    offered = card(Touchpoint.BUDGET, options=["steps"])
    assert "only steps" in str(refusal(offered, "extend", details={"tokens": 10**6}))


@pytest.mark.parametrize("field", ["reason", "answer"])
@pytest.mark.parametrize("value", [5, ["x"], "x" * 30_000])
def test_texts_are_texts_of_some_length(field: str, value: Any) -> None:
    assert refusal(card(Touchpoint.QUESTION), "answer", **{"answer": "yes", field: value}).code == "invalid"


def test_half_a_character_in_a_reason_cannot_spoil_the_journal() -> None:
    assert check(card(), "reject", reason="no \ud83d\0").reason == "no \ufffd\ufffd"


def test_an_answer_belongs_to_a_question() -> None:
    assert "reason" in str(refusal(card(), "approve", answer="fine"))
    assert check(card(), "ask", reason="Why?").answer == "Why?"
    assert refusal(card(Touchpoint.QUESTION), "answer", reason="yes").code == "invalid"


# ------------------------------------------------------------------------------------- what the model is told


def test_the_model_is_told_exactly_what_was_changed_and_by_whom() -> None:
    changed = decision(Verdict.MODIFY, arguments={"path": "reports/a.md", "count": "1", "share": 0.5}, reason="typo")
    assert describe_decision(changed, card().proposal) == (
        'anna changed the arguments and approved the changed call. Changed: count: 1 → "1"; share added: 0.5. '
        "Reason: typo"
    )


def test_a_refusal_tells_its_reason() -> None:
    refused = decision(Verdict.REJECT, reason="wrong target")
    assert describe_decision(refused, card().proposal) == "anna refused this call; it was not run. Reason: wrong target"
    unexplained = decision(Verdict.REJECT, reason=NO_REASON)
    assert describe_decision(unexplained, card().proposal) == "anna refused this call; it was not run."


def test_an_answer_is_told_word_for_word() -> None:
    answered = decision(Verdict.ANSWER, answer="Nordwind in Kiel")
    assert describe_decision(answered, card(Touchpoint.QUESTION).proposal) == "anna answered: Nordwind in Kiel"


def test_an_expiry_is_nobodys_refusal() -> None:
    said = describe_expiry(card().proposal)
    assert said == "Nobody decided before 2026-11-29 13:00:00 UTC, so the call was not run. No person refused it."


def test_what_was_taken_over_says_whether_it_is_done() -> None:
    taken = decision(Verdict.TAKE_OVER, details={"done": False, "reference": "TX 9"}, reason="by phone")
    said = describe_decision(taken, card().proposal)
    assert said.endswith("It is not done; do not do it yourself. Reference: TX 9. Reason: by phone")


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_its_words(verdict: Verdict) -> None:
    assert "anna" in describe_decision(decision(verdict), card().proposal)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=2),
    max_leaves=6,
)


@given(json_values, json_values)
def test_changes_are_told_exactly_when_there_are_some(before: Any, after: Any) -> None:
    assert changes(before, before) == []
    same = (repr(before), before) == (repr(after), after)
    if same:
        assert changes(before, after) == []
    elif before != after or isinstance(before, bool) is not isinstance(after, bool):
        assert changes(before, after)


def test_instants_are_told_in_utc() -> None:
    late = datetime(2026, 11, 29, 14, 0, tzinfo=UTC)
    assert "14:00:00 UTC" in describe_expiry(card(approve_by=late).proposal)
