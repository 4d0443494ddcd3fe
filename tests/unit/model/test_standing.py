"""A standing is the same wherever its fold began, stays small, and says of each row what the trace will show."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model import events as ev
from agent_core.model.outline import KIND, PAGE_EVENTS, SAID
from agent_core.model.standing import Opening, Standing, forgetful, pack, unpack
from agent_core.model.state import fold
from tests.support import sample_session as sample
from tests.support.random_story import stories
from tests.support.standings import taken

SMALL = 12
"""Events of a page, so that short stories have many."""


def snapshots(events: list[ev.Event], page: int = SMALL) -> tuple[Standing, list[tuple[int, bytes]]]:
    """The standing after all events, and what would have been kept on the way: after which event, and the bytes."""
    standing, kept = Standing(sample.SESSION, page), []
    for event in events:
        if standing.begins_page(event):
            standing.turn_page(event.seq)
            kept.append((standing.seq, pack(standing)))
        standing.take(event)
    return standing, kept


def same(one: Standing, other: Standing) -> bool:
    rows = [[standing.outline.rows_of(page) for page in range(len(standing.outline.pages) + 1)]
            for standing in (one, other)]  # fmt: skip
    places = [(s.outline.pages.seqs, s.outline.pages.rows, s.outline.first_seq, s.outline.steps) for s in (one, other)]
    return (one.state, one.bills, rows[0], places[0]) == (other.state, other.bills, rows[1], places[1])


@given(events=stories, page=st.integers(4, 40), cuts=st.data())
def test_a_fold_from_any_snapshot_is_the_fold_from_the_start(
    events: list[ev.Event], page: int, cuts: st.DataObject
) -> None:
    whole, kept = snapshots(events, page)
    if not kept:
        return
    seq, packed = cuts.draw(st.sampled_from(kept))
    assert same(taken(unpack(packed, page), events[seq:]), whole)


@given(events=stories, page=st.integers(4, 40))
def test_what_is_forgotten_is_nothing_that_a_screen_shows(events: list[ev.Event], page: int) -> None:
    standing, whole = taken(Standing(sample.SESSION, page), events), fold(events)
    assert standing.state.status is whole.status
    assert standing.state.run.spend == whole.run.spend
    assert standing.state.run.limits == whole.run.limits
    assert standing.state.run.in_flight == whole.run.in_flight
    assert standing.state.open_proposals == whole.open_proposals
    assert standing.state.last_request == whole.last_request
    assert forgetful(standing.state) == forgetful(whole)


@given(events=stories, cut=st.integers(0, 400))
def test_what_is_kept_says_itself_again(events: list[ev.Event], cut: int) -> None:
    _, kept = snapshots(events)
    for _, packed in kept:
        assert pack(unpack(packed, SMALL)) == packed


@given(events=stories)
def test_an_opening_holds_the_events_of_the_open_page(events: list[ev.Event]) -> None:
    opening = Opening(Standing(sample.SESSION, SMALL), [])
    for event in events:
        opening.take(event)
    assert opening.standing is not None
    assert [event.seq for event in opening.events] == list(range(opening.standing.outline.first_seq, len(events) + 1))


def test_a_page_begins_with_a_request_at_which_nothing_is_open() -> None:
    standing = taken(Standing(sample.SESSION), sample.long_session(400))
    begins = set(standing.outline.pages.seqs[1:]) | {standing.outline.first_seq}
    assert len(begins) >= 2
    for event in sample.long_session(400):
        if event.seq in begins:
            assert isinstance(event.data, ev.ModelRequested)


def test_a_session_that_never_rests_gets_pages_too() -> None:
    story = sample.Story()
    (call,) = story.respond(story.request(), calls=[("files_write", {"path": "a"})])
    story.open_card(call)
    for _ in range(10 * PAGE_EVENTS):
        story.respond(story.request(), "Goes on.")
    standing = taken(Standing(sample.SESSION), story.events)
    assert len(standing.outline.pages) >= 2
    assert list(standing.state.open_cards)


def test_a_standing_stays_small_while_its_session_grows() -> None:
    short, long = (snapshots(sample.long_session(steps), PAGE_EVENTS)[1][-1][1] for steps in (400, 4_000))
    assert len(long) < 4 * len(short)


@pytest.mark.parametrize("cut", [0, 1, 40, -1])
def test_bytes_that_are_no_standing_are_refused(cut: int) -> None:
    _, kept = snapshots(sample.every_kind())
    with pytest.raises((msgspec.MsgspecError, ValueError)):
        unpack(kept[-1][1][:cut])


def test_what_was_said_is_marked() -> None:
    standing = taken(Standing(sample.SESSION), sample.every_kind())
    said = [row & KIND for row in standing.outline.rows_of(0) if row & SAID]
    assert said
