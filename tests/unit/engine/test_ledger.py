"""The ledger: what is staged goes with whichever append comes first, once."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from agent_core.engine.ledger import Ledger, draft
from agent_core.model.events import Draft, Event, MessageAdded, SessionOpened

AT = datetime(2026, 3, 2, tzinfo=UTC)


class SlowJournal:
    """Keeps events in memory, and takes its time."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.lose_answers = False

    async def append(self, session: str, drafts: Sequence[Draft], **more: Any) -> list[Event]:
        """Commit after a moment."""
        await asyncio.sleep(0.01)
        first = len(self.events) + 1
        fresh = [
            Event(seq=n, at=d.at, session=session, run=d.run, step=d.step, data=d.data, prev="", digest=f"{n:064}")
            for n, d in enumerate(drafts, first)
        ]
        self.events += fresh
        if self.lose_answers:
            raise asyncio.CancelledError
        return fresh

    async def read(self, session: str, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        """What was committed."""
        return self.events[after:]


async def test_two_flushes_at_once_write_what_is_staged_once() -> None:
    journal = SlowJournal()
    ledger = Ledger("s-1", journal, lambda message: None)
    opened = SessionOpened(goal="go", agent="clerk", agent_version="1", profile={}, workspace="/w", by="bar")
    await ledger.append([draft(ledger.state, opened, AT)])
    ledger.stage([draft(ledger.state, MessageAdded(text="second", by="bar"), AT)])

    await asyncio.gather(ledger.flush(), ledger.flush(), ledger.flush())

    assert [event.data for event in journal.events] == [opened, MessageAdded(text="second", by="bar")]
    assert ledger.state.seq == 2


async def test_a_fact_that_is_staged_while_another_append_is_written_goes_with_the_next() -> None:
    journal = SlowJournal()
    ledger = Ledger("s-1", journal, lambda message: None)
    opened = SessionOpened(goal="go", agent="clerk", agent_version="1", profile={}, workspace="/w", by="bar")
    staged = [MessageAdded(text=f"fact {number}", by="bar") for number in range(3)]
    ledger.stage([draft(ledger.state, staged[0], AT)])
    writing = asyncio.ensure_future(ledger.append([draft(ledger.state, opened, AT)]))
    await asyncio.sleep(0)  # the append is on its way, and carries the first fact

    ledger.stage([draft(ledger.state, fact, AT) for fact in staged[1:]])
    await writing
    await ledger.flush()

    assert [event.data for event in journal.events] == [staged[0], opened, *staged[1:]]


async def test_an_append_that_was_cancelled_but_written_keeps_what_was_staged_after_it() -> None:
    journal = SlowJournal()
    ledger = Ledger("s-1", journal, lambda message: None)
    opened = SessionOpened(goal="go", agent="clerk", agent_version="1", profile={}, workspace="/w", by="bar")
    await ledger.append([draft(ledger.state, opened, AT)])
    carried, later = (MessageAdded(text=text, by="bar") for text in ("carried", "later"))
    ledger.stage([draft(ledger.state, carried, AT)])
    journal.lose_answers = True
    with suppress(asyncio.CancelledError):
        await ledger.append([])
    journal.lose_answers = False
    ledger.stage([draft(ledger.state, later, AT)])

    await ledger.flush()

    assert [event.data for event in journal.events] == [opened, carried, later]
