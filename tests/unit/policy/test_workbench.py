"""The workbench of rules: simulations are the gate's own, and what lint says of a rule is true of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.profile import Match, Rule, RuleScope
from agent_core.config.rule_trials import Fault, PastCall
from agent_core.model.action import EffectClass, GateVerdict, Reversibility
from agent_core.model.proposal import Verdict
from agent_core.policy import rules as rule_book
from agent_core.policy.workbench import effect_of, lint, never_no, rule_from, simulate
from tests.unit.policy.gate_inputs import any_rule

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
_UNDOABLE = ("files_write", "files_edit", "files_move", "files_read", "pay", "tool")
REVERSIBILITY = dict.fromkeys(_UNDOABLE, Reversibility.REVERSIBLE) | {"email_send": Reversibility.IRREVERSIBLE}
SENSITIVE = {"files_write": ("path",), "email_send": ("to",)}
given_verdicts = st.sampled_from([None, Verdict.APPROVE, Verdict.MODIFY, Verdict.REJECT])
paths = st.sampled_from(["reports/a.md", "reports/2026/b.md", "secrets/key", "a.md"])


def past(tool: str = "files_write", verdict: Verdict | None = Verdict.APPROVE, **arguments: Any) -> PastCall:
    return PastCall(
        session="s", agent="lab", call_id="c", step=1, at=NOW, tool=tool, arguments=arguments, gate=GateVerdict.ASK,
        effect_class=EffectClass.IDEMPOTENT_BY_KEY, reversibility=REVERSIBILITY.get(tool, Reversibility.REVERSIBLE),
        given=verdict, by="bar",
    )  # fmt: skip


def rule(verdict: GateVerdict = GateVerdict.ALLOW, tool: str = "files_write", **more: Any) -> Rule:
    return Rule(tool=tool, verdict=verdict, **more)


calls = st.lists(st.builds(lambda path, verdict: past(path=path, verdict=verdict), paths, given_verdicts), max_size=12)
drafts = st.lists(any_rule, max_size=4)


def faults(*rules: Rule, examples: dict[str, PastCall] | None = None) -> list[tuple[int, Fault]]:
    found = lint(rules, now=NOW, reversibility=REVERSIBILITY, sensitive=SENSITIVE, examples=examples)
    return [(one.place, one.fault) for one in found]


@given(calls, drafts, drafts)
def test_a_simulation_counts_every_call_once_and_never_more_refusals_than_calls(
    history: list[PastCall], draft: list[Rule], current: list[Rule]
) -> None:
    result = simulate(draft, current, history, NOW)

    assert sum(result.before.values()) == sum(result.after.values()) == result.calls == len(history)
    assert 0 <= result.newly_allowed_refused <= result.newly_allowed <= result.after["allow"]
    for effect in result.rules:
        assert 0 <= effect.approved + effect.refused + effect.edited <= effect.given <= effect.matched <= len(history)


@given(calls, drafts)
def test_the_rules_of_today_change_nothing(history: list[PastCall], current: list[Rule]) -> None:
    result = simulate(current, current, history, NOW)
    assert (result.before, result.newly_allowed) == (result.after, 0)


def test_it_says_how_many_it_would_have_allowed_that_people_refused() -> None:
    history = [past(path="reports/a.md"), past(path="reports/b.md", verdict=Verdict.REJECT), past(path="x.md")]
    effect = effect_of(rule(when={"path": "reports/**"}), [], history, NOW)
    assert (effect.matched, effect.given, effect.refused) == (2, 2, 1)


def test_it_says_how_many_it_would_have_denied_that_people_approved() -> None:
    history = [past(path="a.md"), past(path="b.md", verdict=Verdict.MODIFY), past(path="c.md", verdict=Verdict.REJECT)]
    effect = effect_of(rule(verdict=GateVerdict.DENY), [], history, NOW)
    assert (effect.given, effect.approved, effect.edited, effect.refused) == (3, 1, 1, 1)


def test_a_draft_never_lets_an_irreversible_call_through() -> None:
    history = [past(tool="email_send", to="a@example.org")]
    result = simulate([rule(tool="email_send")], [], history, NOW)
    assert (result.newly_allowed, result.rules[0].matched) == (0, 1)


@given(drafts, calls)
def test_what_can_never_match_matches_nothing_or_allows_nothing(rules: list[Rule], history: list[PastCall]) -> None:
    never = [place for place, fault in faults(*rules) if fault is Fault.NEVER]
    for place in never:
        assert effect_of(rules[place], [], history, NOW).given == 0


@given(drafts, calls)
def test_taking_a_shadowed_or_redundant_rule_out_changes_no_verdict(rules: list[Rule], history: list[PastCall]) -> None:
    for place, fault in faults(*rules):
        if fault in (Fault.SHADOWED, Fault.REDUNDANT):
            without = [one for index, one in enumerate(rules) if index != place]
            assert simulate(without, [], history, NOW).after == simulate(rules, [], history, NOW).after


def test_faults_are_named_for_what_they_are() -> None:
    expired = rule(expires=(NOW - timedelta(days=1)).isoformat())
    crossed = rule(when={"amount": {"min": 10, "max": 5}})
    assert faults(expired, crossed, rule(tool="no_such"), rule(tool="email_send")) == [
        (place, Fault.NEVER) for place in range(4)
    ]
    narrow = rule(when={"path": "a.md"})
    assert faults(narrow, rule(GateVerdict.DENY)) == [(0, Fault.SHADOWED)]
    assert faults(narrow, rule()) == [(0, Fault.REDUNDANT)]
    assert faults(rule(), rule()) == [(1, Fault.REDUNDANT)]


def test_a_rule_wider_than_its_example_is_named() -> None:
    call = past(path="a.md", content="x")
    wide = rule()
    assert faults(wide, examples={rule_book.key(wide): call}) == [(0, Fault.BROAD)]


@given(st.builds(lambda path, verdict: past(path=path, content="x\ny", verdict=verdict), paths, given_verdicts))
def test_a_rule_made_from_a_decision_covers_it_and_nothing_it_was_not_about(call: PastCall) -> None:
    made = rule_from(call, ("path",))

    assert made.match is Match.EXACT
    assert made.scope is RuleScope.ALWAYS
    assert effect_of(made, [], [call], NOW).matched == 1
    assert effect_of(made, [], [past(path="elsewhere.md", content="x\ny")], NOW).matched == 0
    assert made.verdict is (GateVerdict.DENY if call.given is Verdict.REJECT else GateVerdict.ALLOW)
    assert faults(made, examples={rule_book.key(made): call}) == []


@given(st.lists(given_verdicts, max_size=40))
def test_a_gate_that_never_says_no_is_named_from_twenty_cards_on(verdicts: list[Verdict | None]) -> None:
    found = never_no([past(path="a.md", verdict=verdict) for verdict in verdicts])
    decided = [verdict for verdict in verdicts if verdict is not None]
    always = len(decided) >= 20 and all(verdict is Verdict.APPROVE for verdict in decided)
    assert bool(found) is always


def beyond(one: Rule, *history: PastCall) -> list[str]:
    found = lint([one], now=NOW, reversibility=REVERSIBILITY, sensitive=SENSITIVE | {"pay": ("amount", "to")},
                 history=history)  # fmt: skip
    return [finding.text for finding in found if finding.fault is Fault.BEYOND]


REPORTS = [past(path=f"reports/{number}.md") for number in range(4)]


def test_a_rule_made_by_hand_is_held_against_what_was_approved() -> None:
    (said,) = beyond(rule(), *REPORTS)
    assert "All 4 approved calls had a path in reports/" in said
    assert beyond(rule(when={"path": "**"}), *REPORTS)
    assert beyond(rule(when={"path": "reports/**"}), *REPORTS) == []


def test_a_rule_over_refused_calls_is_named_before_anything_else() -> None:
    (said,) = beyond(rule(when={"path": "reports/**"}), *REPORTS, past(path="reports/x.md", verdict=Verdict.REJECT))
    assert said == "People refused 1 of the 5 calls that it covers."


def test_a_rule_over_calls_that_nobody_approved_is_named() -> None:
    assert "approved none that it covers" in beyond(rule(when={"path": "secrets/**"}), *REPORTS)[0]


def test_without_a_history_of_the_tool_there_is_nothing_to_hold_against() -> None:
    assert beyond(rule(tool="files_move"), *REPORTS) == []
    assert beyond(rule(), *REPORTS[:2]) == []


def test_a_limit_far_above_every_approved_amount_is_named() -> None:
    paid = [past(tool="pay", amount=str(40 + number), to="acme") for number in range(3)]
    assert "amount up to 42" in beyond(rule(tool="pay", when={"amount": {"max": 5000}, "to": "acme"}), *paid)[0]
    assert beyond(rule(tool="pay", when={"amount": {"max": 100}, "to": "acme"}), *paid) == []
    assert 'to "acme"' in beyond(rule(tool="pay", when={"amount": {"max": 100}}), *paid)[0]


@given(calls)
def test_a_rule_for_exactly_the_approved_paths_is_never_too_broad(history: list[PastCall]) -> None:
    refused = {call.arguments["path"] for call in history if call.given is Verdict.REJECT}
    for call in history:
        path = call.arguments["path"]
        if call.given is Verdict.APPROVE and path not in refused:
            assert beyond(rule(when={"path": path}, match=Match.EXACT), *history) == []


@given(drafts, calls)
def test_only_rules_that_allow_can_allow_too_much(rules: list[Rule], history: list[PastCall]) -> None:
    found = lint(rules, now=NOW, reversibility=REVERSIBILITY, sensitive=SENSITIVE, history=history)
    for finding in found:
        if finding.fault is Fault.BEYOND:
            assert rules[finding.place].verdict is GateVerdict.ALLOW
