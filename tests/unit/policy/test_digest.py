"""An approval's digest changes with everything that means something, and with nothing else."""

import copy
import hashlib
import json
import math
from typing import Any

import pytest
import rfc8785
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_core.policy.digest import DEEPEST, NotCanonical, arguments_digest, call_digest, canonical

LARGEST = 2**53 - 1
text = st.text(st.characters(codec="utf-8"), max_size=12)
numbers = st.integers(-LARGEST, LARGEST) | st.floats(allow_nan=False, allow_infinity=False)
leaves = st.none() | st.booleans() | numbers | text
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4), max_leaves=12
)
objects = st.dictionaries(text, values, max_size=5)

CALL: dict[str, Any] = {
    "arguments": {"path": "a.md", "n": 1},
    "tool": "files_write",
    "tool_version": "1",
    "session": "s-1",
    "call_id": "c-1",
    "verdict": "ask",
    "rules": ["ask files_write, for this agent"],
    "seen": {"a.md": "0" * 64},
}


def reordered(value: Any) -> Any:
    """The same value with every object's keys in the opposite order."""
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(list(value))}
    return [reordered(item) for item in value] if isinstance(value, list) else value


@given(values)
def test_every_value_gets_the_bytes_of_the_reference_encoder(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


def test_canonical_form_is_that_of_rfc_8785() -> None:
    assert (
        canonical({"b": [1.0, 1e21, "€\n"], "a": None, "€": True})
        == b'{"a":null,"b":[1,1e+21,"\xe2\x82\xac\\n"],"\xe2\x82\xac":true}'
    )


@given(objects)
def test_key_order_never_changes_the_digest(arguments: dict[str, Any]) -> None:
    assert arguments_digest("t", arguments) == arguments_digest("t", reordered(arguments))


@given(objects)
def test_a_round_through_json_never_changes_the_digest(arguments: dict[str, Any]) -> None:
    assert arguments_digest("t", arguments) == arguments_digest("t", json.loads(json.dumps(arguments)))


@given(objects, objects)
def test_different_arguments_have_different_digests(left: dict[str, Any], right: dict[str, Any]) -> None:
    assume(canonical(left) != canonical(right))
    assert arguments_digest("t", left) != arguments_digest("t", right)


@given(values, values)
def test_values_with_one_canonical_form_mean_the_same(left: Any, right: Any) -> None:
    if canonical(left) == canonical(right):
        assert json.loads(canonical(left)) == json.loads(canonical(right))
    else:
        assert repr(left) != repr(right)


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("arguments", {"path": "b.md", "n": 1}),
        ("arguments", {"path": "a.md", "n": "1"}),
        ("arguments", {"path": "a.md", "n": True}),
        ("arguments", {"path": "a.md", "n": [1]}),
        ("arguments", {"path": "a.md", "n": 1, "extra": None}),
        ("arguments", {"path": "a.md"}),
        ("arguments", {"path": "\N{CYRILLIC SMALL LETTER A}.md", "n": 1}),
        ("tool", "files_edit"),
        ("tool_version", "2"),
        ("session", "s-2"),
        ("call_id", "c-2"),
        ("verdict", "allow"),
        ("rules", []),
        ("rules", ["ask files_write, for this agent", "allow files_write, for this agent"]),
        ("seen", {}),
        ("seen", {"a.md": "1" + "0" * 63}),
        ("seen", {"b.md": "0" * 64}),
    ],
)
def test_every_part_of_a_call_is_bound(part: str, changed: Any) -> None:
    assert call_digest(**CALL) != call_digest(**{**CALL, part: changed})


def test_the_order_of_rules_in_the_policy_is_not_bound() -> None:
    rules = ["ask a, for this agent", "allow b, for this agent"]
    assert call_digest(**{**CALL, "rules": rules}) == call_digest(**{**CALL, "rules": rules[::-1]})


def test_a_digest_is_a_sha256_in_hex() -> None:
    digest = call_digest(**CALL)
    assert len(digest) == 64
    assert digest == call_digest(**copy.deepcopy(CALL))
    assert digest != hashlib.sha256(b"").hexdigest()


def test_one_and_one_point_zero_are_one_json_number() -> None:
    assert canonical(1) == canonical(1.0) == b"1"


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (2**53, "too large"),
        (-(2**60), "too large"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        ("\ud83d", "UTF-8"),
        ({"\ud83d": 1}, "exactly"),
        ({1: "a"}, "keys"),
        (b"raw", "bytes"),
        ({"when": object()}, "object"),
    ],
)
def test_what_has_no_exact_form_is_refused_with_a_sentence(value: Any, named: str) -> None:
    with pytest.raises(NotCanonical, match=named) as refusal:
        canonical({"value": value} if not isinstance(value, dict) else value)
    assert "\n" not in str(refusal.value)


def test_deep_nesting_is_refused_and_not_a_crash() -> None:
    def nested(levels: int) -> Any:
        value: Any = 1
        for _ in range(levels):
            value = [value]
        return value

    assert canonical(nested(DEEPEST))
    for levels in (DEEPEST + 1, 100_000):
        with pytest.raises(NotCanonical, match="deep"):
            canonical(nested(levels))
