"""The model's key, for views: read, kept and removed in threads, since a keyring may wait for somebody to unlock it."""

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from agent_core.config.secrets import DEFAULT_ADDRESS, ModelKey, ModelKeys
from agent_core.model.errors import PilothouseError


class KeyKeeper(QObject):
    """`current` is the key as it was last read, None until then. One thing at a time; `changed` follows each."""

    changed = Signal()
    refused = Signal(str)
    """One sentence: what was asked did not happen."""

    def __init__(self, keys: ModelKeys, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._keys = keys
        self._task: asyncio.Task[None] | None = None
        self.current: ModelKey | None = None

    @property
    def busy(self) -> bool:
        """Whether the keyring is being asked."""
        return self._task is not None and not self._task.done()

    def read(self) -> None:
        """Read the key that is in use."""
        self._ask(self._keys.current)

    def keep(self, key: str, address: str = DEFAULT_ADDRESS) -> None:
        """Keep a key and its address, and read it back."""
        self._ask(lambda: self._keys.keep(key, address))

    def forget(self) -> None:
        """Remove the key from the session and from the keyring."""

        def work() -> ModelKey:
            self._keys.forget()
            return self._keys.current()

        self._ask(work)

    def _ask(self, work: Callable[[], ModelKey]) -> None:
        if self.busy or not _loop_runs():
            return
        self._task = asyncio.ensure_future(self._work(work))

    async def _work(self, work: Callable[[], ModelKey]) -> None:
        try:
            self.current = await asyncio.to_thread(work)
        except PilothouseError as error:
            self.refused.emit(str(error))
        finally:
            self._task = None
        if isValid(self):  # the window may have gone meanwhile
            self.changed.emit()


def _loop_runs() -> bool:
    """Views that are only drawn have no loop; they show the key as not read yet."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
