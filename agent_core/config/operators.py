"""Operators: who decides."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from typing import TYPE_CHECKING

from agent_core.model.errors import DecisionRefused, InputError

if TYPE_CHECKING:
    from agent_core.config.settings import Settings

LONGEST_NAME = 64
_NOBODY = frozenset({"system", "home"})
"""Names that records use for what no person did."""


def who_decides(environ: Mapping[str, str]) -> str:
    """The operator of this process: PILOTHOUSE_OPERATOR, else the user of the operating system."""
    named = environ.get("PILOTHOUSE_OPERATOR")
    if named is not None:
        return operator_name(named, "PILOTHOUSE_OPERATOR")
    try:
        return operator_name(getpass.getuser(), "the user's name")
    except (OSError, KeyError) as error:
        raise InputError("The operator is not known here; set PILOTHOUSE_OPERATOR to a name") from error


def operator_name(name: str, source: str) -> str:
    """A name that records can hold; `source` says in the refusal where it came from."""
    bare = name.strip()
    if not bare or len(bare) > LONGEST_NAME or not bare.isprintable():
        from agent_core.config.values import shown

        raise InputError(f"{source} must be a printable name of 1 to {LONGEST_NAME} characters, not {shown(name)}")
    if bare.lower() in _NOBODY:
        raise InputError(f'{source} cannot be "{bare}": records use that name for what no person did')
    return bare


def check_may_decide(name: str, settings: Settings) -> None:
    """Raise DecisionRefused for whoever the settings do not list; an empty list admits all who can use this home."""
    listed: list[str] = settings["policies.operators"]
    if listed and name.strip() not in listed:
        from agent_core.config.toml_source import nearest

        raise DecisionRefused(f'"{name}" is not an operator of this home{nearest(name, listed)}', "not_an_operator")
