"""Rules: which calls they match, what they say of themselves, and which are refused at load."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_core.config.profile import Match, Rule, RuleScope
from agent_core.model.action import GateVerdict
from agent_core.policy.rules import count_uses, granted_arguments, key, matches, text, validate
from tests.unit.policy.gate_inputs import NOW, any_rule

ALLOW, ASK, DENY = GateVerdict.ALLOW, GateVerdict.ASK, GateVerdict.DENY


def hit(verdict: GateVerdict, when: dict[str, Any], arguments: dict[str, Any], **more: Any) -> bool:
    """Whether a rule on the tool "t" with these conditions matches a call with these arguments."""
    match = more.pop("match", Match.GLOB)
    facts = more.pop("facts", {})
    rule = Rule(tool="t", verdict=verdict, when=when, match=match)
    return matches(rule, tool="t", arguments=arguments, facts=facts, now=NOW, **more)


def test_a_rule_is_for_exactly_one_tool() -> None:
    rule = Rule(tool="files_write", verdict=ALLOW)
    for tool in ("files_write2", "Files_Write", "files", "*", "files_write "):
        assert not matches(rule, tool=tool, arguments={}, facts={}, now=NOW)


def test_the_resolved_value_is_matched_not_the_written_one() -> None:
    assert hit(ALLOW, {"path": "reports/**"}, {"path": "./reports/../reports/a"}, facts={"path": "reports/a"})
    assert not hit(ALLOW, {"path": "reports/**"}, {"path": "reports/a"}, facts={"path": "secrets/a"})


@pytest.mark.parametrize(
    "spelling",
    [
        "reports/../secrets/key",
        "reports/./../secrets/key",
        "reports//key",
        "reports/../../etc/passwd",
        "/reports/key",
        "~/reports/key",
        "reports/key\0",
        "reports\\..\\secrets",
        "reports/..",
        "reports/.",
        "./reports/key",
    ],
)
def test_a_path_that_was_not_resolved_is_never_allowed_and_always_denied(spelling: str) -> None:
    """Only canonical paths can be told; anything else fails closed in both directions."""
    assert not hit(ALLOW, {"path": "reports/**"}, {"path": spelling})
    assert not hit(ALLOW, {"path": {"inside": "reports"}}, {"path": spelling})
    assert hit(DENY, {"path": "secrets/**"}, {"path": spelling})
    assert hit(DENY, {"path": {"inside": "secrets"}}, {"path": spelling})


@pytest.mark.parametrize("form", ["secrets/**", {"inside": "secrets"}, {"glob": "secrets/**"}, {"inside": "secrets/"}])
def test_a_guarded_folder_guards_itself_in_every_case_and_what_holds_it(form: Any) -> None:
    for path in ("secrets/key", "secrets/a/b", "secrets", "SECRETS/Key"):
        assert hit(DENY, {"path": form}, {"path": path})
    for path in ("secrets2/key", "a/secrets", "public/key"):
        assert not hit(DENY, {"path": form}, {"path": path}, tree=True)
    assert hit(DENY, {"path": form}, {"path": "."}, tree=True)
    assert not hit(DENY, {"path": form}, {"path": "."})


def test_to_move_or_delete_a_folder_touches_what_is_guarded_deep_inside() -> None:
    for form in ("data/old/secrets/**", {"inside": "data/old/secrets"}):
        assert hit(DENY, {"path": form}, {"path": "data"}, tree=True)
        assert hit(DENY, {"path": form}, {"path": "Data/old"}, tree=True)
        assert not hit(DENY, {"path": form}, {"path": "data/new"}, tree=True)


def test_a_granted_folder_does_not_grant_itself_nor_another_case() -> None:
    for form in ("reports/**", {"inside": "reports"}):
        assert hit(ALLOW, {"path": form}, {"path": "reports/a.md"})
        for path in ("reports", ".", "Reports/a.md", "reports2/a.md", "r\N{CYRILLIC SMALL LETTER IE}ports/a.md"):
            assert not hit(ALLOW, {"path": form}, {"path": path}, tree=True)


def test_amounts_are_compared_exactly() -> None:
    for amount in (250, 250.0, "250", "250.00", 0, -3):
        assert hit(ALLOW, {"amount": {"max": 250}}, {"amount": amount})
    for amount in (
        250.01,
        "250.01",
        "251",
        True,
        None,
        "",
        "1e2",
        "٢",
        "250 EUR",
        float("nan"),
        float("inf"),
        {},
    ):
        assert not hit(ALLOW, {"amount": {"max": 250}}, {"amount": amount})
    assert hit(ALLOW, {"amount": {"min": 1, "max": "250.5"}}, {"amount": 250.5})
    assert not hit(ALLOW, {"amount": {"min": 1, "max": 250}}, {"amount": 0.99})


def test_an_amount_that_cannot_be_read_is_denied() -> None:
    for amount in ("lots", None, float("nan"), [251, "?"]):
        assert hit(DENY, {"amount": {"min": 1000}}, {"amount": amount})
    assert not hit(DENY, {"amount": {"min": 1000}}, {"amount": 999})


def test_types_are_kept() -> None:
    assert hit(ALLOW, {"flag": True}, {"flag": True})
    for value in (1, "true", "True", False, None):
        assert not hit(ALLOW, {"flag": True}, {"flag": value})
    assert not hit(ALLOW, {"count": 1}, {"count": True})
    assert hit(ALLOW, {"count": "5"}, {"count": 5})
    assert hit(ALLOW, {"count": 5}, {"count": 5.0})


def test_bounds_hold_at_their_edges() -> None:
    assert hit(ALLOW, {"n": {"min": 1, "max": 3}}, {"n": 1})
    assert hit(ALLOW, {"n": {"min": 1, "max": 3}}, {"n": 3})
    assert hit(DENY, {"n": {"min": 1000}}, {"n": 1000})


def test_numbers_and_switches_are_held_against_patterns_as_json_writes_them() -> None:
    for pattern, value in (("5", 5), ("5", 5.0), ("5.5", 5.5), ("-1*", -12), ("true", True), ("f*", False)):
        assert hit(ALLOW, {"x": pattern}, {"x": value})
    for pattern, value in (("5.0", 5.0), ("1", True), ("true", False), ("True", True), ("55", 5.5)):
        assert not hit(ALLOW, {"x": pattern}, {"x": value})
    assert hit(ALLOW, {"x": [False, 3]}, {"x": False})
    assert not hit(DENY, {"x": 1}, {"x": True})


def test_an_argument_that_was_not_given_is_known_to_match_nothing() -> None:
    for wanted in ("x", "*", {"glob": "**"}):
        assert not hit(DENY, {"path": wanted}, {"path": None})
        assert not hit(ALLOW, {"path": wanted}, {"path": None})


def test_a_condition_may_offer_several_texts() -> None:
    for condition in ("exact", "glob", "regex"):
        when = {"path": {condition: ["a", "b"]}}
        assert hit(ALLOW, when, {"path": "b"})
        assert not hit(ALLOW, when, {"path": "c"})
        assert not hit(DENY, when, {"path": "c"})


def test_what_is_exact_ignores_case_only_to_restrict() -> None:
    assert hit(DENY, {"host": {"exact": "Evil.org"}}, {"host": "eVIL.org"})
    assert not hit(ALLOW, {"host": {"exact": "Evil.org"}}, {"host": "eVIL.org"})
    assert not hit(DENY, {"host": {"regex": "Evil"}}, {"host": "evil"})


def test_inside_the_workspace_is_everything_below_it() -> None:
    for root in (".", "", "./"):
        assert hit(ALLOW, {"path": {"inside": root}}, {"path": "a/b"})
        assert not hit(ALLOW, {"path": {"inside": root}}, {"path": "."})
        assert hit(DENY, {"path": {"inside": root}}, {"path": "."})


def test_only_a_path_can_lie_inside_a_folder() -> None:
    for folder, value in (("a", 5), (5, "a/b"), ("a", {"b": 1}), ("a", None)):
        assert not hit(ALLOW, {"path": {"inside": folder}}, {"path": value})
        assert hit(DENY, {"path": {"inside": folder}}, {"path": value})


def test_every_folder_above_a_guarded_pattern_is_touched_wildcards_too() -> None:
    for path in ("data", "data/x", "Data/X/keys", "data/x/keys/k", "."):
        assert hit(DENY, {"path": "data/*/keys/**"}, {"path": path}, tree=True)
    for path in ("dat", "data2", "data/x/key", "x/data", "data/x/y"):
        assert not hit(DENY, {"path": "data/*/keys/**"}, {"path": path}, tree=True)
    for path in ("a", "a/b.txt"):
        assert not hit(DENY, {"path": "**/key"}, {"path": path}, tree=True)


def test_every_item_of_a_list_must_be_granted_and_one_is_enough_to_deny() -> None:
    when = {"to": "*@ourfirm.example"}
    assert hit(ALLOW, when, {"to": ["a@ourfirm.example", "b@ourfirm.example"]})
    assert not hit(ALLOW, when, {"to": ["a@ourfirm.example", "x@evil.org"]})
    assert not hit(ALLOW, when, {"to": []})
    assert hit(DENY, {"to": "*@evil.org"}, {"to": ["a@ourfirm.example", "X@EVIL.org"]})
    assert not hit(DENY, {"to": "*@evil.org"}, {"to": ["a@ourfirm.example"]})


def test_a_rule_may_offer_several_values() -> None:
    when = {"subcommand": ["status", "log"]}
    assert hit(ALLOW, when, {"subcommand": "log"})
    assert not hit(ALLOW, when, {"subcommand": "push"})


def test_all_conditions_must_hold() -> None:
    when = {"path": "reports/**", "amount": {"max": 10}}
    assert hit(ALLOW, when, {"path": "reports/a", "amount": 10})
    assert not hit(ALLOW, when, {"path": "reports/a", "amount": 11})
    assert not hit(DENY, when, {"path": "reports/a", "amount": 11})


@pytest.mark.parametrize("verdict", [ASK, DENY])
def test_what_cannot_be_told_fails_closed(verdict: GateVerdict) -> None:
    for when in (
        {"nope": "x"},
        {"path": {"nope": 1}},
        {"path": {}},
        {"path": None},
        {"object": "x"},
        {"url": {"domain": "a.org"}},
    ):
        arguments = {"path": "a", "object": {"x": 1}, "url": "http://a@b"}
        assert hit(verdict, when, arguments)
        assert not hit(ALLOW, when, arguments)


def test_match_says_how_a_text_is_held_against_the_value() -> None:
    assert hit(ALLOW, {"subject": "a*"}, {"subject": "a*"}, match=Match.EXACT)
    assert not hit(ALLOW, {"subject": "a*"}, {"subject": "ab"}, match=Match.EXACT)
    assert hit(ALLOW, {"subject": "Re: [0-9]+"}, {"subject": "Re: 12"}, match=Match.REGEX)
    assert not hit(ALLOW, {"subject": "Re: [0-9]+"}, {"subject": "Re: 12 and more"}, match=Match.REGEX)
    assert hit(DENY, {"body": "pay.*now"}, {"body": "pay\nme now"}, match=Match.REGEX)


def test_a_domain_is_read_off_the_address_of_the_call() -> None:
    assert hit(ALLOW, {"domain": "example.com"}, {"url": "https://example.com/x"})
    assert not hit(ALLOW, {"domain": "example.com"}, {"url": "https://example.com@evil.org/x"})
    assert hit(ALLOW, {"domain": ["a.org", "*.example.com"]}, {"url": "https://www.example.com/x"})
    assert hit(ALLOW, {"domain": "example.com"}, {"to": ["a@example.com"]})
    assert not hit(ALLOW, {"domain": "example.com"}, {"to": ["a@example.com", "b@evil.org"]})
    assert not hit(ALLOW, {"domain": "example.com"}, {"query": "x"})


@given(any_rule, st.dictionaries(st.sampled_from(["path", "amount"]), st.text(max_size=5) | st.integers() | st.none()))
def test_a_rule_that_allows_would_also_deny(rule: Rule, arguments: dict[str, Any]) -> None:
    """The restrictive reading of a rule covers at least what its permissive reading covers."""
    unlimited = msgspec.structs.replace(rule, uses=None)
    allow, deny = (msgspec.structs.replace(unlimited, verdict=verdict) for verdict in (ALLOW, DENY))
    for tree in (False, True):
        asked = {"tool": rule.tool, "arguments": arguments, "facts": {}, "now": NOW, "tree": tree}
        if matches(allow, **asked):
            assert matches(deny, **asked)


@given(any_rule, any_rule)
def test_rules_of_different_meaning_never_read_the_same(one: Rule, other: Rule) -> None:
    bare = [msgspec.structs.replace(rule, rule_id="", because="") for rule in (one, other)]
    assert (text(one) == text(other)) == (bare[0] == bare[1])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, 'allow t, when path matches "a/**" (glob), for this agent'),
        ({"match": Match.EXACT}, 'allow t, when path matches "a/**" (exact), for this agent'),
        ({"when": {}}, "allow t, for this agent"),
        (
            {"when": {"amount": {"max": 250, "min": 1}}},
            "allow t, when amount is at most 250 and amount is at least 1, for this agent",
        ),
        (
            {"when": {"n": [1, "b"], "m": True}},
            'allow t, when m is true and n is one of [1, "b"] (glob), for this agent',
        ),
        ({"uses": 1, "scope": RuleScope.SESSION}, 'allow t, when path matches "a/**" (glob), for this session, once'),
        (
            {"uses": 5, "scope": RuleScope.ALWAYS, "expires": "2026-12-01T00:00:00+00:00"},
            'allow t, when path matches "a/**" (glob), always, until 2026-12-01T00:00:00+00:00, 5 times',
        ),
    ],
)
def test_the_words_of_a_rule(changes: dict[str, Any], words: str) -> None:
    rule = Rule(tool="t", verdict=ALLOW, when={"path": "a/**"})
    assert text(msgspec.structs.replace(rule, **changes)) == words


def test_an_argument_name_cannot_pass_for_other_words() -> None:
    honest = Rule(tool="t", verdict=ALLOW, when={"a": 1, "b": 2})
    assert text(Rule(tool="t", verdict=ALLOW, when={"a is 1 and b": 2})) != text(honest)


@given(st.text(max_size=8), st.text(max_size=8))
def test_no_text_in_a_rule_can_pass_for_another_rule(one: str, other: str) -> None:
    assume(one != other)
    assert text(Rule(tool="t", verdict=ALLOW, when={"path": one})) != text(
        Rule(tool="t", verdict=ALLOW, when={"path": other})
    )


def test_uses_are_counted_from_what_rules_allowed() -> None:
    once = Rule(tool="t", verdict=ALLOW, uses=1, rule_id="u-1")
    other = Rule(tool="u", verdict=ALLOW, uses=1)
    asking = Rule(tool="t", verdict=ASK)
    granted = [[text(once)], [text(once)], [text(asking)]]
    assert count_uses([once, other, asking], granted) == {"u-1": 2, key(other): 0}


def test_a_rule_names_the_arguments_that_it_narrows() -> None:
    rules = [
        Rule(tool="t", verdict=ALLOW, when={"domain": "a.org"}),
        Rule(tool="t", verdict=DENY, when={"path": "x"}),
        Rule(tool="t", verdict=ALLOW),
    ]
    assert granted_arguments(rules) == dict.fromkeys(("domain", "url", "to"), text(rules[0]))


NAMES = ["path", "content", "amount"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"tool": "files_wrte"}, 'The rule names an unknown tool "files_wrte"; did you mean "files_write"?'),
        ({"when": {"pth": "a"}}, 'files_write has no argument "pth"; did you mean "path"?'),
        ({"when": {"zzz": "a"}}, 'files_write has no argument "zzz"; known are amount, content, path.'),
        ({"when": {"domain": "a.org"}}, 'files_write has no argument "domain"; known are amount, content, path.'),
        (
            {"when": {"path": {"insid": "a"}}},
            'The rule on files_write.path has an unknown condition "insid"; did you mean "inside"?',
        ),
        ({"when": {"amount": {"max": "lots"}}}, 'The rule on files_write.amount has a max that is no number: "lots".'),
        ({"when": {"path": []}}, "The rule on files_write.path offers an empty list, which nothing can match."),
        (
            {"when": {"path": {}}},
            "The rule on files_write.path has an empty table; name a condition such as max or inside.",
        ),
        ({"when": {"path": None}}, "The rule on files_write.path cannot be held against null."),
        ({"when": {"path": {"domain": "a b"}}}, 'The rule on files_write.path names "a b", which is no host.'),
        ({"when": {"path": {"inside": 3}}}, "The rule on files_write.path has a condition inside that is no text: 3."),
        (
            {"expires": "tomorrow"},
            'The rule on files_write expires at "tomorrow", which is no instant with a time zone.',
        ),
        (
            {"expires": "2026-12-01T00:00:00"},
            'The rule on files_write expires at "2026-12-01T00:00:00", which is no instant with a time zone.',
        ),
        ({"verdict": DENY, "uses": 2}, "The rule on files_write counts uses, which only an allow rule can, from 1."),
        ({"uses": 0}, "The rule on files_write counts uses, which only an allow rule can, from 1."),
    ],
)
def test_a_rule_that_cannot_be_meant_is_refused(changes: dict[str, Any], problem: str) -> None:
    rule = msgspec.structs.replace(Rule(tool="files_write", verdict=ALLOW, when={"path": "a"}), **changes)
    assert validate(rule, ["files_write", "files_read"], NAMES) == [problem]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"when": {"path": ["a", "b/**"], "amount": 250}},
        {"when": {"amount": True}},
        {"when": {"amount": {"min": 1, "max": "2.5"}, "path": {"inside": "a"}}},
        {"when": {"path": {"regex": ["a+", "b"]}}, "match": Match.EXACT},
        {"uses": 1, "expires": "2026-12-01T00:00:00+00:00"},
        {"verdict": DENY},
    ],
)
def test_a_sound_rule_has_no_problems(changes: dict[str, Any]) -> None:
    rule = msgspec.structs.replace(Rule(tool="files_write", verdict=ALLOW, when={"path": "a"}), **changes)
    assert validate(rule, ["files_write"], NAMES) == []


def test_the_argument_order_of_a_rule_says_nothing() -> None:
    one, other = {"b": {"min": 1, "max": 2}, "a": "é"}, {"a": "é", "b": {"max": 2, "min": 1}}
    assert text(Rule(tool="t", verdict=ALLOW, when=one)) == text(Rule(tool="t", verdict=ALLOW, when=other))
    assert '"é"' in text(Rule(tool="t", verdict=ALLOW, when=one))


def test_an_expression_that_cannot_run_is_refused() -> None:
    for when, match in (({"path": "(?=a)"}, Match.REGEX), ({"path": {"regex": "("}}, Match.GLOB)):
        problems = validate(Rule(tool="t", verdict=ALLOW, when=when, match=match), ["t"], NAMES)
        assert len(problems) == 1
        assert "expression that cannot be used" in problems[0]


@given(any_rule)
def test_a_rule_without_problems_can_be_told_on_a_sound_call(rule: Rule) -> None:
    if not validate(rule, ["files_write", "other"], ["path", "amount"]):
        soon = msgspec.structs.replace(rule, expires=(NOW + timedelta(days=1)).isoformat(), uses=None)
        arguments = {"path": "zzz", "amount": 10**6}
        asked = {"tool": rule.tool, "arguments": arguments, "facts": {}, "now": NOW}
        permissive = matches(msgspec.structs.replace(soon, verdict=ALLOW), **asked)
        restrictive = matches(msgspec.structs.replace(soon, verdict=DENY), **asked)
        assert permissive == restrictive
