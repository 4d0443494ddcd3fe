"""Text that is arriving: held until its response is journaled, then forgotten."""

from dataclasses import dataclass
from datetime import datetime

from agent_core.engine.facade import StreamDelta


@dataclass(slots=True)
class Streaming:
    """Text of one block of a response. `late` is set when its beginning was not heard."""

    kind: str
    tool: str
    pieces: list[str]
    late: bool

    @property
    def text(self) -> str:
        """All of it so far."""
        if len(self.pieces) > 1:
            self.pieces[:] = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""


class Streams:
    """The blocks that are streaming, by the row that shows each."""

    def __init__(self) -> None:
        self.by_row: dict[int, Streaming] = {}
        self._rows: dict[tuple[str, int], int] = {}
        self._since: dict[str, tuple[datetime, int]] = {}

    def row(self, first: StreamDelta) -> int | None:
        """The row of a delta's block."""
        return self._rows.get((first.request_id, first.delta.block))

    def open(self, row: int, first: StreamDelta, *, late: bool) -> None:
        """A block begins."""
        self._rows[first.request_id, first.delta.block] = row
        self.by_row[row] = Streaming(first.delta.kind, first.delta.tool or "", [], late)

    def add(self, row: int, first: StreamDelta, text: str, now: datetime | None) -> None:
        """More text of a block."""
        self.by_row[row].pieces.append(text)
        if now is not None:
            since, so_far = self._since.get(first.request_id, (now, 0))
            self._since[first.request_id] = (since, so_far + len(text))

    def close(self, request_id: str) -> dict[int, int]:
        """Forget the text of a request; its rows by block."""
        self._since.pop(request_id, None)
        keys = [key for key in self._rows if key[0] == request_id]
        rows = {block: self._rows.pop((request, block)) for request, block in keys}
        for row in rows.values():
            del self.by_row[row]
        return rows

    @property
    def requests(self) -> set[str]:
        """The requests that are streaming."""
        return {request_id for request_id, _ in self._rows}

    def since(self, request_id: str) -> tuple[datetime, int] | None:
        """When the text of a request began to arrive, and how many characters have."""
        return self._since.get(request_id)
