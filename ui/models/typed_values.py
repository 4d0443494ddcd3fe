"""Values as people type them into fields, and as fields show them: "600k", "$0.50", "15:00", "85 %". Pure.

`as_typed` and `from_typed` are inverse: what a field shows reads back as the same value.
"""

import re
from decimal import Decimal

from agent_core.config.settings_list import Kind, Value
from agent_core.config.values import BadValue, shown, written_duration
from agent_core.model.budget import Figure, LimitName
from ui import formatting

LIMIT_KINDS = {
    LimitName.STEPS: Kind.COUNT,
    LimitName.TOOL_CALLS: Kind.COUNT,
    LimitName.TOKENS: Kind.COUNT,
    LimitName.COST_USD: Kind.MONEY,
    LimitName.SECONDS: Kind.SECONDS,
    LimitName.TREE_COST_USD: Kind.MONEY,
}
_COUNT = re.compile(r"(\d[\d, ]*(?:\.\d+)?) ?([kKmM]?)", re.ASCII)
_CLOCK = re.compile(r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})", re.ASCII)
_NUMBER = re.compile(r"\d+(\.\d+)?", re.ASCII)
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%", re.ASCII)
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}


def as_typed(kind: Kind, value: Value) -> str:
    """A value as a field shows it; "" for none."""
    if value is None:
        return ""
    if kind is Kind.MONEY:
        return _money(value)
    if kind is Kind.COUNT and isinstance(value, int):
        return _count(value)
    if kind is Kind.SECONDS and isinstance(value, int | float):
        return formatting.stopwatch(value) if value == int(value) else written_duration(value)
    if kind is Kind.DURATION and isinstance(value, int | float):
        return written_duration(value)
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def as_shown(kind: Kind, value: Figure) -> str:
    """A measured figure in little room: rounded, unlike `as_typed`."""
    if kind is Kind.MONEY:
        return formatting.money(value)
    return formatting.stopwatch(value) if kind is Kind.SECONDS else formatting.compact_count(value)


def from_typed(kind: Kind, typed: str) -> object:
    """What was typed, in the form that the setting converts; raises BadValue. None for an empty field."""
    bare = typed.strip()
    if kind is Kind.TEXTS:
        return [part.strip() for part in bare.split(",") if part.strip()]
    if not bare:
        return None
    if kind is Kind.COUNT:
        return _read_count(bare)
    if kind is Kind.MONEY:
        return bare.removeprefix("$").removesuffix("USD").replace(",", "").strip()
    if kind is Kind.SECONDS:
        return _read_seconds(bare)
    return _read_share(bare) if kind is Kind.SHARE else bare


def _money(value: Value) -> str:
    amount = Decimal(str(value))
    exponent = amount.normalize().as_tuple().exponent
    places = max(2, -exponent) if isinstance(exponent, int) else 2
    return f"${amount:,.{places}f}"


def _count(value: int) -> str:
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if value >= 10 * size and value % (size // 10) == 0:
            return f"{value / size:,.1f}".removesuffix(".0") + unit
    return f"{value:,}"


def _read_count(bare: str) -> int:
    match = _COUNT.fullmatch(bare)
    number = Decimal(re.sub(r"[, ]", "", match[1])) * _TIMES[match[2].lower()] if match else None
    if number is None or number != number.to_integral_value():
        raise BadValue(f"must be a whole number such as 40 or 600k, not {shown(bare)}")
    return int(number)


def _read_seconds(bare: str) -> object:
    if clock := _CLOCK.fullmatch(bare):
        return float(int(clock[1] or 0) * 3600 + int(clock[2]) * 60 + int(clock[3]))
    if _NUMBER.fullmatch(bare):
        return float(bare)
    return bare.replace(" ", "").replace("min", "m")


def _read_share(bare: str) -> float:
    if match := _SHARE.fullmatch(bare):
        return float(Decimal(match[1]) / 100)
    if not _NUMBER.fullmatch(bare):
        raise BadValue(f"must be a number from 0 to 1 or a percentage, not {shown(bare)}")
    return float(bare)
