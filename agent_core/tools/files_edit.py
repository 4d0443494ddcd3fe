"""files_edit: replace one passage of a text file; the old bytes are kept."""

from dataclasses import dataclass
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
from agent_core.tools.shared.paths import Place, Workspace
from agent_core.tools.shared.previews.file_change import file_diff
from agent_core.tools.shared.resolving import held, hold_to, resolve_paths
from agent_core.tools.shared.textfile import decode
from agent_core.tools.shared.undoing import KEPT, restoring
from agent_core.tools.shared.view import View, fingerprint, needs_file, not_found
from agent_core.tools.shared.words import count, shown

LARGEST_PASSAGE = 1024 * 1024


class EditArguments(Arguments):
    """A file, a passage that is in it once, and what takes its place."""

    path: str = Field(min_length=1, max_length=4096, description="File to change, relative to the workspace.")
    old: str = Field(
        min_length=1,
        max_length=LARGEST_PASSAGE,
        description="The passage to replace, exactly as in the file, with enough around it to be there only once.",
    )
    new: str = Field(max_length=LARGEST_PASSAGE, description="What takes its place; empty to remove the passage.")


@dataclass(frozen=True, slots=True)
class Edited:
    """A file before and after an edit."""

    before: bytes
    after: bytes


class FilesEdit(Tool[EditArguments]):
    """Replace one passage of a file."""

    name = "files_edit"
    description = (
        "Replaces one passage of a text file and leaves the rest byte for byte. The passage must be in the file "
        "exactly once. Returns the path and the line of the change. Read the file first. Not for new files or "
        "whole rewrites: use files_write."
    )
    arguments = EditArguments
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(reads=["workspace"], writes=["workspace", "session trash"])
    limits = ToolLimits(input_bytes=LARGEST_PASSAGE)
    sensitive = ("path",)
    real = False

    def resolve(self, arguments: EditArguments, context: ToolContext) -> Resolved:
        """The path as rules see it, bound to what lies there now."""
        return resolve_paths(arguments, context, {"path": True})

    def preview(self, arguments: EditArguments, context: ToolContext) -> Preview:
        """The diff of the file with the passage replaced."""
        view = View(context)
        place = _file(view.workspace, arguments)
        edited = _edit(view.need(place), arguments, place)
        diff = file_diff(place.text, edited.before, edited.after)
        return Preview(
            summary=f"Edit {shown(place.text)} ({count(diff.changed, 'line')} changed)",
            what_changes=WhatChanges(
                headline=diff.headline, parts=diff.parts, not_happening=["No other file changes.", "Nothing is sent."]
            ),
            checks=[Check(name="passage found once", result=CheckResult.PASS, weight=1.0), *diff.checks],
            could_go_wrong=["The new passage may contradict what the rest of the file says."],
            way_back=KEPT,
            sources=[view.source(place)],
        )

    def run(self, arguments: EditArguments, context: ToolContext) -> Outcome:
        """Replace the passage in one step."""
        view = View(context)
        place = _file(view.workspace, arguments)
        if not view.exists(place):
            not_found(place)
        with Folder.open(view.workspace, place.parent) as folder:
            stamp = folder.stamp(place.name)
            before = held(folder, place, context)
            if before is None:
                not_found(place)
            hold_to(context, place, fingerprint(before))
            edited = _edit(before, arguments, place)
            kept = trash.keep(context, place, before)
            context.check_cancelled()
            folder.replace(place.name, edited.after, stamp)
        line = edited.before[: _first_difference(edited)].count(b"\n") + 1
        return Outcome(
            result={"path": place.text, "line": line, "bytes": len(edited.after)},
            summary=f"Edited {shown(place.text)} at line {line:,}",
            undo=restoring(place, kept, edited.after),
        )

    def probe(self, arguments: EditArguments, context: ToolContext) -> ProbeAnswer | None:
        """Told by the old bytes: they are kept before the file changes."""
        view = View(context)
        place = _file(view.workspace, arguments)
        name = shown(place.text)
        now = view.read(place)
        kept = trash.kept_before(context, place)
        if kept is None:
            if now is not None and context.expected.get(place.text) == fingerprint(now):
                return ProbeAnswer(happened=False, detail=f"{name} is as it was before.")
            return ProbeAnswer(happened=None, detail=f"Nothing is known of {name} before the call.")
        before = trash.kept(context, kept).read_bytes()
        if now == before:
            return ProbeAnswer(happened=False, detail=f"{name} is as it was before.")
        if now == _edit(before, arguments, place).after:
            return ProbeAnswer(happened=True, detail=f"{name} holds the new passage and is otherwise as before.")
        return ProbeAnswer(happened=None, detail=f"{name} holds another content.")

    def effect_on(self, arguments: EditArguments, context: ToolContext) -> dict[Path, bytes | None]:
        """The file with the passage replaced; nothing where the edit could not be made."""
        try:
            view = View(context)
            place = _file(view.workspace, arguments)
            return {view.workspace.path(place): _edit(view.need(place), arguments, place).after}
        except ToolFailure:
            return {}


def _file(workspace: Workspace, arguments: EditArguments) -> Place:
    place = workspace.place(arguments.path)
    needs_file(place)
    return place


def _edit(data: bytes, arguments: EditArguments, place: Place) -> Edited:
    """The edited bytes; raises ToolFailure when the passage is not there exactly once, or nothing would change."""
    text = decode(data, place.text)
    old, new = arguments.old, arguments.new
    if old not in text.text and "\n" in old and "\r\n" in text.text:
        # Models write LF; a file whose lines end in CRLF keeps its way.
        old, new = (part.replace("\r\n", "\n").replace("\n", "\r\n") for part in (old, new))
    found = text.text.count(old)
    if found == 0:
        fail("passage_not_found", f'The passage is not in "{shown(place.text)}".', _hint(text.text, old))
    if found > 1 or text.text.find(old, text.text.find(old) + 1) >= 0:
        times = count(max(found, 2), "time")
        fail("passage_not_unique", f'The passage is in "{shown(place.text)}" {times}.', "Take in more around it.")
    if old == new:
        fail("nothing_to_change", "The old and the new passage are the same.", "Leave this call out.")
    return Edited(data, text.encode(text.text.replace(old, new)))


def _hint(text: str, old: str) -> str:
    """What may be wrong with a passage that is not there."""
    if "".join(old.split()) in "".join(text.split()):
        return "It is there with other blanks or line breaks; read the file again and copy it exactly."
    if old.casefold() in text.casefold():
        return "It is there in other letter case; copy it exactly."
    return "Read the file again; it may have changed."


def _first_difference(edited: Edited) -> int:
    pairs = zip(edited.before, edited.after, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(edited.before), len(edited.after)))
