"""Which files a glob means."""

from typing import Any

import re2

from agent_core.model.globs import ANY_FOLDERS, glob_to_regex


def glob_pattern(glob: str) -> Any:
    """The compiled pattern for whole relative paths; a glob without a slash means a name in any folder."""
    text = glob.removeprefix("./")
    folders = "" if "/" in text else ANY_FOLDERS
    return re2.compile(f"(?s){folders}{glob_to_regex(text)}")
