"""What lies at a place now: as the disk has it, seen through what earlier calls of the same response would leave."""

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, NoReturn

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

    @property
    def age(self) -> float | None:
        """Seconds since the last change."""
        return None if self.modified is None else max(0.0, time.time() - self.modified)


class View:
    """The workspace as a call finds it. Reads only."""

    def __init__(self, context: ToolContext) -> None:
        self.context = context
        self.workspace = Workspace.of(context)
        self.planned = dict(_planned(self.workspace, context))
        """What earlier calls would leave: bytes by place, None where nothing is left."""

    def entry(self, place: Place) -> Entry:
        """What lies at a place; links are not followed."""
        return self._planned_entry(place) or self._on_disk(place)

    def exists(self, place: Place) -> bool:
        """Whether anything lies there."""
        return self.entry(place).kind is not Kind.ABSENT

    def read(self, place: Place) -> bytes | None:
        """The bytes of a file; None where nothing lies there. Raises ToolFailure for what is no file or too large."""
        entry = self.entry(place)
        if entry.kind is Kind.ABSENT:
            return None
        with Reader(self) as reader:
            return reader.read(entry)

    def need(self, place: Place) -> bytes:
        """The bytes of a file that has to be there."""
        data = self.read(place)
        if data is None:
            not_found(place)
        return data

    def fingerprint(self, place: Place) -> str:
        """What an approval is bound to: SHA-256 of the bytes, of a folder's whole content, or "absent"."""
        entry = self.entry(place)
        with Reader(self) as reader:
            match entry.kind:
                case Kind.ABSENT:
                    return ABSENT
                case Kind.FILE:
                    return reader.fingerprint(entry)
                case Kind.FOLDER:
                    return self._folder_fingerprint(place, reader)
                case Kind.LINK:
                    return f"link:{self.workspace.path(place).readlink()}"
                case _:
                    return "other"

    def children(self, place: Place) -> list[Entry]:
        """What lies directly in a folder, sorted by name."""
        found = self._disk_children(place)
        depth = len(place.parts)
        for other, data in self.planned.items():
            if data is not None and other != place and other.within(place):
                child = place.child(other.parts[depth])
                found.setdefault(child.name, Entry(child, Kind.ABSENT))
        found.pop(FOLDER_MARK, None)
        entries = [self._planned_entry(found[name].place) or found[name] for name in sorted(found)]
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
            entries = self._children_or_note(waiting.pop(), unread)
            seen += len(entries)
            if seen > most:
                fail("too_large", f'"{shown(place.text)}" holds more than {count(most, "file")}.')
            yield from entries
            waiting.extend(entry.place for entry in reversed(entries) if entry.kind is Kind.FOLDER)

    def emptied(self, place: Place) -> dict[Path, bytes | None]:
        """What is left when all that lies at a place goes, also what earlier calls would have put there."""
        gone = [place, *(other for other in self.planned if other.within(place))]
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
        others = (entry for entry in self.children(place.parent) if entry.place != place)
        return next((entry for entry in others if folded(entry.place.name) == alike), None)

    def source(self, place: Place) -> Source:
        """A file as a data source, with its age."""
        return Source(name=place.text, age_seconds=self.entry(place).age)

    def _planned_entry(self, place: Place) -> Entry | None:
        """What earlier calls would leave at a place; None where they leave it alone."""
        if not self.planned:
            return None
        data = self.planned.get(place)
        if data is not None:
            return Entry(place, Kind.FILE, len(data))
        if any(data is not None and other.within(place) for other, data in self.planned.items()):
            return Entry(place, Kind.FOLDER)
        if any(data is None and place.within(other) for other, data in self.planned.items()):
            return Entry(place, Kind.ABSENT)
        return None

    def _on_disk(self, place: Place) -> Entry:
        if not place.parts:
            return Entry(place, Kind.FOLDER)
        try:
            with Folder.open(self.workspace, place.parent) as folder:
                return _entry(place, folder.stat(place.name))
        except ToolFailure as failure:
            if failure.error.code not in ("not_found", "not_a_folder"):
                raise
            return Entry(place, Kind.ABSENT)

    def _disk_children(self, place: Place) -> dict[str, Entry]:
        planned = self._planned_entry(place)
        if planned is not None and planned.kind is Kind.FOLDER and self._on_disk(place).kind is not Kind.FOLDER:
            return {}  # only planned so far; what the disk has there is gone by then
        with Folder.open(self.workspace, place) as folder:
            return {name: _entry(place.child(name), folder.stat(name)) for name in folder.names()}

    def _children_or_note(self, place: Place, unread: list[Place] | None) -> list[Entry]:
        try:
            return self.children(place)
        except ToolFailure:
            if unread is None:
                raise
            unread.append(place)
            return []

    def _folder_fingerprint(self, place: Place, reader: "Reader") -> str:
        digest = hashlib.sha256()
        for entry in self.walk(place):
            inside = "/".join(entry.place.parts[len(place.parts) :])
            line = f"{inside}\0{entry.kind}\0"
            if entry.kind is Kind.FILE:
                small = entry.size <= SMALL_FILE
                line += reader.fingerprint(entry) if small else f"{entry.size}:{entry.modified}"
            digest.update(line.encode("utf-8", "surrogateescape") + b"\n")
        return f"folder:{digest.hexdigest()}"


class Reader:
    """Reads files of a view one after another, and keeps the folder of the last one open for the next. For a `with`."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._folder: Folder | None = None

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *error: object) -> None:
        if self._folder is not None:
            self._folder.close()

    def read(self, entry: Entry) -> bytes:
        """The bytes of a file. Raises ToolFailure for what is no file, is too large or has gone."""
        planned = self._view.planned.get(entry.place)
        if planned is not None:
            return planned
        if entry.size > LARGEST_READ:
            message = f"is too large for this: {size(entry.size)}, at most {size(LARGEST_READ)}."
            fail("too_large", f'"{shown(entry.place.text)}" {message}')
        with self._open(entry.place) as file:
            return read_all(file, self._view.context)

    def fingerprint(self, entry: Entry) -> str:
        """SHA-256 of a file's bytes; of a very large one its size, time and number on the disk."""
        planned = self._view.planned.get(entry.place)
        if planned is not None:
            return fingerprint(planned)
        with self._open(entry.place) as file:
            if entry.size > LARGEST_READ:
                found = os.fstat(file.fileno())
                return f"large:{found.st_size}:{found.st_mtime_ns}:{found.st_ino}"
            digest = hashlib.sha256()
            while part := file.read(CHUNK):
                self._view.context.check_cancelled()
                digest.update(part)
            return digest.hexdigest()

    def _open(self, place: Place) -> BinaryIO:
        if self._folder is None or self._folder.place != place.parent:
            if self._folder is not None:
                self._folder.close()
            self._folder = None
            self._folder = Folder.open(self._view.workspace, place.parent)
        return self._folder.file(place.name)


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


def _entry(place: Place, found: os.stat_result | None) -> Entry:
    if found is None:
        return Entry(place, Kind.ABSENT)
    return Entry(place, _kind(found.st_mode), found.st_size, found.st_mtime)


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    return Kind.LINK if stat.S_ISLNK(mode) else Kind.OTHER
