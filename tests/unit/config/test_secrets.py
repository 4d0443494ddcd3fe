"""The key and its address come from the same place; a keyring that fails is a state in words, never a file."""

import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from agent_core.config.secret_store import SecretPlace, StoreState
from agent_core.config.secrets import DEFAULT_ADDRESS, ModelKeys, SecretStoreError, SystemKeyring
from agent_core.model.errors import InputError

KEY = "sk-test-0123456789abcdef"


@dataclass
class Backend:
    """A keyring backend as the library hands one out."""

    priority: float = 5
    name: str = "a test keyring"
    entries: dict[tuple[str, str], str] = field(default_factory=dict)
    fault: Exception | None = None
    forgets: bool = False

    def get_password(self, service: str, user: str) -> str | None:
        if self.fault is not None:
            raise self.fault
        return self.entries.get((service, user))

    def set_password(self, service: str, user: str, password: str) -> None:
        if self.fault is not None:
            raise self.fault
        if not self.forgets:
            self.entries[(service, user)] = password

    def delete_password(self, service: str, user: str) -> None:
        del self.entries[(service, user)]


class KeyringLocked(Exception):
    """Named as the library names it."""


class NoKeyringError(RuntimeError):
    """Named as the library names it."""


def ring(backend: Any, patience: float = 5.0) -> SystemKeyring:
    return SystemKeyring(patience, lambda: backend)


def test_a_key_is_kept_with_its_address_and_read_back() -> None:
    backend = Backend()
    kept = ModelKeys({}, ring(backend)).keep(f" {KEY}\n", "https://proxy.example")

    found = ModelKeys({}, ring(backend)).current()

    assert kept == found
    assert (found.key, found.address, found.place) == (KEY, "https://proxy.example", SecretPlace.KEYRING)
    assert KEY not in repr(found)
    assert found.hint == "…cdef"


def test_the_environments_pair_comes_first() -> None:
    keys = ModelKeys(
        {"ANTHROPIC_API_KEY": "env-key-000000", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, ring(Backend())
    )
    keys.keep(KEY, "https://proxy.example")

    found = keys.current()

    assert (found.key, found.address, found.place) == ("env-key-000000", "http://127.0.0.1:1", SecretPlace.ENVIRONMENT)


def test_an_address_without_a_key_from_the_same_place_gets_no_key() -> None:
    keys = ModelKeys({"ANTHROPIC_BASE_URL": "http://evil.example"}, ring(Backend()))
    keys.keep(KEY)

    assert keys.current().key is None
    assert keys.current().address == "http://evil.example"


def test_a_key_without_an_address_goes_to_the_usual_one_only() -> None:
    assert ModelKeys({"ANTHROPIC_API_KEY": KEY}, ring(Backend())).current().address == DEFAULT_ADDRESS


@pytest.mark.parametrize(
    ("backend", "state"),
    [
        (Backend(priority=0.5), StoreState.MISSING),
        (Backend(fault=NoKeyringError(KEY)), StoreState.MISSING),
        (Backend(fault=KeyringLocked(KEY)), StoreState.LOCKED),
        (Backend(fault=OSError(KEY)), StoreState.FAILED),
        (Backend(forgets=True), StoreState.USABLE),
    ],
)
def test_a_keyring_that_does_not_keep_it_leaves_a_key_for_the_session(backend: Backend, state: StoreState) -> None:
    keys = ModelKeys({}, ring(backend))

    kept = keys.keep(KEY, "https://proxy.example")

    assert ring(backend).state() is state
    assert (ring(backend).describe() == "Kept in a test keyring.") is (state is StoreState.USABLE)
    assert kept.place is SecretPlace.SESSION
    assert kept.note.startswith("For this session only.")
    assert KEY not in kept.note
    assert keys.current() == kept
    assert ModelKeys({}, ring(backend)).current().key is None


@pytest.mark.parametrize("name", ["keyring.backends.fail", "keyring.backends.null", "keyring.backends.chainer"])
def test_backends_that_forget_or_hide_others_are_not_used(name: str) -> None:
    module = pytest.importorskip(name)
    backend = next(value for key, value in vars(module).items() if key.endswith(("Keyring", "ChainerBackend")))

    assert ring(backend()).state() is StoreState.MISSING


def test_a_keyring_that_never_answers_holds_nobody_up() -> None:
    answer = threading.Event()

    class Slow(Backend):
        def get_password(self, service: str, user: str) -> str | None:
            answer.wait()
            return None

    store = ring(Slow(), patience=0.05)

    assert store.state() is StoreState.SLOW
    with pytest.raises(SecretStoreError, match=r"did not answer within 0.05 seconds"):
        store.get("anthropic")
    assert ModelKeys({}, store).keep(KEY).place is SecretPlace.SESSION
    answer.set()


def test_forgetting_removes_it_everywhere_and_twice_is_fine() -> None:
    backend = Backend()
    keys = ModelKeys({}, ring(backend))
    keys.keep(KEY)

    keys.forget()
    keys.forget()

    assert keys.current().key is None
    assert not backend.entries


@pytest.mark.parametrize("bad", ["", " ", "two words", "a\nb", "schlüssel"])
def test_what_cannot_be_a_key_is_refused(bad: str) -> None:
    with pytest.raises(InputError):
        ModelKeys({}, ring(Backend())).keep(bad)


def test_a_foreign_entry_gives_no_key() -> None:
    backend = Backend(entries={("pilothouse", "anthropic"): "plain"})

    assert ModelKeys({}, ring(backend)).current().key is None
