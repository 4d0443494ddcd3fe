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
    """Slices (start, end) of `text`, each at most `columns` wide; at least one, so that an empty line is a row.

    Plain text breaks after a space where there is one in the second half of the row. No character is left out.
    """
    columns = max(2, columns)
    if text.isascii():
        return _wrap_ascii(text, columns)
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
    """How many rows `wrap_columns` gives; quick for the many lines that need no wrapping."""
    if len(text) <= columns and text.isascii():
        return 1
    return len(wrap_columns(text, columns))


def _wrap_ascii(text: str, columns: int) -> list[tuple[int, int]]:
    slices, start, total = [], 0, len(text)
    while total - start > columns:
        space = text.rfind(" ", start + columns // 2, start + columns)
        end = space + 1 if space >= 0 else start + columns
        slices.append((start, end))
        start = end
    slices.append((start, total))
    return slices


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
