"""Breaking monospaced text into columns. Pure; wide East Asian characters count as two columns."""

from __future__ import annotations

import unicodedata
from typing import Final

_TAB: Final = "    "


def expand_tabs(text: str) -> str:
    """Tabs as four spaces: a tab's own width depends on where it stands."""
    return text.replace("\t", _TAB)


def column_count(text: str) -> int:
    """Width of `text` in columns."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def wrap_columns(text: str, columns: int) -> list[tuple[int, int]]:
    """Slices (start, end) of `text`, each at most `columns` wide; at least one, so that an empty line is a row."""
    columns = max(2, columns)
    if text.isascii():
        return [(start, min(start + columns, len(text))) for start in range(0, max(1, len(text)), columns)]
    slices, start, used = [], 0, 0
    for index, character in enumerate(text):
        width = _columns(character)
        if used + width > columns:
            slices.append((start, index))
            start, used = index, 0
        used += width
    slices.append((start, len(text)))
    return slices


def wrapped_row_count(text: str, columns: int) -> int:
    """How many rows `wrap_columns` gives, without building them for plain text."""
    if text.isascii():
        return max(1, -(-len(text) // max(2, columns)))
    return len(wrap_columns(text, columns))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
