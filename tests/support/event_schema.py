"""The schema summary of events: one digest a kind, over everything that a journaled row depends on.

After a meant change of an event class: raise `SCHEMA_VERSION` where old rows would no longer read the same, say in the
class what they mean, and write the summary anew with ``python -m tests.support.event_schema``.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec

from agent_core.model import events

SUMMARY = Path(events.__file__).parents[1] / "event_schema.json"
_WORDS = frozenset({"description", "title"})


def summary() -> dict[str, Any]:
    """The summary of the classes as they are now."""
    return {
        "schema_version": events.SCHEMA_VERSION,
        "events": {kind.kind: digest_of(kind) for kind in sorted(events.EVENT_TYPES, key=lambda each: each.kind)},
    }


def digest_of(kind: type[msgspec.Struct]) -> str:
    """SHA-256 over the names, types and defaults of a class and of all classes in it; its documentation is left out."""
    schema = _without_words(msgspec.json.schema(kind))
    return hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()[:16]


def _without_words(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_words(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    # Members of a class may be named like the words about it: those are schemas, the words are texts.
    return {
        name: _without_words(value)
        for name, value in schema.items()
        if name not in _WORDS or not isinstance(value, str)
    }


if __name__ == "__main__":
    SUMMARY.write_text(json.dumps(summary(), indent=2) + "\n", encoding="utf-8")
