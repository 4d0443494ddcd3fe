"""One streamed response put together from its events: blocks stay the plain dicts that came, unknown fields too.

Nothing half received gets out: `finish` gives a response only after `message_stop` and a stop reason. A stream that
breaks the protocol (a second message spliced in, a block begun twice) is garbage, never a guess.
"""

import json
from collections.abc import Callable
from math import isfinite
from typing import Any

import msgspec

from agent_core.model.budget import Usage
from agent_core.model.errors import ProviderError, ProviderFault
from agent_core.model.text import whole_characters, whole_json
from agent_core.providers.base import Delta, ModelResponse
from agent_core.providers.messages.faults import stream_error
from agent_core.providers.messages.usage import merge_usage, usage_of

_CUT_SHORT = frozenset({"max_tokens", "model_context_window_exceeded"})
_DEEPEST = 100
"""Levels of nesting that a tool's input may have; everything that later walks it is recursive."""
_TEXT_FIELDS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


class _Block:
    """A block that is still growing: its dict, and the pieces of each field that comes in deltas."""

    __slots__ = ("index", "kept", "pieces", "tool")

    def __init__(self, index: int, kept: dict[str, Any]) -> None:
        self.index = index
        self.kept = kept
        self.pieces: dict[str, list[str]] = {}
        name = kept.get("name")
        self.tool = name if isinstance(name, str) else None


