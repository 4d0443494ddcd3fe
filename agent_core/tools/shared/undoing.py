"""The way back of a call, as data that the journal keeps with its outcome."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

from agent_core.tools.shared.paths import Place
from agent_core.tools.shared.view import fingerprint

KEPT = "The old content is kept in the session's trash and can be put back as long as nobody changes the file again."
"""The way back of changed bytes, for people."""


class UndoAction(StrEnum):
    """What taking a call back means."""

    RESTORE = "restore"
    """Put the old bytes of a file back; without old bytes, move the new file to the trash."""
    MOVE_BACK = "move_back"
    """Move something back to where it was."""
    BRING_BACK = "bring_back"
    """Take something deleted out of the trash again."""


class WayBack(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What taking a call back needs. Paths are relative to the workspace."""

    action: UndoAction
    path: str
    """Where it was before the call."""
    now: str | None = None
    """Where it is since the call, when that is another path."""
    kept: str | None = None
    """The reference of what the trash holds."""
    after: str | None = None
    """Fingerprint of what the call left: taking back is refused when somebody changed it since."""
    made: list[str] = []
    """Folders that the call made, from the top; removed again where they are empty."""

    def as_data(self) -> dict[str, Any]:
        """As an outcome carries it."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data


def restoring(place: Place, kept: str | None, after: bytes, made: Sequence[Place] = ()) -> dict[str, Any]:
    """The way back of changed bytes: the reference of the old ones (None: there was no file) and the new ones."""
    made_paths = [folder.text for folder in made]
    way = WayBack(action=UndoAction.RESTORE, path=place.text, kept=kept, after=fingerprint(after), made=made_paths)
    return way.as_data()


def moving_back(source: Place, target: Place, after: str, made: Sequence[Place] = ()) -> dict[str, Any]:
    """The way back of a move from source to target; `after` is the fingerprint of what was moved."""
    made_paths = [folder.text for folder in made]
    way = WayBack(action=UndoAction.MOVE_BACK, path=source.text, now=target.text, after=after, made=made_paths)
    return way.as_data()


def bringing_back(place: Place, kept: str) -> dict[str, Any]:
    """The way back of a deletion."""
    return WayBack(action=UndoAction.BRING_BACK, path=place.text, kept=kept).as_data()
