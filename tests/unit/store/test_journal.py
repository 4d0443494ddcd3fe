"""The journal: durable, ordered, compare-and-set, append-only."""

import asyncio
import itertools
import math
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.home import Home
from agent_core.model.errors import StaleHead, StorageError
from agent_core.model.events import CallFinished, Event
from agent_core.store.codec import UnfitValue
from agent_core.store.journal import Append, Journal
from tests.unit.store.samples import draft, said, summary

_numbers = itertools.count()


async def test_events_come_back_as_they_were_appended(journal: Journal) -> None:
    first = await journal.append("s-1", [said("a"), said("b")], head="")
    second = await journal.append("s-1", [said("c" * 20_000)], head=first[-1].digest)

    assert await journal.read("s-1") == first + second
    assert [event.seq for event in first + second] == [1, 2, 3]
    assert [event.prev for event in first + second] == ["", first[0].digest, first[1].digest]


async def test_each_session_has_its_own_chain(journal: Journal) -> None:
    await journal.append("s-1", [said("a"), said("b")])
    (other,) = await journal.append("s-2", [said("a")])

    assert (other.seq, other.prev) == (1, "")


async def test_pages_and_tails(journal: Journal) -> None:
    events = await journal.append("s-1", [said(str(number)) for number in range(10)])

    assert await journal.read("s-1", after=3, limit=2) == events[3:5]
    assert await journal.read("s-1", after=10) == []
    assert await journal.read_last("s-1", 3) == events[-3:]
    assert await journal.read_last("s-1", 0) == []
    assert await journal.read("s-9") == []


async def test_an_older_head_is_refused_and_nothing_is_written(journal: Journal) -> None:
    (first,) = await journal.append("s-1", [said()], head="")
    await journal.append("s-1", [said("newer")])

    with pytest.raises(StaleHead, match="gone on to event 2"):
        await journal.append("s-1", [said("late")], head=first.digest)
    with pytest.raises(StaleHead):
        await journal.append("s-1", [said("late")], head="")
    assert len(await journal.read("s-1")) == 2


async def test_one_stale_session_of_several_stops_them_all(journal: Journal) -> None:
    await journal.append("s-2", [said()])

    with pytest.raises(StaleHead):
        await journal.append_all(
            [Append(session="s-1", drafts=[said()]), Append(session="s-2", drafts=[said()], head="")]
        )
    assert await journal.read("s-1") == []


async def test_several_sessions_in_one_transaction(journal: Journal) -> None:
    both = await journal.append_all(
        [Append(session="s-1", drafts=[said()], head=""), Append(session="s-2", drafts=[said(), said()], head="")]
    )

    assert [[event.seq for event in events] for events in both] == [[1], [1, 2]]


async def test_what_does_not_fit_harms_nobody_else_in_the_batch(journal: Journal) -> None:
    results = await asyncio.gather(
        journal.append("s-1", [said("good")]),
        journal.append("s-2", [said("late")], head="f" * 64),
        journal.append("s-3", [said("good")]),
        return_exceptions=True,
    )

    assert isinstance(results[1], StaleHead)
    assert len(await journal.read("s-1")) == len(await journal.read("s-3")) == 1


async def test_a_value_that_no_column_holds_fails_its_own_append_only(journal: Journal) -> None:
    results = await asyncio.gather(
        journal.append("s-1", [said("good")]),
        journal.append("s-2", [said("bad")], summary=summary("s-2", step=2**70)),
        journal.append("s-3", [said("good")]),
        return_exceptions=True,
    )

    assert isinstance(results[1], OverflowError)
    assert await journal.read("s-2") == []
    assert len(await journal.read("s-1")) == len(await journal.read("s-3")) == 1
    assert len(await journal.append("s-2", [said()], head="")) == 1


async def test_a_refused_value_writes_nothing(journal: Journal) -> None:
    unfit = draft(CallFinished(call_id="c", tool_use_id="t", tool="x", ok=True, result=math.nan))

    with pytest.raises(UnfitValue):
        await journal.append("s-1", [said("a"), unfit])

    assert await journal.read("s-1") == []


def test_of_four_racers_with_one_head_exactly_one_wins(place: Home, journal: Journal) -> None:
    """Two threads each of two writers, as in two processes."""
    rounds, head = 100, ""
    start = threading.Barrier(4)
    other = Journal.open(place)

    def race(name: int) -> Event | None:
        start.wait()
        try:
            return (journal, other)[name % 2].append_now("s-1", [said(f"thread {name}")], head=head)[0]
        except StaleHead:
            return None

    with ThreadPoolExecutor(4) as pool:
        for number in range(rounds):
            winners = [event for event in pool.map(race, range(4)) if event is not None]
            assert [event.seq for event in winners] == [number + 1]
            head = winners[0].digest
    assert len(journal.read_now("s-1")) == rounds
    other.close()


@given(
    st.lists(
        st.tuples(st.sampled_from(["s-1", "s-2", "s-3"]), st.integers(1, 3)),
        min_size=1,
        max_size=12,
    )
)
def test_any_order_of_appends_makes_whole_chains(journal: Journal, plan: list[tuple[str, int]]) -> None:
    number, written = next(_numbers), dict[str, list[Event]]()
    for name, count in plan:
        session = f"{name}-{number}"
        written.setdefault(session, []).extend(journal.append_now(session, [said(str(n)) for n in range(count)]))
    for session, events in written.items():
        assert journal.read_now(session) == events
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert [event.prev for event in events] == ["", *(event.digest for event in events[:-1])]


async def test_a_cancelled_caller_leaves_the_event_and_the_writer_whole(journal: Journal) -> None:
    task = asyncio.create_task(journal.append("s-1", [said("kept")]))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    (later,) = await journal.append("s-1", [said("later")])
    assert later.seq == 2


@pytest.mark.parametrize("statement", ["UPDATE events SET data = '{}'", "DELETE FROM events", "DELETE FROM blobs"])
async def test_the_database_itself_refuses_changes(journal: Journal, statement: str) -> None:
    await journal.append("s-1", [said("x" * 20_000)])

    with sqlite3.connect(journal.database.path) as other, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        other.execute(statement)
    other.close()


def test_after_close_appends_are_refused(place: Home) -> None:
    journal = Journal.open(place)
    journal.append_now("s-1", [said()])
    journal.close()

    with pytest.raises(StorageError, match="closed"):
        journal.append_now("s-1", [said()])


def test_close_writes_what_has_queued_and_leaves_no_wal(place: Home) -> None:
    journal = Journal.open(place)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: journal.append_now(f"s-{number}", [said()]), range(32)))
    journal.close()

    assert not place.database.with_name("pilothouse.db-wal").exists()
    again = Journal.open(place)
    assert all(len(again.read_now(f"s-{number}")) == 1 for number in range(32))
    again.close()
