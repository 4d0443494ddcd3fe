"""Locks between processes: an exclusively locked file that names the process that holds it.

The operating system releases the lock when its holder dies, however it dies. Two locks on one file exclude each other
inside one process too.
"""

import os
import random
import sys
import threading
import time
from pathlib import Path

from agent_core.store.faults import storage_faults

_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_FIRST_WAIT = 0.001
_LONGEST_WAIT = 0.010
_PROBE_GRACE = 0.1
"""Seconds for which a lock is tried again: `holder` holds it for a moment while it looks."""

if sys.platform == "win32":
    import msvcrt

    # Windows locks bytes against reading too, so the byte lies far behind the pid.
    _LOCKED_BYTE = 1 << 30

    def _lock(descriptor: int, *, shared: bool) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int, *, shared: bool) -> None:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


class FileLock:
    """One holder's view of a lock file. The file stays where it is when the lock is released."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._patience = threading.Event()

    def acquire(self, timeout: float = _PROBE_GRACE) -> bool:
        """Take the lock; False when somebody else held it for `timeout` seconds. Raises StorageError."""
        give_up = time.monotonic() + timeout
        wait = _FIRST_WAIT
        while not self._try():
            left = give_up - time.monotonic()
            if left <= 0:
                return False
            self._patience.wait(min(left, wait * random.uniform(0.5, 1.0)))  # chance, so that no two keep in step
            wait = min(wait * 1.5, _LONGEST_WAIT)
        return True

    def release(self) -> None:
        """Let others have it. The descriptor stays open for the next time."""
        if self._descriptor is not None:
            _unlock(self._descriptor)

    def close(self) -> None:
        """Release the lock and its descriptor."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _try(self) -> bool:
        with storage_faults(self.path):
            if self._descriptor is None:
                self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | _CLOEXEC, 0o600)
            try:
                _lock(self._descriptor, shared=False)
            except (BlockingIOError, PermissionError):
                return False
            if not self._is_the_file():
                self.close()  # somebody removed it: a lock on a file without a name locks nobody out
                return False
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, b"%-12d\n" % os.getpid())
        return True

    def _is_the_file(self) -> bool:
        assert self._descriptor is not None
        try:
            named = self.path.stat()
        except FileNotFoundError:
            return False
        mine = os.fstat(self._descriptor)
        return (named.st_dev, named.st_ino) == (mine.st_dev, mine.st_ino)


def holder(path: Path) -> int | None:
    """The process that holds the lock on that file: its pid (0 when the file does not say), None when nobody does."""
    with storage_faults(path, "read"):
        try:
            descriptor = os.open(path, os.O_RDONLY | _CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            return _holder(descriptor)
        finally:
            os.close(descriptor)


def _holder(descriptor: int) -> int | None:
    try:
        _lock(descriptor, shared=True)
    except (BlockingIOError, PermissionError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        digits = os.read(descriptor, 12).strip()
        return int(digits) if digits.isdigit() else 0
    _unlock(descriptor)
    return None
