"""Bodies broken into lines: at most so many of a finished text, the last ones of a text that is still growing."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF
from PySide6.QtGui import QTextLayout

from ui.theme import theme
from ui.tokens import Role
from ui.widgets.paint import line_pitch, text_layout

_LOOK_AHEAD = 4_000


@dataclass(slots=True)
class Flowed:
    """Lines ready to paint. `rest` is what did not fit into them, from its first character on."""

    layout: QTextLayout
    lines: int
    rest: int | None
    last_width: float


def flow(text: str, role: Role, width: float, most: int | None = None) -> Flowed:
    """`text` in lines of at most `width` px, `most` of them at most."""
    layout = text_layout(text, role)
    pitch = line_pitch(role)
    top = (pitch - theme().metrics(role).height()) / 2
    lines, end, last = 0, 0, 0.0
    layout.beginLayout()
    while most is None or lines < most:
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(max(1.0, width))
        line.setPosition(QPointF(0, top + lines * pitch))
        lines += 1
        end, last = line.textStart() + line.textLength(), line.naturalTextWidth()
    layout.endLayout()
    utf16 = len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    return Flowed(layout, lines, end if end < utf16 else None, last)


def line_texts(text: str, role: Role, width: float) -> list[str]:
    """`text` as the lines that `flow` breaks it into."""
    flowed = flow(text, role, width)
    units = text.replace("\n", "\u2028").encode("utf-16-le", "surrogatepass")
    found = []
    for number in range(flowed.layout.lineCount()):
        line = flowed.layout.lineAt(number)
        part = units[line.textStart() * 2 : (line.textStart() + line.textLength()) * 2]
        found.append(part.decode("utf-16-le", "surrogatepass").rstrip("\u2028 "))
    return found or [""]


class Tail:
    """The last lines of a text that grows. Only its newest line is broken again when more comes."""

    def __init__(self, role: Role, width: float, most: int) -> None:
        self._role: Role = role
        self._width, self._most = width, most
        self._starts = [0]
        self.flowed = flow("", role, width)

    def grow(self, text: str) -> Flowed:
        """Take in the whole text as it is now; gives its last lines."""
        while True:
            start = self._starts[-1]
            piece = text[start : start + _LOOK_AHEAD]
            flowed = flow(piece, self._role, self._width)
            for number in range(1, flowed.layout.lineCount()):
                self._starts.append(start + _characters(piece, flowed.layout.lineAt(number).textStart()))
            if start + len(piece) >= len(text) or flowed.layout.lineCount() < 2:
                break
        first = self._starts[-self._most] if len(self._starts) > self._most else 0
        del self._starts[: -self._most - 1]
        self.flowed = flow(text[first:], self._role, self._width, self._most)
        return self.flowed


def _characters(text: str, units: int) -> int:
    """How many characters the first UTF-16 `units` of a text are."""
    if text.isascii():
        return units
    return len(text.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "surrogatepass"))
