"""Images made by hand, byte by byte: small ones, and those that harm whoever draws them unasked."""

import struct
import zlib


def png(width: int, height: int, shade: int = 0, *, claimed: tuple[int, int] | None = None) -> bytes:
    """A grey PNG; `claimed` is the size that its header states instead of the true one."""
    stated = claimed or (width, height)
    header = struct.pack(">IIBBBBB", *stated, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + bytes([shade]) * width) * height, 9)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


def bomb() -> bytes:
    """A PNG of some kilobytes that claims and holds more pixels than anybody wants to unpack."""
    return png(8_000, 8_000)


SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><rect width="9" height="9"/></svg>\n'


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
