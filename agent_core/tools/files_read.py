"""files_list and files_read: what lies in a folder, and what a text file says, page by page."""

import codecs
from datetime import UTC, datetime
from typing import BinaryIO

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
    ToolLimits,
    fail,
)
from agent_core.tools.shared.folder import CHUNK, Folder, read_all
from agent_core.tools.shared.paths import Place
from agent_core.tools.shared.reading import reading
from agent_core.tools.shared.resolving import resolve_paths
from agent_core.tools.shared.textfile import LOOKED_AT, decode
from agent_core.tools.shared.view import LARGEST_READ, Entry, Kind, View, needs_file, not_found
from agent_core.tools.shared.words import count, shown, shown_folder

PAGE = 15_000
"""Characters that a call without a limit gives: less than the usual cap of a result."""
LARGEST_PAGE = 200_000


class ListArguments(Arguments):
    """A folder."""

    path: str = Field(max_length=4096, description='Folder relative to the workspace; "." is the workspace itself.')


class ReadArguments(Arguments):
    """A text file and the part of it that is wanted."""

    path: str = Field(max_length=4096, description="File relative to the workspace.")
    offset: int = Field(default=0, ge=0, description="Character to begin at, from 0; next_offset of the page before.")
    limit: int = Field(default=PAGE, ge=1, le=LARGEST_PAGE, description="Characters to give at most.")


class FilesList(Tool[ListArguments]):
    """List a folder."""

    name = "files_list"
    description = (
        "Lists what lies directly in a folder: name, kind, size in bytes and time of the last change (UTC) of each. An "
        "empty list means an empty folder. Not for looking into files or subfolders: use files_read and files_search."
    )
    arguments = ListArguments
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(reads=["workspace"])
    real = False
    more = 'List a subfolder, or find files by name with files_search, pattern "" and a glob.'

    def resolve(self, arguments: ListArguments, context: ToolContext) -> Resolved:
        """The path as rules see it."""
        return resolve_paths(arguments, context, {"path": True}, binds=False)

    def preview(self, arguments: ListArguments, context: ToolContext) -> Preview:
        """What would be listed."""
        view = View(context)
        place = view.workspace.place(arguments.path)
        return reading(f"List {shown_folder(place.text)}", [view.source(place)])

    def run(self, arguments: ListArguments, context: ToolContext) -> Outcome:
        """The folder's entries, by name."""
        view = View(context)
        place = view.workspace.place(arguments.path)
        if view.entry(place).kind is Kind.ABSENT:
            not_found(place)
        entries = view.children(place)
        return Outcome(
            result={"path": place.text, "count": len(entries), "entries": [_listed(entry) for entry in entries]},
            summary=f"{shown_folder(place.text, 'The workspace')} holds {count(len(entries), 'entry', 'entries')}",
            sources=[view.source(place)],
        )


class FilesRead(Tool[ReadArguments]):
    """Read a text file."""

    name = "files_read"
    description = (
        "Reads a text file, or a page of a long one: from character offset, at most limit characters. Returns the text "
        "and, while there is more, next_offset. Other encodings than UTF-8 are named; binary files are refused. "
        "Not for finding something in many files: use files_search."
    )
    arguments = ReadArguments
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(reads=["workspace"])
    limits = ToolLimits(items=LARGEST_PAGE)
    real = False
    more = "Use a smaller limit, and offset for the pages after it."

    def resolve(self, arguments: ReadArguments, context: ToolContext) -> Resolved:
        """The path as rules see it."""
        return resolve_paths(arguments, context, {"path": True}, binds=False)

    def preview(self, arguments: ReadArguments, context: ToolContext) -> Preview:
        """What would be read."""
        view = View(context)
        place = view.workspace.place(arguments.path)
        return reading(f"Read {shown(place.text)}", [view.source(place)])

    def run(self, arguments: ReadArguments, context: ToolContext) -> Outcome:
        """One page of the text."""
        view = View(context)
        place = view.workspace.place(arguments.path)
        needs_file(place)
        entry = view.entry(place)
        if entry.kind is Kind.ABSENT:
            not_found(place)
        page, text = (_page_of_large if entry.size > LARGEST_READ else _page)(view, place, arguments)
        return Outcome(
            result={"path": place.text, "bytes": entry.size, **page, "text": text},
            summary=f"Read {shown(place.text)} ({_extent(page, text, arguments.offset)})",
            sources=[view.source(place)],
        )


def _listed(entry: Entry) -> dict[str, object]:
    listed: dict[str, object] = {"name": entry.place.name, "kind": entry.kind.value}
    if entry.kind is Kind.FILE:
        listed["size"] = entry.size
    if entry.modified is not None:
        listed["modified"] = datetime.fromtimestamp(entry.modified, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return listed


def _page(view: View, place: Place, arguments: ReadArguments) -> tuple[dict[str, object], str]:
    """A page of a file: what is to be said of it, and its text."""
    decoded = decode(view.need(place), place.text)
    whole = decoded.text.removeprefix("\ufeff")
    _check_offset(arguments.offset, len(whole))
    text = whole[arguments.offset : arguments.offset + arguments.limit]
    end = arguments.offset + len(text)
    page: dict[str, object] = {
        "characters": len(whole),
        "offset": arguments.offset,
        "next_offset": end if end < len(whole) else None,
    }
    if decoded.guessed:
        page["encoding"] = f"not UTF-8; read as {decoded.encoding}, which is a guess"
    elif decoded.encoding != "utf-8":
        page["encoding"] = decoded.encoding
    return page, text


def _page_of_large(view: View, place: Place, arguments: ReadArguments) -> tuple[dict[str, object], str]:
    """A page of a file that is too large to hold; it has to be UTF-8, and its length in characters stays unknown."""
    with Folder.open(view.workspace, place.parent) as folder, folder.file(place.name) as file:
        start = read_all(file, view.context, LOOKED_AT)
        decode(start[: max(0, len(start) - 3)], place.text)
        file.seek(0)
        try:
            text, position = _from_stream(file, view.context, arguments)
        except UnicodeDecodeError:
            fail("not_text", f'"{shown(place.text)}" is not UTF-8 all through.', "Only text can be read here.")
    _check_offset(arguments.offset, position)
    end = arguments.offset + arguments.limit
    next_offset = end if position > end else None
    return {"characters": None, "offset": arguments.offset, "next_offset": next_offset}, text


def _from_stream(file: BinaryIO, context: ToolContext, arguments: ReadArguments) -> tuple[str, int]:
    """The wanted characters, and how many were gone through: more than the page's end when there are more."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("strict")
    start, end = arguments.offset, arguments.offset + arguments.limit
    parts: list[str] = []
    position = 0
    while position <= end:
        context.check_cancelled()
        data = file.read(CHUNK)
        text = decoder.decode(data, final=not data)
        parts.append(text[max(0, start - position) : max(0, end - position)])
        position += len(text)
        if not data:
            break
    return "".join(parts), position


def _extent(page: dict[str, object], text: str, offset: int) -> str:
    """How much of a file was read, for people: all of it, or from where to where."""
    whole = page["characters"]
    if len(text) == whole:
        return count(len(text), "character")
    of = f" of {whole:,}" if isinstance(whole, int) else ""
    return f"characters {offset + 1:,} to {offset + len(text):,}{of}"


def _check_offset(offset: int, length: int) -> None:
    if offset > length or (offset and offset == length):
        fail("past_the_end", f"The text has {count(length, 'character')}; offset {offset:,} lies past its end.")
