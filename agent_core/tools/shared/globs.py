"""File name patterns: ``*`` and ``?`` stay within one name, ``**`` crosses folders, every other character means itself.

RE2 runs them: its time grows with the path alone, whatever pattern a model writes.
"""

from typing import Any

import re2

_ANY_FOLDERS = "(?:[^/]+/)*"


def glob_pattern(glob: str) -> Any:
    """The compiled pattern for whole relative paths; a glob without a slash means a name in any folder."""
    text = glob.removeprefix("./")
    parts = ["(?s)"] if "/" in text else ["(?s)", _ANY_FOLDERS]
    at = 0
    while at < len(text):
        if text.startswith("**/", at):
            parts.append(_ANY_FOLDERS)
            at += 3
        elif text.startswith("**", at):
            parts.append(".*")
            at += 2
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(text[at], re2.escape(text[at])))
            at += 1
    return re2.compile("".join(parts))
