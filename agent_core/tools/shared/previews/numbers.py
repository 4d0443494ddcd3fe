"""Numbers as tables write them: only forms that can be read in one way."""

import re
from decimal import Decimal

_PLAIN = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
_COMMAS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", re.ASCII)
_POINTS = re.compile(r"[+-]?\d{1,3}(\.\d{3})*,\d+", re.ASCII)


def number(cell: str) -> Decimal | None:
    """The number that a cell holds; None for any other text. "1,234" is a thousand; "1.234,50" and "0,5" are read."""
    text = cell.strip()
    if len(text) > 40:
        return None
    if _PLAIN.fullmatch(text) or _COMMAS.fullmatch(text):
        return Decimal(text.replace(",", ""))
    if _POINTS.fullmatch(text):
        return Decimal(text.replace(".", "").replace(",", "."))
    return None


def written(value: Decimal) -> str:
    """A number for people: thousands apart, digits kept."""
    return f"{value:,f}"
