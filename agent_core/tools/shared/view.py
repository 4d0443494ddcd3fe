"""What lies at a place now: as the disk has it, seen through what earlier calls of the same response would leave."""

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NoReturn

from agent_core.model.action import Source
from agent_core.tools.base import ToolContext, ToolFailure, fail
from agent_core.tools.shared.folder import CHUNK, Folder, read_all
from agent_core.tools.shared.paths import OWN_PREFIX, Place, Workspace, folded
from agent_core.tools.shared.words import count, shown, size

ABSENT = "absent"
LARGEST_READ = 64 * 1024 * 1024
"""Bytes. Larger files are told apart by size, time and number on the disk instead of by their bytes."""
FOLDER_MARK = f"{OWN_PREFIX}-folder"
"""A planned file of that name stands for its folder, which may be empty otherwise: plans know only files."""
SMALL_FILE = 1024 * 1024
"""Bytes up to which a file counts by its content in the fingerprint of a folder; larger ones by size and time."""
MOST_FILES = 20_000
"""Files of one folder that a call may concern."""


class Kind(StrEnum):
    """What lies at a place."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a folder: `size` in bytes, `modified` in seconds since 1970 (None: not on the disk yet)."""

    place: Place
    kind: Kind
    size: int = 0
    modified: float | None = None


