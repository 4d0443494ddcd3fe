"""Snapshots make opening a long session cheap, and are believed only as far as the chain bears them out."""

import hashlib
import sqlite3
from contextlib import closing

import pytest

from agent_core.config.home import Home
from agent_core.model.events import Draft, Event
from agent_core.model.outline import PAGE_EVENTS
from agent_core.model.standing import STANDING_VERSION, Opening, Standing
from agent_core.store.journal import Journal
from tests.support import sample_session as sample
from tests.support.standings import taken

SESSION = sample.SESSION


def drafts(events: list[Event]) -> list[Draft]:
    return [Draft(data=event.data, at=event.at, run=event.run, step=event.step) for event in events]


def filled(journal: Journal, steps: int) -> list[Event]:
    """A long session, and no snapshot of it."""
    events = journal.append_now(SESSION, drafts(sample.long_session(steps)))
    settle(journal)
    tamper(journal, "DELETE FROM snapshots")
    return events


def settle(journal: Journal) -> None:
    """Let what is kept in the background be kept."""
    journal.snapshots._pool.submit(lambda: None).result()


def tamper(journal: Journal, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(journal.database.path)) as shell:
        shell.execute(statement, values)
        shell.commit()


def kept(journal: Journal) -> tuple[int, int] | None:
    """Version and event of the snapshot."""
    with journal.database.reading() as connection:
        found: tuple[int, int] | None = connection.execute("SELECT version, seq FROM snapshots").fetchone()
    return found


def check(opening: Opening, events: list[Event]) -> None:
    """It tells what the whole chain tells."""
    whole = taken(Standing(SESSION), events)
    assert opening.standing is not None
    assert opening.standing.state == whole.state
    assert opening.standing.bills == whole.bills
    assert opening.standing.outline.pages.rows == whole.outline.pages.rows
    assert opening.events == events[whole.outline.first_seq - 1 :]


def test_a_session_that_grows_by_a_page_gets_a_snapshot(journal: Journal) -> None:
    events = journal.append_now(SESSION, drafts(sample.long_session(400)))
    settle(journal)
    version, seq = kept(journal) or (0, 0)
    assert version == STANDING_VERSION
    assert len(events) - 2 * PAGE_EVENTS < seq < len(events)
    check(journal.snapshots.first_look(SESSION), events)


def test_a_short_session_needs_none(journal: Journal) -> None:
    events = journal.append_now(SESSION, drafts(sample.sample_events()))
    settle(journal)
    assert kept(journal) is None
    check(journal.snapshots.first_look(SESSION), events)


def test_a_session_that_is_not_there_has_nothing(journal: Journal) -> None:
    assert journal.snapshots.first_look("s-none").events == []
    assert journal.snapshots.whole("s-none").events == []


def test_what_came_after_a_snapshot_is_part_of_the_opening(journal: Journal) -> None:
    events = filled(journal, 250)
    journal.snapshots.whole(SESSION)
    more = journal.append_now(SESSION, drafts(sample.sample_events()[2:]))
    check(journal.snapshots.first_look(SESSION), events + more)


def test_a_long_session_without_a_snapshot_shows_its_end_first_and_keeps_one(journal: Journal) -> None:
    events = filled(journal, 250)
    look = journal.snapshots.first_look(SESSION, at_once=1_000)
    assert look.standing is None
    assert look.events == events[-len(look.events) :]
    assert 0 < len(look.events) <= PAGE_EVENTS
    check(journal.snapshots.whole(SESSION), events)
    check(journal.snapshots.first_look(SESSION, at_once=1_000), events)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE snapshots SET data = substr(data, 1, length(data) - 1)",
        "UPDATE snapshots SET data = x''",
        "UPDATE snapshots SET data = cast(replace(data, 'steps', 'stepz') AS BLOB)",
        "UPDATE snapshots SET seq = seq - 1",
        "UPDATE snapshots SET digest = zeroblob(32)",
        "UPDATE snapshots SET seal = zeroblob(32)",
        "UPDATE snapshots SET version = version - 1",
        "UPDATE snapshots SET version = version + 1",
    ],
)
def test_a_snapshot_that_was_altered_is_passed_over_and_made_anew(journal: Journal, statement: str) -> None:
    events = filled(journal, 250)
    journal.snapshots.whole(SESSION)
    tamper(journal, statement)
    check(journal.snapshots.first_look(SESSION), events)
    check(journal.snapshots.whole(SESSION), events)
    with journal.database.reading() as connection:
        version, seq, digest = connection.execute("SELECT version, seq, digest FROM snapshots").fetchone()
    assert version == STANDING_VERSION
    assert digest.hex() == events[seq - 1].digest


def test_a_snapshot_of_another_session_is_none_of_this_one(journal: Journal) -> None:
    events = filled(journal, 250)
    story = sample.Story("s-other")
    for _ in range(PAGE_EVENTS):
        story.respond(story.request(), "Goes on.")
    others = journal.append_now("s-other", drafts(story.events))
    journal.snapshots.whole("s-other")
    journal.snapshots.whole(SESSION)
    tamper(
        journal,
        "UPDATE snapshots SET (seal, data) = (SELECT o.seal, o.data FROM snapshots o WHERE o.chain != snapshots.chain)",
    )
    check(journal.snapshots.first_look(SESSION), events)
    assert journal.snapshots.first_look("s-other").events[-1] == others[-1]


def test_a_snapshot_with_a_true_seal_but_no_standing_is_passed_over(journal: Journal) -> None:
    events = filled(journal, 250)
    journal.snapshots.whole(SESSION)
    with journal.database.reading() as connection:
        seq, digest = connection.execute("SELECT seq, digest FROM snapshots").fetchone()
    data = b"\x90"
    seal = hashlib.sha256(f"{STANDING_VERSION}\n{SESSION}\n{seq}\n".encode() + digest + data).digest()
    tamper(journal, "UPDATE snapshots SET data = ?, seal = ?", data, seal)
    check(journal.snapshots.first_look(SESSION), events)


def test_a_chain_that_was_set_back_leaves_its_snapshot_behind(journal: Journal) -> None:
    """As a restore does it: the events after some point are others now."""
    events = filled(journal, 250)
    journal.snapshots.whole(SESSION)
    tamper(journal, "DROP TRIGGER events_are_not_deleted")
    tamper(journal, "DELETE FROM events WHERE seq > 600")
    check(journal.snapshots.first_look(SESSION), events[:600])


def test_what_other_processes_append_is_kept_too(place: Home, journal: Journal) -> None:
    events = filled(journal, 250)
    other = Journal.open(place)
    more = other.append_now(SESSION, drafts(sample.long_session(100)[2:]))
    other.close()
    check(journal.snapshots.whole(SESSION), events + more)


def test_closing_ends_a_long_fold_at_its_next_portion(journal: Journal) -> None:
    filled(journal, 250)
    journal.snapshots._closing.set()
    assert journal.snapshots.whole(SESSION).standing is None


async def test_the_step_of_a_call_is_found_wherever_it_is(journal: Journal) -> None:
    events = journal.append_now(SESSION, drafts(sample.long_session(30)))
    call = next(event.data.calls[0].call_id for event in events if event.step == 17 and event.kind == "model_responded")
    assert await journal.step_of_call(SESSION, call) == 17
    assert await journal.step_of_call(SESSION, "c-none") is None
