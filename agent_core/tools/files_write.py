"""files_write: give a file a whole new content; the old bytes are kept."""

from pathlib import Path

from pydantic import Field

from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.proposal import Check, CheckResult, WhatChanges
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
    ToolLimits,
    fail,
)
from agent_core.tools.shared import trash
from agent_core.tools.shared.folder import Folder
from agent_core.tools.shared.paths import Place
from agent_core.tools.shared.previews.file_change import FileDiff, file_diff
from agent_core.tools.shared.resolving import held, hold_to, resolve_paths
from agent_core.tools.shared.undoing import KEPT, restoring
from agent_core.tools.shared.view import ABSENT, Kind, View, fingerprint, needs_file
from agent_core.tools.shared.words import count, shown, size

LARGEST_CONTENT = 10 * 1024 * 1024


class WriteArguments(Arguments):
    """A file and its whole new content."""

    path: str = Field(min_length=1, max_length=4096, description="File to write, relative to the workspace.")
    content: str = Field(max_length=LARGEST_CONTENT, description="The whole new content, as text.")


class FilesWrite(Tool[WriteArguments]):
    """Write a file as a whole."""

    name = "files_write"
    description = (
        "Writes a text file (UTF-8) as a whole, creating it and missing folders, or replacing all of its content. "
        "Returns its path and size. Not for changing part of a file: use files_edit. Never leave out or abbreviate "
        "content that is to stay."
    )
    arguments = WriteArguments
    effect_class = EffectClass.IDEMPOTENT_BY_KEY
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(reads=["workspace"], writes=["workspace", "session trash"])
    limits = ToolLimits(input_bytes=LARGEST_CONTENT)
    sensitive = ("path",)
    real = False

    def resolve(self, arguments: WriteArguments, context: ToolContext) -> Resolved:
        """The path as rules see it, bound to what lies there now."""
        return resolve_paths(arguments, context, {"path": True})

    def preview(self, arguments: WriteArguments, context: ToolContext) -> Preview:
        """The diff from what is there to the new content."""
        view = View(context)
        place = view.workspace.place(arguments.path)
        before = _content(view, place)
        diff = file_diff(place.text, before, arguments.content.encode())
        missing = view.missing_folders(place)
        return Preview(
            summary=_summary(place, before, diff),
            what_changes=WhatChanges(
                headline=diff.headline, parts=diff.parts, not_happening=["No other file changes.", "Nothing is sent."]
            ),
            checks=[*_checks(view, place, before, missing), *diff.checks],
            could_go_wrong=_worries(before, diff),
            way_back=KEPT if before is not None else "The new file can be moved to the session's trash again.",
            sources=[view.source(place)] if before is not None else [],
        )

    def run(self, arguments: WriteArguments, context: ToolContext) -> Outcome:
        """Write it in one step. Running it again with the same key finds its own work and changes nothing."""
        view = View(context)
        place = view.workspace.place(arguments.path)
        needs_file(place)
        data = arguments.content.encode()
        made: list[Place] = []
        if view.missing_folders(place):
            hold_to(context, place, ABSENT)
        with Folder.open(view.workspace, place.parent, made) as folder:
            stamp = folder.stamp(place.name)
            before = held(folder, place, context)
            was = context.expected.get(place.text, fingerprint(before))
            kept = trash.kept_before(context, place)
            if before != data:
                hold_to(context, place, fingerprint(before))
                kept = trash.keep(context, place, before) if before is not None else None
                context.check_cancelled()
                folder.replace(place.name, data, stamp)
        changed = was != fingerprint(data)
        return Outcome(
            result={"path": place.text, "bytes": len(data), "created": was == ABSENT, "changed": changed},
            summary=f"Wrote {shown(place.text)}, {size(len(data))}"
            if changed
            else f"{shown(place.text)} was so already",
            undo=restoring(place, kept, data, made) if changed else None,
        )

    def probe(self, arguments: WriteArguments, context: ToolContext) -> ProbeAnswer | None:
        """It happened when the file holds exactly these bytes."""
        view = View(context)
        place = view.workspace.place(arguments.path)
        now = _content(view, place)
        if now == arguments.content.encode():
            return ProbeAnswer(happened=True, detail=f"{shown(place.text)} holds exactly this content.")
        if context.expected.get(place.text) == fingerprint(now):
            return ProbeAnswer(happened=False, detail=f"{shown(place.text)} is as it was before.")
        return ProbeAnswer(happened=None, detail=f"{shown(place.text)} holds another content.")

    def effect_on(self, arguments: WriteArguments, context: ToolContext) -> dict[Path, bytes | None]:
        """The file with its new bytes."""
        try:
            view = View(context)
            place = view.workspace.place(arguments.path)
            return {**view.with_folders(place), view.workspace.path(place): arguments.content.encode()}
        except ToolFailure:
            return {}


def _content(view: View, place: Place) -> bytes | None:
    needs_file(place)
    if view.entry(place).kind is Kind.FOLDER:
        fail("not_a_file", f'"{shown(place.text)}" is a folder.', "Name a file in it.")
    return view.read(place)


def _summary(place: Place, before: bytes | None, diff: FileDiff) -> str:
    amount = count(diff.lines, "line") if diff.lines else "empty"
    change = "new" if before is None else f"{diff.changed:,} changed"
    return f"Write {shown(place.text)} ({amount}, {change})"


def _checks(view: View, place: Place, before: bytes | None, missing: list[Place]) -> list[Check]:
    checks = []
    if missing:
        folders = ", ".join(shown(folder.text) for folder in missing)
        checks.append(Check(name="folder exists", result=CheckResult.WARN, weight=0.5, detail=f"Creates {folders}."))
    else:
        checks.append(Check(name="folder exists", result=CheckResult.PASS, weight=0.5))
    if before is not None:
        detail = f"{shown(place.text)} exists and is replaced."
        checks.append(Check(name="overwrites nothing", result=CheckResult.WARN, weight=0.5, detail=detail))
    else:
        checks.append(Check(name="overwrites nothing", result=CheckResult.PASS, weight=0.5))
        checks += _twins(view, place)
    return checks


def _twins(view: View, place: Place) -> list[Check]:
    """A new file beside one whose name a reader would take for the same."""
    twin = view.twin(place)
    if twin is None:
        return []
    detail = f'Beside it lies "{shown(twin.place.name)}", whose name differs only in case or invisible form.'
    return [Check(name="name is no look-alike", result=CheckResult.WARN, weight=1.0, detail=detail)]


def _worries(before: bytes | None, diff: FileDiff) -> list[str]:
    if before is None:
        return ["A file that nobody expects may confuse whoever opens the folder."]
    worries = ["What others wrote into the file since it was read would be replaced."]
    if diff.removed > diff.added:
        worries.append(f"{count(diff.removed - diff.added, 'line')} fewer than before: something may be missing.")
    return worries
