"""Repeats: the run's recent calls as the loop detector wants them, kept so that no step looks through the history."""

import asyncio
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import msgspec

from agent_core.model.state import CallState, CallStatus, SessionState
from agent_core.model.text import LONG, is_large
from agent_core.policy.loops import WINDOW, SeenCall, repeats, signature

_LOOP = "loop_detected"


class Repeats:
    """Remembers the signature of each call and the digest of each result, once."""

    def __init__(self) -> None:
        self._signatures: dict[str, str] = {}
        self._answered: dict[str, SeenCall] = {}

    async def period(self, state: SessionState, call: CallState) -> int | None:
        """The period of the cycle whose third repeat this call would complete; None when there is none."""
        earlier = self._earlier(state, call)
        if any(c.call_id not in self._answered and is_large(c.finished) for c in earlier):
            seen = await asyncio.to_thread(lambda: [self._seen(c) for c in earlier])
        else:
            seen = [self._seen(c) for c in earlier]
        return repeats(seen, self._signature(call))

    def _earlier(self, state: SessionState, call: CallState) -> list[CallState]:
        calls = state.run.calls
        place = len(calls)
        while place > 0 and calls[place - 1] != call.call_id:
            place -= 1
        place = max(0, place - 1)
        return [state.calls[c] for c in calls[max(0, place - WINDOW + 1) : place]]

    def _seen(self, call: CallState) -> SeenCall:
        if call.call_id in self._answered:
            return self._answered[call.call_id]
        seen = SeenCall(self._signature(call), _result(call))
        if call.status is CallStatus.FINISHED:
            self._answered[call.call_id] = seen
        return seen

    def _signature(self, call: CallState) -> str:
        if call.call_id not in self._signatures:
            given = {k: v for k, v in call.asked_input.items() if k not in ("rationale", "pilothouse_rationale")}
            self._signatures[call.call_id] = signature(call.tool, given)
        return self._signatures[call.call_id]


def _result(call: CallState) -> str | None:
    finished = call.finished
    if call.status is not CallStatus.FINISHED or finished is None:
        return None
    if finished.error is not None and finished.error.code == _LOOP:
        return None
    digest = hashlib.sha256()
    for piece in _pieces([finished.ok, finished.result, msgspec.to_builtins(finished.error)]):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(value: Any) -> Iterator[bytes]:
    """The value as JSON, keys in order. Of a long text its parts, behind their number."""
    if isinstance(value, str) and len(value) > LONG:
        yield f"{len(value)}:".encode()
        for start in range(0, len(value), LONG):
            yield value[start : start + LONG].encode(errors="surrogatepass")
    elif isinstance(value, dict):
        yield b"{"
        for name in sorted(value, key=str):
            yield f"{json.dumps(str(name))}:".encode()
            yield from _pieces(value[name])
        yield b"}"
    elif isinstance(value, list | tuple):
        yield b"["
        for inner in value:
            yield from _pieces(inner)
            yield b","
        yield b"]"
    else:
        yield json.dumps(value, default=str).encode()
