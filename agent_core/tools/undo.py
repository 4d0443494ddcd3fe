"""Taking a finished call back: old bytes restored, moves reversed, deleted things brought back from the trash.

It refuses rather than overwrite: whatever anybody changed since the call stays as it is.
"""

import os
from typing import Any

import msgspec

from agent_core.tools.base import Outcome, ToolContext, fail
from agent_core.tools.shared import trash
from agent_core.tools.shared.folder import Folder
from agent_core.tools.shared.paths import Place, Workspace
from agent_core.tools.shared.undoing import UndoAction, WayBack
from agent_core.tools.shared.view import Kind, View
from agent_core.tools.shared.words import shown


def take_back(undo: dict[str, Any], context: ToolContext) -> Outcome:
    """Take one call back; `undo` is what its outcome carried. `context` is that of the act, with a call id of its own.

    Raises ToolFailure: `changed` when something was changed since, `not_found` when the trash no longer holds it,
    `exists` when the old path is taken, `invalid` for data that names no way back.
    """
    way = read_way_back(undo)
    view = View(context)
    place = view.workspace.place(way.path, follow=False)
    match way.action:
        case UndoAction.RESTORE:
            _restore(view, place, way, context)
        case UndoAction.MOVE_BACK:
            _move_back(view, place, way)
        case UndoAction.BRING_BACK:
            _bring_back(view, place, way, context)
    _remove_made(view.workspace, way)
    return Outcome(result={"path": place.text}, summary=f"Put {shown(place.text)} back")


def read_way_back(undo: dict[str, Any]) -> WayBack:
    """The way back that an outcome carried; raises ToolFailure for anything else."""
    try:
        return msgspec.convert(undo, WayBack)
    except msgspec.ValidationError as error:
        fail("invalid", f"This is no way back: {error}.")


def _restore(view: View, place: Place, way: WayBack, context: ToolContext) -> None:
    old = _kept_bytes(way, context) if way.kept is not None else None
    with Folder.open(view.workspace, place.parent) as folder:
        stamp = folder.stamp(place.name)
        _unchanged(view, place, way)
        if old is None:
            trash.take(context, folder, place.name)
        else:
            folder.replace(place.name, old, stamp)


def _move_back(view: View, place: Place, way: WayBack) -> None:
    if way.now is None:
        fail("invalid", "This is no way back: it does not say where the thing is now.")
    now = view.workspace.place(way.now, follow=False)
    _unchanged(view, now, way)
    with Folder.open(view.workspace, now.parent) as there, Folder.open(view.workspace, place.parent, []) as here:
        there.move(now.name, here, place.name)


def _bring_back(view: View, place: Place, way: WayBack, context: ToolContext) -> None:
    source = trash.kept(context, way.kept or "")
    if way.kept is None or not os.path.lexists(source):
        fail("not_found", f'"{shown(place.text)}" is no longer in the trash.')
    if view.exists(place):
        fail("exists", f'Something else lies at "{shown(place.text)}" now.', "Move that away first.")
    with Folder.open(view.workspace, place.parent, []) as folder:
        folder.move_in(source, place.name)


def _unchanged(view: View, place: Place, way: WayBack) -> None:
    if view.entry(place).kind is Kind.ABSENT:
        fail("changed", f'"{shown(place.text)}" is no longer there.')
    if view.fingerprint(place) != way.after:
        fail("changed", f'"{shown(place.text)}" was changed since; taking the call back would lose that.')


def _kept_bytes(way: WayBack, context: ToolContext) -> bytes:
    try:
        return trash.kept(context, way.kept or "").read_bytes()
    except OSError:
        fail("not_found", f'The old content of "{shown(way.path)}" is no longer in the trash.')


def _remove_made(workspace: Workspace, way: WayBack) -> None:
    """Folders that the call made go again, the innermost first, as far as they are empty."""
    for path in reversed(way.made):
        folder = workspace.place(path, follow=False)
        with Folder.open(workspace, folder.parent) as above:
            if not above.remove_folder(folder.name):
                return
