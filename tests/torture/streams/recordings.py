"""Recorded exchanges of the Messages API as streams of bytes, and the faults that recipes put into them.

A recording is JSON: `{"id", "exchanges": [{"response": {"status", "headers", "sse" | "json"}}]}`. Our own small ones
lie in tests/data/recordings; any folder of the same form can be given instead.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.messages_server import message_events, sse

OWN = Path(__file__).resolve().parents[2] / "data" / "recordings"
_REPEATS_ID = "same_id_twice"


@dataclass(frozen=True, slots=True)
class Recording:
    """One conversation: the body of each answer, in order."""

    name: str
    streams: tuple[bytes, ...]

    def tools(self) -> list[str]:
        """The names of all tools that are asked for."""
        return sorted({str(block["name"]) for block in self.blocks() if block.get("type") == "tool_use"})

    def blocks(self) -> Iterator[dict[str, Any]]:
        """Every block that begins in these streams."""
        for stream in self.streams:
            for event in events_of(stream):
                if event.get("type") == "content_block_start":
                    yield event["content_block"]


@dataclass(frozen=True, slots=True)
class Played:
    """One attempt at one answer: a refusal, or pieces of a stream and how it ends."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    stream: bytes = b""
    end: str = "whole"
    """whole, cut or stalled."""


def load(folder: Path | None) -> list[Recording]:
    """All recordings of a folder, by name; our own where none is given."""
    found = []
    for path in sorted((folder or OWN).glob("[0-9]*.json")):
        value = json.loads(path.read_text(encoding="utf-8"))
        streams = tuple(
            stream for exchange in value["exchanges"] if (stream := _stream(exchange["response"])) is not None
        )
        if streams:
            found.append(Recording(value["id"], streams))
    return found


def recipes(folder: Path | None) -> list[dict[str, Any]]:
    """The faults that lie beside the recordings."""
    found: list[dict[str, Any]] = json.loads(((folder or OWN) / "faults.json").read_text(encoding="utf-8"))["faults"]
    return found


def _stream(response: dict[str, Any]) -> bytes | None:
    """The answer as a stream: what came whole is cut into the events that it would have come in."""
    if response.get("status") != 200:
        return None
    if "sse" in response:
        return str(response["sse"]).encode()
    value = response.get("json")
    if not isinstance(value, dict) or value.get("type") != "message":
        return None
    usage, reason = value.get("usage") or {}, value.get("stop_reason") or "end_turn"
    return sse(message_events(value["content"], stop_reason=reason, usage=usage, model=value["model"]))


def events_of(stream: bytes) -> list[dict[str, Any]]:
    """The events of a stream, as JSON."""
    lines = stream.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    found = []
    for line in lines:
        if line.startswith("data:"):
            try:
                found.append(json.loads(line[5:]))
            except ValueError:
                continue
    return [event for event in found if isinstance(event, dict)]


def attempts(stream: bytes, mutation: dict[str, Any]) -> list[Played]:
    """What the first attempts at an answer get under a recipe; the last of them is played ever after."""
    whole = Played(stream=stream)
    if "prepend_responses" in mutation:
        return [*(_refused(one) for one in mutation["prepend_responses"]), whole]
    if "replace_all" in mutation:
        return [_refused(mutation["replace_all"])]
    if "replace_sse" in mutation:
        return [Played(stream=mutation["replace_sse"].encode()), whole]
    spoilt = _cut_short(stream, mutation)
    if spoilt is not None:
        return [spoilt, whole]
    return [Played(stream=_altered(stream, mutation))]


def _refused(response: dict[str, Any]) -> Played:
    return Played(status=response["status"], headers=dict(response.get("headers", {})), body=response["json"])


def _cut_short(stream: bytes, mutation: dict[str, Any]) -> Played | None:
    """The first attempt of recipes after which the answer is asked for again."""
    events = events_of(stream)
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    if "insert_sse_error_after_events" in mutation:
        return Played(stream=sse([*events[: mutation["insert_sse_error_after_events"]], error]))
    if "drop_tail_events" in mutation:
        return Played(stream=sse(events[: -mutation["drop_tail_events"]]), end="cut")
    if "stall_after_events" in mutation:
        return Played(stream=sse(events[: mutation["stall_after_events"]]), end="stalled")
    if "cut_in_input_json_delta" in mutation:
        places = [n for n, event in enumerate(events) if event.get("delta", {}).get("type") == "input_json_delta"]
        return Played(stream=sse(events[: places[0] + 1] if places else events[:2]), end="cut")
    if "cut_after_block_index" in mutation:
        ends = [n for n, event in enumerate(events) if event.get("type") == "content_block_start"]
        last = ends[min(mutation["cut_after_block_index"], len(ends) - 1)] if ends else 1
        return Played(stream=sse(events[: last + 1]), end="cut")
    return None


def _altered(stream: bytes, mutation: dict[str, Any]) -> bytes:
    """Streams that are odd in a way which every attempt shares."""
    if mutation.get("line_endings") == "CRLF":
        return stream.replace(b"\n", b"\r\n")
    if "insert_event" in mutation:
        head, mark, tail = stream.partition(b"\n\n")
        return head + mark + mutation["insert_event"].encode() + tail
    events = events_of(stream)
    changed = [_changed(event, mutation, events) for event in events]
    if "insert_block_type" in mutation:
        changed = _with_block(changed, mutation["insert_block_type"])
    return sse(event for event in changed)


def _changed(event: dict[str, Any], mutation: dict[str, Any], events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    message, kind = event.get("message"), event.get("type")
    if mutation.get("drop_usage"):
        event = {name: value for name, value in event.items() if name != "usage"}
        if isinstance(message, dict):
            event["message"] = {name: value for name, value in message.items() if name != "usage"}
    elif "usage" in mutation and "usage" in event:
        event = {**event, "usage": mutation["usage"]}
    elif "response_model" in mutation and isinstance(message, dict):
        event = {**event, "message": {**message, "model": mutation["response_model"]}}
    elif "stop_reason" in mutation and kind == "message_delta":
        event = {**event, "delta": {**event["delta"], "stop_reason": mutation["stop_reason"]}}
    elif mutation.get(_REPEATS_ID) and kind == "content_block_start" and "id" in event["content_block"]:
        first = next(e["content_block"]["id"] for e in events if "id" in e.get("content_block", {}))
        event = {**event, "content_block": {**event["content_block"], "id": first}}
    return event


def _with_block(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """The stream with one more block, of a kind that nobody knows, behind the others."""
    index = sum(event.get("type") == "content_block_start" for event in events)
    place = next((n for n, event in enumerate(events) if event.get("type") == "message_delta"), len(events))
    block = {"type": kind, "shape": "cube"}
    more = [
        {"type": "content_block_start", "index": index, "content_block": block},
        {"type": "content_block_stop", "index": index},
    ]
    return [*events[:place], *more, *events[place:]]
