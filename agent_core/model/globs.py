"""Globs over paths: ``*`` and ``?`` stay within one name, ``**`` crosses folders, every other character means itself.

What comes out is for RE2, whose time grows with the text alone: the patterns are written by models too.
"""

import re
from functools import lru_cache

ANY_FOLDERS = "(?:[^/]+/)*"
"""Any number of whole names with their slashes, none too: what ``**/`` at the start of a name stands for."""

_WITHIN_A_NAME = {"*": "[^/]*", "?": "[^/]"}


@lru_cache(maxsize=1024)
def glob_to_regex(glob: str) -> str:
    """A regular expression for the whole text."""
    parts: list[str] = []
    at = 0
    while at < len(glob):
        starts_a_name = at == 0 or glob[at - 1] == "/"
        if starts_a_name and glob.startswith("**/", at):
            parts.append(ANY_FOLDERS)
            at += 3
        elif glob.startswith("**", at):
            parts.append(".*")
            at += 2
        else:
            parts.append(_WITHIN_A_NAME.get(glob[at]) or re.escape(glob[at]))
            at += 1
    return "".join(parts)
