"""Redaction: no spelling of a secret gets through, whole or in pieces, and nothing else is touched."""

import base64
import hashlib
import html
import json
import re
import time
import uuid
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_core.model.errors import InputError
from agent_core.policy.redaction import SHORTEST, Redactor, marker

KEY = "sk-ant-A9/+ =%\"q\\<&'zé~_.-7fK2"
SECRETS = {"API_KEY": KEY, "PASSWORD": "hunter22-Ω", "PIN": "48151623"}
secret_values = st.text(st.characters(codec="utf-8", exclude_characters="{}"), min_size=SHORTEST, max_size=12)
some_text = st.text(st.characters(codec="utf-8"), max_size=20)


def spellings(secret: str) -> dict[str, str]:
    """How a secret gets into texts."""
    raw = secret.encode()
    return {
        "plain": secret,
        "in an address": quote(secret, safe=""),
        "in a query": quote_plus(secret),
        "in a path": quote(secret),
        "in lower-case escapes": re.sub("%..", lambda found: found[0].lower(), quote(secret, safe="")),
        "in JSON": json.dumps({"key": secret}),
        "in JSON, not ASCII": json.dumps({"key": secret}, ensure_ascii=False),
        "in a traceback": repr(RuntimeError(secret)),
        "in HTML": html.escape(secret),
        "in base64": base64.b64encode(raw).decode(),
        "in basic authorisation": base64.b64encode(b"user:" + raw).decode(),
        "in base64, one byte on": base64.b64encode(b"x" + raw + b"yz").decode(),
        "in base64 for addresses": base64.urlsafe_b64encode(b"xy" + raw + b"z").decode(),
    }


def remains(secret: str) -> list[str]:
    """Pieces of a secret that would give it away."""
    return [secret[:8], secret[-8:], quote(secret, safe="")[:12], base64.b64encode(secret.encode()).decode()[4:16]]


@pytest.mark.parametrize("how", spellings(KEY))
@pytest.mark.parametrize("around", ["{}", "before {} after", "x{}y", "{0}{0}", "a\n{}\n"])
def test_no_spelling_gets_through(how: str, around: str) -> None:
    shown = Redactor(SECRETS).redact(around.format(spellings(KEY)[how]))
    assert marker("API_KEY") in shown
    assert [piece for piece in remains(KEY) if piece in shown] == []


@pytest.mark.parametrize("how", spellings(KEY))
@pytest.mark.parametrize("piece", [1, 2, 3, 7, 19])
def test_no_spelling_gets_through_in_pieces(how: str, piece: int) -> None:
    redactor = Redactor(SECRETS)
    whole = f"before {spellings(KEY)[how]} after {KEY}"
    stream = redactor.stream()
    shown = "".join(stream.feed(whole[at : at + piece]) for at in range(0, len(whole), piece)) + stream.flush()
    assert shown == redactor.redact(whole)
    assert marker("API_KEY") in shown


@given(st.dictionaries(st.sampled_from("ABC"), secret_values, max_size=3), st.data())
def test_pieces_and_the_whole_come_to_the_same(secrets: dict[str, str], data: st.DataObject) -> None:
    redactor = Redactor(secrets)
    parts = st.one_of(some_text, *map(st.just, secrets.values()), *(st.just(s[:4]) for s in secrets.values()))
    pieces = data.draw(st.lists(parts, max_size=8))
    stream = redactor.stream()
    shown = "".join(map(stream.feed, pieces)) + stream.flush()
    assert shown == redactor.redact("".join(pieces))
    for name, secret in secrets.items():
        if not any(secret in marker(other) for other in secrets):
            assert secret not in shown, name


@given(secret_values, st.lists(some_text, max_size=3))
def test_a_stream_shows_what_cannot_become_a_secret_at_once(secret: str, pieces: list[str]) -> None:
    stream = Redactor({"A": secret}).stream()
    fed = shown = 0
    for piece in pieces:
        fed += len(piece)
        shown += len(stream.feed(piece))
    longest = max(len(spelling) for spelling in spellings(secret).values()) + len(marker("A"))
    assert fed - shown <= longest


