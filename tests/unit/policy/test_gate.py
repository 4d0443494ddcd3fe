"""The order of the gate, its floors and its defaults, one by one."""

from datetime import timedelta

import pytest

from agent_core.config.profile import Rule
from agent_core.model.action import EffectClass, GateVerdict, Reversibility, Tier
from agent_core.model.proposal import Touchpoint
from agent_core.policy.gate import GateInput, judge
from tests.unit.policy.gate_inputs import NOW, changed, confidence, error

ALLOW, ASK, DENY = GateVerdict.ALLOW, GateVerdict.ASK, GateVerdict.DENY
CALL = GateInput(
    tool="files_write",
    now=NOW,
    available=("files_write", "files_read"),
    effect_class=EffectClass.IDEMPOTENT_BY_KEY,
    reversibility=Reversibility.REVERSIBLE,
    arguments={"path": "reports/a.md", "content": "x"},
    facts={"path": "reports/a.md"},
)
READ = changed(CALL, tool="files_read", effect_class=EffectClass.READ_ONLY)


def rule(verdict: GateVerdict, path: str | None = "reports/**", tool: str = "files_write", because: str = "") -> Rule:
    return Rule(tool=tool, verdict=verdict, when={"path": path} if path else {}, because=because)


def test_reads_run_and_everything_else_asks_by_default() -> None:
    assert judge(READ).verdict is ALLOW
    assert judge(READ).tier is Tier.R0
    asked = judge(CALL)
    assert (asked.verdict, asked.touchpoint, asked.tier) == (ASK, Touchpoint.APPROVAL, Tier.R1)
    assert asked.reasons == ["It changes something, and no rule allows it."]


def test_engine_calls_are_never_asked_about() -> None:
    engine = changed(
        CALL, effect_class=EffectClass.ENGINE, confidence=confidence(0.1), stale_sources=True, rules=[rule(ASK)]
    )
    assert judge(engine).verdict is ALLOW
    assert judge(engine).reasons == ["It has no effect outside the journal."]
    assert judge(changed(engine, rules=[rule(DENY)])).verdict is DENY


def test_a_read_from_outside_asks_until_a_rule_allows_its_domain() -> None:
    read = changed(READ, tool="http_get", open_world=True, arguments={"url": "https://docs.example.com/a"}, facts={})
    assert judge(read).reasons == ["It reads from outside, and no rule allows that."]
    assert judge(read).tier is Tier.R1
    granted = Rule(tool="http_get", verdict=ALLOW, when={"domain": "*.example.com"})
    assert judge(changed(read, rules=[granted])).verdict is ALLOW
    elsewhere = changed(read, rules=[granted], arguments={"url": "https://docs.example.com.evil.org/a"})
    assert judge(elsewhere).verdict is ASK


def test_an_allow_rule_names_itself_word_for_word() -> None:
    judged = judge(changed(CALL, rules=[rule(ALLOW)]))
    assert judged.verdict is ALLOW
    assert judged.rules == ['allow files_write, when path matches "reports/**" (glob), for this agent']
    assert judged.reasons == [f"A rule allows it: {judged.rules[0]}."]


def test_deny_wins_over_allow_wherever_it_stands() -> None:
    always_allow = rule(ALLOW, None)
    secret = changed(CALL, facts={"path": "secrets/x"}, arguments={"path": "secrets/x"})
    for rules in ([rule(DENY, "secrets/**"), always_allow], [always_allow, rule(DENY, "secrets/**")]):
        judged = judge(changed(secret, rules=rules))
        assert judged.verdict is DENY
        assert judged.error is not None
        assert judged.error.code == "denied"
        assert "secrets/**" in judged.error.message


def test_a_denial_gives_its_reason_to_the_model() -> None:
    judged = judge(changed(CALL, rules=[rule(DENY, because="the auditors keep these")]))
    assert judged.error is not None
    assert "the auditors keep these" in judged.error.message


def test_irreversible_asks_whatever_the_rules_say_and_is_a_matter_for_r3() -> None:
    judged = judge(changed(CALL, reversibility=Reversibility.IRREVERSIBLE, rules=[rule(ALLOW)]))
    assert (judged.verdict, judged.touchpoint, judged.tier) == (ASK, Touchpoint.APPROVAL, Tier.R3)


def test_a_partly_reversible_call_is_r2() -> None:
    assert judge(changed(CALL, reversibility=Reversibility.PARTLY_REVERSIBLE)).tier is Tier.R2


def test_an_ask_rule_overrules_an_allow_rule() -> None:
    judged = judge(changed(CALL, rules=[rule(ALLOW), rule(ASK, "reports/*")]))
    assert judged.verdict is ASK
    assert judged.reasons == ['A rule asks: ask files_write, when path matches "reports/*" (glob), for this agent.']


