"""The way back of a call, as data that the journal keeps with its outcome."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from agent_core.tools.shared.paths import Place
from agent_core.tools.shared.view import fingerprint


class UndoAction(StrEnum):
    """What taking a call back means."""

    RESTORE = "restore"
    """Put the old bytes of a file back; without old bytes, move the new file to the trash."""
    MOVE = "move"
    """Move something back to where it was."""
    BRING_BACK = "bring_back"
    """Take something deleted out of the trash again."""


def restoring(place: Place, kept: str | None, after: bytes, made: Sequence[Place] = ()) -> dict[str, Any]:
    """The way back of changed bytes: the reference of the old ones, what the file holds now, folders that were made."""
    return {
        "action": UndoAction.RESTORE.value,
        "path": place.text,
        "kept": kept,
        "after": fingerprint(after),
        "made": [folder.text for folder in made],
    }


def moving_back(source: Place, target: Place, after: str, made: Sequence[Place] = ()) -> dict[str, Any]:
    """The way back of a move: where it was, where it is, what it is, folders that were made for it."""
    return {
        "action": UndoAction.MOVE.value,
        "path": source.text,
        "target": target.text,
        "after": after,
        "made": [folder.text for folder in made],
    }


def bringing_back(place: Place, kept: str) -> dict[str, Any]:
    """The way back of a deletion: where it was, and its reference in the trash."""
    return {"action": UndoAction.BRING_BACK.value, "path": place.text, "kept": kept}
