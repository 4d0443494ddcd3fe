"""What is edited in a card comes back exactly: nothing that the operator did not touch changes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.hostile import has_hidden
from ui.models.argument_text import BadText, as_text, parse
from ui.models.schema_form import FieldKind, SchemaField, item_fields, nested, schema_fields

TEXT = {"type": "object", "properties": {"content": {"type": "string"}}, "required": ["content"]}


def _field(value: object, schema: dict[str, object] = TEXT) -> SchemaField:
    return schema_fields(schema, {"content": value})[0]


@pytest.mark.parametrize(
    "hidden", ["pay \u202e000,1", "a\u200bb", "one\rtwo", "nul \x00", "half \ud800", "tag \U000e0041"]
)
def test_text_with_hidden_characters_is_edited_as_a_json_string_that_shows_them(hidden: str) -> None:
    field = _field(hidden)
    assert field.kind is FieldKind.QUOTED
    assert not has_hidden(as_text(field))
    assert parse(field, as_text(field)) == hidden
    assert parse(field, as_text(field)[:-1] + '!"') == hidden + "!"


@pytest.mark.parametrize("typed", ['"open', "no quotes", "7", '["a"]'])
def test_a_quoted_text_that_is_no_text_any_more_is_refused(typed: str) -> None:
    with pytest.raises(BadText, match="double quotes"):
        parse(_field("a\u200bb"), typed)


def test_windows_line_ends_come_back_after_an_edit() -> None:
    field = _field("one\r\ntwo\r\n")
    assert field.kind is FieldKind.LONG_TEXT
    assert as_text(field) == "one\ntwo\n"
    assert parse(field, "one\nthree\n") == "one\r\nthree\r\n"


def test_mixed_line_ends_are_shown_rather_than_made_equal() -> None:
    field = _field("one\r\ntwo\n")
    assert field.kind is FieldKind.QUOTED
    assert as_text(field) == '"one\\r\\ntwo\\n"'


def test_hidden_characters_in_a_list_are_escaped() -> None:
    field = _field(["a\u202eb"], {"properties": {"content": {"type": "array"}}})
    assert "\\u202e" in as_text(field)
    assert parse(field, as_text(field) + " ") == ["a\u202eb"]


@given(st.text(st.characters()))
def test_an_unchanged_text_is_the_very_same(value: str) -> None:
    field = _field(value)
    assert parse(field, as_text(field)) == value
    assert field.kind is not FieldKind.QUOTED or json.loads(as_text(field)) == value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_fields_of_any_depth_make_the_very_same_arguments(arguments: dict[str, object]) -> None:
    fields = schema_fields({"type": "object"}, arguments)
    made = nested((field, parse(field, as_text(field))) for field in fields)
    assert json.dumps(made, sort_keys=True) == json.dumps(arguments, sort_keys=True)


def test_what_stands_in_an_object_has_a_field_of_its_own() -> None:
    city = {"type": "object", "properties": {"city": {"type": "string"}, "zip": {"type": "string"}}}
    schema = {"properties": {"to": {"$ref": "#/$defs/place"}}, "$defs": {"place": city}}
    fields = schema_fields(schema, {"to": {"city": "Bremen", "floor": 2}})
    assert [(field.name, field.kind) for field in fields] == [
        ("to.city", FieldKind.TEXT), ("to.zip", FieldKind.TEXT), ("to.floor", FieldKind.JSON)
    ]  # fmt: skip
    assert fields[1].may_be_left_out


@pytest.mark.parametrize("odd", [["a", ""], ["a\nb"], ["a\u200b"], ["a", 1], [True, 1], [[1]], [" "]])
def test_a_list_that_lines_would_not_keep_stays_json(odd: list[object]) -> None:
    assert _field(odd, {"properties": {"content": {"type": "array"}}}).kind is FieldKind.JSON


def test_a_list_of_texts_is_edited_one_a_line() -> None:
    field = _field(["a@x.example", "b@x.example"], {"properties": {"content": {"type": "array"}}})
    assert as_text(field) == "a@x.example\nb@x.example"
    assert parse(field, "a@x.example\n\nc@x.example\n") == ["a@x.example", "c@x.example"]
    assert parse(field, "") == []


@pytest.mark.parametrize(
    ("number", "given", "typed", "value"),
    [
        ("integer", [1, 2], "1\n30\n", [1, 30]),
        ("number", [1.0, 2], "1.0\n2\n0.50", [1.0, 2, 0.5]),
        ("integer", [], "7", [7]),
        ("integer", None, "7", [7]),
    ],
)
def test_a_list_of_numbers_is_edited_one_a_line_and_keeps_its_types(
    number: str, given: object, typed: str, value: object
) -> None:
    schema = {"properties": {"content": {"type": "array", "items": {"type": number}}}}
    field = schema_fields(schema, {} if given is None else {"content": given})[0]
    assert field.kind is FieldKind.LINES
    assert repr(parse(field, typed)) == repr(value)
    with pytest.raises(BadText, match="number"):
        parse(field, "seven")


DUE = {"properties": {"content": {"type": "string", "format": "date"}}}


def test_a_day_is_a_field_of_its_own_and_nothing_else_fits_it() -> None:
    field = _field("2026-12-04", DUE)
    assert field.kind is FieldKind.DATE
    assert parse(field, "2026-12-05") == "2026-12-05"
    for odd in ("", "2026-13-04", "04.12.2026", "2026-W49-5"):
        with pytest.raises(BadText, match="a date such as"):
            parse(field, odd)
    assert _field("soon", DUE).kind is FieldKind.TEXT, "what is proposed is shown as it is"


LINE = {
    "type": "object",
    "properties": {"amount": {"type": "number"}, "note": {"type": "string"}},
    "required": ["amount"],
}
INVOICE = {"properties": {"content": {"type": "array", "items": {"$ref": "#/$defs/line"}}}, "$defs": {"line": LINE}}


def test_the_objects_of_a_list_have_fields_of_their_own_and_so_has_a_new_one() -> None:
    field = _field([{"amount": 1.0}, {"amount": 2, "more": True}], INVOICE)
    assert field.kind is FieldKind.ITEMS
    assert [(one.name, one.kind) for one in item_fields(field, field.value[1])] == [
        ("amount", FieldKind.NUMBER), ("note", FieldKind.TEXT), ("more", FieldKind.JSON)
    ]  # fmt: skip
    assert [one.required for one in item_fields(field, {})] == [True, False]
    assert _field([], INVOICE).kind is FieldKind.ITEMS, "the first one can be added"
    assert _field([{"amount": 1}, 2], INVOICE).kind is FieldKind.JSON
    assert _field([{"amount": 1}] * 41, INVOICE).kind is FieldKind.JSON, "too many to show at once"


@pytest.mark.parametrize(
    "itself",
    [{"$ref": "#/$defs/it"}, {"anyOf": [{"$ref": "#/$defs/it"}, {"type": "null"}]}, {"$ref": "#/required/0/x"}],
)
def test_a_reference_that_leads_nowhere_is_edited_as_json(itself: dict[str, object]) -> None:
    schema = {"properties": {"content": {"$ref": "#/$defs/it"}}, "$defs": {"it": itself}, "required": ["content"]}
    field = _field(1, schema)
    assert (field.kind, parse(field, as_text(field))) == (FieldKind.JSON, 1)
