"""Identifiers: short, sortable by time, readable in a log. Pure: time and entropy come from outside."""

from datetime import datetime
from enum import StrEnum

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


def _base32(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        number, low = divmod(number, 32)
        digits.append(_ALPHABET[low])
    return "".join(reversed(digits))
