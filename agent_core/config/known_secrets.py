"""Which secrets an environment holds: by the names that such variables have, and as passwords within addresses."""

import re
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

_NAMED = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$", re.IGNORECASE)
_SHORTEST = 8
_PLACES = ("/", "~", ".", "file:")
"""How values begin that say where a secret lies, and are none."""


def secrets_in(environ: Mapping[str, str]) -> dict[str, str]:
    """Name and value of every secret. A plain word is none: it would be replaced wherever somebody uses it."""
    found: dict[str, str] = {}
    for name, value in environ.items():
        if _NAMED.search(name) and _could_be(value):
            found[name] = value
        elif "://" in value:
            password = _password(value)
            if password is not None and _could_be(password):
                found[name] = password
    return found


def _could_be(value: str) -> bool:
    bare = value.strip()
    plain = bare.isalpha() and (bare.islower() or bare.isupper() or bare.istitle())
    return len(bare) >= _SHORTEST and not plain and not bare.startswith(_PLACES)


def _password(address: str) -> str | None:
    try:
        given = urlsplit(address).password
    except ValueError:
        return None
    return unquote(given) if given else None
