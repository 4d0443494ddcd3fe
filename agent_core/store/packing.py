"""How the data of an event lies in its row: as JSON that anybody can read, or packed.

What was asked of people, shown to them and decided stays readable for every tool that opens the file. What goes between
engine, model and tools comes several times a step, says the same names each time, and is packed. Digests are made of
the data, never of how it lies.
"""

import zlib
from typing import Final

from agent_core.model import events as ev

PACKED: Final = frozenset(
    kind.kind
    for kind in (
        ev.ModelRequested,
        ev.ModelResponded,
        ev.CallJudged,
        ev.CallStarted,
        ev.CallFinished,
        ev.SideAnswered,
        ev.SideRead,
    )
)
FLOOR: Final = 256
"""Bytes below which packing is not worth it."""
_LEVEL: Final = 1
"""More costs half as much time again, and saves five per cent."""
_MOST: Final = 1 << 30
"""Bytes of one event: whoever altered a row shall not fill the memory."""


def shelve(kind: str, data: bytes, text: str) -> tuple[str, bytes | None]:
    """The columns `data` and `packed` of an event."""
    if len(data) < FLOOR or kind not in PACKED:
        return text, None
    packed = zlib.compress(data, _LEVEL)
    return ("", packed) if len(packed) < len(data) else (text, None)


def unshelve(text: str, packed: bytes | None) -> str:
    """The data of a row. What cannot be unpacked gives "", which is no data of any event and has no digest of one."""
    if packed is None:
        return text
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(packed, _MOST).decode()
    except (zlib.error, UnicodeDecodeError):
        return ""
    return data if unpacking.eof and not text else ""
