"""A text change as the lines of a patch, for those who read it as text. Pure."""

import difflib
import re
from collections.abc import Iterator

from agent_core.model.proposal import TextChange

_CONTEXT = 2
_HEAD = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


def patch_lines(change: TextChange) -> Iterator[str]:
    """Heads and lines of a unified diff; the heads count as the file does, also where only a region is carried."""
    before, after = (change.before or "").splitlines(), (change.after or "").splitlines()
    for index, line in enumerate(difflib.unified_diff(before, after, lineterm="", n=_CONTEXT)):
        if index >= 2:  # the first two name the files
            yield _counted(line, change) if line.startswith("@@") else line


def _counted(head: str, change: TextChange) -> str:
    match = _HEAD.fullmatch(head)
    assert match is not None
    old, new = int(match[1]) + change.first_before - 1, int(match[3]) + change.first_after - 1
    return f"@@ -{old}{match[2] or ''} +{new}{match[4] or ''} @@"
