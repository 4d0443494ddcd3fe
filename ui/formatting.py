"""How numbers, times and money read on screen. Pure functions, no Qt, no clock: callers pass the time.

Every function answers "–" for a value that is missing or not a number, so that a broken figure can never raise in a
paint routine or read as zero.
"""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final, TypeGuard

MISSING: Final = "–"
_MINUTE: Final = 60
_HOUR: Final = 3_600
_DAY: Final = 86_400
_CENT: Final = 0.01
_LAST_MINUTE: Final = "less than 1 minute"

Number = int | float | Decimal


def duration(seconds: Number | None) -> str:
    """How long something took: "214 ms", "5.9 s", "41 s", "2 min 41 s", "15 min", "1 h 58 min", "3 d 4 h"."""
    if not _is_number(seconds):
        return MISSING
    value = max(0.0, float(seconds))
    if value < 0.9995:
        return f"{round(value * 1000)} ms"
    if value < 9.95:
        return f"{value:.1f}".removesuffix(".0") + " s"
    return _units(math.floor(value + 0.5))


def countdown(seconds: Number | None) -> str:
    """Time left, never negative and never rounded up: "less than 1 minute", "12:46", "1 h 58 min", "6 h", "2 d 3 h"."""
    if not _is_number(seconds):
        return MISSING
    if 0 < seconds < _MINUTE:
        return _LAST_MINUTE
    left = max(0, math.floor(seconds))
    return f"{left // _MINUTE}:{left % _MINUTE:02d}" if left < _HOUR else _units(left)


def countdown_words(seconds: Number | None) -> str:
    """Time left for screen readers: "less than 1 minute", "12 minutes", "1 hour 58 minutes"."""
    if not _is_number(seconds):
        return MISSING
    left = max(0, math.floor(seconds))
    if left == 0:
        return "no time"
    if left < _MINUTE:
        return _LAST_MINUTE
    hours, minutes = left // _HOUR, left % _HOUR // _MINUTE
    parts = [plural(hours, "hour")] if hours else []
    return " ".join(parts + ([plural(minutes, "minute")] if minutes or not hours else []))


def stopwatch(seconds: Number | None) -> str:
    """Elapsed time in a gauge: "7:20", "15:00", "1:02:03"."""
    if not _is_number(seconds):
        return MISSING
    total = max(0, math.floor(seconds))
    hours, minutes, rest = total // _HOUR, total % _HOUR // _MINUTE, total % _MINUTE
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def age(seconds: Number | None) -> str:
    """How old something is, in its largest whole unit: "59 s", "2 min", "1 h", "9 d"."""
    if not _is_number(seconds):
        return MISSING
    value = max(0, math.floor(seconds))
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if value >= size:
            return f"{value // size} {unit}"
    return f"{value} s"


def money(amount: Number | None, symbol: str = "$") -> str:
    """An amount of money: two decimals, four below one cent: "$1,204.50", "$0.31", "$0.0042", "−$2.00"."""
    if not _is_number(amount):
        return MISSING
    size = float(amount if amount >= 0 else -amount)
    decimals = 4 if 0 < size < _CENT else 2
    digits = f"{size:,.{decimals}f}"
    sign = "−" if amount < 0 and any(d in "123456789" for d in digits) else ""
    return f"{sign}{symbol}{digits}"


def count(number: Number | None) -> str:
    """A count in full: "1,284"."""
    return f"{number:,.0f}" if _is_number(number) else MISSING


def compact_count(number: Number | None) -> str:
    """A count in little room: "15", "6.1k", "312k", "1.02M", "3.4B"."""
    if not _is_number(number):
        return MISSING
    value = float(number)
    sign, size = ("−" if value < 0 else ""), abs(value)
    if size < 999.5:
        return f"{sign}{size:.0f}"
    for scale, unit in ((1e3, "k"), (1e6, "M"), (1e9, "B")):
        if size < scale * 999.5 or unit == "B":
            return f"{sign}{_short(size / scale, 1 if unit == 'k' else 2)}{unit}"
    raise AssertionError("the last unit takes every size")


def byte_size(number: Number | None) -> str:
    """A size in bytes, decimal units: "0 B", "1.2 kB", "48 MB"."""
    if not _is_number(number):
        return MISSING
    size = max(0.0, float(number))
    if size < 999.5:
        return f"{size:.0f} B"
    for scale, unit in ((1e3, "kB"), (1e6, "MB"), (1e9, "GB")):
        if size < scale * 999.5 or unit == "GB":
            return f"{_short(size / scale, 1)} {unit}"
    raise AssertionError("the last unit takes every size")


def percent(share: Number | None) -> str:
    """A share, 0 to 1, as whole percent: "93 %". Only a full share reads 100 and only an empty one 0."""
    if not _is_number(share):
        return MISSING
    value = float(share) * 100
    rounded = math.floor(value + 0.5)
    if 0 < value < 100:
        rounded = min(99, max(1, rounded))
    return f"{rounded} %"


def plural(number: int, singular: str, many: str | None = None) -> str:
    """A count with its noun: "1 decision", "4 decisions"."""
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


def sentence(text: str) -> str:
    """An error's one line as a whole sentence: with its full stop, unless it asks."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def clock_time(moment: datetime, *, seconds: bool = True) -> str:
    """Time of day: "09:49:27" or "09:49"."""
    return moment.strftime("%H:%M:%S" if seconds else "%H:%M")


def day_and_time(moment: datetime, now: datetime) -> str:
    """When something happened, as short as it is clear: "today 09:36", "yesterday 17:52", "Fri 17:52", "2 Oct 2025"."""
    days = (now.date() - moment.date()).days
    if days == 0:
        return f"today {clock_time(moment, seconds=False)}"
    if days == 1:
        return f"yesterday {clock_time(moment, seconds=False)}"
    if 1 < days < 7:
        return f"{moment:%a} {clock_time(moment, seconds=False)}"
    return _date(moment.date(), now.date())


def ago(moment: datetime, now: datetime) -> str:
    """Relative under 24 hours, exact after that: "2 min ago", "5 h ago", "29 Nov"."""
    elapsed = now - moment
    if timedelta(0) <= elapsed < timedelta(days=1):
        return f"{age(elapsed.total_seconds())} ago"
    return day_and_time(moment, now)


def _is_number(value: Number | None) -> TypeGuard[Number]:
    return value is not None and math.isfinite(value)


def _units(seconds: int) -> str:
    if seconds < _MINUTE:
        return f"{seconds} s"
    if seconds < _HOUR:
        return _pair(seconds // _MINUTE, "min", seconds % _MINUTE, "s")
    if seconds < _DAY:
        return _pair(seconds // _HOUR, "h", seconds % _HOUR // _MINUTE, "min")
    return _pair(seconds // _DAY, "d", seconds % _DAY // _HOUR, "h")


def _pair(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large} {large_unit} {small} {small_unit}" if small else f"{large} {large_unit}"


def _short(value: float, decimals: int) -> str:
    digits = decimals if value < 9.95 else max(0, decimals - 1)
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _date(day: date, today: date) -> str:
    text = f"{day.day} {day:%b}"
    return text if day.year == today.year else f"{text} {day.year}"
