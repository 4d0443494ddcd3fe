"""The ledger: one state for all who write to a session here, and never one that is not saved."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.engine.facade import BusMessage
from agent_core.engine.ledger import Ledger, draft
from agent_core.model import events as ev
from agent_core.model.budget import Limits
from agent_core.model.errors import StaleHead
from agent_core.model.state import SessionState, fold
from agent_core.store.journal import Journal
from tests.support.virtual_clock import START

OPENED = ev.SessionOpened(goal="g", agent="a", agent_version="v", profile={"model": "m"}, workspace="/", by="bar")
STARTED = ev.RunStarted(limits=Limits(), agent_version="v", by="bar")


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    home = Home.at(tmp_path / "home2")
    home.create()
    opened = Journal.open(home)
    yield opened
    await asyncio.to_thread(opened.close)


MakeLedger = Callable[[], Ledger]


@pytest.fixture
async def make(journal: Journal) -> MakeLedger:
    heard: list[BusMessage] = []
    first = Ledger("s-1", journal, heard.append)
    await first.append([ev.Draft(data=OPENED, at=START), ev.Draft(data=STARTED, at=START, run="r-1")])
    return lambda: Ledger("s-1", journal, heard.append)


def message(state: SessionState, text: str) -> ev.Draft:
    return draft(state, ev.MessageAdded(text=text, by="bar"), START + timedelta(seconds=1))


def request(state: SessionState) -> ev.Draft:
    intent = ev.ModelRequested(
        request_id="q-1",
        attempt=1,
        model="m",
        max_tokens=1,
        input_estimate=1,
        reserved_tokens=1,
        reserved_cost_usd=None,
    )
    return draft(state, intent, START)


async def test_what_is_staged_goes_with_the_next_append_and_is_seen_at_once(make: MakeLedger, journal: Journal) -> None:
    ledger = make()
    await ledger.catch_up()
    ledger.stage([message(ledger.state, "one")])
    assert ledger.state.pending_messages == ["one"]
    assert len(await journal.read("s-1")) == 2

    await ledger.append([message(ledger.state, "two")])

    assert ledger.state == fold(await journal.read("s-1"), "s-1")
    assert ledger.state.pending_messages == ["one", "two"]


async def test_a_fact_survives_a_newer_head_and_an_intent_is_given_up(make: MakeLedger, journal: Journal) -> None:
    mine, theirs = make(), make()
    await mine.catch_up()
    await theirs.catch_up()
    mine.stage([message(mine.state, "mine")])
    await theirs.append([message(theirs.state, "theirs")])

    with pytest.raises(StaleHead):
        await mine.append([request(mine.state)])
    await mine.flush()

    kinds = [event.kind for event in await journal.read("s-1")]
    assert "model_requested" not in kinds
    assert mine.state == fold(await journal.read("s-1"), "s-1")
    assert mine.state.pending_messages == ["theirs", "mine"]


async def test_a_cancelled_append_that_was_written_is_not_written_twice(make: MakeLedger, journal: Journal) -> None:
    ledger = make()
    await ledger.catch_up()
    ledger.stage([message(ledger.state, "once")])
    appending = asyncio.ensure_future(ledger.append([]))
    await asyncio.sleep(0)
    appending.cancel()
    await asyncio.wait([appending])

    await ledger.append([message(ledger.state, "after")])

    texts = [e.data.text for e in await journal.read("s-1") if isinstance(e.data, ev.MessageAdded)]
    assert texts.count("once") == 1
    assert texts[-1] == "after"
    assert ledger.state == fold(await journal.read("s-1"), "s-1")


async def test_of_many_that_compare_and_set_each_sees_the_one_before(make: MakeLedger, journal: Journal) -> None:
    ledgers = [make() for _ in range(8)]

    def once(state: SessionState) -> list[ev.Draft]:
        return [] if state.pending_messages else [message(state, "first")]

    await asyncio.gather(*(ledger.decide(once) for ledger in ledgers))

    texts = [e.data.text for e in await journal.read("s-1") if isinstance(e.data, ev.MessageAdded)]
    assert texts == ["first"]
