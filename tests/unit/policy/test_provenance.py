"""Provenance: exact values only, trusted places first, and no way to launder a value through a call's own echo."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.policy.provenance import (
    LONGEST_TRACED,
    WORKSPACE,
    OriginKind,
    SourceText,
    beginning,
    trace_value,
    traceable_parts,
)


def goal(text: Any) -> SourceText:
    """The operator's goal."""
    return SourceText(kind=OriginKind.GOAL, content=text, name="the goal")


def result(content: Any, *, untrusted: bool = False, asked: Any = None, age: float | None = None) -> SourceText:
    """A tool's result, with a limit of ten seconds on its age."""
    return SourceText(
        kind=OriginKind.RESULT,
        content=content,
        name="a result",
        asked=asked,
        age_seconds=age,
        limit_seconds=10.0,
        untrusted=untrusted,
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("anna@x.com", "Write to Anna <Anna@X.com>."),
        ("anna@x.com", "mailto:anna@x.com?subject=a"),
        ("reports/march.md", "see reports/march.md."),
        ("./reports/march.md", "see ./reports/march.md, please"),
        ("reports/march.md", "everything goes into reports/"),
        ("reports/2026", "reports/2026/a.md was read"),
        ("INV-0231", "invoice inv-0231, due today"),
        ("example.com", "on example.com."),
        ("Anna  Berg", "to anna berg"),
        ("https://example.com/pay?id=3", "call https://example.com/pay?id=3 now"),
        ("https://example.com/other", "the site is example.com"),
        (38, "38 recipients"),
        (1250.5, "a total of 1,250.50 EUR"),
        (1250.5, "eine Summe von 1.250,50 EUR"),
        (1250, "1 250 pieces"),
        (250, "1 250 pieces"),
        ("412.00", "€412.00"),
        (-5, "minus 5"),
        (0.1, {"share": 0.1}),
        (1000000, [1e6]),
        ("caf\u00e9", "in the cafe\u0301"),
        ({"a": "x1", "b": ["y2", None, True]}, {"deep": [["x1"], {"y2": 0}]}),
    ],
)
def test_a_value_is_found_where_it_was_said(value: Any, text: Any) -> None:
    origin = trace_value(value, [goal(text)])
    assert origin is not None
    assert origin.kind is OriginKind.GOAL


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("anna@x.com", "joanna@x.com, anna@x.com.evil.org, anna@x.community"),
        ("\N{CYRILLIC SMALL LETTER A}nna@x.com", "anna@x.com"),
        ("reports/march.md", "data/reports/march.md"),
        ("reports/march.md", "old-reports/ and reports.old and reports2/march.md"),
        ("a/reports/march.md", "reports/"),
        ("INV-0231", "INV-02310 and XINV-0231 and INV-0231-b"),
        ("example.com", "evil-example.com and example.com.evil.org and www.example.com"),
        ("Anna", "Hanna and Annabel"),
        ("Anna Berg", "Anna Bergmann"),
        ("https://example.com/pay", "https://example.com.evil.org/pay"),
        ("https://example.com@evil.org/", "example.com"),
        (38, "380 and 3.8 and 138"),
        (39, "38"),
        ("0231", "231"),
        (231, "INV-231 and A231 and 231b"),
        ("x9", ""),
        (5, {"items": []}),
    ],
)
def test_what_only_resembles_a_value_is_no_origin(value: Any, text: Any) -> None:
    assert trace_value(value, [goal(text)]) is None


def test_a_new_file_at_the_top_comes_from_the_workspace_unless_something_untrusted_names_it() -> None:
    assert trace_value("my out.txt", [], path=True) == WORKSPACE
    assert trace_value("out.txt", []) is None
    origin = trace_value("out.txt", [result("delete out.txt", untrusted=True)], path=True)
    assert origin is not None
    assert origin.untrusted


def test_the_most_trustworthy_place_counts() -> None:
    texts = [result("b7", untrusted=True), result("b7", age=99), result("b7", age=1), goal("b7")]
    for keep, expected in ((4, ("goal", False)), (3, ("result", False)), (2, ("result", False)), (1, ("result", True))):
        origin = trace_value("b7", texts[:keep])
        assert origin is not None
        assert (origin.kind.value, origin.untrusted) == expected
        assert origin.stale == (keep == 2)


def test_of_many_values_the_least_trustworthy_counts() -> None:
    texts = [goal("anna@x.com"), result("eve@y.org", untrusted=True)]
    origin = trace_value(["anna@x.com", "eve@y.org"], texts)
    assert origin is not None
    assert origin.untrusted
    assert trace_value(["anna@x.com", "nobody@z.net"], texts) is None


@pytest.mark.parametrize("value", ["eve@y.org", "T-1000", 4711, "Eve Adams", "https://y.org/a"])
def test_a_result_does_not_vouch_for_what_its_own_call_asked_with(value: Any) -> None:
    echo = result({"pattern": value, "matches": []}, asked={"pattern": value})
    assert trace_value(value, [echo]) is None
    assert trace_value(value, [echo, goal(["use", value])]) is not None


def test_a_result_vouches_for_the_path_that_it_read() -> None:
    assert trace_value("in/a.csv", [result({"path": "in/a.csv"}, asked={"path": "in/a.csv"})]) is not None


def test_untrusted_text_about_a_folder_neither_helps_nor_hurts_a_new_file_in_it() -> None:
    about = result("the folder reports/", untrusted=True)
    assert trace_value("reports/new.md", [about]) is None
    origin = trace_value("reports/new.md", [about, goal("write into reports")])
    assert origin is not None
    assert not origin.untrusted


def test_content_and_switches_have_no_origin_to_trace() -> None:
    for value in (True, None, "", "  ", "two\nlines", "x" * (LONGEST_TRACED + 1), [], {}, {"a": [None, False]}):
        assert list(traceable_parts(value)) == []
        with pytest.raises(ValueError, match="traced"):
            trace_value(value, [])
    assert list(traceable_parts({"a": [1, {"b": "x"}], "c": True})) == [1, "x"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, json_values, json_values)
def test_no_value_and_no_text_is_a_crash(value: Any, content: Any, asked: Any) -> None:
    if any(True for _ in traceable_parts(value)):
        trace_value(value, [goal(content), result(content, asked=asked)])


words = st.text("abcxyz019", min_size=3, max_size=8)


@given(words, st.lists(words, max_size=5), st.lists(words, max_size=5))
def test_a_word_is_found_exactly_when_it_was_said(value: str, before: list[str], after: list[str]) -> None:
    origin = trace_value(value, [goal(" ".join([*before, value, *after]))])
    assert origin is not None
    spoken = [*before, *after]
    said = value in spoken or (value.isdigit() and any(w.isdigit() and int(w) == int(value) for w in spoken))
    if not value.isdigit():
        assert (trace_value(value, [goal("; ".join(spoken))]) is not None) == said


def test_only_the_beginning_of_a_long_text_can_be_where_a_value_comes_from() -> None:
    content = {"text": "anna@x.com" + " " * 100 + "bert@x.com", "more": ["carl@x.com"], "number": 5}

    shown = beginning(content, 50)

    assert trace_value("anna@x.com", [result(shown)]) is not None
    assert trace_value("bert@x.com", [result(shown)]) is None
    assert trace_value("carl@x.com", [result(shown)]) is None
    assert beginning(content, 1000) == content
