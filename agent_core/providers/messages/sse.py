"""Server-sent events from bytes, as the WHATWG HTML standard reads them (section "Interpreting an event stream").

Chunks may break anywhere: inside a character, a line end or an event. Unknown fields and comments are skipped. An event
without its closing blank line is never given out.
"""

MAX_PENDING = 64 * 1024 * 1024
"""Bytes without the end of an event after which a stream counts as garbage."""


class StreamTooLarge(ValueError):
    """An event that does not end."""


class SseReader:
    """Reads one stream. `feed` takes bytes as they come and gives the data of every event that is complete."""

    __slots__ = ("_after_cr", "_data", "_held", "_max_pending", "_started", "_tail")

    def __init__(self, max_pending: int = MAX_PENDING) -> None:
        self._max_pending = max_pending
        self._tail: list[bytes] = []
        """Pieces of a line that has not ended."""
        self._held = 0
        self._data: list[bytes] = []
        self._after_cr = False
        self._started = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of each event that this chunk completes, in order; its lines joined by line feeds."""
        if self._after_cr or b"\r" in chunk:
            chunk = self._line_feeds(chunk)
        lines = chunk.split(b"\n")
        last = lines.pop()
        if not lines:
            self._hold(last)
            return []
        if self._tail:
            lines[0] = b"".join((*self._tail, lines[0]))
            self._tail = []
        if not self._started:
            self._started = True
            lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
        data, events = self._data, []
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[6:] if line.startswith(b" ", 5) else line[5:])
            elif not line:
                if data:
                    events.append(data[0] if len(data) == 1 else b"\n".join(data))
                    data.clear()
            elif line == b"data":
                data.append(b"")
        self._held = 0
        if data or last:
            self._held = sum(map(len, data))
            self._hold(last)
        return events

    def _line_feeds(self, chunk: bytes) -> bytes:
        """The chunk with every line end as one line feed; a CR LF pair may be split between two chunks."""
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return chunk

    def _hold(self, piece: bytes) -> None:
        if piece:
            self._tail.append(piece)
        self._held += len(piece)
        if self._held > self._max_pending:
            raise StreamTooLarge(f"an event of more than {self._max_pending} bytes")
