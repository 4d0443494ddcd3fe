"""Key changes of JSON and TOML: exact values with the path that leads to them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.proposal import Sign
from agent_core.tools.shared.previews.key_diff import NotReadable, key_change, parse_keys


def rows(before: Any, after: Any) -> list[tuple[Sign, str, str | None, str | None]]:
    return [(row.sign, row.field, row.before, row.after) for row in key_change("x.json", before, after).rows]


def test_changed_added_and_removed_keys_are_named_by_their_path() -> None:
    before = {"a": {"b": 1, "gone": True}, "same": [1, 2]}
    after = {"a": {"b": 2, "new key": None}, "same": [1, 2]}

    assert rows(before, after) == [
        (Sign.CHANGED, "a.b", "1", "2"),
        (Sign.ADDED, 'a."new key"', None, "null"),
        (Sign.REMOVED, "a.gone", "true", None),
    ]


def test_types_stay_apart() -> None:
    assert rows({"a": 1}, {"a": "1"}) == [(Sign.CHANGED, "a", "1", '"1"')]
    assert rows({"a": 1}, {"a": 1.0}) == [(Sign.CHANGED, "a", "1", "1.0")]
    assert rows({"a": 1}, {"a": True}) == [(Sign.CHANGED, "a", "1", "true")]


def test_an_item_put_into_a_list_changes_no_other() -> None:
    assert rows({"l": [1, 2, 3]}, {"l": [1, 9, 2, 3]}) == [(Sign.ADDED, "l[1]", None, "9")]


def test_a_changed_item_of_a_list_is_compared_inside() -> None:
    assert rows([{"id": 1, "x": 1}, {"id": 2, "x": 2}], [{"id": 1, "x": 1}, {"id": 2, "x": 3}]) == [
        (Sign.CHANGED, "[1].x", "2", "3")
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, JSON)
def test_there_are_rows_exactly_when_something_differs(before: Any, after: Any) -> None:
    assert bool(rows(before, after)) == (json.dumps(before, sort_keys=True) != json.dumps(after, sort_keys=True))


def test_toml_is_read_with_its_dates() -> None:
    before = parse_keys("day = 2026-11-30\n[a]\nb = 1\n", ".toml")
    after = parse_keys("day = 2026-12-01\n[a]\nb = 1\n", ".toml")

    assert rows(before, after) == [(Sign.CHANGED, "day", '"2026-11-30"', '"2026-12-01"')]


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("{", ".json"),
        ('{"a": 1, "a": 2}', ".json"),
        ('{"a": NaN}', ".json"),
        ("[" * 100_000, ".json"),
        ("a = ", ".toml"),
        ("a = 1\na = 2", ".toml"),
        ("", ".json"),
    ],
)
def test_what_a_reader_would_stumble_over_is_not_readable(text: str, ending: str) -> None:
    with pytest.raises(NotReadable):
        parse_keys(text, ending)
