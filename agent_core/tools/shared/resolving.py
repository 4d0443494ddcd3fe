"""Path arguments held against the workspace: the canonical forms that rules match, and what an approval is bound to."""

import unicodedata
from collections.abc import Mapping

from agent_core.tools.base import Arguments, Resolved, ToolContext, ToolFailure, fail, given
from agent_core.tools.shared.folder import Folder, read_all
from agent_core.tools.shared.paths import Place
from agent_core.tools.shared.view import View
from agent_core.tools.shared.words import shown


def resolve_paths(
    arguments: Arguments, context: ToolContext, follow: Mapping[str, bool], *, binds: bool = True
) -> Resolved:
    """Each named argument as its canonical path, and with `binds` the fingerprint of what lies there.

    `follow` says by argument whether a link at its end is followed. A refusal comes as `denied`; what cannot be read is
    bound as such, and the preview or the run then says why.
    """
    facts: dict[str, str] = {}
    seen: dict[str, str] = {}
    try:
        view = View(context)
        for name, follows in follow.items():
            place = view.workspace.place(getattr(arguments, name), follow=follows)
            facts[name] = unicodedata.normalize("NFC", place.text)
            if binds:
                seen[place.text] = _fingerprint(view, place)
    except ToolFailure as failure:
        return Resolved(arguments=given(arguments), facts=facts, denied=failure.error)
    return Resolved(arguments=given(arguments), facts=facts, seen=seen)


def hold_to(context: ToolContext, place: Place, fingerprint: str) -> None:
    """Raise ToolFailure `changed` when what was opened is not what the approval saw."""
    expected = context.expected.get(place.text, fingerprint)
    if expected != fingerprint:
        fail("changed", f'"{shown(place.text)}" changed since this call was judged.', "Read it again, then decide.")


def held(folder: Folder, place: Place, context: ToolContext) -> bytes | None:
    """The bytes that a file in an open folder holds; None where there is no such file."""
    if folder.stat(place.name) is None:
        return None
    with folder.file(place.name) as file:
        return read_all(file, context)


def _fingerprint(view: View, place: Place) -> str:
    try:
        return view.fingerprint(place)
    except ToolFailure as failure:
        if failure.error.code == "cancelled":
            raise
        return f"unreadable:{failure.error.code}"
