"""JSON for reading: indented lines, long or many-lined strings as text of their own. Made piece by piece. Pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ui import formatting

_INLINE: Final = 160
"""A string up to this length on one line stays a JSON string."""
_LINES_A_PIECE: Final = 200
_DEEPEST: Final = 60


@dataclass(frozen=True, slots=True)
class Quoted:
    """A string shown as it is, not as JSON, at some depth."""

    text: str
    depth: int


def json_pieces(value: Any) -> Iterator[str | Quoted]:
    """Blocks of lines joined by newlines, and the long strings between them."""
    lines: list[str] = []
    for line in _lines(value, 0, "", ""):
        if isinstance(line, Quoted):
            if lines:
                yield "\n".join(lines)
                lines = []
            yield line
            continue
        lines.append(line)
        if len(lines) >= _LINES_A_PIECE:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def _lines(value: Any, depth: int, before: str, after: str) -> Iterator[str | Quoted]:
    indent = "  " * depth
    if isinstance(value, str) and (len(value) > _INLINE or "\n" in value):
        lines = value.count("\n") + (not value.endswith("\n"))
        yield f"{indent}{before}text, {formatting.plural(lines, 'line')}:"
        yield Quoted(value, depth + 1)
    elif isinstance(value, (dict, list, tuple)) and value and depth < _DEEPEST:
        yield from _container(value, depth, before, after)
    else:
        yield f"{indent}{before}{json.dumps(value, ensure_ascii=False, default=str)}{after}"


def _container(value: Any, depth: int, before: str, after: str) -> Iterator[str | Quoted]:
    indent, last = "  " * depth, len(value) - 1
    keyed = isinstance(value, dict)
    yield f"{indent}{before}{'{' if keyed else '['}"
    for number, item in enumerate(value.items() if keyed else value):
        comma = "," if number < last else ""
        if keyed:
            key, item = item
            yield from _lines(item, depth + 1, f"{json.dumps(str(key), ensure_ascii=False)}: ", comma)
        else:
            yield from _lines(item, depth + 1, "", comma)
    yield f"{indent}{'}' if keyed else ']'}{after}"