class Assembly:
    """Takes the events of one stream in order and gives the response they make."""

    def __init__(self, on_delta: Callable[[Delta], None], *, request_id: str | None = None) -> None:
        self._on_delta = on_delta
        self._request_id = request_id
        self._message: dict[str, Any] | None = None
        self._blocks: list[dict[str, Any]] = []
        self._open: dict[int, _Block] = {}
        self._unfinished: int | None = None
        """The block whose input is not JSON: the token limit may have cut it off."""
        self._without_input: int | None = None
        """The newest call for which no input came: it may have none, or may not have got to it."""
        self._end: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._stopped = False
        self._lenient = False
        """Whether an event came that holds what is not UTF-8: then the texts are looked through."""
        self.events = 0
        """How many events have come, pings not counted."""
        self.unknown_events: set[str] = set()
        """Kinds of events that were skipped."""

    @property
    def stopped(self) -> bool:
        """Whether the stream said that it is whole."""
        return self._stopped

    @property
    def usage(self) -> Usage:
        """What is known of the usage so far: a lower bound until the end."""
        return usage_of(self._usage, final=self._stopped)

    def feed(self, data: bytes) -> None:
        """Take the data of one event. Raises ProviderError for an error event and for anything out of order."""
        try:
            event = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            event = self._lenient_json(data)
        if not isinstance(event, dict):
            raise self.garbage("an event that is not an object")
        kind = event.get("type")
        if kind == "content_block_delta":
            self.events += 1
            self._delta(event)
            return
        handler = _HANDLERS.get(kind) if isinstance(kind, str) else None
        if handler is None:
            if kind != "ping":
                self.unknown_events.add(str(kind))
            return
        self.events += 1
        try:
            handler(self, event)
        except (KeyError, TypeError, AttributeError, RecursionError) as slip:
            raise self.garbage(f"a malformed {kind} event") from slip

    def finish(self) -> ModelResponse:
        """The whole response. Raises ProviderError where the stream ended too early."""
        if self._message is None or not self._stopped:
            raise self.cut()
        reason = self._end.get("stop_reason")
        if not isinstance(reason, str) or not reason:
            raise self.cut()
        if self._open:
            raise self.garbage("a block that never ended")
        content, dropped, last = self._blocks, {}, len(self._blocks) - 1
        if self._unfinished not in (None, last) or (self._unfinished == last and reason not in _CUT_SHORT):
            raise self.garbage("tool input that is not JSON")
        if reason in _CUT_SHORT and last in (self._unfinished, self._without_input):
            content, dropped = content[:-1], {"unfinished_call": content[-1].get("name")}
        detail = {name: value for name, value in self._end.items() if name != "stop_reason" and value is not None}
        if self._lenient:
            detail = whole_json(detail)
        return ModelResponse(
            model=whole_characters(str(self._message.get("model") or "")),
            content=content,
            finish_reason=whole_characters(reason),
            usage=self.usage,
            request_id=self._request_id,
            finish_detail=detail | dropped,
            raw_usage=self._usage,
        )

    def cut(self) -> ProviderError:
        """The stream ended before its last event."""
        after = f"after {self.events} events" if self.events else "before the first event"
        return self._error(ProviderFault.CUT, f"The connection was lost {after}; the response is not complete.")

    def stalled(self, seconds: float) -> ProviderError:
        """Nothing came for too long."""
        message = f"Nothing came from the model for {seconds:g} seconds after {self.events} events."
        return self._error(ProviderFault.STALLED, message)

    def garbage(self, what: str) -> ProviderError:
        """The stream is not what the protocol allows."""
        message = f"The model's service sent {what} (event {self.events}); the response was thrown away."
        return self._error(ProviderFault.GARBAGE, message)

    def _error(self, fault: ProviderFault, message: str) -> ProviderError:
        known = self.usage if self._message is not None else None
        return ProviderError(fault, message, request_id=self._request_id, usage=known)

    def _lenient_json(self, data: bytes) -> Any:
        """Lone surrogates are legal JSON to others; half a line is not."""
        self._lenient = True
        try:
            return _exact_json(data)
        except (ValueError, RecursionError) as broken:
            raise self.garbage("a line that is not JSON") from broken

    def _message_start(self, event: dict[str, Any]) -> None:
        message = event["message"]
        if not isinstance(message, dict):
            raise TypeError("message")
        if self._message is not None:
            if message.get("id") == self._message.get("id") and not self._blocks and not self._open and not self._end:
                return
            raise self.garbage("a second message inside the first")
        self._message = message
        for name in ("stop_reason", "stop_sequence", "container"):
            if message.get(name) is not None:
                self._end[name] = message[name]
        merge_usage(self._usage, message.get("usage") or {})
        for index, block in enumerate(message.get("content") or []):
            self._begin(index, block)
            self._close(index)

    def _block_start(self, event: dict[str, Any]) -> None:
        self._begin(event["index"], event["content_block"])

    def _begin(self, index: int, block: dict[str, Any]) -> None:
        if self._message is None:
            raise self.garbage("a block before its message")
        if self._stopped or index != len(self._blocks) or not isinstance(block.get("type"), str):
            raise self.garbage("a block out of order")
        if block["type"] == "tool_use" and not (
            isinstance(block.get("id"), str) and isinstance(block.get("name"), str)
        ):
            raise self.garbage("a tool call without a name or an id")
        self._blocks.append(block)
        self._open[index] = _Block(index, block)

    def _delta(self, event: dict[str, Any]) -> None:
        index, delta = event.get("index"), event.get("delta")
        block = self._open.get(index) if isinstance(index, int) else None
        if block is None or not isinstance(delta, dict):
            raise self.garbage("a piece of a block that is not open")
        kind = delta.get("type")
        field = _TEXT_FIELDS.get(kind) if isinstance(kind, str) else None
        if field is not None:
            self._grow(block, field, delta.get(field))
        elif kind == "input_json_delta":
            self._grow(block, "input", delta.get("partial_json"))
        elif kind == "citations_delta":
            block.kept["citations"] = [*(block.kept.get("citations") or []), delta.get("citation")]
        else:
            _grow_unknown(block, delta)

    def _grow(self, block: _Block, field: str, piece: object) -> None:
        if not isinstance(piece, str):
            raise self.garbage("a piece of text that is not text")
        block.pieces.setdefault(field, []).append(piece)
        if piece and field != "signature":
            text = whole_characters(piece) if self._lenient else piece
            self._on_delta(Delta(kind=field, block=block.index, text=text, tool=block.tool))

    def _block_stop(self, event: dict[str, Any]) -> None:
        self._close(event["index"])

    def _close(self, index: int) -> None:
        block = self._open.pop(index, None)
        if block is None:
            raise self.garbage("the end of a block that is not open")
        kept = block.kept
        given = "".join(block.pieces.pop("input", ()))
        for field, pieces in block.pieces.items():
            kept[field] = f"{kept.get(field) or ''}{''.join(pieces)}"
        if self._lenient:
            self._blocks[index] = kept = whole_json(kept)
        if kept["type"] == "tool_use" and not isinstance(kept.get("input"), dict):
            kept["input"] = {}
        if "input" in kept or given:
            self._parse_input(index, kept, given)

    def _parse_input(self, index: int, kept: dict[str, Any], given: str) -> None:
        """Tool input is parsed once, when it is whole; what cannot be parsed is only ever dropped."""
        if not given:
            self._without_input = index if kept["type"] == "tool_use" else None
            return
        try:
            value = _exact_json(given)
        except (ValueError, RecursionError):
            self._unfinished = index
            return
        if not isinstance(value, dict) and kept["type"] == "tool_use":
            raise self.garbage("tool input that is not an object")
        if _depth(value) > _DEEPEST:
            raise self.garbage("tool input that is nested too deep")
        kept["input"] = whole_json(value)

    def _message_delta(self, event: dict[str, Any]) -> None:
        if self._message is None:
            raise self.garbage("the end of a message that never began")
        self._end.update({name: value for name, value in event["delta"].items() if value is not None})
        for name, value in event.items():
            if name not in {"type", "delta", "usage"} and value is not None:
                self._end[name] = value
        merge_usage(self._usage, event.get("usage") or {})

    def _message_stop(self, event: dict[str, Any]) -> None:
        if self._message is None:
            raise self.garbage("the end of a message that never began")
        self._stopped = True

    def _failed(self, event: dict[str, Any]) -> None:
        known = self.usage if self._message is not None else None
        raise stream_error(event, events=self.events - 1, usage=known, request_id=self._request_id)


def _grow_unknown(block: _Block, delta: dict[str, Any]) -> None:
    """A kind of a later version: text grows the field of its name, any other value replaces it."""
    for name, value in delta.items():
        if name == "type":
            continue
        if isinstance(value, str) and isinstance(block.kept.get(name, ""), str):
            block.pieces.setdefault(name, []).append(value)
        elif value is not None or name not in block.kept:
            block.kept[name] = value


def _depth(value: Any) -> int:
    """How deep a JSON value is nested, without recursion."""
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            child
            for outer in level
            for child in (outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ())
        ]
    return depth


def _exact_json(text: str | bytes) -> Any:
    """JSON as everybody reads it: no NaN, no number that overflows. Raises ValueError."""
    return json.loads(text, parse_constant=_finite, parse_float=_finite)


def _finite(number: str) -> float:
    value = float(number)
    if not isfinite(value):
        raise ValueError(number)
    return value


_HANDLERS: dict[str, Callable[[Assembly, dict[str, Any]], None]] = {
    "message_start": Assembly._message_start,
    "content_block_start": Assembly._block_start,
    "content_block_stop": Assembly._block_stop,
    "message_delta": Assembly._message_delta,
    "message_stop": Assembly._message_stop,
    "error": Assembly._failed,
}
