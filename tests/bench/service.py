"""The Messages API on loopback that all loops talk to: a process of its own, no latency but its own work.

`python -m tests.bench.service` prints its address and ends with its standard input. The goal in a request says how long
the run is and how fast its events come; the step is read off the number of answers in the history.
"""

import asyncio
import re
import sys
from functools import lru_cache

from tests.bench.conversation import stream_of

_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nrequest-id: req_bench\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)
_BYTES_A_TOKEN = 4
_GOAL = re.compile(rb"\[steps (\d+)\] \[pace (\d+)\]")
_ANSWER = re.compile(rb'"role": ?"assistant"')
_LARGEST = 1 << 26


@lru_cache(maxsize=4096)
def _chunks(step: int, last: bool) -> tuple[bytes, ...]:
    """A step's events, each as one chunk of the body. The first holds the place of the input tokens."""
    events = stream_of(step, last=last, input_tokens=987654321)
    return tuple(b"%x\r\n%s\r\n" % (len(event), event) for event in events)


def _first(chunk: bytes, tokens: int) -> bytes:
    """The first chunk with the input tokens in their place; digits are padded so that its length stays."""
    return chunk.replace(b"987654321", b"%9d" % tokens)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = re.search(rb"content-length: (\d+)", head)
            body = await reader.readexactly(int(length[1]) if length else 0)
            await _answer(writer, body)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def _answer(writer: asyncio.StreamWriter, body: bytes) -> None:
    wanted = _GOAL.search(body)
    steps, pace = (int(wanted[1]), int(wanted[2])) if wanted else (1, 0)
    step = len(_ANSWER.findall(body)) + 1
    chunks = _chunks(step, step >= steps)
    writer.write(_HEAD)
    writer.write(_first(chunks[0], len(body) // _BYTES_A_TOKEN))
    clock = asyncio.get_running_loop()
    due = clock.time()
    for chunk in chunks[1:]:
        if pace:
            due += 1 / pace
            await asyncio.sleep(due - clock.time())
        if writer.is_closing():
            raise ConnectionResetError
        writer.write(chunk)
    writer.write(b"0\r\n\r\n")
    await writer.drain()


async def main() -> None:
    """Serve until standard input ends."""
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, limit=_LARGEST)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
