"""Text from outside, made fit to store and to send: whole characters only."""

from typing import Any

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def clean(text: str) -> str:
    """The text without lone surrogates and NUL (each becomes U+FFFD); halves of a pair that meet become one character."""
    if "\0" in text:
        text = text.replace("\0", REPLACEMENT)
    if text.isascii() or _encodes(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean_json(value: Any) -> Any:
    """A JSON value with every string in it cleaned, keys too."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean_json(item) for item in value]
    if isinstance(value, dict):
        return {clean(str(key)): clean_json(item) for key, item in value.items()}
    return value


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
