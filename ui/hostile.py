"""Makes characters that hide, reorder or fake text visible, for display only.

What an agent or a tool wrote may carry direction marks, zero-width letters, tag characters or control codes that make
a line read as something that it is not. Screens show such characters as escapes (`\\u202e`); the caller keeps the bytes
themselves untouched. Pure functions, no Qt.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Controls except tab and newline; soft hyphen; Arabic letter mark; Hangul and Khmer fillers; Mongolian separators;
# zero-width and direction marks; line separators; invisible operators; variation selectors; byte order mark;
# interlinear marks; lone surrogates; non-characters; musical format marks; the tag and supplement blocks.
_HIDDEN: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN_PATTERN: Final = re.compile(f"[{_HIDDEN}]")
_MARKS_ALLOWED: Final = 3
_COMBINING: Final = r"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_STACKED_MARKS: Final = re.compile(f"[{_COMBINING}]{{4,}}")
_EMOJI_PRESENTATION: Final = "\ufe0e\ufe0f"
_KEYCAP_BASES: Final = "#*0123456789"


def escape(character: str) -> str:
    """`character` as a Python-style escape: four hex digits, eight outside the basic plane."""
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def visible(text: str) -> str:
    """`text` with every hidden character escaped; newlines and tabs stay. Returns `text` itself when it is clean."""
    if text.isascii() and text.isprintable():
        return text
    shown = _HIDDEN_PATTERN.sub(_shown, text)
    return shown if shown.isascii() else _STACKED_MARKS.sub(_unstacked, shown)


def visible_line(text: str) -> str:
    """`visible`, with newlines and tabs escaped as well: for text that must stay on one line."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def has_hidden(text: str) -> bool:
    """Whether `visible` would change `text`."""
    return visible(text) != text


def _shown(match: re.Match[str]) -> str:
    character = match.group()
    if character in _EMOJI_PRESENTATION and _is_emoji_base(match.string[match.start() - 1 : match.start()]):
        return character
    return escape(character)


def _is_emoji_base(character: str) -> bool:
    """One presentation selector after a pictograph is ordinary writing; anywhere else it can carry hidden data."""
    return bool(character) and (character in _KEYCAP_BASES or unicodedata.category(character) in ("So", "Sm", "Po"))


def _unstacked(match: re.Match[str]) -> str:
    marks = match.group()
    return marks[:_MARKS_ALLOWED] + "".join(map(escape, marks[_MARKS_ALLOWED:]))
