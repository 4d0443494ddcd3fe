"""Money in the tables beside the events: whole billionths of a US dollar, because SQLite keeps decimals as floats."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

_NANO = Decimal(1_000_000_000)


def to_nano(usd: Decimal) -> int:
    """Billionths of a dollar, rounded up: a sum is never less than what was spent. The exact amount is in the event."""
    return int((usd * _NANO).to_integral_value(ROUND_CEILING))


def floor_nano(usd: Decimal) -> int:
    """Billionths of a dollar, rounded down: a limit never allows more than it says."""
    return int((usd * _NANO).to_integral_value(ROUND_FLOOR))


def from_nano(nano: int) -> Decimal:
    """US dollars."""
    return Decimal(nano) / _NANO
