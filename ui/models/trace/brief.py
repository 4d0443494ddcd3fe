"""Values in little room: arguments on one line, how large a result is. Never looks at much more than it shows. Pure."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

_MOST_PARTS = 20_000


def one_line(value: Any, room: int = 400) -> str:
    """A JSON value on one line, cut with "…" after about `room` characters."""
    shown, left = [], room
    for piece in _pieces(value, room):
        shown.append(piece)
        left -= len(piece)
        if left < 0:
            return "".join(shown)[:room] + "…"
    return "".join(shown)


def _pieces(value: Any, room: int) -> Iterator[str]:
    if isinstance(value, dict):
        yield "{"
        for number, (key, item) in enumerate(value.items()):
            yield (", " if number else "") + json.dumps(str(key)[:room], ensure_ascii=False) + ": "
            yield from _pieces(item, room)
        yield "}"
    elif isinstance(value, (list, tuple)):
        yield "["
        for number, item in enumerate(value):
            if number:
                yield ", "
            yield from _pieces(item, room)
        yield "]"
    elif isinstance(value, str):
        yield json.dumps(value[: room + 1], ensure_ascii=False)
    else:
        yield json.dumps(value, default=str)


def rough_size(value: Any) -> tuple[int, bool]:
    """About how many bytes a value has as JSON, and whether it is larger: only 20,000 parts are counted."""
    total, parts = 0, _leaves(value)
    for size in islice(parts, _MOST_PARTS):
        total += size
    return total, next(parts, None) is not None


def _leaves(value: Any) -> Iterator[int]:
    waiting = [iter((value,))]
    while waiting:
        item = next(waiting[-1], waiting)
        if item is waiting:
            waiting.pop()
        elif isinstance(item, dict):
            yield 2
            waiting.append(iter(item.values()))
            yield from (_bytes_of(str(key)) + 4 for key in item)
        elif isinstance(item, (list, tuple)):
            yield 2
            waiting.append(iter(item))
        else:
            yield _bytes_of(item) + 2 if isinstance(item, str) else len(str(item))


def _bytes_of(text: str) -> int:
    return len(text) if text.isascii() or len(text) > 1_000_000 else len(text.encode(errors="surrogatepass"))


def first_line(text: str, room: int = 400) -> str:
    """The first line that says something, cut with "…"."""
    start = text[: room * 4].lstrip()
    line = start.split("\n", 1)[0].rstrip()
    return line if len(line) <= room else line[:room] + "…"
