"""Patterns of rules: globs and regular expressions, always against the whole value.

RE2 runs them: its time grows with the text alone, so no text that a model writes can make a rule hang.
"""

import unicodedata
from functools import lru_cache
from typing import Any

import re2

from agent_core.model.globs import glob_to_regex

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


class BadPattern(ValueError):
    """A regular expression that RE2 does not take."""


def normal(text: str) -> str:
    """One Unicode form (NFC) for comparing. Look-alikes of other scripts stay different."""
    return unicodedata.normalize("NFC", text)


def matches_glob(pattern: str, text: str, *, ignore_case: bool) -> bool:
    """Whether the whole text fits the glob."""
    return _fits(glob_to_regex(normal(pattern)), text, ignore_case=ignore_case)


def matches_regex(pattern: str, text: str, *, ignore_case: bool) -> bool:
    """Whether the whole text fits the regular expression; ``.`` stands for line ends too. Raises BadPattern."""
    return _fits(pattern, text, ignore_case=ignore_case)


def check_regex(pattern: str) -> str | None:
    """Why a regular expression cannot be used, or None."""
    try:
        _compiled(pattern, False)
    except BadPattern as error:
        return str(error)
    return None


def _fits(pattern: str, text: str, *, ignore_case: bool) -> bool:
    return _compiled(pattern, ignore_case).fullmatch(normal(text)) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str, ignore_case: bool) -> Any:
    flags = "(?is)" if ignore_case else "(?s)"
    try:
        return re2.compile(flags + pattern, _OPTIONS)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else "it is no valid text"
        raise BadPattern(reason) from None
