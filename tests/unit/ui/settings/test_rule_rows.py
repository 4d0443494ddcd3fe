"""The form of a rule loses nothing of it, and refuses what the rule book would refuse."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.profile import Match, Rule, RuleScope
from agent_core.model.action import GateVerdict
from ui.models.settings.rule_rows import (
    Condition,
    Predicate,
    RuleDraft,
    draft_of,
    expires_words,
    rule_of,
    when_words,
)

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
_texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1).filter(str.strip)
_numbers = st.integers(-(10**9), 10**9) | st.booleans()
_tables = st.one_of(
    st.fixed_dictionaries({"max": st.integers(0, 10**6)}),
    st.fixed_dictionaries({"min": st.integers(0, 10**6), "max": st.integers(0, 10**6)}),
    st.fixed_dictionaries({"inside": _texts}),
    st.fixed_dictionaries({"exact": st.lists(_texts, min_size=1)}),
)
_wanted = _texts | _numbers | st.lists(_texts, min_size=1) | _tables


@given(st.dictionaries(st.sampled_from(["source", "target"]), _wanted), st.sampled_from([Match.GLOB, Match.EXACT]))
def test_every_rule_survives_the_form(when: dict[str, Any], match: Match) -> None:
    rule = Rule(
        tool="files_move",
        verdict=GateVerdict.ALLOW,
        when=when,
        match=match,
        scope=RuleScope.ALWAYS,
        expires="2027-01-01T00:00:00+00:00",
        uses=3,
        because="why",
    )

    assert rule_of(draft_of(rule), NOW) == (rule, [])


def made(*predicates: Predicate, **changes: Any) -> tuple[Rule | None, list[str]]:
    values = {"tool": "files_move", "verdict": GateVerdict.ALLOW, "predicates": predicates, **changes}
    return rule_of(RuleDraft(**values), NOW)


def test_rows_of_one_argument_become_one_condition() -> None:
    rule, _ = made(Predicate("source", Condition.MIN, "1"), Predicate("source", Condition.MAX, "9"))

    assert rule is not None
    assert rule.when == {"source": {"min": 1, "max": 9}}


@pytest.mark.parametrize(
    ("predicates", "words"),
    [
        ((Predicate("source", Condition.MATCHES, ""),), 'The condition on "source" needs a value.'),
        ((Predicate("source", Condition.IS, "blue"),), 'The value of "source" is not valid'),
        ((Predicate("source", Condition.JSON, "{"),), 'The value of "source" is not valid'),
        ((Predicate("source", Condition.MAX, "much"),), "a max that is no number"),
        ((Predicate("path", Condition.MATCHES, "x"),), 'no argument "path"'),
        ((Predicate("source", value="a"), Predicate("source", value="b")), "stands in two rows"),
    ],
)
def test_a_condition_that_cannot_be_meant_is_refused(predicates: tuple[Predicate, ...], words: str) -> None:
    rule, problems = made(*predicates)

    assert rule is None
    assert words in problems[0]


def test_an_expression_that_does_not_compile_is_refused() -> None:
    rule, problems = made(Predicate("source", value="("), match=Match.REGEX)

    assert rule is None
    assert "cannot be used" in problems[0]


def test_a_duration_counts_from_now_and_an_instant_stays() -> None:
    later, _ = made(expires="30d")
    fixed, _ = made(expires="2027-01-31T18:00:00Z")

    assert later is not None
    assert fixed is not None
    assert later.expires == (NOW + timedelta(days=30)).isoformat()
    assert fixed.expires == "2027-01-31T18:00:00+00:00"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"expires": "soon"}, "Expires must be"),
        ({"expires": "2027-01-31T18:00:00"}, "Expires needs a time zone"),
        ({"uses": "0"}, "Uses must be a whole number from 1"),
        ({"uses": "few"}, "Uses must be a whole number from 1"),
        ({"uses": "2", "verdict": GateVerdict.DENY}, "Only a rule that allows can count its uses."),
    ],
)
def test_other_fields_are_refused_in_words(changes: dict[str, Any], words: str) -> None:
    rule, problems = made(**changes)

    assert rule is None
    assert words in problems[0]


def test_the_table_says_when_and_until_when() -> None:
    rule = Rule(tool="files_edit", verdict=GateVerdict.ASK)

    assert when_words(rule) == "any call"
    assert expires_words(rule, NOW) == "never"
    assert expires_words(Rule(tool="x", verdict=GateVerdict.ASK, expires="2026-01-01T00:00:00+00:00"), NOW) == "over"
