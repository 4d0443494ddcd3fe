"""Arguments against the JSON schema that a card carries. Types are strict: 1.0 is no integer, true is no number."""

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from agent_core.policy.hosts import is_mailbox
from agent_core.policy.schema_words import told

WHOLE = ""
"""The field name of an error that concerns the arguments as a whole."""


def argument_errors(schema: Mapping[str, Any], arguments: object) -> dict[str, str]:
    """What is wrong, in sentences by field ("to.0"; "" for the whole); empty when the arguments fit.

    A schema that cannot be used is an error too: nothing is approved unchecked. References are never fetched.
    """
    import referencing  # late, as jsonschema below: nobody waits for it before the first decision
    from jsonschema.exceptions import SchemaError

    if not isinstance(arguments, dict) or not all(isinstance(name, str) for name in arguments):
        return {WHOLE: "The arguments must be one complete JSON object."}
    strict, formats = _strict_validator()
    try:
        strict.check_schema(dict(schema))
        validator = strict(dict(schema), format_checker=formats, registry=referencing.Registry())
        found = sorted(validator.iter_errors(arguments), key=lambda error: [str(part) for part in error.absolute_path])
    except SchemaError as error:
        return {WHOLE: f"The schema of this tool is broken: {error.message}."}
    except (referencing.exceptions.Unresolvable, RecursionError):
        return {WHOLE: "The schema of this tool refers to something that is not there."}
    errors: dict[str, str] = {}
    for field, sentence in (one for fault in found for one in told(fault)):
        said = errors.get(field, "")
        if sentence not in said:  # what is missing is one sentence, and a fault of its own for each name
            errors[field] = f"{said} {sentence}".lstrip()
    return errors


@cache
def _strict_validator() -> tuple[Any, Any]:
    """JSON Schema 2020-12 with strict types, and its formats."""
    import jsonschema
    from jsonschema.validators import extend

    usual = jsonschema.Draft202012Validator
    types = usual.TYPE_CHECKER.redefine_many({"integer": _is_integer, "number": _is_number})
    formats = jsonschema.FormatChecker(formats=["ipv4", "ipv6", "uuid"])
    for name, fits in _FORMATS.items():
        formats.checks(name, raises=ValueError)(_of_text(fits))
    return extend(usual, type_checker=types), formats  # type: ignore[no-untyped-call]


def _is_integer(_: Any, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_: Any, value: object) -> bool:
    return _is_integer(None, value) or (isinstance(value, float) and math.isfinite(value))


def _of_text(fits: Callable[[str], bool]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or fits(value)


def _absolute(text: str) -> bool:
    return bool(urlsplit(text).scheme) and text == text.strip()


_FORMATS: dict[str, Callable[[str], bool]] = {
    "date-time": lambda text: datetime.fromisoformat(text).tzinfo is not None,
    "date": lambda text: date.fromisoformat(text) is not None,
    "time": lambda text: time.fromisoformat(text) is not None,
    "email": is_mailbox,
    "uri": _absolute,
}
"""Formats of texts beside those that the library knows; each may also raise ValueError for no."""
