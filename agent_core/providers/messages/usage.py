"""Usage as the Messages API states it: the last value of each figure wins, and what is no figure is not believed."""

from collections.abc import Mapping
from typing import Any

from agent_core.model.budget import Usage

_FIGURES = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cache_read_tokens",
}


def merge_usage(known: dict[str, Any], restated: Mapping[str, Any]) -> None:
    """Take over what a later event says of the usage. Figures are totals: they replace, they never add."""
    known.update({name: value for name, value in restated.items() if value is not None})
    written, split = _figure(known, "cache_creation_input_tokens"), known.get("cache_creation")
    if written is None or not isinstance(split, dict):
        return
    long_lived = min(_figure(split, "ephemeral_1h_input_tokens") or 0, written)
    if "cache_creation" not in restated and "cache_creation_input_tokens" in restated:
        known["cache_creation"] = {
            "ephemeral_5m_input_tokens": written - long_lived,
            "ephemeral_1h_input_tokens": long_lived,
        }


def usage_of(raw: Mapping[str, Any], *, final: bool) -> Usage:
    """The usage object as figures. Not `complete` unless `final` and both input and output are stated and sound."""
    values = {ours: _figure(raw, theirs) for theirs, ours in _FIGURES.items()}
    sound = not any(_unsound(raw, name) for name in (*_FIGURES, "cache_creation_input_tokens"))
    stated = values["input_tokens"] is not None and values["output_tokens"] is not None
    short_lived, long_lived = _cache_writes(raw)
    details = raw.get("output_tokens_details")
    thinking = _figure(details, "thinking_tokens") if isinstance(details, dict) else None
    return Usage(
        **{name: value or 0 for name, value in values.items()},
        cache_write_5m_tokens=short_lived,
        cache_write_1h_tokens=long_lived,
        reasoning_tokens=thinking or 0,
        complete=final and sound and stated,
    )


def _cache_writes(raw: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens written to the cache for 5 minutes and for 1 hour; what the split leaves open counts as 5 minutes."""
    split = raw.get("cache_creation")
    split = split if isinstance(split, dict) else {}
    short_lived = _figure(split, "ephemeral_5m_input_tokens") or 0
    long_lived = _figure(split, "ephemeral_1h_input_tokens") or 0
    written = _figure(raw, "cache_creation_input_tokens")
    if written is None:
        return short_lived, long_lived
    long_lived = min(long_lived, written)
    return written - long_lived, long_lived


def _figure(raw: Mapping[str, Any], name: str) -> int | None:
    value = raw.get(name)
    return value if type(value) is int and 0 <= value < 2**53 else None


def _unsound(raw: Mapping[str, Any], name: str) -> bool:
    return raw.get(name) is not None and _figure(raw, name) is None
