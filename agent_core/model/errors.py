"""Errors of the core, in one tree. Each carries one sentence for a person that names what is wrong and the way out.

PilothouseError
├── InputError              exit 2: wrong usage or input; nothing changed
│   ├── ProfileError          a profile or settings file, with its line
│   ├── DecisionRefused       unknown, closed, expired, invalid, or not from a person
│   │   └── TogetherRefused       of cards for one word some cannot be decided, so none was
│   ├── NotInThisVersion      named by the design, missing here
│   └── SessionBusy           leased by another live process
├── Halted                  exit 3: the halt flag is set
├── StorageError            exit 5: cannot save or read
│   ├── WriteLocked           another process holds the write lock
│   ├── NewerDatabase         written by a newer version; bytes unchanged
│   └── BrokenChain           the journal was altered
├── ProviderError           the model's service failed; typed, with what is known of the usage
└── StaleHead               an append was computed from an older head: fold again
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from agent_core.model.budget import Usage


class PilothouseError(Exception):
    """Root of every error that a person may be shown."""

    code = "error"
    exit_code = 5


class InputError(PilothouseError):
    """Wrong usage or input: one sentence, nothing changed."""

    code = "invalid_input"
    exit_code = 2


class ProfileError(InputError):
    """A profile or settings file is refused; the message names the line and the nearest right spelling."""

    code = "invalid_profile"


LOCKED = "locked"
"""The code of a refusal that a passphrase lifts."""


class DecisionRefused(InputError):
    """A decision was not taken. `code` says why: unknown, closed, expired, invalid, not_a_person, changed."""

    def __init__(self, message: str, code: str = "refused") -> None:
        super().__init__(message)
        self.code = code


class RefusedCard(NamedTuple):
    """One card that cannot be decided with the others."""

    proposal: str
    summary: str
    why: str
    code: str


class TogetherRefused(DecisionRefused):
    """Several cards were to be decided at once and some cannot be, so none was. `refused` names every one of those."""

    def __init__(self, refused: Sequence[RefusedCard]) -> None:
        first, others = refused[0], len(refused) - 1
        more = f"; {others} more cannot be decided either" if others else ""
        super().__init__(f'None was decided. "{first.summary}": {first.why}{more}', first.code)
        self.refused = tuple(refused)


class NotInThisVersion(InputError):
    """Named by the design but not built yet."""

    code = "not_in_this_version"


class SessionBusy(InputError):
    """A live process holds the session's lease."""

    code = "session_busy"


class Halted(PilothouseError):
    """The halt flag is set; nothing starts until it is released."""

    code = "halted"
    exit_code = 3


class StorageError(PilothouseError):
    """The journal cannot be read or written; agents pause."""

    code = "cannot_save"


class WriteLocked(StorageError):
    """Another process held the write lock for too long; names its pid."""

    code = "write_locked"


class NewerDatabase(StorageError):
    """The database was written by a newer version and is left as it is."""

    code = "newer_database"


class BrokenChain(StorageError):
    """An event was altered, removed or reordered; the session opens read-only."""

    code = "broken_chain"


class StaleHead(PilothouseError):
    """An append named a head that is no longer the newest."""

    code = "stale_head"


class RoomTaken(StaleHead):
    """The money that a request was to use has been taken meanwhile: look again at what is left."""

    code = "room_taken"


class ProviderFault(StrEnum):
    """Why a model request failed."""

    OVERLOADED = "overloaded"
    RATE_LIMITED = "rate_limited"
    SERVER = "server"
    CONNECTION = "connection"
    CUT = "cut"
    STALLED = "stalled"
    GARBAGE = "garbage"
    AUTHENTICATION = "authentication"
    PAYMENT = "payment"
    INVALID_REQUEST = "invalid_request"
    TOO_LARGE = "too_large"
    NOT_FOUND = "not_found"
    NO_KEY = "no_key"


RETRYABLE_FAULTS = frozenset(
    {
        ProviderFault.OVERLOADED,
        ProviderFault.RATE_LIMITED,
        ProviderFault.SERVER,
        ProviderFault.CONNECTION,
        ProviderFault.CUT,
        ProviderFault.STALLED,
        ProviderFault.GARBAGE,
    }
)


class ProviderError(PilothouseError):
    """A model request failed. `usage` is the lower bound known so far; `retry_after` is the service's wish in seconds.

    `detail` is what a library said of it, for the trace only.
    `retryable` is given where the service itself says whether trying again can help; else the fault tells.
    """

    code = "provider"

    def __init__(
        self,
        fault: ProviderFault,
        message: str,
        *,
        retry_after: float | None = None,
        request_id: str | None = None,
        usage: Usage | None = None,
        retryable: bool | None = None,
        detail: str = "",
    ) -> None:
        super().__init__(message)
        self.detail = detail
        self.fault = fault
        self._retryable = retryable
        self.retry_after = retry_after
        self.request_id = request_id
        self.usage = usage

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return self.fault in RETRYABLE_FAULTS if self._retryable is None else self._retryable
