"""files_search: find lines in text files, or files by their name; bounded in time and in matches, and says so."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import re2
from pydantic import Field

from agent_core.model.action import EffectClass, Reversibility
from agent_core.tools.base import (
    Arguments,
    Outcome,
    Preview,
    Privileges,
    Resolved,
    Tool,
    ToolContext,
    ToolFailure,
    ToolLimits,
    fail,
)
from agent_core.tools.shared.globs import glob_pattern
from agent_core.tools.shared.paths import Place
from agent_core.tools.shared.reading import reading
from agent_core.tools.shared.resolving import resolve_paths
from agent_core.tools.shared.textfile import decoded
from agent_core.tools.shared.view import Entry, Kind, Reader, View, not_found
from agent_core.tools.shared.words import count, shown, shown_folder

MOST_MATCHES = 200
MOST_FILES = 20_000
SECONDS = 10.0
EXCERPT = 300
"""Characters of a long line that are given around a match."""


class SearchArguments(Arguments):
    """What is looked for, and where."""

    pattern: str = Field(
        max_length=1000,
        description="Regular expression (RE2 syntax) held against each line; empty to find files by glob alone.",
    )
    path: str = Field(default=".", max_length=4096, description="Folder or file to look in, relative to the workspace.")
    glob: str | None = Field(
        default=None, max_length=1000, description='Only files whose path fits, such as "*.csv" or "reports/**/*.md".'
    )


@dataclass(slots=True)
class Search:
    """A search on its way: what was found, and everything that was not looked at."""

    matches: list[dict[str, Any]] = field(default_factory=list)
    searched: int = 0
    binary: int = 0
    unread: list[Place] = field(default_factory=list)
    stopped_because: str | None = None


class FilesSearch(Tool[SearchArguments]):
    """Search in files."""

    name = "files_search"
    description = (
        "Finds lines that match a regular expression in the text files of a folder and below; an empty pattern finds "
        "files by name. Returns path, line number, character offset (for files_read) and the line of each. `complete` "
        "says whether everything was looked at: only then do no matches mean that there are none. Not for reading a "
        "known file: use files_read."
    )
    arguments = SearchArguments
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(reads=["workspace"])
    limits = ToolLimits(items=MOST_MATCHES, seconds=SECONDS)
    real = False
    more = "Search in a subfolder, with a glob, or for something rarer."

    def resolve(self, arguments: SearchArguments, context: ToolContext) -> Resolved:
        """The path as rules see it."""
        return resolve_paths(arguments, context, {"path": True}, binds=False)

    def preview(self, arguments: SearchArguments, context: ToolContext) -> Preview:
        """What would be searched."""
        place = View(context).workspace.place(arguments.path)
        what = f'"{shown(arguments.pattern)}"' if arguments.pattern else "files by name"
        return reading(f"Search {shown_folder(place.text)} for {what}")

    def run(self, arguments: SearchArguments, context: ToolContext) -> Outcome:
        """The matches, as far as time and their number allow."""
        view = View(context)
        place = view.workspace.place(arguments.path)
        search = Search()
        _search(search, view, place, arguments)
        result = {
            "matches": search.matches,
            "complete": search.stopped_because is None and not search.unread,
            "files_searched": search.searched,
            "binary_files_skipped": search.binary,
            "not_readable": [unread.text for unread in search.unread],
        }
        if search.stopped_because is not None:
            result["stopped_because"] = search.stopped_because
        found = count(len(search.matches), "match", "matches") if search.matches else "No match"
        return Outcome(
            result=result,
            summary=f"{found} in {count(search.searched, 'file')} of {shown_folder(place.text)}",
            sources=[view.source(Place(tuple(path.split("/")))) for path in _paths(search)],
        )


def _search(search: Search, view: View, start: Place, arguments: SearchArguments) -> None:
    pattern, fits = _pattern(arguments.pattern), _fits(arguments.glob)
    deadline = time.monotonic() + SECONDS
    with Reader(view) as reader:
        for entry in _files(search, view, start):
            if not fits(entry.place.text):
                continue
            search.searched += 1
            if pattern is None:
                search.matches.append({"path": entry.place.text, "bytes": entry.size})
            else:
                _search_file(search, view, reader, entry, pattern, deadline)
            if len(search.matches) >= MOST_MATCHES:
                search.stopped_because = f"{MOST_MATCHES} matches were found"
            elif time.monotonic() > deadline:
                search.stopped_because = f"it took longer than {SECONDS:g} s"
            if search.stopped_because is not None:
                return


def _files(search: Search, view: View, start: Place) -> Iterator[Entry]:
    entry = view.entry(start)
    if entry.kind is Kind.ABSENT:
        not_found(start)
    if entry.kind is not Kind.FOLDER:
        yield entry
        return
    try:
        for found in view.walk(start, MOST_FILES, search.unread):
            if found.kind is Kind.FILE:
                yield found
    except ToolFailure as failure:
        if failure.error.code != "too_large":
            raise
        search.stopped_because = f"there are more than {MOST_FILES:,} files"


def _search_file(search: Search, view: View, reader: Reader, entry: Entry, pattern: Any, deadline: float) -> None:
    try:
        text = decoded(reader.read(entry))
    except ToolFailure as failure:
        if failure.error.code == "cancelled":
            raise
        search.unread.append(entry.place)
        return
    if text is None:
        search.binary += 1
        return
    _search_lines(search, view, entry.place, text.removeprefix("\ufeff"), pattern, deadline)


def _search_lines(search: Search, view: View, place: Place, text: str, pattern: Any, deadline: float) -> None:
    offset = 0
    for number, line in enumerate(text.split("\n"), 1):
        if number % 5000 == 0:
            view.context.check_cancelled()
            if time.monotonic() > deadline:
                search.unread.append(place)
                return
        found = pattern.search(line)
        if found is not None:
            search.matches.append(
                {
                    "path": place.text,
                    "line": number,
                    "offset": offset + found.start(),
                    "text": _excerpt(line.rstrip("\r"), found.start()),
                }
            )
            if len(search.matches) >= MOST_MATCHES:
                return
        offset += len(line) + 1


def _excerpt(line: str, at: int) -> str:
    if len(line) <= EXCERPT:
        return line
    start = max(0, min(at - EXCERPT // 3, len(line) - EXCERPT))
    end = start + EXCERPT
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def _pattern(text: str) -> Any:
    """The compiled expression, None for an empty one. RE2 takes time linear in the text, whatever the expression."""
    if not text:
        return None
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        way = "There are no back-references and no look-around; a character that is meant itself needs a backslash."
        fail("invalid", f'"{shown(text)}" is no regular expression: {shown(reason)}.', way)


def _fits(glob: str | None) -> Callable[[str], object]:
    return (lambda path: True) if glob is None else glob_pattern(glob).fullmatch


def _paths(search: Search) -> list[str]:
    return list(dict.fromkeys(match["path"] for match in search.matches))[:20]
