"""Secrets: the system's keyring behind a port, and the model's key together with the address it belongs to.

The only module that imports keyring, and not before it is needed. A key never goes anywhere but to the address that
came from the same place. Nothing is ever written to a plain file.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from agent_core.config.secret_store import SecretPlace, SecretStore, StoreState
from agent_core.model.errors import InputError, PilothouseError

T = TypeVar("T")

SERVICE = "pilothouse"
MODEL_KEY = "anthropic"
DEFAULT_ADDRESS = "https://api.anthropic.com"
PATIENCE_SECONDS = 5.0

_UNSAFE_BACKENDS = ("keyring.backends.chainer", "keyring.backends.fail", "keyring.backends.null", "keyrings.alt")
"""They forget, refuse, write plain files, or hide behind one that might."""


class SecretStoreError(PilothouseError):
    """The keyring did not do what it was asked; `state` says why."""

    code = "keyring"
    exit_code = 2

    def __init__(self, state: StoreState, message: str) -> None:
        super().__init__(message)
        self.state = state


@dataclass(slots=True)
class SystemKeyring:
    """The system's keyring. Each call runs in a thread of its own, so that one that hangs holds up nothing."""

    patience: float = PATIENCE_SECONDS
    load: Callable[[], Any] = field(default_factory=lambda: _load_backend)
    """Gives the keyring backend in use."""

    def look(self) -> tuple[StoreState, str]:
        """Whether it can be used now, and what it is; asks it for an entry that does not exist."""

        def ask(backend: Any) -> str:
            backend.get_password(SERVICE, "is anybody there")
            return f"Kept in {_backend_name(backend)}."

        try:
            return StoreState.USABLE, self._call(ask)
        except SecretStoreError as error:
            return error.state, str(error)

    def state(self) -> StoreState:
        """Whether it can be used now."""
        return self.look()[0]

    def describe(self) -> str:
        """What it is and how it stands, in one sentence."""
        return self.look()[1]

    def get(self, name: str) -> str | None:
        """The secret of that name; None where there is none."""
        found: str | None = self._call(lambda backend: backend.get_password(SERVICE, name))
        return found

    def put(self, name: str, value: str) -> None:
        """Keep a secret, and read it back."""

        def write(backend: Any) -> bool:
            backend.set_password(SERVICE, name, value)
            return bool(backend.get_password(SERVICE, name) == value)

        if not self._call(write):
            raise SecretStoreError(StoreState.FAILED, "The keyring took the secret but did not give it back.")

    def remove(self, name: str) -> None:
        """Forget a secret."""

        def delete(backend: Any) -> None:
            if backend.get_password(SERVICE, name) is not None:
                backend.delete_password(SERVICE, name)

        self._call(delete)

    def _call(self, ask: Callable[[Any], T]) -> T:
        answers: list[T] = []
        failures: list[Exception] = []

        def work() -> None:
            try:
                answers.append(ask(_usable(self.load())))
            except Exception as error:  # noqa: BLE001 - backends raise anything; it is told as a state
                failures.append(error)

        thread = threading.Thread(target=work, name="keyring", daemon=True)
        thread.start()
        thread.join(self.patience)
        if answers:
            return answers[0]
        raise _told(failures[0] if failures else None, self.patience)


class ModelKey(msgspec.Struct, frozen=True, kw_only=True):
    """The key of the model's service and the only address that it may be sent to. `key` is None where there is none."""

    key: str | None
    address: str
    place: SecretPlace
    note: str = ""
    """What a person should know of it, in one sentence."""

    def __repr__(self) -> str:
        return f"ModelKey({self.hint}, {self.address}, {self.place.value})"

    @property
    def hint(self) -> str:
        """The last four characters, as screens show it."""
        if self.key is None:
            return "no key"
        return f"…{self.key[-4:]}" if len(self.key) >= 12 else "…"


