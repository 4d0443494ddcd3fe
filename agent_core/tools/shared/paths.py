"""Paths of the workspace: every spelling of a place comes to one canonical form, or to one clear refusal.

A path is taken literally. Links are followed as long as they stay inside. What belongs to Pilothouse is closed wherever
the workspace lies, and it is told by its folded name (case, Unicode form, invisible characters) and by its identity on
the disk, so neither a case-blind disk nor a mount gives it another name.
"""
# Plain texts instead of pathlib: it tidies spellings before anyone can look at them, and this runs for every call.
# ruff: noqa: PTH112, PTH116, PTH118, PTH119, PTH120, PTH206

import os
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

from agent_core.tools.base import ToolContext, fail
from agent_core.tools.shared.words import shown

OWN_PREFIX = ".pilothouse"
"""Names that begin so are ours in every folder: the own folder of a workspace, unfinished writes."""

BY_HANDLE = {os.open, os.rename, os.stat, os.mkdir, os.unlink} <= os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
"""Whether this system looks names up in open folders, so that nothing can come between check and act."""

_HOME = re.compile(r"~[A-Za-z0-9_.+-]*")
_VARIABLE = re.compile(r"\$\{|(?<!~)\$[A-Za-z_]|%[A-Za-z_][A-Za-z0-9_]*%")
_DEVICES = re.compile(r"(CON|PRN|AUX|NUL|CLOCK\$|CON(IN|OUT)\$|COM[0-9¹²³]|LPT[0-9¹²³])(\..*)?", re.IGNORECASE)

Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Place:
    """A spot in the workspace by its canonical names, links followed. No names: the workspace itself."""

    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """As people and rules read it: relative, with slashes; "." for the workspace itself."""
        return "/".join(self.parts) or "."

    @property
    def name(self) -> str:
        """The last name; empty for the workspace itself."""
        return self.parts[-1] if self.parts else ""

    @property
    def parent(self) -> "Place":
        """The folder that holds it."""
        return Place(self.parts[:-1])

    def child(self, name: str) -> "Place":
        """A spot one level down."""
        return Place((*self.parts, name))

    def within(self, other: "Place") -> bool:
        """Whether it is the other place or lies below it."""
        return self.parts[: len(other.parts)] == other.parts


class Workspace:
    """The workspace and its walls, as they stand now. Cheap to make; holds nothing open."""

    def __init__(self, root: Path, denied: Sequence[Path] = (), by_handle: bool = BY_HANDLE) -> None:
        """Raises ToolFailure `no_workspace` when there is no such folder."""
        self.by_handle = by_handle
        real_root = os.path.realpath(root)
        self.root = Path(real_root)
        if not os.path.isdir(real_root):
            fail("no_workspace", f"The workspace {root} is not there.")
        self._closed: list[tuple[str, ...]] = []
        self._identities: set[Identity] = set()
        self._root_closed = False
        for path in denied:
            self._close(os.fspath(path))

    @classmethod
    def of(cls, context: ToolContext) -> "Workspace":
        """The workspace of a call."""
        return cls(context.workspace, context.denied)

    def path(self, place: Place) -> Path:
        """Where a place lies on the disk."""
        return self.root.joinpath(*place.parts)

    def place(self, spelled: str, *, follow: bool = True) -> Place:
        """The place that a path means. Raises ToolFailure: `invalid` for what is no path, `denied` for what is closed.

        Without `follow`, a link at the very end is the place itself, not what it points to.
        """
        check_spelling(spelled)
        head, tail = os.path.split(spelled.rstrip("/"))
        root = str(self.root)
        if follow or tail in ("", ".", ".."):
            real = _real(root, spelled, spelled)
        else:
            real = os.path.join(_real(root, head, spelled), tail)
        parts = _inside(real, root)
        if parts is None:
            _leaves(spelled)
        if folds_names(self.root):
            parts = spelled_on_disk(self.root, parts, os.listdir)
        place = Place(parts)
        self.check(place, spelled)
        return place

    def _close(self, path: str) -> None:
        """Put a wall around a folder or file: where it is, where a link to it is, and whatever it is on the disk."""
        real = os.path.realpath(path)
        self._root_closed = self._root_closed or _inside(str(self.root), real) is not None
        spellings = (
            {real}
            if real == path
            else {real, os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))}
        )
        inner = [parts for spelled in spellings if (parts := _inside(spelled, str(self.root)))]
        self._closed += [_folded(parts) for parts in inner]
        found = _stat(real)
        if found is not None:
            self._identities.add(_identity(found))

    def check(self, place: Place, spelled: str | None = None) -> None:
        """Raise ToolFailure `denied` when a place is closed, by name or by what lies there."""
        if self._root_closed or self._named_closed(place) or self._lies_in_closed(place):
            closed(spelled or place.text)

    def check_tree(self, place: Place) -> None:
        """Also raise when something closed lies below: a folder that holds it can be neither moved nor deleted."""
        self.check(place)
        names = _folded(place.parts)
        if any(inner[: len(names)] == names for inner in self._closed):
            closed(place.text, holds=True)

    def barred(self, found: os.stat_result) -> bool:
        """Whether what was found on the disk is a closed folder or file, under whatever name."""
        return _identity(found) in self._identities

    def hidden(self, place: Place) -> bool:
        """Whether listings leave it out."""
        return self._named_closed(place)

    def _named_closed(self, place: Place) -> bool:
        names = _folded(place.parts)
        return any(name.startswith(OWN_PREFIX) for name in names) or any(
            names[: len(inner)] == inner for inner in self._closed
        )

    def _lies_in_closed(self, place: Place) -> bool:
        if not self._identities:
            return False
        path = str(self.root)
        for name in place.parts:
            path = os.path.join(path, name)
            found = _stat(path)
            if found is None:
                return False
            if self.barred(found):
                return True
        return False


