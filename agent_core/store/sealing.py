"""Sealing: a secret under a passphrase. scrypt makes the key (RFC 7914), AES-GCM seals; a wrong one opens nothing."""

import base64
import binascii
import hashlib
import os

MARK = "sealed:1:"
_N, _R, _P = 2**15, 8, 3
"""As the OWASP "Password Storage Cheat Sheet" has it for scrypt with 32 MiB."""
_SALT, _NONCE = 16, 12
SHORTEST = 8
"""Characters of a passphrase."""


def is_sealed(text: str) -> bool:
    """Whether a stored secret needs a passphrase."""
    return text.startswith(MARK)


def seal(secret: str, passphrase: str) -> str:
    """The secret as text that only the passphrase opens."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    salt, nonce = os.urandom(_SALT), os.urandom(_NONCE)
    closed = AESGCM(_key(passphrase, salt)).encrypt(nonce, secret.encode(), MARK.encode())
    return MARK + base64.b64encode(salt + nonce + closed).decode()


def unseal(text: str, passphrase: str) -> str | None:
    """The secret; None for a wrong passphrase or text that was altered."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        raw = base64.b64decode(text.removeprefix(MARK), validate=True)
        salt, nonce, closed = raw[:_SALT], raw[_SALT : _SALT + _NONCE], raw[_SALT + _NONCE :]
        return AESGCM(_key(passphrase, salt)).decrypt(nonce, closed, MARK.encode()).decode()
    except (InvalidTag, binascii.Error, ValueError):
        return None


def _key(passphrase: str, salt: bytes) -> bytes:
    return hashlib.scrypt(passphrase.encode(), salt=salt, n=_N, r=_R, p=_P, maxmem=2**26, dklen=32)
