"""Exporting: a session as a file that others can read. Written whole or not at all."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agent_core.config.atomic_file import write_atomically
from agent_core.model.errors import InputError, NotInThisVersion, StorageError
from agent_core.model.events import Event
from agent_core.model.plain import plain

LATER_FORMS = ("html", "otel")


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


def export(events: Sequence[Event], form: str, out: Path) -> None:
    """Write events in that form. Raises InputError, NotInThisVersion, StorageError."""
    if form in LATER_FORMS:
        raise NotInThisVersion(f'The form "{form}" is not in this version; use jsonl')
    write = FORMS.get(form)
    if write is None:
        raise InputError(f'The form "{form}" is not known; use jsonl')
    if not out.parent.is_dir():
        raise InputError(f"The folder {out.parent} does not exist")
    try:
        write_atomically(out, write(events))
    except OSError as error:
        raise StorageError(f"The export {out} cannot be written: {error.strerror}") from error


def _jsonl(events: Sequence[Event]) -> bytes:
    return b"".join(msgspec.json.encode(event_json(event)) + b"\n" for event in events)


FORMS: dict[str, Callable[[Sequence[Event]], bytes]] = {"jsonl": _jsonl}
