"""Decoding a picture from outside: on a worker thread, by the form that its bytes have, within limits, or not at all.

A picture is never asked what it is: the form comes from the code that read it, only pixel formats are decoded, and the
size that its header states is looked at before anything is unpacked.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QRunnable, QSize, Qt, Signal
from PySide6.QtGui import QImage, QImageReader

MOST_PIXELS: Final = 32_000_000
LONGEST_SIDE: Final = 20_000
_DRAWN_SIDE: Final = 1_600
"""Pixels of the longer side that are kept for drawing."""

_FORMATS: Final = {
    "PNG image": b"png",
    "JPEG image": b"jpeg",
    "GIF image": b"gif",
    "WebP image": b"webp",
    "BMP image": b"bmp",
}


@dataclass(frozen=True, slots=True)
class Decoded:
    """What came of it: a picture, or why there is none. The size is what the header states; None: not even that."""

    image: QImage | None
    width: int | None = None
    height: int | None = None
    why: str = ""


def decode(data: str, form: str, sha256: str) -> Decoded:
    """The picture in `data` (base64). Never raises; for a worker thread."""
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return Decoded(None, why="its bytes are not whole")
    if hashlib.sha256(raw).hexdigest() != sha256:
        return Decoded(None, why="these are not the bytes that the hash names")
    if form not in _FORMATS:
        return Decoded(None, why=f"a {form} is not drawn here")
    return _read(QByteArray(raw), _FORMATS[form])


def _read(raw: QByteArray, format_name: bytes) -> Decoded:
    buffer = QBuffer(raw)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, QByteArray(format_name))
    reader.setAutoDetectImageFormat(False)
    reader.setAutoTransform(False)
    size = reader.size()
    if not size.isValid() or size.isEmpty():
        return Decoded(None, why="it is broken")
    width, height = size.width(), size.height()
    if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
        return Decoded(None, width, height, "it would unpack to more pixels than are safe")
    if max(width, height) > _DRAWN_SIDE:
        reader.setScaledSize(size.scaled(QSize(_DRAWN_SIDE, _DRAWN_SIDE), Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    return Decoded(None, width, height, "it is broken") if image.isNull() else Decoded(image, width, height)


class _Signals(QObject):
    ready = Signal(object)


class Decoding(QRunnable):
    """One picture on its way through the pool; `signals.ready` brings the Decoded."""

    def __init__(self, data: str, form: str, sha256: str) -> None:
        super().__init__()
        self.signals = _Signals()
        self._asked = (data, form, sha256)

    def run(self) -> None:
        """Called by the pool."""
        self.signals.ready.emit(decode(*self._asked))
