"""Open folders of the workspace: what is done by name in one cannot be led astray by a link swapped in meanwhile.

Where the system can (POSIX), a folder is opened name by name with `O_NOFOLLOW` and everything in it is done relative to
the open folder, so the check and the act are one step. Elsewhere each act looks again at where the path leads.
"""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NoReturn

from agent_core.model.action import ToolError
from agent_core.tools.base import ToolContext, ToolFailure, fail
from agent_core.tools.shared.paths import OWN_PREFIX, Place, Workspace, closed
from agent_core.tools.shared.words import shown

CHUNK = 1 << 20

Stamp = tuple[int, int, int]
"""Number on the disk, size and time of a file."""

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # opening a pipe must not wait for its writer
_FOLDER = _READ | getattr(os, "O_DIRECTORY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | (_READ & ~os.O_RDONLY)


class Folder:
    """One open folder. Use it in a `with`; it works until the end of that block."""

    def __init__(self, workspace: Workspace, place: Place, fd: int | None) -> None:
        self.workspace = workspace
        self.place = place
        self.path = workspace.path(place)
        self.fd = fd

    @classmethod
    def open(cls, workspace: Workspace, place: Place, made: list[Place] | None = None) -> "Folder":
        """Open a folder of the workspace, name by name. With `made`, missing ones are created and noted there."""
        current = cls(workspace, Place(()), _open_root(workspace))
        try:
            for name in place.parts:
                if made is not None and current.stat(name) is None:
                    current._make(name)
                    made.append(current.place.child(name))
                inner = current.folder(name)
                current.close()
                current = inner
        except BaseException:
            current.close()
            raise
        return current

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None

    def stat(self, name: str) -> os.stat_result | None:
        """What lies under a name, links not followed; None where there is nothing."""
        try:
            with reporting(self.place.child(name)):
                return os.stat(self.at(name), dir_fd=self.fd, follow_symlinks=False)
        except ToolFailure as failure:
            if failure.error.code == "not_found":
                return None
            raise

    def names(self) -> list[str]:
        """Every name in it, sorted; without those that belong to Pilothouse."""
        with reporting(self.place):
            found = os.listdir(self.fd if self.fd is not None else self.path)  # noqa: PTH208 - pathlib knows no handles
        return sorted(name for name in found if not self.workspace.hidden(self.place.child(name)))

    def folder(self, name: str) -> "Folder":
        """A folder in it, opened. Raises ToolFailure for what is none, for a link, and for what is closed."""
        place = self.place.child(name)
        if not self.workspace.by_handle:
            self._look_at(name, stat.S_ISDIR)
            return Folder(self.workspace, place, None)
        with reporting(place):
            try:
                fd = os.open(self.at(name), _FOLDER, dir_fd=self.fd)
            except NotADirectoryError:
                self._refuse_link(name)
                raise
        if self.workspace.barred(os.fstat(fd)):
            os.close(fd)
            closed(place.text)
        return Folder(self.workspace, place, fd)

    def file(self, name: str) -> BinaryIO:
        """A regular file in it, opened for reading. Raises ToolFailure for anything else, links too."""
        place = self.place.child(name)
        if not self.workspace.by_handle:
            self._look_at(name, stat.S_ISREG)
        with reporting(place):
            fd = os.open(self.at(name), _READ | _NO_WAIT, dir_fd=self.fd)
        found = os.fstat(fd)
        if self.workspace.barred(found) or not stat.S_ISREG(found.st_mode):
            os.close(fd)
            if self.workspace.barred(found):
                closed(place.text)
            what = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
            fail("not_a_file", f'"{shown(place.text)}" is {what}.')
        return os.fdopen(fd, "rb")

    def stamp(self, name: str) -> Stamp | None:
        """What tells whether a file was changed since; None where there is none."""
        found = self.stat(name)
        return None if found is None else (found.st_ino, found.st_size, found.st_mtime_ns)

    def replace(self, name: str, data: bytes, was: Stamp | None) -> None:
        """Give a file these bytes at once: all of them or none, on the disk when this returns. Its mode is kept.

        Raises ToolFailure `changed` when what lies there is not what `stamp` gave before (None: nothing).
        """
        place = self.place.child(name)
        old = self.stat(name)
        if old is not None and not stat.S_ISREG(old.st_mode):
            fail("not_a_file", f'"{shown(place.text)}" is not a regular file.')
        temporary = f"{OWN_PREFIX}-{secrets.token_hex(8)}.tmp"
        with reporting(place):
            fd = os.open(self.at(temporary), _NEW, 0o666 if old is None else 0o600, dir_fd=self.fd)
            try:
                with os.fdopen(fd, "wb") as file:
                    file.write(data)
                    file.flush()
                    if old is not None:
                        _keep_owner_and_mode(file.fileno(), old)
                    os.fsync(file.fileno())
                if self.stamp(name) != was:
                    fail("changed", f'"{shown(place.text)}" was changed at this very moment.', "Read it again.")
                os.replace(self.at(temporary), self.at(name), src_dir_fd=self.fd, dst_dir_fd=self.fd)
            except BaseException:
                with suppress(OSError):
                    os.unlink(self.at(temporary), dir_fd=self.fd)
                raise
        self.sync()

    def move(self, name: str, target: "Folder", new_name: str) -> None:
        """Give what lies under a name another one; never over something that is there."""
        place = target.place.child(new_name)
        if target.stat(new_name) is not None:
            fail("exists", f'"{shown(place.text)}" exists already.', "Choose another name, or delete it first.")
        found = self.stat(name)
        with reporting(self.place.child(name)):
            if found is not None and stat.S_ISREG(found.st_mode) and self._link(name, target, new_name):
                os.unlink(self.at(name), dir_fd=self.fd)
            else:
                os.rename(self.at(name), target.at(new_name), src_dir_fd=self.fd, dst_dir_fd=target.fd)
        self.sync()
        target.sync()

    def move_out(self, name: str, target: Path) -> bool:
        """Move what lies under a name out of the workspace in one step; False where the target is on another disk."""
        try:
            os.rename(self.at(name), target, src_dir_fd=self.fd)
        except OSError as error:
            if error.errno == errno.EXDEV:
                return False
            _report(error, self.place.child(name))
        self.sync()
        return True

    def move_in(self, source: Path, name: str) -> None:
        """Bring something of our own in under a free name; a file from another disk is copied."""
        place = self.place.child(name)
        if self.stat(name) is not None:
            fail("exists", f'"{shown(place.text)}" exists already.', "Choose another name, or delete it first.")
        with reporting(place):
            try:
                os.rename(source, self.at(name), dst_dir_fd=self.fd)
            except OSError as error:
                if error.errno != errno.EXDEV or not source.is_file():
                    raise
                self.replace(name, source.read_bytes(), None)
                source.unlink()
        self.sync()

    def remove_folder(self, name: str) -> bool:
        """Remove an empty folder in it; False where it is not empty or not there."""
        try:
            os.rmdir(self.at(name), dir_fd=self.fd)
        except OSError:
            return False
        return True

    def sync(self) -> None:
        """See to it that the names in it are on the disk."""
        if self.fd is not None:
            with suppress(OSError):  # some network disks cannot; the bytes themselves were synced
                os.fsync(self.fd)

    def at(self, name: str) -> str:
        """What to hand to a call of `os` beside `dir_fd`."""
        return name if self.fd is not None else str(self.path / name)

    def _make(self, name: str) -> None:
        with reporting(self.place.child(name)):
            os.mkdir(self.at(name), dir_fd=self.fd)
        self.sync()

    def _link(self, name: str, target: "Folder", new_name: str) -> bool:
        """A second name for a file: unlike a rename it fails where the name is taken. False where not offered."""
        try:
            os.link(self.at(name), target.at(new_name), src_dir_fd=self.fd, dst_dir_fd=target.fd, follow_symlinks=False)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            return False
        return True

    def _refuse_link(self, name: str) -> None:
        found = self.stat(name)
        if found is not None and stat.S_ISLNK(found.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))

    def _look_at(self, name: str, fits: Callable[[int], bool]) -> None:
        """Without handles: the path leads where it says, and what lies there is of the right kind."""
        place = self.place.child(name)
        found = self.stat(name)
        with reporting(place):
            if found is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            if os.path.realpath(self.path / name) != str(self.path / name):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            if not fits(found.st_mode):
                raise OSError(errno.ENOTDIR if fits is stat.S_ISDIR else errno.ENXIO, "")
        if self.workspace.barred(found):
            closed(place.text)


