"""A TOML file with the line of each of its keys, so that a refusal can point at the place."""

import difflib
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_core.model.errors import NotInThisVersion, ProfileError

KeyPath = tuple[str | int, ...]
"""Where a value stands: ``("tools", 1, "because")``."""

LARGEST_FILE = 1_000_000
"""Bytes; a profile or settings file beyond that is a mistake."""

_HEADER = re.compile(r"\s*(\[\[?)([^\[\]#]+)\]\]?")
_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_PART = re.compile(_NAME)
_KEY = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")
_TOKEN = re.compile(
    r"""
      \"{3}(?:\\.|[^\\])*?\"{3} | '{3}.*?'{3}       # texts over several lines
    | "(?:\\.|[^"\\\n])*" | '[^'\n]*'               # texts on one line
    | \#[^\n]* | .                                  # comments, and every other character
    """,
    re.DOTALL | re.VERBOSE,
)
_AT_LINE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class TomlSource:
    """A parsed file: its name as sentences give it, its values, and the line of each key."""

    name: str
    data: dict[str, Any]
    lines: dict[KeyPath, int]

    @classmethod
    def read(cls, path: Path) -> "TomlSource":
        """Read and parse a file; raises ProfileError with one sentence for anything that is wrong with it."""
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise ProfileError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from error
        if len(raw) > LARGEST_FILE:
            raise ProfileError(f"{path}: larger than {LARGEST_FILE:,} bytes")
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise ProfileError(f"{path.name} line {line}: not UTF-8 text") from error
        return cls.parse(path.name, text)

    @classmethod
    def parse(cls, name: str, text: str) -> "TomlSource":
        """Parse text; raises ProfileError that names the line."""
        text = text.replace("\r\n", "\n")
        try:
            data = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise ProfileError(_syntax_error(name, text, str(error))) from error
        return cls(name, data, key_lines(text))

    def line(self, path: KeyPath) -> int:
        """The line of a key, or of the nearest thing around it that has one."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def refusal(self, path: KeyPath, sentence: str) -> ProfileError:
        """An error that names file and line."""
        return ProfileError(f"{self.name} line {self.line(path)}: {sentence}")

    def not_yet(self, path: KeyPath, what: str) -> NotInThisVersion:
        """The error for what the design names and this version lacks."""
        return NotInThisVersion(f"{self.name} line {self.line(path)}: {what} is not in this version")


def nearest(word: str, known: Iterable[str]) -> str:
    """``; did you mean "steps"?``, or the words to choose from when none is near."""
    names = list(known)
    folded = {name.lower(): name for name in names}
    close = difflib.get_close_matches(word.lower(), folded, n=1, cutoff=0.6)
    if close:
        return f'; did you mean "{folded[close[0]]}"?'
    return f"; use one of {', '.join(names)}" if names else ""


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line of each key and table header. `text` must be valid TOML."""
    found: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    position, number = 0, 1
    while position < len(text):
        end = _end_of_statement(text, position)
        statement = text[position:end]
        if header := _HEADER.match(statement):
            table = _table_path(_parts(header[2]), header[1] == "[[", counts)
            found.setdefault(table, number)
            found.setdefault(table[:1], number)
        elif key := _KEY.match(statement):
            path = table + tuple(_parts(key[1]))
            for length in range(len(table) + 1, len(path) + 1):
                found.setdefault(path[:length], number)
        number += statement.count("\n")
        position = end
    return found


def _table_path(parts: list[str], starts_item: bool, counts: dict[KeyPath, int]) -> KeyPath:
    path: KeyPath = ()
    for place, part in enumerate(parts, start=1):
        path += (part,)
        if starts_item and place == len(parts):
            counts[path] = counts.get(path, 0) + 1
        if path in counts:
            path += (counts[path] - 1,)
    return path


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]


def _end_of_statement(text: str, start: int) -> int:
    """The end of the line, or of the value that goes on over several lines."""
    if header := _HEADER.match(text, start):
        newline = text.find("\n", header.end())
        return len(text) if newline < 0 else newline + 1
    depth = 0
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(mark, 0)
        if mark == "\n" and depth <= 0:
            return token.end()
    return len(text)


def _syntax_error(name: str, text: str, message: str) -> str:
    place = _AT_LINE.search(message)
    last = text.count("\n") + 1
    line = int(place[1]) if place and place[1] else last
    bare = _AT_LINE.sub("", message)
    return f"{name} line {line}: not valid TOML: {bare[:1].lower()}{bare[1:]}"
