"""Events of other processes are noticed; our own are not told twice."""

import asyncio
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.home import Home
from agent_core.model.errors import BrokenChain
from agent_core.store.batch import Bookmarks
from agent_core.store.journal import Journal
from tests.unit.store.samples import said

APPEND = (
    "import sys; from pathlib import Path; from agent_core.config.home import Home;"
    "from agent_core.store.journal import Journal; from tests.unit.store.samples import said;"
    "journal = Journal.open(Home.at(Path(sys.argv[1]))); journal.append_now('s-9', [said('foreign')]); journal.close()"
)


def elsewhere(place: Home) -> None:
    subprocess.run([sys.executable, "-c", APPEND, str(place.data)], check=True, cwd=Path.cwd())


def test_only_what_others_wrote_is_told_and_once(place: Home, journal: Journal) -> None:
    journal.append_now("s-1", [said("before")])
    follower = journal.follower()
    assert follower.poll() == []
    journal.append_now("s-1", [said("own"), said("own")])
    elsewhere(place)
    journal.append_now("s-2", [said("own")])

    assert [(event.session, event.seq) for event in follower.poll()] == [("s-9", 1)]
    journal.append_now("s-2", [said("own")])
    assert follower.poll() == []
    follower.close()


def test_two_journals_of_one_home_tell_each_other_everything(place: Home, journal: Journal) -> None:
    other = Journal.open(place)
    chance = random.Random(7)
    ours, theirs = journal.follower(), other.follower()
    heard: list[str] = []
    for number in range(200):
        writer = chance.choice((journal, other))
        writer.append_now("s-1", [said(f"{number} {'ours' if writer is journal else 'theirs'}")])
        if chance.random() < 0.2:
            heard += [event.data.text for event in ours.poll()]  # type: ignore[attr-defined]
    heard += [event.data.text for event in ours.poll()]  # type: ignore[attr-defined]
    everything = [event.data.text for event in journal.read_now("s-1")]  # type: ignore[attr-defined]

    assert heard == [text for text in everything if text.endswith("theirs")]
    assert [event.seq for event in theirs.poll()] == [
        number + 1 for number, text in enumerate(everything) if text.endswith("ours")
    ]
    ours.close()
    theirs.close()
    other.close()


def test_followers_of_one_journal_do_not_disturb_each_other(place: Home, journal: Journal) -> None:
    first, second = journal.follower(), journal.follower()
    journal.append_now("s-1", [said("own")])
    assert first.poll() == []
    elsewhere(place)

    assert [event.session for event in first.poll()] == [event.session for event in second.poll()] == ["s-9"]
    first.close()
    second.close()


def test_a_row_that_is_no_event_is_told_once(place: Home, journal: Journal) -> None:
    follower = journal.follower()
    with closing(sqlite3.connect(place.database)) as shell:
        shell.execute("INSERT INTO chains VALUES (1, 's-1')")
        shell.execute("INSERT INTO events VALUES (1, 1, 1, 0, 'no_kind', NULL, 0, 1, x'', x'', NULL, '{}', NULL)")
        shell.commit()
    with pytest.raises(BrokenChain, match="Event 1 of session s-1"):
        follower.poll()
    elsewhere(place)

    assert [event.session for event in follower.poll()] == ["s-9"]
    follower.close()


async def test_following_yields_foreign_events_as_they_come(place: Home, journal: Journal) -> None:
    async def first() -> str:
        async for event in journal.follow(interval=0.01):
            return event.session
        return ""

    waiting = asyncio.create_task(first())
    await asyncio.sleep(0)
    await journal.append("s-1", [said("own")])
    await asyncio.to_thread(elsewhere, place)

    assert await asyncio.wait_for(waiting, 10) == "s-9"


spans = st.lists(st.tuples(st.sampled_from(["own", "foreign", "undone"]), st.integers(1, 4)), max_size=20)


@given(spans, st.lists(st.integers(0, 20), max_size=5))
def test_bookmarks_know_exactly_whose_rows_are_whose(plan: list[tuple[str, int]], polls: list[int]) -> None:
    bookmarks, newest, foreign, told, seen = Bookmarks(), 0, set[int](), set[int](), 0
    for step, (whose, count) in enumerate(plan):
        first, last = newest + 1, newest + count
        if whose == "own":
            bookmarks.claim(first, last)
            bookmarks.committed()
            newest = last
        elif whose == "foreign":
            foreign |= set(range(first, last + 1))
            newest = last
        else:
            bookmarks.claim(first, last)
            bookmarks.rolled_back()
        if step in polls:
            told |= {row for a, b in bookmarks.foreign(seen, newest) for row in range(a, b + 1)}
            seen = newest
    told |= {row for a, b in bookmarks.foreign(seen, newest) for row in range(a, b + 1)}

    assert told == foreign
