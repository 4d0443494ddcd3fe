"""Text from outside, made fit to store and to send: whole characters only."""

from collections.abc import Callable
from typing import Any

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def whole_characters(text: str) -> str:
    """The text with lone surrogates as U+FFFD; two halves of a pair that have met become one character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


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
