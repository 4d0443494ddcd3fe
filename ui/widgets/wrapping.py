"""Breaking monospaced text into columns. Pure; wide East Asian characters count as two columns."""

from __future__ import annotations

import unicodedata
from typing import Final

_TAB: Final = "    "
_CELL_ENDS: Final = ",;|"


def expand_tabs(text: str) -> str:
    """Tabs as four spaces: a tab's own width depends on where it stands."""
    return text.replace("\t", _TAB)


def column_count(text: str) -> int:
    """Width of `text` in columns."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def wrap_columns(text: str, columns: int) -> list[tuple[int, int]]:
    """Slices (start, end) of `text`, each at most `columns` wide; at least one, so that an empty line is a row.

    A row breaks after a space, else after what parts the cells of a table, where there is one in its second half. No
    character is left out.
    """
    columns = max(2, columns)
    return _wrap_ascii(text, columns) if text.isascii() else _wrap_wide(text, columns)


def wrapped_row_count(text: str, columns: int) -> int:
    """How many rows `wrap_columns` gives; quick for the many lines that need no wrapping."""
    if len(text) <= columns and text.isascii():
        return 1
    return len(wrap_columns(text, columns))


def _wrap_ascii(text: str, columns: int) -> list[tuple[int, int]]:
    slices, start, total = [], 0, len(text)
    while total - start > columns:
        end = _seam(text, start + columns // 2, start + columns)
        slices.append((start, end))
        start = end
    slices.append((start, total))
    return slices


def _wrap_wide(text: str, columns: int) -> list[tuple[int, int]]:
    """As `_wrap_ascii`, for text whose characters are not all one column wide."""
    slices, start, middle, used = [], 0, 0, 0
    index = 0
    while index < len(text):
        width = _columns(text[index])
        if used + width > columns:
            end = _seam(text, middle, index)
            slices.append((start, end))
            start = middle = index = end
            used = 0
            continue
        used += width
        index += 1
        if used * 2 <= columns:
            middle = index
    slices.append((start, len(text)))
    return slices


def _seam(text: str, first: int, end: int) -> int:
    """Where a row that may reach to `end` breaks best, not before `first`."""
    space = text.rfind(" ", first, end)
    if space >= 0:
        return space + 1
    mark = max(text.rfind(separator, first, end) for separator in _CELL_ENDS)
    return mark + 1 if mark >= 0 else end


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
