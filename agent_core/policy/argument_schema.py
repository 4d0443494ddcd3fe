"""Arguments against the JSON schema that a card carries. Types are strict: 1.0 is no integer, true is no number."""

import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import referencing
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend

from agent_core.policy.hosts import is_mailbox

WHOLE = ""
"""The field name of an error that concerns the arguments as a whole."""


def argument_errors(schema: Mapping[str, Any], arguments: object) -> dict[str, str]:
    """What is wrong, in sentences by field ("to.0"; "" for the whole); empty when the arguments fit.

    A schema that cannot be used is an error too: nothing is approved unchecked. References are never fetched.
    """
    if not isinstance(arguments, dict) or not all(isinstance(name, str) for name in arguments):
        return {WHOLE: "The arguments must be one complete JSON object."}
    validator = _Strict(dict(schema), format_checker=_FORMATS, registry=_NO_FETCHING)
    try:
        _Strict.check_schema(dict(schema))
        found = sorted(validator.iter_errors(arguments), key=lambda error: [str(part) for part in error.absolute_path])
    except SchemaError as error:
        return {WHOLE: f"The schema of this tool is broken: {error.message}."}
    except (referencing.exceptions.Unresolvable, RecursionError):
        return {WHOLE: "The schema of this tool refers to something that is not there."}
    errors: dict[str, str] = {}
    for fault in found:
        field = ".".join(str(part) for part in fault.absolute_path)
        errors[field] = f"{errors[field]} {_sentence(fault)}" if field in errors else _sentence(fault)
    return errors


def _sentence(error: ValidationError) -> str:
    message = error.message if len(error.message) <= 300 else error.message[:297] + "…"
    return message[:1].upper() + message[1:] + ("" if message.endswith((".", "…")) else ".")


def _is_integer(_: Any, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_: Any, value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_Strict = extend(  # type: ignore[no-untyped-call]
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    ),
)
_NO_FETCHING: referencing.Registry[Any] = referencing.Registry()
_FORMATS = jsonschema.FormatChecker(formats=["date", "ipv4", "ipv6", "uuid"])


def _add_format(name: str, parse: Any, refusals: Iterable[type[Exception]] = (ValueError,)) -> None:
    def fits(value: object) -> bool:
        return not isinstance(value, str) or bool(parse(value))

    _FORMATS.checks(name, raises=tuple(refusals))(fits)


def _aware(text: str) -> bool:
    return datetime.fromisoformat(text).tzinfo is not None


def _absolute(text: str) -> bool:
    parts = urlsplit(text)
    return bool(parts.scheme) and text == text.strip()


_add_format("date-time", _aware)
_add_format("time", lambda text: time.fromisoformat(text) is not None)
_add_format("date", lambda text: date.fromisoformat(text) is not None)
_add_format("email", is_mailbox)
_add_format("uri", _absolute)