def test_bytes_and_nested_json_are_redacted_keys_too() -> None:
    redactor = Redactor(SECRETS)
    assert redactor.redact(b"\xff" + KEY.encode() + b"\x00") == b"\xff" + marker("API_KEY").encode() + b"\x00"
    value = {"a": [KEY, {"b": (KEY, 1, None, True, 1.5)}], KEY: "hunter22-Ω!"}
    assert redactor.redact(value) == {
        "a": [marker("API_KEY"), {"b": (marker("API_KEY"), 1, None, True, 1.5)}],
        marker("API_KEY"): marker("PASSWORD") + "!",
    }


def test_a_secret_that_is_a_number_is_found_as_one() -> None:
    assert Redactor(SECRETS).redact({"pin": 48151623, "n": 4815162}) == {"pin": marker("PIN"), "n": 4815162}


def test_a_longer_secret_wins_over_one_that_it_contains() -> None:
    redactor = Redactor({"SHORT": "abcdef", "LONG": "abcdefghij"})
    assert redactor.redact("abcdefghij abcdef") == f"{marker('LONG')} {marker('SHORT')}"
    stream = redactor.stream()
    assert stream.feed("abcdef") + stream.feed("ghij") + stream.flush() == marker("LONG")


def test_hashes_and_uuids_stay_as_they_are() -> None:
    redactor = Redactor({**SECRETS, "HEX": hashlib.sha256(b"the secret").hexdigest()})
    for n in range(1000):
        benign = f"{hashlib.sha1(bytes([n % 256, n // 256])).hexdigest()} {uuid.UUID(int=n * 7**40 % 2**128)}"
        assert redactor.redact(benign) == benign


@given(some_text)
def test_text_without_a_secret_is_the_very_same_object(text: str) -> None:
    redactor = Redactor(SECRETS)
    assume(not any(form in text for secret in SECRETS.values() for form in spellings(secret).values()))
    assert redactor.redact(text) is text
    assert Redactor({}).redact([text]) == [text]


@given(some_text, st.sampled_from(list(SECRETS)))
def test_redacting_twice_changes_nothing_more(text: str, name: str) -> None:
    redactor = Redactor(SECRETS)
    once = redactor.redact(text + SECRETS[name] + text)
    assert redactor.redact(once) == once


def test_a_marker_is_never_redacted_from_within() -> None:
    redactor = Redactor({"secret": "secret:", "A": "secret:A}}"})
    assert redactor.redact(marker("A")) == marker("A")


def test_short_values_are_told_and_not_replaced() -> None:
    redactor = Redactor({"TINY": "12345", "KEY": KEY})
    assert redactor.too_short == ("TINY",)
    assert redactor.redact("12345") == "12345"


def test_its_own_text_shows_no_secret() -> None:
    assert "hunter22" not in repr(Redactor(SECRETS)) + str(Redactor(SECRETS))


def test_a_tool_gets_back_only_the_secrets_that_it_declares() -> None:
    redactor = Redactor(SECRETS)
    arguments: dict[str, Any] = {"header": f"Bearer {marker('API_KEY')}", "n": 1, "list": [marker("API_KEY")]}
    assert redactor.reveal(arguments, ["API_KEY"]) == {"header": f"Bearer {KEY}", "n": 1, "list": [KEY]}
    with pytest.raises(InputError, match="PASSWORD"):
        redactor.reveal({"a": marker("PASSWORD")}, ["API_KEY"])
    with pytest.raises(InputError, match="NO_SUCH"):
        redactor.reveal({"a": marker("NO_SUCH")}, ["NO_SUCH"])


def test_a_large_text_is_no_burden() -> None:
    large = "The quick brown fox jumps over the lazy dog. " * 400_000
    began = time.perf_counter()
    assert Redactor(SECRETS).redact(large) is large
    assert time.perf_counter() - began < 5
