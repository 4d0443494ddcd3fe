"""Exporting: a session as a file that others can read. Written whole or not at all."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agent_core.config.atomic_file import write_atomically
from agent_core.engine.pages.session import session_page
from agent_core.engine.redacting import redacted
from agent_core.engine.spans import otlp
from agent_core.model.errors import InputError, StorageError
from agent_core.model.events import Event
from agent_core.model.plain import plain
from agent_core.policy.redaction import Redactor


def event_json(event: Event) -> dict[str, Any]:
    """One line of `trace --json` and of a JSONL export."""
    return {
        "seq": event.seq,
        "at": msgspec.to_builtins(event.at),
        "kind": event.kind,
        "session": event.session,
        "run": event.run,
        "step": event.step,
        "data": plain(event.data),
        "prev": event.prev,
        "digest": event.digest,
    }


def export(events: Sequence[Event], form: str, out: Path, redactor: Redactor) -> None:
    """Write events in that form, without known secrets. Raises InputError, StorageError."""
    write = FORMS.get(form)
    if write is None:
        raise InputError(f'The form "{form}" is not known; use one of {", ".join(FORMS)}')
    if not out.parent.is_dir():
        raise InputError(f"The folder {out.parent} does not exist")
    try:
        write_atomically(out, write([_clean(event, redactor) for event in events]))
    except OSError as error:
        raise StorageError(f"The export {out} cannot be written: {error.strerror}") from error


def _clean(event: Event, redactor: Redactor) -> Event:
    """The event without secrets. They were replaced where text entered; one that became known only later is here."""
    data = redacted(redactor, event.data) if redactor.knows_any else event.data
    return event if data is event.data else msgspec.structs.replace(event, data=data)


def _jsonl(events: Sequence[Event]) -> bytes:
    return b"".join(msgspec.json.encode(event_json(event)) + b"\n" for event in events)


FORMS: dict[str, Callable[[Sequence[Event]], bytes]] = {
    "jsonl": _jsonl,
    "html": session_page,
    "otel": otlp,
}
