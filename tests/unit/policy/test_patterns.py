"""Globs and expressions: against the whole value, in one Unicode form, in time that no text can blow up."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.policy.patterns import BadPattern, check_regex, matches_glob, matches_regex

patterns = st.text("ab/*?.[", max_size=8)
texts = st.text("ab/.[\n", max_size=8)


def reference(pattern: str, text: str, *, whole_segments: bool = True) -> bool:
    """The meaning of a glob, written down by cases."""
    if not pattern:
        return not text
    if pattern.startswith("**/") and whole_segments:
        rest = pattern[3:]
        if reference(rest, text):
            return True
        segment, slash, below = text.partition("/")
        return bool(segment and slash) and reference(pattern, below)
    if pattern.startswith("**"):
        return any(reference(pattern[2:], text[i:], whole_segments=False) for i in range(len(text) + 1))
    if pattern[0] == "*":
        stop = text.find("/") if "/" in text else len(text)
        return any(reference(pattern[1:], text[i:], whole_segments=False) for i in range(stop + 1))
    if not text or (pattern[0] == "?" and text[0] == "/"):
        return False
    if pattern[0] != "?" and pattern[0] != text[0]:
        return False
    return reference(pattern[1:], text[1:], whole_segments=pattern[0] == "/")


@given(patterns, texts)
def test_a_glob_means_what_its_cases_say(pattern: str, text: str) -> None:
    assert matches_glob(pattern, text, ignore_case=False) == reference(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "fits", "does_not"),
    [
        ("reports/*", ["reports/a.md", "reports/"], ["reports", "reports/x/a.md", "reports2/a"]),
        ("reports/**", ["reports/a.md", "reports/x/y"], ["reports", "reportsx", "a/reports/x"]),
        ("**/key", ["key", "a/key", "a/b/key"], ["akey", "a/keys"]),
        ("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["az", "a/bz"]),
        ("*.csv", ["a.csv", ".csv"], ["a/b.csv", "a.csv.exe", "acsv"]),
        ("invoice[1].txt", ["invoice[1].txt"], ["invoice1.txt"]),
        ("{a,b}", ["{a,b}"], ["a"]),
        ("?.md", ["a.md"], ["/.md", "ab.md"]),
    ],
)
def test_globs(pattern: str, fits: list[str], does_not: list[str]) -> None:
    assert [text for text in fits if not matches_glob(pattern, text, ignore_case=False)] == []
    assert [text for text in does_not if matches_glob(pattern, text, ignore_case=False)] == []


@given(
    st.text(st.characters(codec="utf-8"), max_size=6), st.sampled_from(["NFC", "NFD"]), st.sampled_from(["NFC", "NFD"])
)
def test_the_unicode_form_of_either_side_says_nothing(text: str, here: str, there: str) -> None:
    pattern = text.replace("*", "").replace("?", "")
    given_, held = unicodedata.normalize(here, pattern), unicodedata.normalize(there, pattern)  # type: ignore[arg-type]
    assert matches_glob(given_, held, ignore_case=False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("curl", "\N{CYRILLIC SMALL LETTER ES}url"),
        ("a", "\N{FULLWIDTH LATIN SMALL LETTER A}"),
        ("x", "x\N{ZERO WIDTH SPACE}"),
    ],
)
def test_look_alikes_are_never_equal(one: str, other: str) -> None:
    for ignore_case in (False, True):
        assert not matches_glob(one, other, ignore_case=ignore_case)


def test_an_expression_is_held_against_the_whole_value() -> None:
    assert matches_regex("[a-z]+", "abc", ignore_case=False)
    for text in ("abc1", "abc\n", "\nabc", "a b", ""):
        assert not matches_regex("[a-z]+", text, ignore_case=False)
    assert not matches_regex("a|b", "ab", ignore_case=False)
    assert matches_regex("a.c", "a\nc", ignore_case=False)


@pytest.mark.parametrize("expression", ["(", "(?=a)b", r"(a)\1", "[", "a{2000}", "\ud83d"])
def test_an_expression_that_cannot_be_run_is_refused_with_why(expression: str) -> None:
    assert check_regex(expression)
    with pytest.raises(BadPattern):
        matches_regex(expression, "a", ignore_case=False)


def test_no_text_makes_a_pattern_slow() -> None:
    hostile = "a" * 20_000 + "!"
    began = time.perf_counter()
    assert not matches_regex("(a+)+b", hostile, ignore_case=False)
    assert not matches_glob("*a" * 12 + "b", hostile, ignore_case=False)
    assert time.perf_counter() - began < 5