@dataclass(slots=True)
class ModelKeys:
    """Finds and keeps the model's key: the environment's pair first, then the keyring's, then this session's."""

    environ: Mapping[str, str]
    store: SecretStore
    _session: ModelKey | None = None

    def current(self) -> ModelKey:
        """The key in use. May wait for the keyring: never on the GUI thread."""
        key, address = self.environ.get("ANTHROPIC_API_KEY"), self.environ.get("ANTHROPIC_BASE_URL")
        if key or address:
            # An address without a key from the same place gets no key at all: it could be anybody's.
            note = "From the environment." if key else "The environment names an address but no key for it."
            return ModelKey(
                key=key or None, address=address or DEFAULT_ADDRESS, place=SecretPlace.ENVIRONMENT, note=note
            )
        if self._session is not None:
            return self._session
        return self._kept()

    def keep(self, key: str, address: str = DEFAULT_ADDRESS) -> ModelKey:
        """Keep a key and its address in the keyring; without one, for this session only, which `note` then says."""
        key = _checked(key)
        try:
            self.store.put(MODEL_KEY, _written(key, address))
        except SecretStoreError as error:
            note = f"For this session only. {error}"
            self._session = ModelKey(key=key, address=address, place=SecretPlace.SESSION, note=note)
            return self._session
        self._session = None
        return self._kept()

    def forget(self) -> None:
        """Remove the key from the session and from the keyring; raises SecretStoreError when it may still be there."""
        self._session = None
        self.store.remove(MODEL_KEY)

    def _kept(self) -> ModelKey:
        try:
            written = self.store.get(MODEL_KEY)
        except SecretStoreError as error:
            return ModelKey(key=None, address=DEFAULT_ADDRESS, place=SecretPlace.NONE, note=str(error))
        if written is None:
            return ModelKey(
                key=None, address=DEFAULT_ADDRESS, place=SecretPlace.NONE, note="No key has been added yet."
            )
        key, address = _read(written)
        note = self.store.describe() if key else "The keyring's entry cannot be read; add the key again."
        return ModelKey(key=key, address=address, place=SecretPlace.KEYRING, note=note)


def _checked(key: str) -> str:
    bare = key.strip()
    if not bare or not bare.isascii() or not bare.isprintable() or " " in bare:
        raise InputError("A key is one word of printable characters; copy it again from the service's page")
    return bare


def _written(key: str, address: str) -> str:
    return msgspec.json.encode({"key": key, "address": address}).decode()


def _read(written: str) -> tuple[str | None, str]:
    """Key and address of an entry; an entry of another form gives no key."""
    try:
        pair = msgspec.json.decode(written, type=dict[str, str])
    except msgspec.MsgspecError:
        return None, DEFAULT_ADDRESS
    return pair.get("key"), pair.get("address", DEFAULT_ADDRESS)


def _load_backend() -> Any:
    import keyring

    return keyring.get_keyring()


def _usable(backend: Any) -> Any:
    if type(backend).__module__.startswith(_UNSAFE_BACKENDS) or not backend.priority >= 1:
        raise SecretStoreError(StoreState.MISSING, "No system keyring that keeps secrets safe was found here.")
    return backend


def _backend_name(backend: Any) -> str:
    names = {
        "SecretService": "the desktop's keyring (Secret Service)",
        "kwallet": "KWallet",
        "macOS": "the macOS keychain",
        "Windows": "the Windows credential store",
    }
    return names.get(type(backend).__module__.rpartition(".")[2], str(getattr(backend, "name", "the system keyring")))


def _told(failure: Exception | None, patience: float) -> SecretStoreError:
    """Any failure of a backend, in words. Its own text is not repeated: it may hold the secret."""
    if isinstance(failure, SecretStoreError):
        return failure
    if failure is None:
        words = f"The keyring did not answer within {patience:g} seconds; it may be waiting to be unlocked."
        return SecretStoreError(StoreState.SLOW, words)
    name = type(failure).__name__
    if name in {"KeyringLocked", "InitError"}:
        return SecretStoreError(StoreState.LOCKED, "The keyring is locked.")
    if name == "NoKeyringError" or isinstance(failure, ImportError):
        return SecretStoreError(StoreState.MISSING, "No system keyring that keeps secrets safe was found here.")
    return SecretStoreError(StoreState.FAILED, f"The keyring failed ({name}).")
