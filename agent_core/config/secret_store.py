"""Where secrets are kept, as a port: the system's keyring, or nothing that survives the process."""

from enum import StrEnum
from typing import Protocol


class SecretPlace(StrEnum):
    """Where a secret was found or put."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    SESSION = "session"
    """In memory, gone when the program ends."""
    NONE = "none"


class StoreState(StrEnum):
    """Whether the system's keyring can be used, and if not, why."""

    USABLE = "usable"
    MISSING = "missing"
    """No backend that keeps secrets safe."""
    LOCKED = "locked"
    SLOW = "slow"
    """It did not answer in time; it may be waiting for somebody to unlock it."""
    FAILED = "failed"


class SecretStore(Protocol):
    """A place that keeps secrets over restarts. All methods wait at most a few seconds and raise SecretStoreError."""

    def state(self) -> StoreState:
        """Whether it can be used now."""
        ...

    def describe(self) -> str:
        """What it is and how it stands, in one sentence for a person."""
        ...

    def get(self, name: str) -> str | None:
        """The secret of that name; None where there is none."""
        ...

    def put(self, name: str, value: str) -> None:
        """Keep a secret; it has been read back equal when this returns."""
        ...

    def remove(self, name: str) -> None:
        """Forget a secret; fine where there is none."""
        ...
