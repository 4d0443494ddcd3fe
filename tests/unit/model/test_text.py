"""Text from outside becomes storable without losing what was whole."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.text import clean, clean_json, whole_characters, whole_json


@pytest.mark.parametrize(
    ("given_text", "kept"),
    [
        ("plain", "plain"),
        ("👍🏽é", "👍🏽é"),
        ("\ud83d", "\ufffd"),
        ("a\udc4db", "a\ufffdb"),
        ("\ud83d\udc4d", "👍"),
        ("\ud83d\ud83d\udc4d", "\ufffd👍"),
        ("a\0b", "a\ufffdb"),
        ("", ""),
    ],
)
def test_lone_surrogates_and_nul_become_replacement_characters(given_text: str, kept: str) -> None:
    assert clean(given_text) == kept


def test_an_emoji_cut_at_any_place_is_cleaned_to_valid_text() -> None:
    halves = "👍🏽é".encode("utf-16-le")
    for cut in range(0, len(halves), 2):
        clean(halves[:cut].decode("utf-16-le", "surrogatepass")).encode()


def test_nul_is_kept_where_only_whole_characters_are_asked_for() -> None:
    assert whole_characters("a\0\ud83d") == "a\0\ufffd"
    assert whole_json({"a\ud83d": ["\0", 1, None]}) == {"a\ufffd": ["\0", 1, None]}


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_sound_text_is_left_alone(text: str) -> None:
    assert clean(text) == text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(st.characters()),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters()), inner, max_size=3),
        max_leaves=8,
    )
)
def test_any_json_can_be_stored_once_cleaned(value: Any) -> None:
    json.dumps(clean_json(value), ensure_ascii=False).encode()
