"""JSON that a person or a file gives: read so that nothing in it is dropped or guessed."""

import json
from typing import Any


def read_json(text: str) -> Any:
    """The value. Raises ValueError, also for what `json` lets through: a key given twice, NaN, nesting without end."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'the key "{key}" is there twice')
        found[key] = value
    return found


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