def _open_root(workspace: Workspace) -> int | None:
    if not workspace.by_handle:
        return None
    with reporting(Place(())):
        return os.open(workspace.root, _FOLDER)


def _keep_owner_and_mode(fd: int, old: os.stat_result) -> None:
    if hasattr(os, "fchown") and (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):
            os.fchown(fd, old.st_uid, old.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(fd, stat.S_IMODE(old.st_mode))


@contextmanager
def opened(context: ToolContext, place: Place) -> Iterator[Folder]:
    """The folder that holds a place, open."""
    with Folder.open(Workspace.of(context), place.parent) as folder:
        yield folder


@contextmanager
def reporting(place: Place) -> Iterator[None]:
    """Turn what the system says about a place into an error that is a value."""
    try:
        yield
    except OSError as error:
        _report(error, place)


def read_all(file: BinaryIO, context: ToolContext, limit: int | None = None) -> bytes:
    """All bytes of an open file, or the first `limit`; stops when the call is to end."""
    parts: list[bytes] = []
    left = limit
    while left is None or left > 0:
        context.check_cancelled()
        part = file.read(CHUNK if left is None else min(CHUNK, left))
        if not part:
            break
        parts.append(part)
        left = None if left is None else left - len(part)
    return b"".join(parts)


_CODES = {
    errno.ENOENT: ("not_found", "does not exist"),
    errno.EEXIST: ("exists", "exists already"),
    errno.ENOTDIR: ("not_a_folder", "is no folder"),
    errno.EISDIR: ("not_a_file", "is a folder"),
    errno.ELOOP: ("denied", "is a link, and links are not followed here"),
    errno.EMLINK: ("denied", "is a link, and links are not followed here"),
    errno.EACCES: ("no_permission", "may not be accessed by this user"),
    errno.EPERM: ("no_permission", "may not be changed by this user"),
    errno.EROFS: ("read_only_disk", "lies on a disk that is read-only"),
    errno.ENOSPC: ("disk_full", "could not be written: the disk is full"),
    errno.EDQUOT: ("disk_full", "could not be written: the quota is used up"),
    errno.ENAMETOOLONG: ("invalid", "has a name that is too long"),
    errno.EXDEV: ("other_disk", "lies on another disk than its target"),
    errno.ENXIO: ("not_a_file", "is not a regular file"),
}


_WAYS_OUT = {
    "not_found": "List the folder to see what is there.",
    "not_a_folder": "List the folder above to see what is there.",
    "denied": "Use the path that the link leads to.",
}
_PASSING = (errno.EAGAIN, errno.EBUSY, errno.EIO, errno.ETIMEDOUT)


def _report(error: OSError, place: Place) -> NoReturn:
    code, what = _CODES.get(error.errno or 0, ("io_error", f"could not be used: {error.strerror or error}"))
    message = f'"{shown(place.text)}" {what}.'
    retryable = error.errno in _PASSING
    raise ToolFailure(
        ToolError(code=code, message=message, suggestion=_WAYS_OUT.get(code), retryable=retryable)
    ) from error
