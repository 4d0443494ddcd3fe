"""files_move: give a file or folder another path; never over something that is there."""

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
from agent_core.tools.shared.folder import Folder
from agent_core.tools.shared.paths import Place
from agent_core.tools.shared.previews.files import files_listed
from agent_core.tools.shared.previews.images import LARGEST_LOOKED_AT, image_at_new_path
from agent_core.tools.shared.resolving import hold_to, resolve_paths
from agent_core.tools.shared.undoing import moving_back
from agent_core.tools.shared.view import ABSENT, FOLDER_MARK, Entry, Kind, Reader, View, not_found
from agent_core.tools.shared.words import count, shown, size

LARGEST_PLANNED = 16 * 1024 * 1024
"""Bytes of a folder up to which later previews of the same response see it at its new path."""


class MoveArguments(Arguments):
    """What is moved, and the whole path that it gets."""

    source: str = Field(min_length=1, max_length=4096, description="File or folder to move, relative to the workspace.")
    target: str = Field(
        min_length=1, max_length=4096, description="Its new path with its name, relative to the workspace."
    )


class FilesMove(Tool[MoveArguments]):
    """Move or rename a file or folder."""

    name = "files_move"
    description = (
        "Moves or renames a file or folder within the workspace, creating missing folders. Returns both paths. The "
        "target must not exist: nothing is ever overwritten. Not for copies."
    )
    arguments = MoveArguments
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(reads=["workspace"], writes=["workspace"])
    sensitive = ("source", "target")
    real = False

    def resolve(self, arguments: MoveArguments, context: ToolContext) -> Resolved:
        """Both paths as rules see them, bound to what lies there now."""
        resolved = resolve_paths(arguments, context, {"source": False, "target": False})
        if resolved.denied is not None:
            return resolved
        try:
            _places(View(context), arguments)
        except ToolFailure as failure:
            if failure.error.code == "denied":
                return Resolved(arguments=resolved.arguments, facts=resolved.facts, denied=failure.error)
        return resolved

    def preview(self, arguments: MoveArguments, context: ToolContext) -> Preview:
        """What goes where, with every file of a folder."""
        view = View(context)
        source, target = _places(view, arguments)
        entry = _movable(view, source, target)
        inner = list(view.walk(source)) if entry.kind is Kind.FOLDER else []
        files = [found for found in inner if found.kind is not Kind.FOLDER] if inner else []
        number, total = (len(files), sum(found.size for found in files)) if inner else (1, entry.size)
        listed = files_listed(files)
        part = FileChange(
            action="move",
            path=source.text,
            target=target.text,
            files=number,
            size=total,
            names=listed.names,
            flagged=listed.flagged,
        )
        what = f"{count(number, 'file')}, {size(total)}"
        headline = f"{what} at a new path" if entry.kind is not Kind.LINK else "A link at a new path"
        missing = view.missing_folders(target)
        return Preview(
            summary=f"Move {shown(source.text)} to {shown(target.text)}{f' ({what})' if inner else ''}",
            what_changes=WhatChanges(
                headline=headline,
                parts=[part, *_image(view, entry, target)],
                not_happening=["No content changes.", "Nothing is overwritten."],
            ),
            checks=[
                Check(name="target is free", result=CheckResult.PASS, weight=1.0),
                Check(
                    name="folder exists",
                    result=CheckResult.WARN if missing else CheckResult.PASS,
                    weight=0.5,
                    detail=f"Creates {', '.join(shown(folder.text) for folder in missing)}." if missing else "",
                ),
            ],
            could_go_wrong=["Links and programs that name the old path no longer find it."],
            way_back="It can be moved back as long as the old path stays free.",
            sources=[view.source(source)],
        )

    def run(self, arguments: MoveArguments, context: ToolContext) -> Outcome:
        """Move in one step."""
        view = View(context)
        source, target = _places(view, arguments)
        _movable(view, source, target)
        what = view.fingerprint(source)
        hold_to(context, source, what)
        hold_to(context, target, ABSENT)
        context.check_cancelled()
        made: list[Place] = []
        with (
            Folder.open(view.workspace, source.parent) as here,
            Folder.open(view.workspace, target.parent, made) as there,
        ):
            here.move(source.name, there, target.name)
        return Outcome(
            result={"source": source.text, "target": target.text},
            summary=f"Moved {shown(source.text)} to {shown(target.text)}",
            undo=moving_back(source, target, what, made),
        )

    def probe(self, arguments: MoveArguments, context: ToolContext) -> ProbeAnswer | None:
        """It happened when the one path is empty and the other holds what the first held."""
        view = View(context)
        source, target = _places(view, arguments)
        here, there = view.fingerprint(source), view.fingerprint(target)
        moved = context.expected.get(source.text)
        if here == ABSENT and there != ABSENT and moved in (None, there):
            return ProbeAnswer(happened=True, detail=f"{shown(target.text)} is there and {shown(source.text)} is gone.")
        if here != ABSENT and there == ABSENT:
            return ProbeAnswer(happened=False, detail=f"{shown(source.text)} is where it was.")
        both = "both paths are taken" if here != ABSENT else "what lies there is not what was to be moved"
        return ProbeAnswer(happened=None, detail=f"It cannot be told: {both}.")

    def effect_on(self, arguments: MoveArguments, context: ToolContext) -> dict[Path, bytes | None]:
        """The old path empty and the bytes at the new one; nothing for links and for very large folders."""
        try:
            view = View(context)
            path = view.workspace.path
            source, target = _places(view, arguments)
            entry = _movable(view, source, target)
            files = list(view.walk(source)) if entry.kind is Kind.FOLDER else []
            odd = any(found.kind not in (Kind.FILE, Kind.FOLDER) for found in [entry, *files])
            if odd or sum(found.size for found in files) > LARGEST_PLANNED:
                return {}
            left = {**view.emptied(source), **view.with_folders(target)}
            with Reader(view) as reader:
                for found in [entry, *files]:
                    new = Place(target.parts + found.place.parts[len(source.parts) :])
                    if found.kind is Kind.FOLDER:
                        left[path(new.child(FOLDER_MARK))] = b""
                    else:
                        left[path(new)] = reader.read(found)
            return left
        except ToolFailure:
            return {}


def _places(view: View, arguments: MoveArguments) -> tuple[Place, Place]:
    source = view.workspace.place(arguments.source, follow=False)
    target = view.workspace.place(arguments.target, follow=False)
    if not source.parts or not target.parts:
        fail("denied", "The workspace itself cannot be moved or replaced.", "Move what is in it.")
    view.workspace.check_tree(source)
    return source, target


def _image(view: View, entry: Entry, target: Place) -> list[Change]:
    if entry.kind is not Kind.FILE or entry.size > LARGEST_LOOKED_AT:
        return []
    return image_at_new_path(target.text, view.need(entry.place))


def _movable(view: View, source: Place, target: Place) -> Entry:
    entry = view.entry(source)
    if entry.kind is Kind.ABSENT:
        not_found(source)
    if target.within(source):
        fail("invalid", f'"{shown(source.text)}" cannot be moved into itself.', "Choose a target outside of it.")
    if view.exists(target):
        inside = shown(target.child(source.name).text)
        way = (
            f'Use "{inside}" to move it in there.' if view.entry(target).kind is Kind.FOLDER else "Choose another name."
        )
        fail("exists", f'"{shown(target.text)}" exists already.', way)
    return entry
