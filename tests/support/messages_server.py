"""A Messages API on loopback that answers as a test tells it: whole streams, pieces of them, refusals, silence.

async with MessagesServer(streamed(text_turn("hello"))) as server:
    ...  # requests go to server.url; server.received holds what came
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """Its JSON."""
        return json.loads(self.raw)


@dataclass(frozen=True)
class Answer:
    """What one request gets: a head, pieces of a body, and an end: `whole`, `cut` (connection closed) or `silent`.

    Status 0 sends not even a head.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    pieces: Sequence[bytes] = ()
    end: str = "whole"


Play = Callable[[Received], Answer]


class MessagesServer:
    """Gives the answers in order, the last one again and again; or what `play` says for each request."""

    def __init__(self, *answers: Answer, play: Play | None = None) -> None:
        self._answers = list(answers)
        self._play = play
        self._open: set[asyncio.Task[None]] = set()
        self.received: list[Received] = []
        self.connections = 0
        self.answering = asyncio.Event()
        """Set once the pieces of an answer have been sent."""
        self.left = asyncio.Event()
        """Set once a client has closed its connection."""
        self.url = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 26)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        self.connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            self.left.set()
        except asyncio.CancelledError:
            pass
        finally:
            writer.close()
            self._open.discard(task)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        lines = (line.partition(":") for line in head[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in lines}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        request = Received(head[0].split(" ")[1], headers, raw)
        self.received.append(request)
        answer = self._next(request)
        if answer.status:
            await self._send(writer, answer)
        self.answering.set()
        if answer.end == "silent":
            await reader.read(1)
            raise ConnectionResetError
        if answer.end == "cut":
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    @staticmethod
    async def _send(writer: asyncio.StreamWriter, answer: Answer) -> None:
        fields = {"transfer-encoding": "chunked", **answer.headers}
        lines_out = [f"HTTP/1.1 {answer.status} X", *(f"{name}: {value}" for name, value in fields.items())]
        writer.write(("\r\n".join(lines_out) + "\r\n\r\n").encode("latin-1"))
        for piece in answer.pieces:
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()

    def _next(self, request: Received) -> Answer:
        if self._play is not None:
            return self._play(request)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def sse(events: Iterable[dict[str, Any]]) -> bytes:
    """Events as a stream writes them."""
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode() for event in events
    )


def streamed(stream: bytes | Iterable[dict[str, Any]], *, size: int = 0, end: str = "whole", **headers: str) -> Answer:
    """A streamed answer: `stream` in pieces of `size` bytes (0: in one)."""
    data = stream if isinstance(stream, bytes) else sse(stream)
    step = size or max(1, len(data))
    pieces = [data[start : start + step] for start in range(0, len(data), step)]
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(headers={"content-type": "text/event-stream; charset=utf-8", **names}, pieces=pieces, end=end)


def refusal(status: int, kind: str = "api_error", message: str = "no", **headers: str) -> Answer:
    """An error as the Messages API words it."""
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_refused"}
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"content-type": "application/json", **names}, [json.dumps(body).encode()])


def message_events(
    content: Sequence[dict[str, Any]],
    *,
    stop_reason: str = "end_turn",
    usage: dict[str, Any] | None = None,
    model: str = "claude-sonnet-4-5",
    piece: int = 12,
) -> list[dict[str, Any]]:
    """The events of a whole message: every text, thinking and input in pieces of `piece` characters."""
    counted = {"input_tokens": 100, "output_tokens": 20, **(usage or {})}
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None}
    events = [{"type": "message_start", "message": {**start, "usage": {**counted, "output_tokens": 1}}}]
    for index, block in enumerate(content):
        events += _block_events(index, block, piece)
    delta = {"stop_reason": stop_reason, "stop_sequence": None}
    return [*events, {"type": "message_delta", "delta": delta, "usage": counted}, {"type": "message_stop"}]


def text_turn(text: str, **settings: Any) -> list[dict[str, Any]]:
    """The events of an answer that is one text."""
    return message_events([{"type": "text", "text": text}], **settings)


def tool_turn(*calls: tuple[str, str, dict[str, Any]], **settings: Any) -> list[dict[str, Any]]:
    """The events of an answer that asks for calls: (id, tool, input) each."""
    content = [{"type": "tool_use", "id": use_id, "name": name, "input": given} for use_id, name, given in calls]
    return message_events(content, **{"stop_reason": "tool_use", **settings})


def _block_events(index: int, block: dict[str, Any], piece: int) -> list[dict[str, Any]]:
    empty, deltas = dict(block), []
    for field_name, kind in (("text", "text"), ("thinking", "thinking")):
        if block["type"] == kind:
            empty[field_name] = ""
            deltas += [{"type": f"{kind}_delta", field_name: part} for part in _parts(block[field_name], piece)]
    if "signature" in block:
        empty["signature"] = ""
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    if block["type"] == "tool_use":
        empty["input"] = {}
        written = json.dumps(block["input"], ensure_ascii=False)
        deltas += [{"type": "input_json_delta", "partial_json": part} for part in ("", *_parts(written, piece))]
    return [
        {"type": "content_block_start", "index": index, "content_block": empty},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def _parts(text: str, piece: int) -> list[str]:
    return [text[start : start + piece] for start in range(0, len(text), piece)]
