"""Loops: calls that ask for the same again and again and get the same answers.

A call is a repeat when tool and canonical arguments are equal and its earlier results in the window were all the same.
The call that would complete the third repeat of a cycle is caught, in one message or across turns. Polling is none:
there the results change.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent_core.policy.digest import NotCanonical, arguments_digest

LONGEST_PERIOD = 8
REPEATS = 3
WINDOW = LONGEST_PERIOD * REPEATS
"""Calls looked at, the new one among them: as many as the longest cycle needs, so that every cycle can be caught."""


@dataclass(frozen=True, slots=True)
class SeenCall:
    """An earlier call: what it asked for, and the digest of its result. None while there is no result, or when the call
    was not run because it was a repeat."""

    signature: str
    result_digest: str | None = None


def signature(tool: str, arguments: Mapping[str, Any]) -> str:
    """Equal for calls that ask for the same. Total: invalid calls can go round in circles too."""
    try:
        return arguments_digest(tool, arguments)
    except NotCanonical:
        return "loose:" + hashlib.sha256(_loosely(tool, arguments).encode()).hexdigest()


def repeats(previous: Sequence[SeenCall], next_signature: str) -> int | None:
    """The period (1 to 8) of the cycle whose third repeat the next call would complete; None when there is none.

    `previous` holds the run's earlier calls in order, those of the same message included.
    """
    window = previous[-(WINDOW - 1) :]
    signatures = [call.signature for call in window] + [next_signature]
    for period in range(1, LONGEST_PERIOD + 1):
        needed = period * REPEATS
        if len(signatures) < needed:
            return None
        tail = signatures[-needed:]
        if tail[period:] == tail[:-period] and _same_answers(window, set(tail[:period])):
            return period
    return None


def _same_answers(window: Sequence[SeenCall], cycle: set[str]) -> bool:
    answers: dict[str, str] = {}
    for call in window:
        if call.signature in cycle and call.result_digest is not None:
            first = answers.setdefault(call.signature, call.result_digest)
            if first != call.result_digest:
                return False
    return True


def _loosely(tool: str, arguments: Mapping[str, Any]) -> str:
    try:
        return json.dumps([tool, dict(arguments)], sort_keys=True, default=str, skipkeys=True)
    except (RecursionError, ValueError):
        return f"{tool}: nested too deep or too long to read"
