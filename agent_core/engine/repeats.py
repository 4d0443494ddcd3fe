"""Repeats: the run's recent calls as the loop detector wants them, kept so that no step looks through the history."""

import hashlib
import json

import msgspec

from agent_core.model.state import CallState, CallStatus, SessionState
from agent_core.policy.loops import WINDOW, SeenCall, repeats, signature

_LOOP = "loop_detected"


class Repeats:
    """Remembers the signature of each call and the digest of each result, once."""

    def __init__(self) -> None:
        self._signatures: dict[str, str] = {}
        self._answered: dict[str, SeenCall] = {}

    def period(self, state: SessionState, call: CallState) -> int | None:
        """The period of the cycle whose third repeat this call would complete; None when there is none."""
        calls = state.run.calls
        place = len(calls)
        while place > 0 and calls[place - 1] != call.call_id:
            place -= 1
        place = max(0, place - 1)
        earlier = calls[max(0, place - WINDOW + 1) : place]
        return repeats([self._answered.get(c) or self._seen(state.calls[c]) for c in earlier], self._signature(call))

    def _seen(self, call: CallState) -> SeenCall:
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
    value = [finished.ok, finished.result, msgspec.to_builtins(finished.error)]
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
