"""The host of an address: the one that it would really reach, or none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.policy.hosts import host_matches, host_of, is_mailbox


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://Example.com/a?b=c#d", "example.com"),
        ("http://example.com.:8080/", "example.com"),
        ("HTTPS://bücher.example/", "xn--bcher-kva.example"),
        ("https://[::1]/", "::1"),
        ("https://127.0.0.1/", "127.0.0.1"),
        ("anna@Example.com", "example.com"),
        ("example.com", "example.com"),
        ("localhost", "localhost"),
    ],
)
def test_the_host_of_an_address(address: str, host: str) -> None:
    assert host_of(address) == host


@pytest.mark.parametrize(
    "address",
    [
        "",
        "http://good.com\\@evil.com/",
        "http://good.com@evil.com/",
        "http://good.com:80@evil.com/",
        "http://good.com%2eevil.com/",
        "http://good.com\t.evil.com/",
        " http://good.com/",
        "http://good.com\n.evil.com",
        "http:///a",
        "http://",
        "file:///etc/passwd",
        "javascript://good.com/%0aalert(1)",
        "ftp://good.com/",
        "http://good..com/",
        "http://good.com:99999/",
        "http://0x7f.1/",
        "http://2130706433/",
        "Anna <anna@example.com>",
        "anna@example.com,bob@evil.org",
        "a@b@c.com",
        "exa mple.com",
        "http://[::1/",
        "\ud83d.com",
        "-bad-.com",
    ],
)
def test_an_address_that_readers_take_differently_has_no_host(address: str) -> None:
    assert host_of(address) is None


@given(st.text(st.characters(), max_size=40))
def test_no_text_is_a_crash(text: str) -> None:
    for address in (text, "https://" + text, "x@" + text):
        host_of(address)
    is_mailbox(text)
    host_matches(text, "example.com")


@pytest.mark.parametrize(
    ("pattern", "host", "answer"),
    [
        ("example.com", "example.com", True),
        ("EXAMPLE.com.", "example.com", True),
        ("example.com", "www.example.com", False),
        ("*.example.com", "www.example.com", True),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "evilexample.com", False),
        ("*.example.com", "example.com.evil.org", False),
        ("bücher.example", "xn--bcher-kva.example", True),
        ("\N{CYRILLIC SMALL LETTER ES}url.example", "curl.example", False),
        ("*", "example.com", None),
        ("ex*.com", "example.com", None),
        ("", "example.com", None),
    ],
)
def test_a_pattern_is_a_host_or_everything_under_one(pattern: str, host: str, answer: bool | None) -> None:
    assert host_matches(pattern, host) is answer


def test_a_mailbox_is_one_plain_address() -> None:
    assert is_mailbox("anna.b+c@example.com")
    for text in ("anna", "anna@", "@example.com", "a@b@c", "Anna <a@b.com>", "a@b.com\nBcc: x@y.z", "a@exa mple.com"):
        assert not is_mailbox(text)
