"""Events as rows and back: the bytes that are hashed, and the long strings that are kept beside them.

A string over `BLOB_FLOOR` bytes moves to the table of blobs. Its place in the data stays empty, and the row's `blobs`
maps the place (a JSON pointer, RFC 6901) to the SHA-256, so no text in the data can be taken for a reference.
"""

import codecs
import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from agent_core.model.errors import BrokenChain, InputError
from agent_core.model.events import SCHEMA_VERSION, Draft, Event, EventData, data_of, decode_data, encode_data
from agent_core.model.text import LONG, is_large, whole_json

BLOB_FLOOR = 16 * 1024
"""Bytes of UTF-8 up to which a string stays in its event."""


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_INTEGERS = msgspec.msgpack.Encoder(decimal_format="string")
"""Refuses what 64 bits do not hold; the JSON encoder writes any integer."""


class UnfitValue(InputError):
    """A value that the journal cannot keep exactly: NaN, infinities, integers beyond 64 bits, naive instants."""

    code = "invalid_value"


class EventRow(NamedTuple):
    """One row of `events`, with the session's name in place of its chain's number."""

    id: int
    session: str
    seq: int
    at: int
    kind: str
    run: str | None
    step: int
    schema: int
    prev: bytes
    digest: bytes
    blobs: str | None
    data: str


class Encoded(NamedTuple):
    """A draft as it goes into its row; `strings` are the blobs by their SHA-256."""

    draft: Draft
    at: int
    data: bytes
    blobs: str | None
    strings: dict[bytes, bytes]


def micros(instant: datetime) -> int:
    """Microseconds since 1970. Raises UnfitValue for an instant without a zone."""
    try:
        return (instant - EPOCH) // _MICROSECOND
    except TypeError:
        raise UnfitValue(f"The instant {instant.isoformat()} has no time zone; give it in UTC") from None


def instant(microseconds: int) -> datetime:
    """The instant, aware UTC."""
    return EPOCH + timedelta(microseconds=microseconds)


def encode(draft: Draft) -> Encoded:
    """A draft as bytes, with whole characters only. Raises UnfitValue, naming the event and the value."""
    data = draft.data
    try:
        return _encoded(draft)
    except RecursionError:
        raise UnfitValue(f"A {data.kind} is nested too deeply to be kept") from None
    except UnicodeEncodeError:
        whole = msgspec.convert(whole_json(msgspec.to_builtins(data)), type(data))
        return _encoded(msgspec.structs.replace(draft, data=whole))


def _encoded(draft: Draft) -> Encoded:
    if is_large(draft.data):  # never as JSON in one step
        bare, strings, references = _split(msgspec.to_builtins(draft.data))
        raw = msgspec.json.encode(bare)
        _refuse_unfit(draft.data.kind, bare, raw)
    else:
        raw, strings, references = encode_data(draft.data), {}, {}
        _refuse_unfit(draft.data.kind, draft.data, raw)
        if len(raw) > BLOB_FLOOR:
            bare, strings, references = _split(msgspec.json.decode(raw))
            raw = msgspec.json.encode(bare) if references else raw
    blobs = msgspec.json.encode(references).decode() if references else None
    return Encoded(draft, micros(draft.at), raw, blobs, strings)


def digest_of(row: EventRow, data: bytes) -> bytes:
    """SHA-256 over everything that the row says and the digest before it. `data` are the bytes of `row.data`."""
    envelope = (
        row.prev.hex(),
        row.seq,
        row.at,
        row.kind,
        row.session,
        row.run,
        row.step,
        row.schema,
        row.blobs,
    )
    return hashlib.sha256(msgspec.json.encode(envelope) + b"\n" + data).digest()


def place(encoded: Encoded, session: str, event_id: int, seq: int, prev: bytes) -> EventRow:
    """The row of an event at its place in the chain."""
    draft = encoded.draft
    row = EventRow(
        event_id,
        session,
        seq,
        encoded.at,
        draft.data.kind,
        draft.run,
        draft.step,
        SCHEMA_VERSION,
        prev,
        b"",
        encoded.blobs,
        encoded.data.decode(),
    )
    return row._replace(digest=digest_of(row, encoded.data))


