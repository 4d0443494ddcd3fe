"""Bytes as text, honestly: which encoding they were read in, and when they are no text at all."""

import codecs
from dataclasses import dataclass

from agent_core.tools.base import fail
from agent_core.tools.shared.words import shown, size

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_KINDS = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"\0\0\1\0", "an ICO image"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x7fELF", "a program"),
)
LOOKED_AT = 8192
"""Bytes from the start by which text and binary are told apart."""


@dataclass(frozen=True, slots=True)
class Text:
    """A decoded text; `encoding` is what encodes it back to the same bytes, `guessed` that nothing proves it."""

    text: str
    encoding: str
    guessed: bool = False

    def encode(self, text: str) -> bytes:
        """Another text in the same encoding; raises ToolFailure where that has no such characters."""
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError as error:
            character = shown(error.object[error.start])
            fail("invalid", f'The file is in {self.encoding}, which has no "{character}".', "Use other characters.")


def encoding_of(data: bytes) -> tuple[str, bool] | None:
    """The encoding that fits these bytes, and whether it is a guess; None for what is no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return (encoding, False) if _decodes(data, encoding) else None
    if b"\0" in data[:LOOKED_AT] or kind_of(data) is not None:
        return None
    if _decodes(data, "utf-8"):
        return "utf-8", False
    return ("cp1252", True) if _decodes(data, "cp1252") else ("latin-1", True)


def decode(data: bytes, name: str) -> Text:
    """The text of a file; raises ToolFailure `not_text`, which says what it is instead."""
    found = encoding_of(data)
    if found is None:
        what = kind_of(data) or "binary data"
        fail("not_text", f'"{shown(name)}" is not text but {what} ({size(len(data))}).', "Only text can be read here.")
    encoding, guessed = found
    return Text(data.decode(_codec(data, encoding)), _codec(data, encoding), guessed)


def decoded(data: bytes | None) -> str | None:
    """The text of a file for comparing, or None where there is none or it is no text."""
    found = encoding_of(data) if data is not None else None
    return data.decode(_codec(data, found[0])) if data is not None and found is not None else None


def kind_of(data: bytes) -> str | None:
    """What well-known binary data this is, by its first bytes."""
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "a WebP image"
    if data.startswith(b"BM") and data[6:10] == b"\0\0\0\0":
        return "a BMP image"
    return next((kind for mark, kind in _KINDS if data.startswith(mark)), None)


def _codec(data: bytes, encoding: str) -> str:
    """A codec that keeps the byte order mark as a character, so that the text encodes back to the same bytes."""
    if encoding == "utf-16":
        return "utf-16-le" if data.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
    if encoding == "utf-32":
        return "utf-32-le" if data.startswith(codecs.BOM_UTF32_LE) else "utf-32-be"
    return encoding


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
