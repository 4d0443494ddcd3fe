"""An argument as it is edited in a line or an area of text, and the value of what was typed there. Pure.

Types are kept exactly: a number that was a whole number stays one, and text is never read as anything else.
"""

from typing import Any

from agent_core.model.strict_json import read_json
from ui.models.exact_text import as_json, is_date, plain_lines
from ui.models.schema_form import LEFT_OUT, FieldKind, SchemaField


class BadText(ValueError):
    """What was typed is no value of its kind; the message says what is wanted."""


def as_text(field: SchemaField) -> str:
    """The value as it is edited."""
    if field.value is None:
        return "null" if field.present and field.kind is FieldKind.JSON else ""
    if field.kind in (FieldKind.TEXT, FieldKind.LONG_TEXT) and isinstance(field.value, str):
        return plain_lines(field.value)
    if field.kind is FieldKind.LINES:
        return "\n".join(one if isinstance(one, str) else as_json(one) for one in field.value)
    if field.kind is FieldKind.DATE:
        return str(field.value)
    return as_json(field.value, 2 if field.kind is FieldKind.JSON else None)


def parse(field: SchemaField, typed: str) -> Any:
    """The value of what was typed; raises BadText. An unchanged text gives the very same value back."""
    if not typed and field.may_be_left_out:
        return LEFT_OUT
    if typed == as_text(field) and field.present:
        return field.value
    if not typed and field.nullable and field.kind not in (FieldKind.TEXT, FieldKind.LONG_TEXT, FieldKind.LINES):
        return None
    if field.kind in (FieldKind.TEXT, FieldKind.LONG_TEXT):
        windows = isinstance(field.value, str) and plain_lines(field.value) != field.value
        return typed.replace("\n", "\r\n") if windows else typed
    if field.kind is FieldKind.LINES:
        return [_of_line(field.item, line) for line in typed.split("\n") if line.strip()]
    if field.kind is FieldKind.DATE:
        return _date(typed)
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


def _of_line(kind: FieldKind | None, line: str) -> Any:
    if kind is FieldKind.WHOLE:
        return _whole(line)
    return _number(line) if kind is FieldKind.NUMBER else line


def _date(typed: str) -> str:
    if not is_date(typed.strip()):
        raise BadText("this needs a date such as 2026-12-04")
    return typed.strip()


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
