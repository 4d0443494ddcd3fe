"""The session's trash: old bytes and deleted things, kept for the way back, by the call that put them there."""

import hashlib
import os
from pathlib import Path

from agent_core.tools.base import ToolContext
from agent_core.tools.shared.folder import Folder, reporting
from agent_core.tools.shared.paths import OWN_PREFIX, Place

NEAR = "near"
"""Prefix of a reference into the trash that lies in the workspace itself, where the session's is on another disk."""


def keep(context: ToolContext, place: Place, data: bytes) -> str:
    """Keep the old bytes of a file; gives the reference that `kept` takes. On the disk when this returns."""
    reference = f"{_key(context)}/{_flat(place)}"
    write_atomically(context.trash / reference, data)
    return reference


def take(context: ToolContext, folder: Folder, name: str) -> str:
    """Move a file or folder into the trash in one step; gives its reference."""
    reference = f"{_key(context)}/{_flat(folder.place.child(name))}"
    target = context.trash / reference
    with reporting(folder.place.child(name)):
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.move_out(name, target):
        _sync_folder(target.parent)
        return reference
    made: list[Place] = []
    with Folder.open(folder.workspace, Place((OWN_PREFIX, "trash", _key(context))), made) as near:
        folder.move(name, near, target.name)
    return f"{NEAR}/{reference}"


def kept(context: ToolContext, reference: str) -> Path:
    """Where something kept lies now; it need not be there any more."""
    if reference.startswith(f"{NEAR}/"):
        inside = reference.removeprefix(f"{NEAR}/")
        return Path(os.path.realpath(context.workspace)) / OWN_PREFIX / "trash" / inside
    return context.trash / reference


def kept_before(context: ToolContext, place: Place) -> str | None:
    """The reference of what this very call has kept of a place already, in an attempt that was cut off."""
    reference = f"{_key(context)}/{_flat(place)}"
    for candidate in (reference, f"{NEAR}/{reference}"):
        if os.path.lexists(kept(context, candidate)):
            return candidate
    return None


def write_atomically(path: Path, data: bytes) -> None:
    """Write one of our own files, outside of the workspace: whole or not at all, on the disk when this returns."""
    with reporting(Place((path.name,))):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = path.with_name(path.name + ".tmp")
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)


def _key(context: ToolContext) -> str:
    """A name of the call that is safe in a path and the same for each of its attempts."""
    return hashlib.sha256(f"{context.session}\0{context.call_id}".encode()).hexdigest()[:16]


def _flat(place: Place) -> str:
    return hashlib.sha256(place.text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _sync_folder(path: Path) -> None:
    if os.name == "nt":
        return
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
