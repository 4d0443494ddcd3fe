"""Confidence: a weighted mean of checks, and what the general checks find."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.profile import GateSettings
from agent_core.model.proposal import Check, CheckResult
from agent_core.policy.confidence import PastDecisions, generic_checks, score
from agent_core.policy.provenance import OriginKind, Provenance, SourceText

PASS, WARN, FAIL, NOT_APPLICABLE = CheckResult
DEFAULT = GateSettings().confidence
ORDER = [FAIL, WARN, PASS]

checks = st.lists(
    st.builds(Check, name=st.just("c"), result=st.sampled_from(CheckResult), weight=st.floats(0, 10)), max_size=8
)


def check(result: CheckResult, weight: float = 1.0) -> Check:
    """A check of that result and weight."""
    return Check(name="c", result=result, weight=weight)


def text(content: Any, kind: OriginKind = OriginKind.GOAL, **parts: Any) -> SourceText:
    """Something that was said or read."""
    return SourceText(kind=kind, content=content, name=parts.pop("name", kind.value), **parts)


def found(*texts: SourceText, **parts: Any) -> dict[str, Check]:
    """The general checks by name, of a call with a recipient and an amount."""
    call = {"arguments": {"to": "anna@x.com", "amount": 250}, "sensitive": ["to", "amount"], "previewed": True}
    return {c.name: c for c in generic_checks(provenance=Provenance(texts), **{**call, **parts})}


def test_the_score_is_the_weighted_mean_of_what_applies() -> None:
    result = score([check(PASS, 2), check(WARN), check(FAIL), check(NOT_APPLICABLE, 5)], 0.85)
    assert result.score == 0.625
    assert result.below_threshold
    assert len(result.checks) == 4


def test_the_threshold_itself_is_enough() -> None:
    assert not score([check(PASS, 17), check(FAIL, 3)], 0.85).below_threshold
    assert score([check(PASS, 16.9), check(FAIL, 3.1)], 0.85).below_threshold


def test_there_is_no_score_where_no_check_applies() -> None:
    for none in ([], [check(NOT_APPLICABLE)], [check(FAIL, 0)]):
        assert score(none, 0.85).score is None
        assert not score(none, 0.85).below_threshold


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -1.0, 1e300])
def test_a_broken_weight_counts_against_the_call(weight: float) -> None:
    assert score([check(PASS), check(PASS, weight)], 0.85).score == 0.5


@given(checks, st.data())
def test_a_worse_result_never_scores_better(before: list[Check], data: st.DataObject) -> None:
    results = [
        data.draw(st.sampled_from(ORDER[: ORDER.index(c.result) + 1])) if c.result in ORDER else c.result
        for c in before
    ]
    after = [check(result, c.weight) for result, c in zip(results, before, strict=True)]
    high, low = score(before, DEFAULT), score(after, DEFAULT)
    assert (high.score is None) == (low.score is None)
    if high.score is not None and low.score is not None:
        assert 0 <= low.score <= high.score <= 1
        assert low.below_threshold >= high.below_threshold


def test_a_call_whose_values_the_goal_names_is_beyond_doubt() -> None:
    by_name = found(text("Send 250 EUR to anna@x.com"))
    assert score(list(by_name.values()), DEFAULT).score == 1.0
    assert by_name["origin of to"].detail == "Found in goal."


@pytest.mark.parametrize(
    ("texts", "detail"),
    [
        ([], "Found nowhere: not in the goal, a message of the operator or a result."),
        (
            [text("anna@x.com", OriginKind.RESULT, untrusted=True, name="http_get (step 2)")],
            "Only in untrusted text: http_get (step 2).",
        ),
    ],
)
def test_a_recipient_from_nowhere_or_only_from_untrusted_text_fails(texts: list[SourceText], detail: str) -> None:
    by_name = found(text("pay 250"), *texts)
    assert (by_name["origin of to"].result, by_name["origin of to"].detail) == (FAIL, detail)
    assert by_name["origin of amount"].result is PASS
    assert score(list(by_name.values()), DEFAULT).below_threshold


@given(st.integers(1, 30))
def test_one_bad_value_among_many_good_ones_still_needs_a_person(count: int) -> None:
    arguments = {f"a{n}": f"value{n}" for n in range(count)} | {"bad": "from-nowhere"}
    goal = text(" ".join(f"value{n}" for n in range(count)))
    by_name = found(goal, arguments=arguments, sensitive=list(arguments))
    assert score(list(by_name.values()), DEFAULT).below_threshold


def test_a_stale_result_is_a_warning() -> None:
    old = text("anna@x.com 250", OriginKind.RESULT, age_seconds=90.0, limit_seconds=60.0, name="files_read (step 1)")
    to = found(old)["origin of to"]
    assert to.result is WARN
    assert to.detail == "Found in files_read (step 1), which is older than its limit."


def test_what_a_rule_grants_has_an_origin_unless_untrusted_text_brought_it() -> None:
    granted = {"to": 'allow email_send, when to matches "*@x.com" (glob), for this agent'}
    assert found(text("250"), granted=granted)["origin of to"].result is PASS
    brought = text("anna@x.com", OriginKind.RESULT, untrusted=True)
    assert found(text("250"), brought, granted=granted)["origin of to"].result is FAIL


def test_arguments_without_a_value_to_trace_do_not_count() -> None:
    by_name = found(text(""), arguments={"to": None, "amount": "x\n" * 500})
    assert {by_name[f"origin of {name}"].result for name in ("to", "amount")} == {NOT_APPLICABLE}
    assert by_name["origin of to"].weight == 0


@pytest.mark.parametrize(
    ("evidence", "result"),
    [
        ([], NOT_APPLICABLE),
        (["", "  "], NOT_APPLICABLE),
        (["ledger.csv row 3"], PASS),
        (["step 2"], PASS),
        (["c-01k9x3m7qa-8f2kd3"], PASS),
        (["ledger.csv", "INV-0231 in it"], PASS),
        (["missing.csv"], FAIL),
        (["ledger.csv", "INV-9999"], FAIL),
        (["step 9"], FAIL),
        (["c-01k9x3m7qa-000000"], FAIL),
        (["I am sure"], WARN),
        (["old.csv"], WARN),
    ],
)
def test_evidence_must_have_been_read_and_be_fresh(evidence: list[str], result: CheckResult) -> None:
    ledger = text(
        "row 3: INV-0231",
        OriginKind.RESULT,
        name="files_read ledger.csv (step 2)",
        call_id="c-01k9x3m7qa-8f2kd3",
        asked={"path": "ledger.csv"},
    )
    old = text("x", OriginKind.RESULT, name="files_read old.csv (step 1)", age_seconds=9.0, limit_seconds=5.0)
    assert found(ledger, old, evidence=evidence)["evidence"].result is result


@pytest.mark.parametrize(
    ("parts", "name", "result"),
    [
        ({"valid": True}, "arguments valid", PASS),
        ({"valid": False}, "arguments valid", FAIL),
        ({"previewed": True}, "preview", PASS),
        ({"previewed": False}, "preview", FAIL),
        ({"previewed": None}, "preview", NOT_APPLICABLE),
        ({"past": PastDecisions(2, 0, 0)}, "past decisions", NOT_APPLICABLE),
        ({"past": PastDecisions(9, 1, 0)}, "past decisions", PASS),
        ({"past": PastDecisions(6, 2, 2)}, "past decisions", WARN),
        ({"past": PastDecisions(1, 1, 3)}, "past decisions", FAIL),
    ],
)
def test_the_other_checks(parts: dict[str, Any], name: str, result: CheckResult) -> None:
    assert found(**parts)[name].result is result
