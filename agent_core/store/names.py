"""What a person types as an identifier: it never reaches outside the folder that it is looked up in."""

import re
import sqlite3

from agent_core.config.values import shown
from agent_core.model.errors import InputError
from agent_core.model.ids import meant

_LISTED = {"session": "sessions", "proposal": "cards"}
"""Where all of a kind stand, one row each."""
_IDENTIFIER = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def file_name(identifier: str) -> str:
    """The identifier, safe as the name of a file. Raises InputError."""
    if not _IDENTIFIER.fullmatch(identifier):
        raise InputError(f"{typed_name(identifier)} is no identifier of a session; `pilothouse sessions` lists them")
    return identifier


def find_meant(connection: sqlite3.Connection, kind: str, said: str) -> str | None:
    """The session or proposal that a person means by its id or a short form; None where there is none.

    Raises InputError where several are meant.
    """
    end = said.rpartition("-")[2]
    ending = f"SELECT {kind} FROM {_LISTED[kind]} WHERE substr({kind}, -length(?)) = ?"
    return meant(kind, said, (name for (name,) in connection.execute(ending, (end, end)).fetchall()))


def no_session(said: str) -> InputError:
    """The refusal of what no session of the home is called."""
    return InputError(f"There is no session {typed_name(said)}; `pilothouse sessions` lists them")


def typed_name(said: str) -> str:
    """A name that a person typed, as a sentence says it: as it is, or in quotes where it would not be seen."""
    return said[:80] if said.strip() and said.isprintable() else shown(said)
