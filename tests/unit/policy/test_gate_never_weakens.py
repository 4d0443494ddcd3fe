"""Whatever is added against a call, the gate never lets it through more easily than before."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.profile import Rule
from agent_core.model.action import EffectClass, GateVerdict, Reversibility, Tier
from agent_core.model.proposal import Touchpoint
from agent_core.policy.gate import GateInput, judge
from tests.unit.policy.gate_inputs import (
    GRAVITY,
    RESTRICTION,
    any_rule,
    changed,
    confidence,
    error,
    gate_inputs,
    rules_with,
)

restrictive = rules_with(st.sampled_from([GateVerdict.DENY, GateVerdict.ASK]))


def severity(call: GateInput) -> int:
    return RESTRICTION.index(judge(call).verdict)


def opens_no_less(before: GateInput, after: GateInput) -> bool:
    """What may not run without a person before may not afterwards either."""
    return severity(after) >= severity(before) and (judge(before).may_run or not judge(after).may_run)


@given(gate_inputs(), restrictive, st.integers(0, 5))
def test_a_deny_or_ask_rule_added_anywhere(call: GateInput, rule: Rule, at: int) -> None:
    rules = list(call.rules)
    rules.insert(at, rule)
    assert opens_no_less(call, changed(call, rules=rules))


@given(gate_inputs(), st.data())
def test_an_allow_rule_taken_away(call: GateInput, data: st.DataObject) -> None:
    kept = [rule for rule in call.rules if rule.verdict is not GateVerdict.ALLOW or data.draw(st.booleans())]
    assert opens_no_less(call, changed(call, rules=kept))


@given(gate_inputs(), st.randoms(use_true_random=False))
def test_the_order_of_rules_says_nothing(call: GateInput, random: Any) -> None:
    shuffled = list(call.rules)
    random.shuffle(shuffled)
    before, after = judge(call), judge(changed(call, rules=shuffled))
    assert (before.verdict, before.touchpoint, before.tier) == (after.verdict, after.touchpoint, after.tier)
    assert sorted(before.rules) == sorted(after.rules)


@given(gate_inputs(), st.sampled_from(Reversibility), st.sampled_from(Reversibility))
def test_a_graver_reversibility(call: GateInput, one: Reversibility, other: Reversibility) -> None:
    milder, graver = sorted((one, other), key=GRAVITY.index)
    before, after = changed(call, reversibility=milder), changed(call, reversibility=graver)
    assert opens_no_less(before, after)
    assert judge(after).tier >= judge(before).tier


@given(gate_inputs(), st.floats(0, 1), st.floats(0, 1))
def test_a_lower_confidence(call: GateInput, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert opens_no_less(changed(call, confidence=confidence(high)), changed(call, confidence=confidence(low)))
    assert opens_no_less(changed(call, confidence=None), changed(call, confidence=confidence(low)))


@given(
    gate_inputs(),
    st.sampled_from(
        [
            {"stale_sources": True},
            {"repeat_of": "step 3 (outcome unknown)"},
            {"contained": "It was refused 3 times."},
            {"in_manifest": False},
            {"invalid": error("invalid")},
            {"denied": error("outside")},
            {"open_world": True},
            {"demo": True, "real": True},
            {"already_answered": False},
        ]
    ),
)
def test_anything_else_that_speaks_against_it(call: GateInput, against: dict[str, Any]) -> None:
    assert opens_no_less(call, changed(call, **against))


@given(gate_inputs(), st.integers(1, 9))
def test_uses_that_were_spent(call: GateInput, more: int) -> None:
    spent = {name: call.rule_uses.get(name, 0) + more for name in ("u-1", "u-2")}
    assert opens_no_less(call, changed(call, rule_uses=spent))


@given(gate_inputs(), st.lists(any_rule, max_size=5))
def test_no_rule_lets_an_irreversible_call_or_a_repeat_run_by_itself(call: GateInput, rules: list[Rule]) -> None:
    for grave in ({"reversibility": Reversibility.IRREVERSIBLE}, {"repeat_of": "step 7 (outcome unknown)"}):
        assert judge(changed(call, rules=rules, **grave)).verdict is not GateVerdict.ALLOW


@given(gate_inputs())
def test_an_answer_never_changes_the_verdict_and_never_opens_a_denied_call(call: GateInput) -> None:
    open_, answered = judge(changed(call, already_answered=False)), judge(changed(call, already_answered=True))
    assert (open_.verdict, open_.rules, open_.reasons) == (answered.verdict, answered.rules, answered.reasons)
    assert answered.may_run <= (answered.verdict is not GateVerdict.DENY)
    if call.answered_tier is not None and open_.tier > call.answered_tier:
        assert answered.touchpoint is open_.touchpoint


@given(gate_inputs())
def test_a_judgement_is_whole(call: GateInput) -> None:
    judgement = judge(call)
    assert judgement.reasons
    assert all(reason.endswith((".", "?")) and "\n" not in reason for reason in judgement.reasons)
    assert (judgement.error is not None) == (judgement.verdict is GateVerdict.DENY)
    if judgement.verdict is GateVerdict.ASK:
        assert judgement.tier >= Tier.R1
        assert judgement.touchpoint is not None or call.already_answered
    else:
        assert judgement.touchpoint is None


@given(gate_inputs())
def test_a_confidence_card_opens_only_for_what_a_rule_would_have_allowed(call: GateInput) -> None:
    if judge(call).touchpoint is Touchpoint.CONFIDENCE:
        confident = judge(changed(call, confidence=confidence(1.0), already_answered=False))
        assert confident.verdict is GateVerdict.ALLOW
        without_rules = judge(changed(call, confidence=confidence(1.0), rules=[], already_answered=False))
        assert without_rules.verdict is GateVerdict.ASK or call.effect_class is EffectClass.READ_ONLY


@given(gate_inputs())
def test_a_denied_call_stays_denied_whoever_allows_it(call: GateInput) -> None:
    if judge(call).verdict is GateVerdict.DENY:
        allowing = Rule(tool=call.tool, verdict=GateVerdict.ALLOW)
        assert judge(changed(call, rules=[allowing, *call.rules, allowing])).verdict is GateVerdict.DENY


@given(gate_inputs())
def test_a_staged_call_is_never_let_through_and_asks_for_a_review_only(call: GateInput) -> None:
    judgement = judge(changed(call, staged=True))

    assert judgement.verdict is not GateVerdict.ALLOW
    assert judgement.touchpoint in (None, Touchpoint.QUALITY_REVIEW)
    if judgement.verdict is GateVerdict.ASK and not call.already_answered:
        assert judgement.touchpoint is Touchpoint.QUALITY_REVIEW


@given(gate_inputs())
def test_what_two_people_must_approve_is_never_let_through(call: GateInput) -> None:
    assert judge(changed(call, people=2)).verdict is not GateVerdict.ALLOW
