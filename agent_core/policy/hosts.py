"""Hosts: the one that an address would really reach. An address that readers could take differently has none."""

import ipaddress
import re
from urllib.parse import urlsplit

_UNSAFE = re.compile(r"[\s\\\x00-\x20\x7f]")
_MAILBOX = re.compile(r"[^\s@<>,;:\"()\\\[\]]+@([^\s@<>,;:\"()\\\[\]]+)")


def host_of(address: str) -> str | None:
    """The host of a URL, a mail address or a bare host name, in lower-case ASCII; None where it is not certain.

    Credentials, backslashes, blanks and control characters make an address uncertain: parsers disagree on them.
    """
    if _UNSAFE.search(address):
        return None
    if "://" in address:
        return _url_host(address)
    mailbox = _MAILBOX.fullmatch(address)
    return ascii_host(mailbox[1] if mailbox else address)


def ascii_host(host: str) -> str | None:
    """A host name as DNS compares it: lower case, no final dot, other scripts as punycode. None if it is none."""
    bare = host.removesuffix(".").strip("[]")
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        pass
    try:
        name = bare.lower() if bare.isascii() else bare.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None
    labels = name.split(".")
    well_formed = all(re.fullmatch(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", label) for label in labels)
    return name if well_formed and not labels[-1].isdigit() else None


def host_matches(pattern: str, host: str) -> bool | None:
    """Whether a host is the pattern, or lies under it for ``*.example.com``. None when the pattern is no host."""
    under = pattern.startswith("*.")
    wanted = ascii_host(pattern[2:] if under else pattern)
    if wanted is None:
        return None
    return host.endswith("." + wanted) if under else host == wanted


def _url_host(address: str) -> str | None:
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https") or not host or "@" in parts.netloc or "%" in parts.netloc:
        return None
    return ascii_host(host)


def is_mailbox(text: str) -> bool:
    """Whether the text is one plain mail address, without a display name."""
    mailbox = _MAILBOX.fullmatch(text)
    return mailbox is not None and ascii_host(mailbox[1]) is not None
