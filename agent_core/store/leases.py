"""Leases: the one process that works a session holds its file lock, and loses it when it dies, however it dies."""

from pathlib import Path
from types import TracebackType
from typing import Self

from agent_core.config.home import Home
from agent_core.model.errors import SessionBusy
from agent_core.store import locks
from agent_core.store.faults import storage_faults
from agent_core.store.locks import FileLock
from agent_core.store.names import file_name

_TRIES = 20
"""Times that a lease is tried for while nobody works the session."""


class Lease:
    """A session that this process may work. A context manager; released once."""

    def __init__(self, session: str, lock: FileLock) -> None:
        self.session = session
        self._lock = lock

    def release(self) -> None:
        """Let others work the session."""
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class Leases:
    """The leases of one home."""

    def __init__(self, home: Home) -> None:
        self._folder = home.leases

    def take(self, session: str) -> Lease:
        """Lease a session. Raises SessionBusy, naming the process that has it; StorageError."""
        path = self._path(session)
        with storage_faults(self._folder):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(path)
        for _ in range(_TRIES):
            if lock.acquire():
                return Lease(session, lock)
            if locks.holder(path) is not None:
                break  # else somebody only looked who works it, and was slow about it
        lock.close()
        raise SessionBusy(f"Session {session} is being worked by process {locks.holder(path) or 'unknown'}")

    def holder(self, session: str) -> int | None:
        """The pid of the live process that works the session, None when nobody does."""
        return locks.holder(self._path(session))

    def _path(self, session: str) -> Path:
        return self._folder / file_name(session)
