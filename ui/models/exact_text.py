"""Values as text that comes back exactly: JSON with its hidden characters escaped, line ends, dates. Pure."""

import json
from datetime import date
from typing import Any

from ui.hostile import has_hidden


def plain_lines(text: str) -> str:
    """Text with Windows line ends, all of them, as an editor holds it; any other text as it is."""
    plain = text.replace("\r\n", "\n")
    return plain if plain.replace("\n", "\r\n") == text else text


def as_json(value: Any, indent: int | None = None) -> str:
    """JSON in which only the hidden characters are escaped."""
    whole = json.dumps(value, ensure_ascii=False, indent=indent)
    return "".join(json.dumps(c)[1:-1] if has_hidden(c) else c for c in whole) if has_hidden(whole) else whole


def is_date(value: Any) -> bool:
    """Whether it is a day as JSON Schema writes one (RFC 3339, full-date)."""
    try:
        return bool(date.fromisoformat(value).isoformat() == value)
    except (TypeError, ValueError):
        return False