def check_spelling(spelled: str, windows: bool = sys.platform == "win32") -> None:
    """Raise ToolFailure for a text that is no relative path, or that counts on an expansion that nobody does."""
    if not spelled.strip():
        fail("invalid", "The path is empty.", 'The workspace itself is ".".')
    if "\0" in spelled:
        fail("invalid", "The path holds a NUL character.")
    parts = re.split(r"[/\\]", spelled) if windows else spelled.split("/")
    if spelled.startswith("/") or (windows and (spelled.startswith("\\") or ":" in parts[0])):
        fail("denied", f'The path "{shown(spelled)}" is absolute.', "Give it relative to the workspace.")
    if _HOME.fullmatch(parts[0]):
        fail("denied", f'The path "{shown(spelled)}" leaves the workspace: "~" means a home folder.', RELATIVE)
    if any(_VARIABLE.search(part) for part in parts):
        fail("denied", f'The path "{shown(spelled)}" names a variable; paths are taken literally.', RELATIVE)
    if windows and any(_no_windows_name(part) for part in parts if part not in ("", ".", "..")):
        fail("denied", f'The path "{shown(spelled)}" holds a name that Windows reads as something else.', RELATIVE)


RELATIVE = 'Give the path relative to the workspace, such as "reports/october.md".'


def closed(spelled: str, *, holds: bool = False) -> NoReturn:
    """Raise the refusal of what belongs to Pilothouse."""
    what = "holds files that belong" if holds else "belongs"
    fail("denied", f'"{shown(spelled)}" {what} to Pilothouse and is closed to tools.', "Work on another path.")


def folded(name: str) -> str:
    """A name as the most forgiving disk compares it: without case, Unicode form, invisible and trailing characters."""
    if name.isascii():
        return name.lower().rstrip(". ")
    visible = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", visible.casefold()).rstrip(". ")


def spelled_on_disk(root: Path, parts: tuple[str, ...], listing: Callable[[Path], list[str]]) -> tuple[str, ...]:
    """The names as the folders themselves spell them, on a disk that takes other spellings for the same."""
    found: list[str] = []
    for name in parts:
        try:
            names = listing(root.joinpath(*found))
        except OSError:
            names = []
        twins = [name] if name in names else [known for known in names if folded(known) == folded(name)]
        found.append(twins[0] if twins else name)
    return tuple(found)


@lru_cache(maxsize=64)
def folds_names(root: Path) -> bool:
    """Whether the disk under a folder takes names in another case for the same; asked of the disk, once a folder."""
    swapped = root.parent / root.name.swapcase()
    if swapped.name == root.name:
        return sys.platform in ("win32", "darwin")
    here, there = _stat(str(root)), _stat(str(swapped))
    return here is not None and there is not None and _identity(here) == _identity(there)


def _inside(path: str, root: str) -> tuple[str, ...] | None:
    """The names that lead from a folder to a path in it, both without links; None where it lies elsewhere."""
    if os.path.normcase(path) == os.path.normcase(root):
        return ()
    above = root if root.endswith(os.sep) else root + os.sep
    if os.path.normcase(path).startswith(os.path.normcase(above)):
        return tuple(path[len(above) :].split(os.sep))
    return None


def _folded(parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(folded(name) for name in parts)


def _no_windows_name(name: str) -> bool:
    return ":" in name or name.endswith((".", " ")) or _DEVICES.fullmatch(name) is not None


def _real(root: str, path: str, spelled: str) -> str:
    """The path without links. Where links lead round in a circle, what comes after them is not followed: refused."""
    joined = os.path.join(root, path)
    real = os.path.realpath(joined)
    if real != joined and os.path.realpath(real) != real:
        fail("denied", f'The path "{shown(spelled)}" goes over links that lead round in a circle.', RELATIVE)
    return real


def _leaves(spelled: str) -> NoReturn:
    fail("denied", f'The path "{shown(spelled)}" leaves the workspace.', RELATIVE)


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _identity(found: os.stat_result) -> Identity:
    return (found.st_dev, found.st_ino)
