"""What changes in an image: told from other data by its bytes, never by its name. Nothing is decoded here."""

import base64
import hashlib

from agent_core.model.proposal import Change, ImageChange, Picture
from agent_core.tools.shared.textfile import decoded, kind_of

LARGEST_KEPT = 2 * 1024 * 1024
"""Bytes of one image up to which a card carries it. Of larger ones it names size and hash."""

LARGEST_LOOKED_AT = 32 * 1024 * 1024
"""Bytes up to which a file that only goes or moves is read for its card."""


def image_form(data: bytes) -> str | None:
    """ "PNG image" and the like; None for what is no image. SVG is text."""
    kind = kind_of(data)
    return kind.partition(" ")[2] if kind is not None and kind.endswith(" image") else None


def image_changes(path: str, before: bytes | None, after: bytes | None) -> list[Change]:
    """The change of an image, where the one side or the other is one."""
    if not any(image_form(data) for data in (before, after) if data is not None):
        return []
    return [ImageChange(path=path, before=_picture(before), after=_picture(after))]


def image_at_new_path(path: str, data: bytes) -> list[Change]:
    """An image that only moves: the same on either side."""
    return image_changes(path, data, data)


def _picture(data: bytes | None) -> Picture | None:
    if data is None:
        return None
    form = image_form(data)
    kept = form is not None and len(data) <= LARGEST_KEPT
    return Picture(
        form=form or ("text" if decoded(data) is not None else "binary data"),
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        data=base64.b64encode(data).decode() if kept else None,
    )