class View:
    """The workspace as a call finds it. Reads only."""

    def __init__(self, context: ToolContext) -> None:
        self.context = context
        self.workspace = Workspace.of(context)
        self._planned = dict(_planned(self.workspace, context))

    def entry(self, place: Place) -> Entry:
        """What lies at a place; links are not followed."""
        if place in self._planned:
            data = self._planned[place]
            if data is not None:
                return Entry(place, Kind.FILE, len(data))
        if any(data is not None and other.within(place) for other, data in self._planned.items()):
            return Entry(place, Kind.FOLDER)
        if any(data is None and place.within(other) for other, data in self._planned.items()):
            return Entry(place, Kind.ABSENT)
        return self._on_disk(place)

    def exists(self, place: Place) -> bool:
        """Whether anything lies there."""
        return self.entry(place).kind is not Kind.ABSENT

    def read(self, place: Place) -> bytes | None:
        """The bytes of a file; None where nothing lies there. Raises ToolFailure for what is no file or too large."""
        planned = self._planned.get(place)
        if planned is not None:
            return planned
        entry = self.entry(place)
        if entry.kind is Kind.ABSENT:
            return None
        if entry.size > LARGEST_READ:
            message = f'"{shown(place.text)}" is too large for this: {size(entry.size)}, at most {size(LARGEST_READ)}.'
            fail("too_large", message)
        with Folder.open(self.workspace, place.parent) as folder, folder.file(place.name) as file:
            return read_all(file, self.context)

    def need(self, place: Place) -> bytes:
        """The bytes of a file that has to be there."""
        data = self.read(place)
        if data is None:
            not_found(place)
        return data

    def fingerprint(self, place: Place) -> str:
        """What an approval is bound to: SHA-256 of the bytes, of a folder's whole content, or "absent"."""
        entry = self.entry(place)
        match entry.kind:
            case Kind.ABSENT:
                return ABSENT
            case Kind.FILE if place in self._planned:
                return fingerprint(self._planned[place])
            case Kind.FILE:
                return self._file_fingerprint(place, entry)
            case Kind.FOLDER:
                return self._folder_fingerprint(place)
            case Kind.LINK:
                return f"link:{self.workspace.path(place).readlink()}"
            case _:
                return "other"

    def children(self, place: Place) -> list[Entry]:
        """What lies directly in a folder, sorted by name."""
        found = self._disk_names(place)
        for other, data in self._planned.items():
            if data is not None and other != place and other.within(place):
                found.add(other.parts[len(place.parts)])
        found.discard(FOLDER_MARK)
        entries = [self.entry(place.child(name)) for name in sorted(found)]
        return [entry for entry in entries if entry.kind is not Kind.ABSENT]

    def walk(self, place: Place, most: int = MOST_FILES, unread: list[Place] | None = None) -> Iterator[Entry]:
        """Everything below a folder, sorted; links are named, never entered. Folders come before their content.

        Raises ToolFailure: `too_large` beyond `most` entries, and for a folder that cannot be read, unless `unread` is
        there to take it.
        """
        waiting = [place]
        seen = 0
        while waiting:
            self.context.check_cancelled()
            inner = []
            for entry in self._children_or_note(waiting.pop(), unread):
                seen += 1
                if seen > most:
                    fail("too_large", f'"{shown(place.text)}" holds more than {count(most, "file")}.')
                yield entry
                if entry.kind is Kind.FOLDER:
                    inner.append(entry.place)
            waiting.extend(reversed(inner))

    def emptied(self, place: Place) -> dict[Path, bytes | None]:
        """What is left when all that lies at a place goes, also what earlier calls would have put there."""
        gone = [place, *(other for other in self._planned if other.within(place))]
        return {self.workspace.path(other): None for other in gone}

    def with_folders(self, place: Place) -> dict[Path, bytes | None]:
        """The folders above a place that are made for it, in a plan."""
        return {self.workspace.path(folder.child(FOLDER_MARK)): b"" for folder in self.missing_folders(place)}

    def missing_folders(self, place: Place) -> list[Place]:
        """Folders above a place that are not there yet, from the top. Raises ToolFailure where one is no folder."""
        missing = []
        for depth in range(1, len(place.parts)):
            above = self.entry(Place(place.parts[:depth]))
            if above.kind is Kind.ABSENT:
                missing.append(above.place)
            elif above.kind is not Kind.FOLDER:
                fail("not_a_folder", f'"{shown(above.place.text)}" is no folder.', "Choose a path below a folder.")
        return missing

    def twin(self, place: Place) -> Entry | None:
        """Another thing beside a place whose name a reader, or a forgiving disk, would take for the same."""
        if self.entry(place.parent).kind is not Kind.FOLDER:
            return None
        alike = folded(place.name)
        return next(
            (e for e in self.children(place.parent) if e.place != place and folded(e.place.name) == alike), None
        )

    def source(self, place: Place) -> Source:
        """A file as a data source, with its age."""
        modified = self.entry(place).modified
        return Source(name=place.text, age_seconds=None if modified is None else max(0.0, time.time() - modified))

    def _on_disk(self, place: Place) -> Entry:
        if not place.parts:
            return Entry(place, Kind.FOLDER)
        try:
            with Folder.open(self.workspace, place.parent) as folder:
                found = folder.stat(place.name)
        except ToolFailure as failure:
            if failure.error.code not in ("not_found", "not_a_folder"):
                raise
            found = None
        if found is None:
            return Entry(place, Kind.ABSENT)
        return Entry(place, _kind(found.st_mode), found.st_size, found.st_mtime)

    def _children_or_note(self, place: Place, unread: list[Place] | None) -> list[Entry]:
        try:
            return self.children(place)
        except ToolFailure:
            if unread is None:
                raise
            unread.append(place)
            return []

    def _disk_names(self, place: Place) -> set[str]:
        if self._on_disk(place).kind is not Kind.FOLDER and self.entry(place).kind is Kind.FOLDER:
            return set()  # only planned so far; what the disk has there is gone by then
        with Folder.open(self.workspace, place) as folder:
            return set(folder.names())

    def _file_fingerprint(self, place: Place, entry: Entry) -> str:
        with Folder.open(self.workspace, place.parent) as folder, folder.file(place.name) as file:
            if entry.size > LARGEST_READ:
                found = os.fstat(file.fileno())
                return f"large:{found.st_size}:{found.st_mtime_ns}:{found.st_ino}"
            digest = hashlib.sha256()
            while part := file.read(CHUNK):
                self.context.check_cancelled()
                digest.update(part)
            return digest.hexdigest()

    def _folder_fingerprint(self, place: Place) -> str:
        digest = hashlib.sha256()
        for entry in self.walk(place):
            inside = "/".join(entry.place.parts[len(place.parts) :])
            line = f"{inside}\0{entry.kind}\0"
            if entry.kind is Kind.FILE:
                small = entry.size <= SMALL_FILE
                line += self.fingerprint(entry.place) if small else f"{entry.size}:{entry.modified}"
            digest.update(line.encode("utf-8", "surrogateescape") + b"\n")
        return f"folder:{digest.hexdigest()}"


def fingerprint(data: bytes | None) -> str:
    """SHA-256 of bytes in hex, or "absent"."""
    return ABSENT if data is None else hashlib.sha256(data).hexdigest()


def not_found(place: Place) -> NoReturn:
    """Raise the error for a place where nothing lies."""
    fail("not_found", f'"{shown(place.text)}" does not exist.', "List the folder to see what is there.")


def needs_file(place: Place) -> None:
    """Raise for the workspace itself, which is no file."""
    if not place.parts:
        fail("not_a_file", "The workspace itself is a folder.", "Name a file in it.")


def _planned(workspace: Workspace, context: ToolContext) -> Iterator[tuple[Place, bytes | None]]:
    for path, data in context.overlay.items():
        yield Place(Path(path).relative_to(workspace.root).parts), data


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    return Kind.LINK if stat.S_ISLNK(mode) else Kind.OTHER
