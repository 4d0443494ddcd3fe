"""Arguments against a card's schema: strict types, formats, no fetching, and a broken schema passes nothing."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from agent_core.policy.argument_schema import argument_errors


def errors_of(schema: dict[str, Any], value: Any) -> dict[str, str]:
    """What is wrong with one argument of that schema."""
    whole = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    return argument_errors(whole, {"x": value})


@pytest.mark.parametrize(
    ("schema", "fits", "does_not"),
    [
        ({"type": "integer"}, [0, -3, 2**52], [1.0, 1.5, True, "1", None, [1]]),
        ({"type": "number"}, [1, 1.5, -0.0, 10**400], [True, "1.5", float("nan"), float("inf"), None]),
        ({"type": "string"}, ["", "a"], [1, None, ["a"]]),
        ({"type": "boolean"}, [True, False], [0, 1, "true"]),
        ({"enum": ["a", 1]}, ["a", 1], ["b", True, "1"]),
        ({"type": "array", "items": {"type": "integer"}}, [[], [1]], [[1, "2"], "1", (1,)]),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, [None, 1], ["", 1.0]),
        ({"type": "string", "format": "date"}, ["2026-11-29"], ["2026-13-01", "29.11.2026", ""]),
        ({"type": "string", "format": "date-time"}, ["2026-11-29T12:00:00Z"], ["2026-11-29T12:00:00", "noon"]),
        ({"type": "string", "format": "time"}, ["12:30:00"], ["25:00", "noon"]),
        ({"type": "string", "format": "email"}, ["a@b.example"], ["a", "a@", "A <a@b.example>", "a@b.example\n"]),
        ({"type": "string", "format": "uri"}, ["https://b.example/x"], ["b.example", " https://b.example"]),
        ({"type": "string", "format": "uuid"}, ["123e4567-e89b-12d3-a456-426614174000"], ["123"]),
        ({"type": "string", "format": "ipv4"}, ["127.0.0.1"], ["127.0.0.256"]),
        ({"type": "string", "format": "of-our-own"}, ["anything"], [1]),
    ],
)
def test_types_and_formats_are_strict(schema: dict[str, Any], fits: list[Any], does_not: list[Any]) -> None:
    assert [value for value in fits if errors_of(schema, value)] == []
    assert [value for value in does_not if not errors_of(schema, value)] == []


def test_errors_are_told_by_field_in_sentences() -> None:
    schema = {
        "type": "object",
        "properties": {"to": {"type": "array", "items": {"type": "string"}}, "n": {"type": "integer", "maximum": 3}},
        "required": ["n", "subject"],
        "additionalProperties": False,
    }
    assert argument_errors(schema, {"to": ["a", 5], "n": 9, "bcc": 1}) == {
        "": '"subject" is missing. "bcc" is not known here.',
        "n": "9 is more than 3.",
        "to.1": "5 is not text.",
    }


def test_all_that_is_missing_is_one_sentence() -> None:
    assert argument_errors({"required": ["to", "subject", "body"]}, {"subject": ""}) == {
        "": '"to" and "body" are missing.'
    }


ADDRESS = {"type": "string", "format": "email"}


@pytest.mark.parametrize(
    ("value", "errors"),
    [
        ("ana", {"x": '"ana" is not an e-mail address such as name@example.com.'}),
        (["a@b.example", "ana"], {"x.1": '"ana" is not an e-mail address such as name@example.com.'}),
        ([], {"x": "It is empty."}),
        (3, {"x": "3 is not text or a list."}),
        ({}, {"x": "An object is not text or a list."}),
        (None, {}),
    ],
)
def test_of_several_alternatives_the_one_that_was_meant_is_told_about(value: Any, errors: dict[str, str]) -> None:
    schema = {"anyOf": [ADDRESS, {"type": "array", "items": ADDRESS, "minItems": 1}, {"type": "null"}]}
    assert errors_of(schema, value) == errors


@pytest.mark.parametrize(
    ("schema", "value", "sentence"),
    [
        ({"enum": ["a", 1]}, "b", '"b" is none of "a", 1.'),
        ({"const": 4}, 3, "3 is not 4."),
        ({"type": ["string", "null"]}, True, "True is not text."),
        ({"type": "null"}, "a", '"a" is not null.'),
        ({"format": "uuid"}, "1", '"1" is not uuid.'),
        ({"pattern": "^a", "description": "A name with a."}, "b\n", "does not have the form that is asked for: A name"),
        ({"pattern": "^a"}, "b", '"b" does not have the form that is asked for: ^a.'),
        ({"minLength": 2}, "a", "At least 2 characters are needed."),
        ({"minLength": 2}, "", "It is empty."),
        ({"maxLength": 2}, "abc", "It has 3 characters, and at most 2 are allowed."),
        ({"maxItems": 1, "uniqueItems": True}, [1, 1], "and at most 1 are allowed. It holds an entry twice."),
        ({"minimum": 2}, 1, "1 is less than 2."),
        ({"exclusiveMinimum": 2}, 2, "2 is not more than 2."),
        ({"exclusiveMaximum": 2}, 2, "2 is not less than 2."),
        ({"multipleOf": 2}, 3, "3 is not a multiple of 2."),
    ],
)
def test_each_fault_is_a_sentence_of_our_own(schema: dict[str, Any], value: Any, sentence: str) -> None:
    assert sentence in errors_of(schema, value)["x"]


@pytest.mark.parametrize("arguments", [None, [], "x", 5, {1: "x"}, [("a", 1)]])
def test_only_an_object_is_arguments(arguments: Any) -> None:
    assert argument_errors({}, arguments) == {"": "The arguments must be one complete JSON object."}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "no such type"},
        {"properties": {"x": {"$ref": "https://example.com/schema.json"}}},
        {"properties": {"x": {"$ref": "#/nowhere"}}},
        {"properties": {"x": {"pattern": "("}}},
        {"$ref": "#"},
        {"properties": 5},
    ],
)
def test_a_broken_schema_passes_nothing_and_fetches_nothing(schema: dict[str, Any]) -> None:
    errors = argument_errors(schema, {"x": "y"})
    assert list(errors) == [""]
    assert "schema" in errors[""]


def test_a_long_message_is_cut() -> None:
    assert len(errors_of({"type": "integer"}, "x" * 5000)["x"]) <= 301


class Payment(BaseModel):
    """Arguments as tools declare them."""

    model_config = ConfigDict(extra="forbid", strict=True)

    to: list[str] = Field(min_length=1)
    amount: float = Field(gt=0, le=10_000)
    note: str | None = None


@pytest.mark.parametrize(
    ("arguments", "sound"),
    [
        ({"to": ["a"], "amount": 1.5}, True),
        ({"to": ["a"], "amount": 1, "note": None}, True),
        ({"to": [], "amount": 1}, False),
        ({"to": "a", "amount": 1}, False),
        ({"to": ["a"], "amount": 0}, False),
        ({"to": ["a"], "amount": "1"}, False),
        ({"to": ["a"], "amount": 1, "extra": 1}, False),
    ],
)
def test_a_schema_says_the_same_as_the_model_that_it_came_from(arguments: dict[str, Any], sound: bool) -> None:
    assert (argument_errors(Payment.model_json_schema(), arguments) == {}) is sound
    if sound:
        Payment.model_validate(arguments)
