"""Server-sent events are read the same however the bytes are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.providers.messages.sse import SseReader, StreamTooLarge

STREAM = (
    'event: message_start\ndata: {"n": 1}\n\n'
    ": a comment\n\n"
    'data: {"text": "zwei Bäume 👍🏽 \u2028"}\n\n'
    'id: 7\nretry: 10\nnonsense without a colon\ndata:{"no": "space"}\n\n'
    "data: one\ndata: two\ndata\n\n"
    "data:  leading space\n\n"
)
EVENTS = [
    b'{"n": 1}',
    '{"text": "zwei Bäume 👍🏽 \u2028"}'.encode(),
    b'{"no": "space"}',
    b"one\ntwo\n",
    b" leading space",
]


def read(*chunks: bytes) -> list[bytes]:
    reader = SseReader()
    return [data for chunk in chunks for data in reader.feed(chunk)]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_every_line_end_of_the_standard_is_read_alike(line_end: str) -> None:
    assert read(STREAM.replace("\n", line_end).encode()) == EVENTS


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_chunks_may_break_anywhere(line_end: str, size: int) -> None:
    data = STREAM.replace("\n", line_end).encode()
    assert read(*(data[start : start + size] for start in range(0, len(data), size))) == EVENTS


@given(
    cuts=st.lists(st.integers(0, len(STREAM.encode()) * 2), max_size=12), line_end=st.sampled_from(["\n", "\r\n", "\r"])
)
def test_any_chunking_gives_the_same_events(cuts: list[int], line_end: str) -> None:
    data = STREAM.replace("\n", line_end).encode()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    assert read(*(data[a:b] for a, b in pairwise(places))) == EVENTS


lines = st.one_of(
    st.sampled_from(["", "data", "data:", "data: x", ":", ": ping", "event: a", "data: 漢"]),
    st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=8),
)


@given(text=st.lists(lines, max_size=20).map(lambda parts: "\n".join(parts) + "\n\n"), size=st.integers(1, 9))
def test_any_stream_reads_the_same_whole_and_in_pieces(text: str, size: int) -> None:
    data = text.encode()
    assert read(*(data[start : start + size] for start in range(0, len(data), size))) == read(data)


def test_an_event_without_its_blank_line_is_never_given_out() -> None:
    assert read(b"data: whole\n\ndata: half\n") == [b"whole"]


def test_a_byte_order_mark_at_the_start_is_not_part_of_the_first_line() -> None:
    assert read(b"\xef\xbb\xbfdata: x\n\n") == [b"x"]


@pytest.mark.parametrize("piece", [b"data: never a line end ", b"data: and never a blank line\n"])
def test_an_event_that_does_not_end_is_refused(piece: bytes) -> None:
    reader = SseReader(max_pending=100)
    reader.feed(piece)
    with pytest.raises(StreamTooLarge):
        reader.feed(piece * 20)
