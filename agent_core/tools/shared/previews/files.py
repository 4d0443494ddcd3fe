"""Many files on one card: each with its size, the odd ones first."""

from collections.abc import Sequence
from typing import NamedTuple

from agent_core.model.proposal import FileFlag
from agent_core.tools.shared.view import Entry, Kind
from agent_core.tools.shared.words import size

RECENT = 24 * 3600.0
"""Seconds. What changed within that time may still be in use."""


class Listed(NamedTuple):
    """The files that a card names, in its order, and what is odd about some of them."""

    names: list[str]
    flagged: list[FileFlag]


def files_listed(entries: Sequence[Entry]) -> Listed:
    """Every file with its size; flagged ones come first, the others in the order given."""
    flags = [FileFlag(name=_name(entry), why=why) for entry in entries if (why := _oddity(entry)) is not None]
    odd = {flag.name for flag in flags}
    names = [_name(entry) for entry in entries]
    return Listed([*(flag.name for flag in flags), *(name for name in names if name not in odd)], flags)


def is_recent(entry: Entry) -> bool:
    """Whether it changed so shortly ago that somebody may still be at work on it; an earlier call does so just now."""
    return entry.age is None or entry.age < RECENT


def is_history(entry: Entry) -> bool:
    """Whether it belongs to a version-control history, which nothing else keeps."""
    return ".git" in entry.place.parts


def _name(entry: Entry) -> str:
    return f"{entry.place.text} ({size(entry.size)})"


def _oddity(entry: Entry) -> str | None:
    if is_history(entry):
        return "version-control history"
    if entry.kind is Kind.LINK:
        return "a link"
    return "changed within 24 hours" if is_recent(entry) else None
