"""File name patterns: ``*`` and ``?`` within one name, ``**`` over any number of folders, ``[abc]`` and ``[!abc]``."""

import re

_ANY_FOLDERS = "(?:[^/]+/)*"


def glob_pattern(glob: str) -> re.Pattern[str]:
    """The pattern for whole paths relative to the workspace; one without a slash means a name in any folder.

    Raises ValueError for brackets that are left open.
    """
    text = glob.removeprefix("./")
    parts = [] if "/" in text else [_ANY_FOLDERS]
    index = 0
    while index < len(text):
        if text.startswith("**/", index):
            parts.append(_ANY_FOLDERS)
            index += 3
        elif text.startswith("**", index):
            parts.append(".*")
            index += 2
        elif text[index] == "[":
            group, index = _group(text, index)
            parts.append(group)
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(text[index], re.escape(text[index])))
            index += 1
    return re.compile("".join(parts), re.DOTALL)


def _group(text: str, start: int) -> tuple[str, int]:
    end = text.find("]", start + 2)
    if end < 0:
        raise ValueError(f'the bracket in "{text}" is never closed')
    inner = text[start + 1 : end]
    negated = inner[0] in "!^"
    members = (inner[1:] if negated else inner).replace("\\", "\\\\").replace("[", "\\[")
    return f"[{'^/' if negated else ''}{members}]", end + 1
