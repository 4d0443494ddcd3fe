"""From a JSON Schema to fields: which kind of field each argument gets, and how its text becomes a value again. Pure.

Types are kept exactly: a number that was a whole number stays one, and text is never read as anything else.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from agent_core.model.strict_json import read_json
from ui.hostile import has_hidden

LONG_TEXT = 60
DEEPEST = 5
"""Objects within objects that still get fields of their own; what lies deeper is edited as JSON."""


class FieldKind(StrEnum):
    """How an argument is edited."""

    TEXT = "text"
    LONG_TEXT = "long_text"
    QUOTED = "quoted"
    """Text that no plain editor would show or keep as it is: as a JSON string, with its hidden characters escaped."""
    WHOLE = "whole"
    NUMBER = "number"
    YES_NO = "yes_no"
    CHOICE = "choice"
    LINES = "lines"
    """A list of plain texts, one a line."""
    JSON = "json"


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One argument, or one value inside it: its path, kind, the value proposed, and what it may be."""

    path: tuple[str, ...]
    kind: FieldKind
    value: Any
    present: bool
    required: bool
    choices: tuple[Any, ...] = ()
    help: str = ""
    nullable: bool = False
    """Nothing may stand in its place: an empty field that was a number or a list becomes null."""

    @property
    def name(self) -> str:
        """The path as it is written: "customer.address.city"."""
        return ".".join(self.path)

    @property
    def may_be_left_out(self) -> bool:
        """An optional argument that was not given stays so until somebody gives it."""
        return not self.present and not self.required


LEFT_OUT: Final = object()
"""The value of an argument that is not given."""


class BadText(ValueError):
    """What was typed is no value of its kind; the message says what is wanted."""


