"""Signatures of operators: Ed25519 over canonical JSON (RFC 8785).

Everything that is not text goes in as JSON text of its own, so that 1 and 1.0 stay different and integers may have any
size; RFC 8785 alone keeps neither.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

import msgspec
import rfc8785

from agent_core.model.proposal import Decision

if TYPE_CHECKING:  # the library is needed only where somebody signs or checks
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@dataclass(frozen=True)
class OperatorKey:
    """The private key of one operator in one home."""

    operator: str
    private: "Ed25519PrivateKey"

    @classmethod
    def make(cls, operator: str) -> Self:
        """A new key."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(operator, Ed25519PrivateKey.generate())

    @classmethod
    def from_hex(cls, operator: str, secret: str) -> Self:
        """The key that `hex` gave. Raises ValueError."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(operator, Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret)))

    @property
    def hex(self) -> str:
        """The private half, for the place that keeps it."""
        return self.private.private_bytes_raw().hex()

    @property
    def public_hex(self) -> str:
        """The public half."""
        return self.private.public_key().public_bytes_raw().hex()

    @property
    def key_id(self) -> str:
        """A short name of the key, from its public half."""
        return key_id_of(self.public_hex)

    def sign(self, decision: Decision) -> Decision:
        """The decision with this key's name and signature."""
        named = msgspec.structs.replace(decision, key_id=self.key_id, signature="")
        return msgspec.structs.replace(named, signature=self.sign_bytes(decision_bytes(named)))

    def sign_bytes(self, message: bytes) -> str:
        """A signature in hex."""
        return self.private.sign(message).hex()


def key_id_of(public_hex: str) -> str:
    """The first 16 hex digits of the SHA-256 of a public key."""
    import hashlib

    return hashlib.sha256(bytes.fromhex(public_hex)).hexdigest()[:16]


def verify(decision: Decision, public_hex: str) -> bool:
    """Whether that key signed the decision exactly as it is."""
    return verify_bytes(decision_bytes(decision), decision.signature, public_hex)


def verify_bytes(message: bytes, signature: str, public_hex: str) -> bool:
    """Whether that key signed the message. False for anything that is no signature or no key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_hex)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


_ADDED_LATER: dict[str, Any] = {"awaits_second": False, "second_of": None}
"""Members that decisions were signed without before they existed: left out where they say nothing."""


def decision_bytes(decision: Decision) -> bytes:
    """What is signed of a decision: all of it but the signature."""
    members = msgspec.to_builtins(decision)
    del members["signature"]
    for name, silent in _ADDED_LATER.items():
        if members[name] == silent:
            del members[name]
    return _canonical("decision", members)


def restored_bytes(by: str, heads: Mapping[str, str], key_id: str, at: datetime, prev: str) -> bytes:
    """What is signed of a restore. Bound to its instant and place in the chain, so that it excuses nothing twice."""
    return _canonical(
        "restored", {"by": by, "heads": dict(heads), "key_id": key_id, "at": at.isoformat(), "prev": prev}
    )


def _canonical(what: str, members: Mapping[str, Any]) -> bytes:
    texts = {name: value if isinstance(value, str) else [_json(value)] for name, value in members.items()}
    return rfc8785.dumps({what: texts})


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
