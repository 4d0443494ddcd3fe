"""What a person gives as JSON is read whole or refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.strict_json import read_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(VALUES)
def test_every_json_value_is_read_as_it_is(value: object) -> None:
    assert read_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"path": "a", "path": "b"}', 'the key "path" is there twice'),
        ('[{"x": {"a": 1, "a": 1}}]', 'the key "a" is there twice'),
        ('{"n": NaN}', "NaN is not a JSON number"),
        ('{"n": -1e999}', "-1e999 is too large"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ("[" * 100_000, "nested too deep"),
        ("{", "Expecting property name"),
    ],
)
def test_what_json_would_drop_or_guess_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_json(text)
