"""Notes on the desktop: who is told what, when, and how often."""

from __future__ import annotations

from datetime import time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.proposal import Touchpoint
from tests.support.sample_cards import NOW, card, entry, irreversible_card
from ui.models.notifications import NoteKeeper, NoteLevel, QuietHours


def started(**settings: object) -> NoteKeeper:
    keeper = NoteKeeper(**settings)  # type: ignore[arg-type]
    assert keeper.look([], NOW, watched=False) == []
    return keeper


def texts(notes: list[object]) -> list[str]:
    return [note.text for note in notes]  # type: ignore[attr-defined]


def test_what_is_open_at_the_start_is_not_told() -> None:
    keeper = NoteKeeper()
    assert keeper.look([entry(irreversible_card(1))], NOW, watched=False) == []


def test_an_irreversible_card_is_told_at_once_with_its_deadline() -> None:
    keeper = started()
    notes = keeper.look([entry(irreversible_card(1))], NOW, watched=False)
    assert len(notes) == 1
    assert notes[0].text.startswith("Decision needed: Send an e-mail to 3 recipients")
    assert "Due " in notes[0].text
    assert notes[0].proposal == "p-1"


def test_reversible_cards_are_told_together_after_a_minute() -> None:
    keeper = started()
    queue = [entry(card(1)), entry(card(2))]
    assert keeper.look(queue, NOW, watched=False) == []
    assert keeper.look(queue, NOW + timedelta(seconds=59), watched=False) == []
    assert texts(keeper.look(queue, NOW + timedelta(seconds=61), watched=False)) == ["2 decisions needed"]  # type: ignore[arg-type]
    assert keeper.look(queue, NOW + timedelta(seconds=200), watched=False) == []


def test_a_card_that_was_answered_within_the_minute_is_never_told() -> None:
    keeper = started()
    keeper.look([entry(card(1))], NOW, watched=False)
    assert keeper.look([], NOW + timedelta(seconds=30), watched=False) == []
    assert keeper.look([], NOW + timedelta(seconds=90), watched=False) == []


def test_nothing_is_told_while_the_window_is_in_front() -> None:
    keeper = started()
    assert keeper.look([entry(irreversible_card(1))], NOW, watched=True) == []
    assert keeper.look([entry(irreversible_card(1))], NOW, watched=False) == [], "and not again afterwards"


def test_one_reminder_when_a_fifth_of_the_time_is_left_and_one_word_at_its_end() -> None:
    keeper = started()
    queue = [entry(irreversible_card(1, opened_at=NOW, approve_by=NOW + timedelta(minutes=100)))]
    keeper.look(queue, NOW, watched=False)
    assert keeper.look(queue, NOW + timedelta(minutes=79), watched=False) == []
    reminder = keeper.look(queue, NOW + timedelta(minutes=81), watched=False)
    assert [note.text.split(":")[0] for note in reminder] == ["Still waiting, 19 minutes left"]
    assert keeper.look(queue, NOW + timedelta(minutes=95), watched=False) == []
    over = keeper.look([], NOW + timedelta(minutes=100), watched=False)
    assert [note.text.split(":")[0] for note in over] == ["Expired"]


def test_a_flood_is_one_note() -> None:
    keeper = started()
    queue = [entry(irreversible_card(number)) for number in range(1, 13)]
    assert texts(keeper.look(queue, NOW, watched=False)) == ["Decision flood, 12 waiting"]  # type: ignore[arg-type]
    more = [*queue, *[entry(irreversible_card(number)) for number in range(20, 24)]]
    assert keeper.look(more, NOW + timedelta(minutes=1), watched=False) == []


def test_quiet_hours_let_only_unknown_outcomes_through() -> None:
    at = NOW.astimezone().time()
    quiet = QuietHours(time(at.hour, 0), time((at.hour + 1) % 24, 0))
    keeper = started(quiet=quiet)
    unknown = entry(card(9, Touchpoint.OUTCOME_UNKNOWN, None, approve_by=None))
    notes = keeper.look([entry(irreversible_card(1)), unknown], NOW, watched=False)
    assert [note.proposal for note in notes] == ["p-9"]


def test_urgent_only_and_none() -> None:
    queue = [entry(card(1)), entry(irreversible_card(2))]
    later = NOW + timedelta(seconds=61)
    urgent = started(level=NoteLevel.URGENT)
    assert [n.proposal for n in urgent.look(queue, NOW, watched=False)] == ["p-2"]
    assert urgent.look(queue, later, watched=False) == []
    silent = started(level=NoteLevel.NONE)
    assert silent.look(queue, NOW, watched=False) + silent.look(queue, later, watched=False) == []


@given(st.times(), st.times(), st.times())
def test_quiet_hours_hold_from_their_start_up_to_their_end(start: time, end: time, at: time) -> None:
    moment = NOW.astimezone().replace(hour=at.hour, minute=at.minute, second=at.second, microsecond=at.microsecond)
    inside = start <= at < end if start <= end else not (end <= at < start)
    assert QuietHours(start, end).holds(moment) == inside
