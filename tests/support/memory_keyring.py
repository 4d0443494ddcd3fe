"""A keyring that lives in memory, or refuses as real ones do."""

from __future__ import annotations

from agent_core.config.secret_store import StoreState
from agent_core.config.secrets import SecretStoreError


class MemoryKeyring:
    """Keeps secrets for one test. `refuses` is the state that every call then fails with."""

    def __init__(self, refuses: StoreState | None = None) -> None:
        self.kept: dict[str, str] = {}
        self.refuses = refuses

    def _check(self) -> None:
        if self.refuses is not None:
            raise SecretStoreError(self.refuses, f"The keyring is {self.refuses.value}.")

    def state(self) -> StoreState:
        return self.refuses or StoreState.USABLE

    def describe(self) -> str:
        return f"The keyring is {self.refuses.value}." if self.refuses else "Kept in a test's memory."

    def get(self, name: str) -> str | None:
        self._check()
        return self.kept.get(name)

    def put(self, name: str, value: str) -> None:
        self._check()
        self.kept[name] = value

    def remove(self, name: str) -> None:
        self._check()
        self.kept.pop(name, None)
