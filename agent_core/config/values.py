"""Values as people write them in TOML and in arguments: durations, money, counts. Refused in words, never bent."""

import math
import re
from datetime import UTC, datetime
from decimal import Decimal

LARGEST_COUNT = 10**12
LARGEST_MONEY = Decimal(10**9)
LONGEST_SECONDS = 366 * 86400.0

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|m|h|d)", re.ASCII)
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_MONEY = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


class BadValue(ValueError):
    """A value that cannot be meant; the message goes on after the name of the key ("must be …, not …")."""


def as_money(value: object) -> Decimal:
    """US dollars from a string, an integer or a float (read as its shortest decimal)."""
    well_formed = isinstance(value, int | float | Decimal) or (isinstance(value, str) and _MONEY.fullmatch(value))
    if isinstance(value, bool) or not well_formed:
        raise BadValue(f'must be an amount of US dollars such as "2.00", not {shown(value)}')
    amount = Decimal(repr(value) if isinstance(value, float) else str(value))
    if not amount.is_finite() or not 0 <= amount <= LARGEST_MONEY:
        raise BadValue(f"must be an amount from 0 to {LARGEST_MONEY:,} US dollars, not {shown(value)}")
    return abs(amount)


def as_count(value: object, lowest: int = 0, highest: int = LARGEST_COUNT) -> int:
    """A whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
        raise BadValue(f"must be a whole number from {lowest:,} to {highest:,}, not {shown(value)}")
    return value


def as_seconds(value: object) -> float:
    """Seconds, from a number of them or a duration."""
    if isinstance(value, str):
        return as_duration(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadValue(f'must be seconds or a duration such as "90s" or "15m", not {shown(value)}')
    if not 0 <= value <= LONGEST_SECONDS:
        raise BadValue(f"must be from 0 to {LONGEST_SECONDS:,.0f} seconds, not {shown(value)}")
    return abs(float(value))


def as_duration(value: object) -> float:
    """Seconds from ``"90s"``, ``"15m"``, ``"4h"`` or ``"2d"``."""
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise BadValue(f'must be a duration such as "90s", "15m", "4h" or "2d", not {shown(value)}')
    seconds = float(match[1]) * _UNIT_SECONDS[match[2]]
    if not 0 < seconds <= LONGEST_SECONDS:
        raise BadValue(f"must be longer than nothing and at most 366 days, not {shown(value)}")
    return seconds


def as_share(value: object) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadValue(f"must be a number from 0 to 1, not {shown(value)}")
    return float(value)


def as_instant(value: object) -> datetime:
    """An aware UTC instant from a TOML date-time or its ISO text; a time without a zone is refused."""
    instant = _parsed_instant(value) if isinstance(value, str) else value
    if not isinstance(instant, datetime):
        raise BadValue(f"must be an instant such as 2026-12-31T18:00:00Z, not {shown(value)}")
    if instant.tzinfo is None:
        raise BadValue(f"needs a time zone, such as {instant.isoformat()}Z")
    return instant.astimezone(UTC)


def _parsed_instant(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def as_text(value: object, longest: int = 100_000) -> str:
    """Text that is not empty."""
    if not isinstance(value, str):
        raise BadValue(f"must be text, not {shown(value)}")
    if not value.strip():
        raise BadValue("must not be empty")
    if len(value) > longest:
        raise BadValue(f"must be at most {longest:,} characters, not {len(value):,}")
    return value


def shown(value: object) -> str:
    """A refused value as the sentence quotes it: short, and on one line."""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    text = text.encode("unicode_escape", "backslashreplace").decode("ascii") if not text.isprintable() else text
    return text if len(text) <= 60 else text[:57] + "…"


def written_duration(seconds: float) -> str:
    """Seconds as the shortest duration text that reads back as the same: ``"4h"``, ``"90s"``."""
    for unit in ("d", "h", "m"):
        if seconds >= _UNIT_SECONDS[unit] and seconds % _UNIT_SECONDS[unit] == 0:
            return f"{seconds / _UNIT_SECONDS[unit]:.0f}{unit}"
    return f"{seconds:.3f}".rstrip("0").rstrip(".") + "s"


def as_switch(value: object) -> bool:
    """True or false; no other value stands for either."""
    if not isinstance(value, bool):
        raise BadValue(f"must be true or false, not {shown(value)}")
    return value