def event_of(row: EventRow, data: EventData) -> Event:
    """The event that a row and its data are."""
    return Event(
        seq=row.seq,
        at=instant(row.at),
        session=row.session,
        run=row.run,
        step=row.step,
        data=data,
        prev=row.prev.hex(),
        digest=row.digest.hex(),
    )


def decode(row: EventRow, fetch: Callable[[bytes], bytes | None]) -> Event:
    """The event of a row; `fetch` gives a blob by its SHA-256. Raises BrokenChain when the row is no event."""
    try:
        if row.blobs is None:
            return event_of(row, decode_data(row.kind, row.data))
        return event_of(row, data_of(row.kind, _joined(row, fetch)))
    except (msgspec.MsgspecError, KeyError, ValueError, IndexError, TypeError) as error:
        raise BrokenChain(f"Event {row.seq} of session {row.session} cannot be read: {error}") from error


def blob_references(blobs: str) -> dict[str, str]:
    """The references of a row: JSON pointer to SHA-256 in hex. Raises msgspec.MsgspecError."""
    return msgspec.json.decode(blobs, type=dict[str, str])


def _refuse_unfit(kind: str, data: Any, raw: bytes) -> None:
    try:
        _INTEGERS.encode(data)
    except OverflowError:
        raise UnfitValue(f"A {kind} holds an integer beyond 64 bits; send it as text") from None
    # JSON has no NaN: the encoder writes null, so only data with a null in it can have hidden one.
    if b"null" in raw:
        for value in _leaves(msgspec.to_builtins(data)):
            if isinstance(value, float) and not math.isfinite(value):
                raise UnfitValue(f"A {kind} holds {value}, which is no number that can be kept")


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for member in value.values():
            yield from _leaves(member)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _split(whole: Any) -> tuple[Any, dict[bytes, bytes], dict[str, str]]:
    """The JSON value without its long strings, these by their SHA-256, and where each belongs."""
    strings: dict[bytes, bytes] = {}
    references: dict[str, str] = {}

    def take(value: Any, pointer: str) -> Any:
        if isinstance(value, str):
            if len(value) * 4 <= BLOB_FLOOR or len(content := _utf8(value)) <= BLOB_FLOOR:
                return value
            digest = hashlib.sha256(content)
            strings[digest.digest()] = content
            references[pointer] = digest.hexdigest()
            return ""
        if isinstance(value, dict):
            return {name: take(member, f"{pointer}/{_escape(name)}") for name, member in value.items()}
        if isinstance(value, list | tuple):
            return [take(item, f"{pointer}/{index}") for index, item in enumerate(value)]
        return value

    return take(whole, ""), strings, references


def _joined(row: EventRow, fetch: Callable[[bytes], bytes | None]) -> Any:
    assert row.blobs is not None
    whole = msgspec.json.decode(row.data)
    for pointer, digest in blob_references(row.blobs).items():
        content = fetch(bytes.fromhex(digest))
        if content is None:
            raise ValueError(f"its blob {digest} is missing")
        _put(whole, pointer, _text(content))
    return whole


def _utf8(text: str) -> bytes:
    return b"".join(text[start : start + LONG].encode() for start in range(0, len(text), LONG))


def _text(content: bytes) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    pieces = [decoder.decode(content[start : start + LONG]) for start in range(0, len(content), LONG)]
    return "".join((*pieces, decoder.decode(b"", final=True)))


def _put(whole: Any, pointer: str, value: str) -> None:
    names: Sequence[str] = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    holder = whole
    for name in names[:-1]:
        holder = holder[int(name)] if isinstance(holder, list) else holder[name]
    if isinstance(holder, list):
        holder[int(names[-1])] = value
    else:
        holder[names[-1]] = value


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