def schema_fields(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[SchemaField]:
    """A field for every property of the schema, and for every argument that it does not name; those of objects too."""
    return list(_fields(schema, schema, arguments, ()))


def _fields(
    root: Mapping[str, Any], schema: Mapping[str, Any], arguments: Mapping[str, Any], within: tuple[str, ...]
) -> Iterator[SchemaField]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    required = set(schema.get("required", ()))
    for name in (*properties, *(name for name in arguments if name not in properties)):
        part, value, path = resolve(root, properties.get(name, {})), arguments.get(name), (*within, name)
        if isinstance(value, dict) and value and len(path) < DEEPEST:
            yield from _fields(root, part, value, path)
        else:
            yield _field(path, part, arguments, required=name in required)


def nested(values: Iterable[tuple[SchemaField, Any]]) -> dict[str, Any]:
    """The arguments that these fields and their values make."""
    whole: dict[str, Any] = {}
    for field, value in values:
        inner = whole
        for name in field.path[:-1]:
            inner = inner.setdefault(name, {})
        inner[field.path[-1]] = value
    return whole


def resolve(root: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow a local reference, and take the one type beside null of an argument that may be null."""
    seen = 0
    while "$ref" in part and seen < 20:
        target: Any = root
        for step in str(part["$ref"]).removeprefix("#/").split("/"):
            target = target.get(step, {})
        part, seen = target, seen + 1
    options = [option for option in part.get("anyOf", ()) if option.get("type") != "null"]
    return {**part, **resolve(root, options[0])} if len(options) == 1 else part


def _field(
    path: tuple[str, ...], part: Mapping[str, Any], arguments: Mapping[str, Any], *, required: bool
) -> SchemaField:
    name = path[-1]
    value = arguments.get(name)
    declared, nullable = _declared(part)
    choices = tuple(part.get("enum", (True, False) if declared == "boolean" and not isinstance(value, bool) else ()))
    kind = FieldKind.CHOICE if choices else _kind(declared, value)
    words = str(part.get("description", ""))
    if "default" in part:
        words = f"{words} Without it: {_as_json(part['default'])}.".strip()
    return SchemaField(path, kind, value, name in arguments, required, choices, words, nullable)


def _declared(part: Mapping[str, Any]) -> tuple[Any, bool]:
    """The one type beside null, and whether null is allowed too."""
    declared = part.get("type")
    types = declared if isinstance(declared, list) else [declared]
    beside = [one for one in types if one != "null"]
    nullable = len(beside) < len(types) or any(option.get("type") == "null" for option in part.get("anyOf", ()))
    return (beside[0] if len(beside) == 1 else None), nullable


def choice_rows(field: SchemaField) -> list[tuple[str, Any]]:
    """The rows of a choice with their values: what is proposed as it is, also where it is none of the choices."""
    rows = [(_choice_words(choice), choice) for choice in field.choices]
    if field.nullable and None not in field.choices:
        rows.append(("null", None))
    if not field.present:
        return [("not given", LEFT_OUT), *rows]
    if not any(_same(value, field.value) for _, value in rows):
        rows.insert(0, (_choice_words(field.value), field.value))
    return rows


def chosen_row(field: SchemaField) -> int:
    """The row of what is proposed."""
    wanted = field.value if field.present else LEFT_OUT
    return next(place for place, (_, value) in enumerate(choice_rows(field)) if _same(value, wanted))


def _same(one: Any, other: Any) -> bool:
    """Equal and of the same type: 1 is neither true nor 1.0."""
    return type(one) is type(other) and bool(one == other)


def _choice_words(choice: Any) -> str:
    return choice if isinstance(choice, str) else _as_json(choice)


def _kind(declared: Any, value: Any) -> FieldKind:
    if declared == "string" or (declared is None and isinstance(value, str)):
        if isinstance(value, str) and has_hidden(_plain_lines(value)):
            return FieldKind.QUOTED
        long = isinstance(value, str) and ("\n" in value or len(value) > LONG_TEXT)
        return FieldKind.LONG_TEXT if long else FieldKind.TEXT
    if declared == "integer":
        return FieldKind.WHOLE
    if declared == "number":
        return FieldKind.NUMBER
    if declared == "boolean":
        return FieldKind.YES_NO
    return FieldKind.LINES if _is_lines(value) else FieldKind.JSON


def _is_lines(value: Any) -> bool:
    """Whether a list is all texts that stand on a line each, and come back from there."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) and _is_line(one) for one in value)


def _is_line(text: str) -> bool:
    return bool(text.strip()) and "\n" not in text and not has_hidden(text)


def _plain_lines(text: str) -> str:
    """Text with Windows line ends, all of them, as an editor holds it; any other text as it is."""
    plain = text.replace("\r\n", "\n")
    return plain if plain.replace("\n", "\r\n") == text else text


def _as_json(value: Any, indent: int | None = None) -> str:
    """JSON in which only the hidden characters are escaped."""
    whole = json.dumps(value, ensure_ascii=False, indent=indent)
    return "".join(json.dumps(c)[1:-1] if has_hidden(c) else c for c in whole) if has_hidden(whole) else whole


def as_text(field: SchemaField) -> str:
    """The value as it is edited."""
    if field.value is None:
        return "null" if field.present and field.kind is FieldKind.JSON else ""
    if field.kind in (FieldKind.TEXT, FieldKind.LONG_TEXT) and isinstance(field.value, str):
        return _plain_lines(field.value)
    if field.kind is FieldKind.LINES:
        return "\n".join(field.value)
    return _as_json(field.value, 2 if field.kind is FieldKind.JSON else None)


def parse(field: SchemaField, typed: str) -> Any:
    """The value of what was typed; raises BadText. An unchanged text gives the very same value back."""
    if not typed and field.may_be_left_out:
        return LEFT_OUT
    if typed == as_text(field) and field.present:
        return field.value
    if not typed and field.nullable and field.kind not in (FieldKind.TEXT, FieldKind.LONG_TEXT, FieldKind.LINES):
        return None
    if field.kind in (FieldKind.TEXT, FieldKind.LONG_TEXT):
        windows = isinstance(field.value, str) and _plain_lines(field.value) != field.value
        return typed.replace("\n", "\r\n") if windows else typed
    if field.kind is FieldKind.LINES:
        return [line for line in typed.split("\n") if line.strip()]
    if field.kind is FieldKind.QUOTED:
        return _unquoted(typed)
    if field.kind is FieldKind.WHOLE:
        return _whole(typed)
    if field.kind is FieldKind.NUMBER:
        return _number(typed)
    try:
        return read_json(typed)
    except ValueError as error:
        raise BadText("this is not valid JSON") from error


def _unquoted(typed: str) -> str:
    try:
        text = read_json(typed)
    except ValueError as error:
        raise BadText("this needs to stay a text in double quotes; hidden characters are written as \\u202e") from error
    if not isinstance(text, str):
        raise BadText("this needs to stay a text in double quotes")
    return text


def _whole(typed: str) -> int:
    try:
        return int(typed.strip())
    except ValueError as error:
        raise BadText("this needs a whole number") from error


def _number(typed: str) -> int | float:
    try:
        value = read_json(typed.strip())
    except ValueError as error:
        raise BadText("this needs a number, such as 412.00") from error
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadText("this needs a number, such as 412.00")
    return value
