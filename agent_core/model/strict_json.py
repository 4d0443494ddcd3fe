"""JSON that a person or a file gives: read so that nothing in it is dropped or guessed."""

import json
import math
from typing import Any


def read_json(text: str) -> Any:
    """The value. Raises ValueError, also for what `json` lets through: a key given twice, NaN, a number that no machine
    holds, nesting without end.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'the key "{key}" is there twice')
        found[key] = value
    return found


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits} is too large")
    return value


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
