"""Digests: what an approval is bound to. SHA-256 over canonical JSON (RFC 8785), so key order never matters.

Numbers are JSON's: 1 and 1.0 are one number. What RFC 8785 cannot write exactly is refused instead of bent: integers
beyond 2**53 - 1 (another reader would round them), NaN, infinities, lone surrogates, keys that are no text.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import rfc8785

from agent_core.model.errors import InputError

DEEPEST = 100
"""Levels of nesting that can be bound; deeper values are refused before they exhaust the stack of some reader."""


class NotCanonical(InputError):
    """A value that no digest can bind, because it has no exact canonical form."""

    code = "invalid_arguments"


def canonical(value: Any) -> bytes:
    """The canonical JSON of a value. Raises NotCanonical with one sentence."""
    if _deeper_than(value, DEEPEST):
        raise NotCanonical(f"The value is nested more than {DEEPEST} levels deep")
    try:
        return _plain_json(value) or rfc8785.dumps(value)
    except rfc8785.IntegerDomainError as error:
        raise NotCanonical(f"The number in it is too large to keep exactly; send it as text ({error})") from None
    except ValueError as error:
        raise NotCanonical(f"The value cannot be kept exactly as JSON: {error}") from None


def arguments_digest(tool: str, arguments: Mapping[str, Any]) -> str:
    """The same for calls that ask for the same: tool and canonical arguments, whatever the order of the keys."""
    return _sha256({"arguments": arguments, "tool": tool})


def call_digest(
    *,
    arguments: Mapping[str, Any],
    tool: str,
    tool_version: str,
    session: str,
    call_id: str,
    verdict: str,
    rules: Sequence[str],
    seen: Mapping[str, str],
) -> str:
    """What an approval binds: this call of this session with these arguments, as judged, on what the preview saw.

    `rules` are the texts of the rules that matched; their order in the policy says nothing and is not bound.
    """
    return _sha256(
        {
            "arguments": arguments,
            "call": call_id,
            "rules": sorted(rules),
            "seen": seen,
            "session": session,
            "tool": tool,
            "tool_version": tool_version,
            "verdict": str(verdict),
        }
    )


def _is_plain(value: Any) -> bool:
    """Whether ordinary JSON with sorted keys is canonical already: no floats, small integers, plain ASCII keys."""
    kind = type(value)
    if kind is str:
        return True
    if kind is int:
        return bool(-_LARGEST <= value <= _LARGEST)
    if kind is dict:
        return all(type(key) is str and key.isascii() and _is_plain(inner) for key, inner in value.items())
    if kind is list:
        return all(map(_is_plain, value))
    return value is None or kind is bool


def _plain_json(value: Any) -> bytes | None:
    """The same bytes as RFC 8785 gives, from the encoder written in C; None for what needs the other."""
    if not _is_plain(value):
        return None
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


_LARGEST = 2**53 - 1


def _sha256(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical({name: _plain(part) for name, part in value.items()})).hexdigest()


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _deeper_than(value: Any, levels: int) -> bool:
    layer = [value]
    for _ in range(levels + 1):
        layer = [inner for outer in layer for inner in _members(outer)]
        if not layer:
            return False
    return True


def _members(value: Any) -> Sequence[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list | tuple) else ()
