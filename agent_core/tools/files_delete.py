"""files_delete: move a file, a link or a whole folder to the session's trash."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.proposal import Change, Check, CheckResult, FileChange, WhatChanges
from agent_core.tools.base import (
    Arguments,
    Outcome,
    Preview,
    Privileges,
    ProbeAnswer,
    Resolved,
    Tool,
    ToolContext,
    ToolFailure,
    fail,
)
from agent_core.tools.shared import trash
from agent_core.tools.shared.folder import Folder
from agent_core.tools.shared.paths import Place
from agent_core.tools.shared.previews.files import files_listed, is_history, is_recent
from agent_core.tools.shared.previews.images import LARGEST_LOOKED_AT, image_changes
from agent_core.tools.shared.previews.text_diff import WHOLE, text_changes
from agent_core.tools.shared.resolving import hold_to, resolve_paths
from agent_core.tools.shared.textfile import decoded
from agent_core.tools.shared.undoing import bringing_back
from agent_core.tools.shared.view import Entry, Kind, View, not_found
from agent_core.tools.shared.words import count, shown, size


class DeleteArguments(Arguments):
    """What is deleted."""

    path: str = Field(min_length=1, max_length=4096, description="File or folder to delete, relative to the workspace.")


@dataclass(frozen=True, slots=True)
class Doomed:
    """What a deletion concerns: the thing itself and, of a folder, everything in it that is no folder."""

    entry: Entry
    inner: list[Entry]
    folders: int = 0

    @property
    def is_folder(self) -> bool:
        """Whether a whole folder goes."""
        return self.entry.kind is Kind.FOLDER

    @property
    def number(self) -> int:
        """Files that go."""
        return len(self.inner) if self.is_folder else 1

    @property
    def size(self) -> int:
        """Bytes that go."""
        return sum(entry.size for entry in self.inner) if self.is_folder else self.entry.size


class FilesDelete(Tool[DeleteArguments]):
    """Delete a file or folder, into the trash."""

    name = "files_delete"
    description = (
        "Deletes a file, or a folder with everything in it, by moving it to the session's trash. Returns what went. "
        "Of a link only the link goes. Not for emptying a file: use files_write."
    )
    arguments = DeleteArguments
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(reads=["workspace"], writes=["workspace", "session trash"])
    sensitive = ("path",)
    real = False

    def resolve(self, arguments: DeleteArguments, context: ToolContext) -> Resolved:
        """The path as rules see it, bound to what lies there now, a folder with all its content."""
        resolved = resolve_paths(arguments, context, {"path": False})
        if resolved.denied is not None:
            return resolved
        try:
            _place(View(context), arguments)
        except ToolFailure as failure:
            return Resolved(arguments=resolved.arguments, facts=resolved.facts, denied=failure.error)
        return resolved

    def preview(self, arguments: DeleteArguments, context: ToolContext) -> Preview:
        """Every file that would go, with counts and sizes."""
        view = View(context)
        place = _place(view, arguments)
        doomed = _doomed(view, place)
        return Preview(
            summary=f"Delete {_object(place, doomed)}",
            what_changes=WhatChanges(
                headline=_headline(doomed),
                parts=_parts(view, place, doomed),
                not_happening=["Nothing outside of it is deleted.", "What links point to stays."],
            ),
            checks=_checks(doomed),
            could_go_wrong=_worries(doomed),
            way_back=_way_back(doomed),
            sources=[view.source(place)],
            reversibility=Reversibility.PARTLY_REVERSIBLE if doomed.is_folder else Reversibility.REVERSIBLE,
        )

    def run(self, arguments: DeleteArguments, context: ToolContext) -> Outcome:
        """Move it to the trash in one step."""
        view = View(context)
        place = _place(view, arguments)
        doomed = _doomed(view, place)
        hold_to(context, place, view.fingerprint(place))
        context.check_cancelled()
        with Folder.open(view.workspace, place.parent) as folder:
            kept = trash.take(context, folder, place.name)
        return Outcome(
            result={"path": place.text, "files": doomed.number, "bytes": doomed.size},
            summary=f"Deleted {_object(place, doomed)}",
            undo=bringing_back(place, kept),
        )

    def probe(self, arguments: DeleteArguments, context: ToolContext) -> ProbeAnswer | None:
        """It happened when the path is empty and the trash holds what this call took."""
        view = View(context)
        place = _place(view, arguments)
        taken = trash.kept_before(context, place) is not None
        if view.exists(place):
            same = context.expected.get(place.text) in (None, view.fingerprint(place))
            if taken or not same:
                return ProbeAnswer(happened=None, detail=f"Something else lies at {shown(place.text)} now.")
            return ProbeAnswer(happened=False, detail=f"{shown(place.text)} is still there.")
        if taken:
            return ProbeAnswer(happened=True, detail=f"{shown(place.text)} lies in the session's trash.")
        return ProbeAnswer(happened=None, detail=f"{shown(place.text)} is gone, but not into this session's trash.")

    def effect_on(self, arguments: DeleteArguments, context: ToolContext) -> dict[Path, bytes | None]:
        """The path empty."""
        try:
            view = View(context)
            return view.emptied(_place(view, arguments))
        except ToolFailure:
            return {}


def _place(view: View, arguments: DeleteArguments) -> Place:
    place = view.workspace.place(arguments.path, follow=False)
    if not place.parts:
        fail("denied", "The workspace itself cannot be deleted.", "Name what is to go in it.")
    view.workspace.check_tree(place)
    return place


def _doomed(view: View, place: Place) -> Doomed:
    entry = view.entry(place)
    if entry.kind is Kind.ABSENT:
        not_found(place)
    if entry.kind is not Kind.FOLDER:
        return Doomed(entry, [])
    inner = list(view.walk(place))
    files = [found for found in inner if found.kind is not Kind.FOLDER]
    return Doomed(entry, files, len(inner) - len(files))


def _object(place: Place, doomed: Doomed) -> str:
    name = shown(place.text)
    if doomed.is_folder:
        return f"{count(doomed.number, 'file')}, {size(doomed.size)}, in {name}/"
    return f"the link {name}" if doomed.entry.kind is Kind.LINK else f"{name} ({size(doomed.size)})"


def _headline(doomed: Doomed) -> str:
    if not doomed.is_folder:
        return (
            "A link goes; what it points to stays" if doomed.entry.kind is Kind.LINK else f"1 file, {size(doomed.size)}"
        )
    return f"{count(doomed.number, 'file')} in {count(doomed.folders + 1, 'folder')}, {size(doomed.size)}"


def _parts(view: View, place: Place, doomed: Doomed) -> list[Change]:
    listed = files_listed(doomed.inner)
    part = FileChange(
        action="delete",
        path=place.text,
        files=doomed.number,
        size=doomed.size,
        names=listed.names,
        flagged=listed.flagged,
    )
    if doomed.entry.kind is not Kind.FILE or doomed.size > LARGEST_LOOKED_AT:
        return [part]
    data = view.need(place)
    if images := image_changes(place.text, data, None):
        return [part, *images]
    text = decoded(data) if doomed.size <= WHOLE else None
    return [part] if text is None else [part, *text_changes(place.text, text, None)]


def _checks(doomed: Doomed) -> list[Check]:
    entries = doomed.inner if doomed.is_folder else [doomed.entry]
    recent = sum(is_recent(entry) for entry in entries)
    detail = f"{count(recent, 'file')} changed within the last 24 hours." if recent else ""
    checks = [
        Check(name="exists", result=CheckResult.PASS, weight=0.5),
        Check(name="not in use", result=CheckResult.WARN if recent else CheckResult.PASS, weight=0.5, detail=detail),
    ]
    if any(is_history(entry) for entry in entries):
        detail = "It holds a version-control history, which nothing else keeps."
        checks.append(Check(name="no history is lost", result=CheckResult.FAIL, weight=1.0, detail=detail))
    return checks


def _worries(doomed: Doomed) -> list[str]:
    if doomed.is_folder:
        return ["It may hold files that nobody has looked at.", "Programs that use the folder fail at once."]
    return ["Something else may still need it."]


def _way_back(doomed: Doomed) -> str:
    if doomed.is_folder:
        return (
            "The folder is kept whole in the session's trash and can be moved back until the session is deleted. "
            "Programs that had files in it open, and what is created at its old path meanwhile, are not put right."
        )
    return "It is kept in the session's trash and can be moved back until the session is deleted."
