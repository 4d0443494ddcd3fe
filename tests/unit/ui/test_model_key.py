"""What is said of the key is true of where it lies, and never shows more than its end."""

from pathlib import Path

import pytest

from agent_core.config.secret_store import SecretPlace
from agent_core.config.secrets import DEFAULT_ADDRESS, ModelKey
from ui.models.model_key import address_problem, key_problem, key_status, place_words

KEY = "sk-ant-0123456789abcd"


def key(place: SecretPlace, value: str | None = KEY, note: str = "A note.") -> ModelKey:
    return ModelKey(key=value, address=DEFAULT_ADDRESS, place=place, note=note)


@pytest.mark.parametrize("place", list(SecretPlace))
def test_the_key_itself_is_never_said(place: SecretPlace) -> None:
    status = key_status(key(place))

    assert "0123456789" not in status.chip + status.sentence


def test_a_kept_key_says_where_it_lies_and_whom_it_goes_to() -> None:
    status = key_status(key(SecretPlace.KEYRING, note="Kept in KWallet."))

    assert status.chip == "key …abcd"
    assert status.sentence == f"Kept in KWallet. It goes to {DEFAULT_ADDRESS} only."
    assert status.removable


def test_a_key_of_the_environment_is_read_only_here() -> None:
    status = key_status(key(SecretPlace.ENVIRONMENT))

    assert not status.editable
    assert not status.removable
    assert "ANTHROPIC_API_KEY" in status.sentence


def test_an_address_of_the_environment_gets_no_key() -> None:
    status = key_status(key(SecretPlace.ENVIRONMENT, None, "The environment names an address but no key for it."))

    assert (status.chip, status.tone) == ("address without key", "attn")
    assert "gets no key" in status.sentence


def test_a_key_of_this_session_says_so() -> None:
    status = key_status(key(SecretPlace.SESSION, note="For this session only. The keyring is locked."))

    assert status.tone == "attn"
    assert "this session only" in status.chip
    assert "The keyring is locked." in status.sentence


def test_no_key_and_not_read_yet_are_two_things() -> None:
    assert key_status(key(SecretPlace.NONE, None, "No key has been added yet.")).chip == "no key"
    assert key_status(None).chip == "looking"
    assert not key_status(None).editable


@pytest.mark.parametrize("typed", ["", "  ", "two words", "ключ", "a\nb"])
def test_what_cannot_be_a_key_is_refused(typed: str) -> None:
    assert key_problem(typed)
    assert not key_problem(f" {KEY}\n")


@pytest.mark.parametrize("typed", ["", "https://api.example.com", "http://127.0.0.1:8080", "http://localhost:1"])
def test_addresses_that_will_do(typed: str) -> None:
    assert address_problem(typed) == ""


@pytest.mark.parametrize("typed", ["http://api.example.com", "api.example.com", "https://", "https://a b"])
def test_addresses_that_will_not(typed: str) -> None:
    assert address_problem(typed)


def test_folders_of_the_user_are_written_short() -> None:
    assert place_words(Path("/home/a/.local/share/x"), Path("/home/a")) == "~/.local/share/x"
    assert place_words(Path("/srv/x"), Path("/home/a")) == "/srv/x"
