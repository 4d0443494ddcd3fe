"""What a person types as an identifier: it never reaches outside the folder that it is looked up in."""

import re

from agent_core.config.values import shown
from agent_core.model.errors import InputError

_IDENTIFIER = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def file_name(identifier: str) -> str:
    """The identifier, safe as the name of a file. Raises InputError."""
    if not _IDENTIFIER.fullmatch(identifier):
        raise InputError(f"{typed_name(identifier)} is no identifier of a session; `pilothouse sessions` lists them")
    return identifier


def no_session(said: str) -> InputError:
    """The refusal of what no session of the home is called."""
    return InputError(f"There is no session {typed_name(said)}; `pilothouse sessions` lists them")


def typed_name(said: str) -> str:
    """A name that a person typed, as a sentence says it: as it is, or in quotes where it would not be seen."""
    return said[:80] if said.strip() and said.isprintable() else shown(said)
