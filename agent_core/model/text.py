"""Text from outside, made fit to store and to send: whole characters only."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

LONG = 256 * 1024
"""Characters from which on a text is worked through in pieces, and off the loop: what takes many megabytes in one step
keeps every other thread waiting, the window's among them."""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def whole_characters(text: str) -> str:
    """The text with lone surrogates as U+FFFD; two halves of a pair that have met become one character."""
    try:
        for start in range(0, len(text), LONG):
            text[start : start + LONG].encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def is_large(value: Any) -> bool:
    """Whether a value of ours or of JSON holds more than `LONG` characters and members. Looks at no more than that."""
    return _room_after(value, LONG) < 0


def _room_after(value: Any, room: int) -> int:
    """What is left of the room once the value has taken its part; below 0 when it does not fit."""
    if isinstance(value, str | bytes):
        return room - len(value)
    if isinstance(value, msgspec.Struct):
        parts: Iterable[Any] = (getattr(value, name) for name in value.__struct_fields__)
    elif isinstance(value, dict):
        parts = itertools.chain.from_iterable(value.items())
    elif isinstance(value, list | tuple):
        parts = value
    else:
        return room - 1
    for part in parts:
        room = _room_after(part, room - 1)
        if room < 0:
            break
    return room


def clean(text: str) -> str:
    """The text with whole characters only and without NUL, which becomes U+FFFD too."""
    return whole_characters(text).replace("\0", REPLACEMENT)


def whole_json(value: Any) -> Any:
    """A JSON value with whole characters only in every string, keys too."""
    return _each_string(value, whole_characters)


def clean_json(value: Any) -> Any:
    """A JSON value with every string in it cleaned, keys too."""
    return _each_string(value, clean)


def _each_string(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_each_string(item, change) for item in value]
    if isinstance(value, dict):
        return {change(str(key)): _each_string(item, change) for key, item in value.items()}
    return value
