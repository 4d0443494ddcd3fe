"""What is wrong with an argument, in sentences of our own: by the keyword of the schema that it does not fit. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from agent_core.config import values

_LONGEST = 300
_ALTERNATIVES = ("anyOf", "oneOf")
_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
_FORMATS = {
    "email": "an e-mail address such as name@example.com",
    "date": "a date such as 2026-03-02",
    "date-time": "a time with its zone such as 2026-03-02T09:00:00Z",
    "time": "a time of day such as 09:30:00",
    "uri": "a whole address such as https://example.com",
}


class Fault(Protocol):
    """What is read of a `jsonschema.ValidationError`."""

    validator: str
    validator_value: Any
    instance: Any
    schema: Mapping[str, Any]
    message: str
    context: Sequence[Fault]
    absolute_path: Sequence[str | int]
    relative_path: Sequence[str | int]
    relative_schema_path: Sequence[str | int]


def told(error: Fault) -> Iterator[tuple[str, str]]:
    """The field ("to.0"; "" for the whole) and the sentence of each fault that the validator's error stands for."""
    if error.validator in _ALTERNATIVES and error.context:
        yield from _of_alternatives(error)
    else:
        yield _field(error), _sentence(_WORDS.get(error.validator, _as_the_library)(error))


def _of_alternatives(error: Fault) -> Iterator[tuple[str, str]]:
    """Whoever gives a list means the alternative that is a list: its faults, else what kinds there are."""
    branches: dict[object, list[Fault]] = defaultdict(list)
    for fault in error.context:
        branches[fault.relative_schema_path[0]].append(fault)
    meant = next((faults for faults in branches.values() if not any(map(_is_other_kind, faults))), None)
    if meant is not None:
        for fault in meant:
            yield from told(fault)
        return
    kinds = [
        kind for faults in branches.values() for fault in faults if _is_other_kind(fault) for kind in _kinds(fault)
    ]
    yield _field(error), _sentence(_not_of(error, kinds))


def _is_other_kind(fault: Fault) -> bool:
    return fault.validator == "type" and not fault.relative_path


def _field(error: Fault) -> str:
    return ".".join(str(part) for part in error.absolute_path)


def _sentence(words: str) -> str:
    whole = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
    return whole[:1].upper() + whole[1:] + ("" if whole.endswith((".", "…")) else ".")


def _shown(value: object) -> str:
    if value is None:
        return "null"
    return "an object" if isinstance(value, dict) else values.shown(value)


def _named(names: Iterable[object]) -> str:
    """The names with their verb: "to" is, "to" and "subject" are."""
    *others, last = map(_shown, names)
    return f"{', '.join(others)} and {last} are" if others else f"{last} is"


def _kinds(error: Fault) -> list[str]:
    wanted = error.validator_value
    return [str(kind) for kind in (wanted if isinstance(wanted, list) else [wanted])]


def _not_of(error: Fault, kinds: Iterable[str]) -> str:
    words = dict.fromkeys(_KINDS[kind] for kind in kinds if kind in _KINDS)
    return f"{_shown(error.instance)} is not {' or '.join(words) or 'null'}"


def _unknown_names(error: Fault) -> str:
    if "patternProperties" in error.schema:
        return error.message
    known = error.schema.get("properties", {})
    return f"{_named(name for name in error.instance if name not in known)} not known here"


def _other_form(error: Fault) -> str:
    wanted = error.schema.get("description") or error.validator_value
    return f"{_shown(error.instance)} does not have the form that is asked for: {wanted}"


def _too_few(what: str) -> Callable[[Fault], str]:
    return lambda e: f"at least {e.validator_value} {what} are needed" if e.instance else "it is empty"


def _too_many(what: str) -> Callable[[Fault], str]:
    return lambda e: f"it has {len(e.instance):,} {what}, and at most {e.validator_value:,} are allowed"


def _compared(words: str) -> Callable[[Fault], str]:
    return lambda e: f"{_shown(e.instance)} is {words} {_shown(e.validator_value)}"


def _as_the_library(error: Fault) -> str:
    return error.message


_WORDS: Mapping[str, Callable[[Fault], str]] = {
    "type": lambda e: _not_of(e, _kinds(e)),
    "required": lambda e: f"{_named(name for name in e.validator_value if name not in e.instance)} missing",
    "additionalProperties": _unknown_names,
    "enum": lambda e: f"{_shown(e.instance)} is none of {', '.join(map(_shown, e.validator_value))}",
    "const": _compared("not"),
    "format": lambda e: f"{_shown(e.instance)} is not {_FORMATS.get(e.validator_value, e.validator_value)}",
    "pattern": _other_form,
    "minLength": _too_few("characters"),
    "maxLength": _too_many("characters"),
    "minItems": _too_few("entries"),
    "maxItems": _too_many("entries"),
    "uniqueItems": lambda _: "it holds an entry twice",
    "minimum": _compared("less than"),
    "maximum": _compared("more than"),
    "exclusiveMinimum": _compared("not more than"),
    "exclusiveMaximum": _compared("not less than"),
    "multipleOf": _compared("not a multiple of"),
}
