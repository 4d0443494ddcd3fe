"""The conversation that every loop is measured with: long answers, one small call a step, a history that grows.

Each answer says 1,600 characters in 80 pieces and asks for one note that is not there, so with the events around them
a step is 89 events of the stream. No two steps ask for the same, or a loop detector would end the run.
"""

import json
import random
from collections.abc import Iterable
from typing import Any

MODEL = "claude-sonnet-5-5"
SYSTEM = "You keep the books of a small office. Read your notes before you answer."
MAX_TOKENS = 8192

TOOL: dict[str, Any] = {
    "name": "notes_read",
    "description": "Gives one note by its key. `found` is false when there is no note of that key.",
    "input_schema": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
}

CHARACTERS = 1600
PIECES = 80
_WORDS = (
    "invoice", "ledger", "paid", "total", "amount", "supplier", "entry", "balance", "figure", "month", "column",
    "receipt", "number", "account", "reminder", "date", "missing", "checked", "against", "that", "the", "of", "with",
)  # fmt: skip


def goal(steps: int, pace: int = 0) -> str:
    """The goal of a run. The service reads in it how many steps it gives, and how many events a second (0: all)."""
    return f"Go through the notes of this month and say what is missing. [steps {steps}] [pace {pace}]"


def note(key: str) -> dict[str, Any]:
    """What the call gives back: the trivial work of the tool itself."""
    return {"key": key, "found": False, "keys": []}


def key_of(step: int) -> str:
    """The key that a step asks for."""
    return f"entry-{step:04d}"


def text_of(step: int) -> str:
    """What the model says in a step; the same in every loop."""
    chosen, length, source = [], 0, random.Random(step)
    while length <= CHARACTERS:
        word = source.choice(_WORDS)
        chosen.append(word)
        length += len(word) + 1
    return " ".join(chosen)[:CHARACTERS]


def content_of(step: int) -> list[dict[str, Any]]:
    """The blocks of a step's answer."""
    call = {"type": "tool_use", "id": f"toolu_{step:06d}", "name": TOOL["name"], "input": {"key": key_of(step)}}
    return [{"type": "text", "text": text_of(step)}, call]


def new_bytes(steps: int) -> int:
    """Bytes of JSON that such a run adds to its history: answers and results, nothing else."""
    total = 0
    for step in range(1, steps + 1):
        result = json.dumps(note(key_of(step)), separators=(",", ":"))
        block = {"type": "tool_result", "tool_use_id": f"toolu_{step:06d}", "content": result}
        total += len(json.dumps(content_of(step), separators=(",", ":"))) + len(json.dumps(block))
    return total


def stream_of(step: int, *, last: bool, input_tokens: int) -> list[bytes]:
    """The events of a step's answer, each as it goes over the wire; the last step asks for nothing."""
    start = {"id": f"msg_{step:06d}", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    usage = {"input_tokens": input_tokens, "output_tokens": 1}
    begin = {**start, "stop_reason": None, "stop_sequence": None, "usage": usage}
    end = {"stop_reason": "end_turn" if last else "tool_use", "stop_sequence": None}
    return [
        _event({"type": "message_start", "message": begin}),
        *_text_events(text_of(step)),
        *(() if last else _call_events(step)),
        _event({"type": "message_delta", "delta": end, "usage": {"output_tokens": 420}}),
        _event({"type": "message_stop"}),
    ]


def _text_events(text: str) -> Iterable[bytes]:
    size = CHARACTERS // PIECES
    yield _event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    for start in range(0, len(text), size):
        delta = {"type": "text_delta", "text": text[start : start + size]}
        yield _event({"type": "content_block_delta", "index": 0, "delta": delta})
    yield _event({"type": "content_block_stop", "index": 0})


def _call_events(step: int) -> Iterable[bytes]:
    _, call = content_of(step)
    yield _event({"type": "content_block_start", "index": 1, "content_block": {**call, "input": {}}})
    for piece in ('{"key": ', json.dumps(call["input"]["key"]) + "}"):
        delta = {"type": "input_json_delta", "partial_json": piece}
        yield _event({"type": "content_block_delta", "index": 1, "delta": delta})
    yield _event({"type": "content_block_stop", "index": 1})


def _event(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