def test_low_confidence_of_an_allowed_call_opens_a_confidence_card() -> None:
    low = changed(CALL, rules=[rule(ALLOW)], confidence=confidence(0.6))
    judged = judge(low)
    assert (judged.verdict, judged.touchpoint) == (ASK, Touchpoint.CONFIDENCE)
    assert judged.reasons == ["Its computed confidence is 0.6, below 0.85."]


@pytest.mark.parametrize("ground", [{"stale_sources": True}, {"repeat_of": "step 7 (outcome unknown)"}])
def test_what_the_gate_asks_about_anyway_is_an_approval_whatever_its_score(ground: dict[str, object]) -> None:
    judged = judge(changed(CALL, rules=[rule(ALLOW)], confidence=confidence(0.6), **ground))
    assert judged.touchpoint is Touchpoint.APPROVAL
    assert judge(changed(CALL, confidence=confidence(0.6))).touchpoint is Touchpoint.APPROVAL


def test_reading_is_the_cure_for_stale_facts_and_is_not_asked_about() -> None:
    assert judge(changed(READ, stale_sources=True, confidence=confidence(0.1))).verdict is ALLOW


def test_a_repeat_of_a_call_with_unknown_outcome_is_never_allowed_by_a_rule() -> None:
    judged = judge(changed(CALL, rules=[rule(ALLOW)], repeat_of="step 7 (outcome unknown)"))
    assert judged.verdict is ASK
    assert judged.reasons == ["It looks like a repeat of step 7 (outcome unknown)."]


def test_an_unknown_tool_hears_the_nearest_name_and_what_there_is() -> None:
    judged = judge(changed(CALL, tool="file_write", in_manifest=False))
    assert judged.error is not None
    assert judged.error.code == "unknown_tool"
    assert judged.error.message == 'There is no tool "file_write" here. Did you mean "files_write"?'
    assert judged.error.suggestion == "Available tools: files_read, files_write."


def test_an_invalid_call_is_an_error_and_no_denial() -> None:
    judged = judge(changed(CALL, invalid=error("invalid_arguments"), rules=[rule(DENY)]))
    assert judged.error == error("invalid_arguments")
    assert judged.rules == []


def test_leaving_the_workspace_counts_as_a_denial() -> None:
    judged = judge(changed(CALL, denied=error("outside_workspace"), rules=[rule(ALLOW)]))
    assert judged.error is not None
    assert (judged.verdict, judged.error.code) == (DENY, "denied")


def test_a_contained_tool_is_off_and_says_so() -> None:
    judged = judge(changed(READ, contained="files_read was refused 3 times."))
    assert judged.error is not None
    assert (judged.verdict, judged.error.code) == (DENY, "contained")


def test_a_demo_reaches_no_real_tool() -> None:
    assert judge(changed(READ, demo=True, real=True)).verdict is DENY
    assert judge(changed(READ, demo=True)).verdict is ALLOW


def test_a_modify_answers_the_ask_but_not_a_deny_and_not_a_graver_card() -> None:
    answered = changed(CALL, already_answered=True, answered_tier=Tier.R1)
    assert judge(answered).may_run
    assert judge(answered).verdict is ASK
    assert not judge(changed(answered, rules=[rule(DENY)])).may_run
    graver = judge(changed(answered, reversibility=Reversibility.PARTLY_REVERSIBLE))
    assert graver.touchpoint is Touchpoint.APPROVAL


def test_a_rule_ends_at_its_instant_and_with_its_uses() -> None:
    ending = Rule(tool="files_write", verdict=ALLOW, expires=NOW.isoformat(), rule_id="u-1")
    assert judge(changed(CALL, rules=[ending])).verdict is ASK
    assert judge(changed(CALL, rules=[ending], now=NOW - timedelta(seconds=1))).verdict is ALLOW
    counted = Rule(tool="files_write", verdict=ALLOW, uses=2, rule_id="u-2")
    assert judge(changed(CALL, rules=[counted], rule_uses={"u-2": 1})).verdict is ALLOW
    assert judge(changed(CALL, rules=[counted], rule_uses={"u-2": 2})).verdict is ASK


def test_a_rule_on_an_unknown_argument_fails_closed() -> None:
    for verdict, outcome in ((ALLOW, ASK), (ASK, ASK), (DENY, DENY)):
        unknown = Rule(tool="files_write", verdict=verdict, when={"pth": "reports/**"})
        assert judge(changed(CALL, rules=[unknown])).verdict is outcome
