"""Events as rows: what goes in comes out, or is refused at the door."""

import math
import sqlite3
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.action import GateVerdict
from agent_core.model.errors import BrokenChain
from agent_core.model.events import CallFinished, CallJudged, Event
from agent_core.store.codec import BLOB_FLOOR, Encoded, UnfitValue, decode, encode, instant, micros, place
from tests.support import sample_session
from tests.torture.text.strings import poisoned
from tests.unit.store.samples import NOON, draft, said

LONG = "é" * (BLOB_FLOOR // 2 + 1)
VERY_LONG = "x" + "é👍" * 150_000
"""It is worked through in pieces, whose ends lie within characters of several bytes."""

texts = st.text(st.characters(exclude_categories=()), max_size=12)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
    | st.sampled_from([LONG, LONG + "x", "y" * BLOB_FLOOR, "z" * (BLOB_FLOOR + 1)])
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)


def finished(result: Any) -> CallFinished:
    return CallFinished(call_id="c-1", tool_use_id="t-1", tool="files_read", ok=True, result=result)


def stored(encoded: Encoded) -> Event:
    """The event after its row has been in a real table."""
    row = place(encoded, "s-1", 1, 1, b"")
    with sqlite3.connect(":memory:") as connection:
        kept = connection.execute("SELECT " + ", ".join("?" * len(row)), row).fetchone()
    connection.close()
    return decode(type(row)(*kept), encoded.strings.get)


def whole(value: Any) -> Any:
    """The value as any JSON reader would get it after the half characters became U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [whole(item) for item in value]
    if isinstance(value, dict):
        return {whole(name): whole(item) for name, item in value.items()}
    return value


@given(values)
def test_any_json_value_comes_back_as_it_was(value: Any) -> None:
    data = stored(encode(draft(finished(value)))).data

    assert isinstance(data, CallFinished)
    assert data.result == whole(value)
    assert repr(data.result) == repr(whole(value))  # 1 is not 1.0, and True is not 1


@given(values)
def test_the_event_of_an_append_equals_the_event_that_is_read(value: Any) -> None:
    encoded = encode(draft(finished(value)))

    assert stored(encoded).data == encoded.draft.data


def test_long_strings_leave_the_event_and_short_ones_stay() -> None:
    encoded = encode(draft(finished({"a/b~c": [LONG, "y" * BLOB_FLOOR]})))

    assert encoded.blobs is not None
    assert list(msgspec.json.decode(encoded.blobs)) == ["/result/a~1b~0c/0"]
    assert list(encoded.strings.values()) == [LONG.encode()]
    assert len(encoded.data) < BLOB_FLOOR + 1000


@pytest.mark.parametrize("event", sample_session.every_kind(), ids=lambda event: event.kind)
def test_every_kind_of_event_comes_back_with_a_very_long_text_in_it(event: Event) -> None:
    long = poisoned(event.data, VERY_LONG)

    assert stored(encode(draft(long))).data == long


def test_half_characters_of_a_very_long_text_become_the_replacement_character() -> None:
    data = stored(encode(draft(finished({"text": VERY_LONG + "\ud83d"})))).data

    assert isinstance(data, CallFinished)
    assert data.result == {"text": VERY_LONG + "\N{REPLACEMENT CHARACTER}"}


@pytest.mark.parametrize("value", [math.nan, 2**64])
def test_what_cannot_be_kept_is_refused_beside_a_very_long_text_too(value: float) -> None:
    with pytest.raises(UnfitValue):
        encode(draft(finished({"text": VERY_LONG, "number": value})))


def test_text_that_looks_like_a_reference_is_text() -> None:
    trap = {"$blob": "0" * 64, "blobs": {"/result": "0" * 64}}
    data = stored(encode(draft(finished([trap, LONG])))).data

    assert isinstance(data, CallFinished)
    assert data.result == [trap, LONG]


def test_half_a_character_becomes_the_replacement_character() -> None:
    data = stored(encode(said("cut \ud83d here"))).data

    assert data == said("cut \N{REPLACEMENT CHARACTER} here").data


def test_two_halves_that_meet_become_their_character() -> None:
    assert stored(encode(said("\ud83d" + "\udc4d"))).data == said("👍").data


@pytest.mark.parametrize("cut", range(1, 5))
def test_a_text_cut_anywhere_in_an_emoji_is_stored(cut: int) -> None:
    units = "👍🏽é".encode("utf-16-le")
    text = units[: 2 * cut].decode("utf-16-le", "surrogatepass")

    assert stored(encode(said(text))).data is not None


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused(number: float) -> None:
    with pytest.raises(UnfitValue, match="no number that can be kept"):
        encode(draft(finished({"deep": [1, number]})))


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 10**40])
def test_integers_beyond_64_bits_are_refused(number: int) -> None:
    with pytest.raises(UnfitValue, match="beyond 64 bits"):
        encode(draft(finished([number])))


def test_typed_fields_are_checked_too() -> None:
    judged = CallJudged(
        call_id="c",
        tool_use_id="t",
        tool="x",
        arguments={"amount": math.nan},
        verdict=GateVerdict.ASK,
        reasons=[],
    )
    with pytest.raises(UnfitValue, match="call_judged"):
        encode(draft(judged))


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(UnfitValue, match="no time zone"):
        micros(datetime(2026, 11, 29, 12, 0))  # noqa: DTZ001


def test_a_value_nested_without_end_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]

    with pytest.raises(UnfitValue, match="nested too deeply"):
        encode(draft(finished(value)))


@given(st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.timezones()))  # noqa: DTZ001
def test_instants_are_exact(moment: datetime) -> None:
    assert instant(micros(moment)) == moment.astimezone(UTC)


def test_a_row_that_is_no_event_names_itself() -> None:
    row = place(encode(said()), "s-1", 1, 7, b"")

    with pytest.raises(BrokenChain, match="Event 7 of session s-1"):
        decode(row._replace(data='{"text": 3}'), {}.get)
    with pytest.raises(BrokenChain, match="Event 7 of session s-1"):
        decode(row._replace(kind="no_such_kind"), {}.get)


def test_every_part_of_a_row_is_in_its_digest() -> None:
    encoded = encode(said())
    row = place(encoded, "s-1", 1, 1, b"")
    others = [
        place(encoded, "s-2", 1, 1, b""),
        place(encoded, "s-1", 1, 2, b""),
        place(encoded, "s-1", 1, 1, b"x"),
        place(encode(said(seconds=1e-6)), "s-1", 1, 1, b""),
        place(encode(said("hullo")), "s-1", 1, 1, b""),
        place(encode(draft(said().data, run=None)), "s-1", 1, 1, b""),
        place(encode(draft(said().data, step=2)), "s-1", 1, 1, b""),
        place(encoded._replace(blobs="{}"), "s-1", 1, 1, b""),
    ]

    assert len({other.digest for other in others} | {row.digest}) == len(others) + 1
    assert row.at == micros(NOON)
