"""Identifiers: short, sortable by time, readable in a log. Pure: time and entropy come from outside."""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from agent_core.model.errors import InputError

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u to misread

HOME_SESSION = "home"
"""The chain of events that belong to no session: halts, operator keys, day limits, restores."""


class IdKind(StrEnum):
    """What an identifier names; the value is its prefix."""

    SESSION = "s"
    RUN = "r"
    REQUEST = "q"
    CALL = "c"
    PROPOSAL = "p"
    DECISION = "d"
    RULE = "u"


def mint(kind: IdKind, moment: datetime, entropy: int) -> str:
    """A new identifier such as ``p-01k9x3m7qa-8f2kd3``: prefix, milliseconds since 1970, 30 bits of entropy."""
    millis = int(moment.timestamp() * 1000)
    return f"{kind.value}-{_base32(millis, 10)}-{_base32(entropy & 0x3FFFFFFF, 6)}"


def short(name: str) -> str:
    """An identifier in little room, as screens show it: its prefix and its random end, such as ``p-8f2kd3``."""
    prefix, _, rest = name.partition("-")
    return f"{prefix}-{rest.rpartition('-')[2]}" if rest else name


def meant(kind: str, said: str, known: Iterable[str]) -> str | None:
    """The identifier that a person means: by the whole of it, its short form, or its end alone; None where none fits.

    Raises InputError where several fit, naming each.
    """
    found = {name for name in known if said in (name, short(name)) or name.endswith(f"-{said}")}
    if said in found:
        return said
    if len(found) > 1:
        raise InputError(f"{said} can mean {len(found)} {kind}s; name one in full: {', '.join(sorted(found))}")
    return next(iter(found), None)


def _base32(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        number, low = divmod(number, 32)
        digits.append(_ALPHABET[low])
    return "".join(reversed(digits))
