"""Notes on the desktop: who is told what, when, and how often."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.proposal import Proposal, Touchpoint
from tests.support.sample_cards import NOW, card, entry, irreversible_card
from ui.models.notifications import BATCH, LONGEST, NoteKeeper, NoteLevel, QuietHours, Weight, weight_of


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


def test_a_card_that_left_and_came_back_within_the_minute_counts_once() -> None:
    keeper = started()
    for seconds, queue in ((0, [entry(card(1))]), (10, []), (20, [entry(card(1))])):
        assert keeper.look(queue, NOW + timedelta(seconds=seconds), watched=False) == []
    notes = keeper.look([entry(card(1))], NOW + timedelta(seconds=80), watched=False)
    assert [note.text.split(":")[0] for note in notes] == ["Decision needed"]


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


def test_cards_whose_time_runs_out_together_have_one_reminder_and_one_end() -> None:
    due = NOW + timedelta(minutes=100)
    queue = [entry(card(n, opened_at=NOW, approve_by=due)) for n in range(1, 4)]
    keeper = NoteKeeper()
    keeper.look(queue, NOW, watched=False)
    (reminder,) = keeper.look(queue, NOW + timedelta(minutes=81), watched=False)
    assert (reminder.text, reminder.proposal) == ("3 decisions still waiting, 19 minutes left for the first", "p-1")
    assert keeper.look(queue, NOW + timedelta(minutes=90), watched=False) == []
    (end,) = keeper.look([], due, watched=False)
    assert end.text == "3 decisions expired; nothing was approved"


def test_a_flood_is_one_note() -> None:
    keeper = started()
    queue = [entry(irreversible_card(number)) for number in range(1, 13)]
    assert texts(keeper.look(queue, NOW, watched=False)) == ["Decision flood, 12 waiting"]  # type: ignore[arg-type]
    more = [*queue, *[entry(irreversible_card(number)) for number in range(20, 24)]]
    assert keeper.look(more, NOW + timedelta(minutes=1), watched=False) == []


def test_an_unknown_outcome_is_told_in_a_flood_and_a_flood_when_only_urgent_cards_are() -> None:
    keeper = started(level=NoteLevel.URGENT)
    queue = [entry(card(number)) for number in range(1, 13)]
    assert texts(keeper.look(queue, NOW, watched=False)) == ["Decision flood, 12 waiting"]  # type: ignore[arg-type]
    unknown = entry(card(40, Touchpoint.OUTCOME_UNKNOWN, None, approve_by=None))
    notes = keeper.look([*queue, unknown], NOW + timedelta(minutes=1), watched=False)
    assert [note.proposal for note in notes] == ["p-40"]


def test_an_unknown_outcome_is_recalled_twice_and_then_left_alone() -> None:
    keeper = started()
    queue = [entry(card(9, Touchpoint.OUTCOME_UNKNOWN, None, opened_at=NOW, approve_by=None))]
    told = [
        minutes
        for minutes in range(300)
        for note in keeper.look(queue, NOW + timedelta(minutes=minutes), watched=False)
        if note.text.startswith("Still unknown")
    ]
    assert told == [15, 60]


def test_the_end_of_an_irreversible_card_is_told_when_only_urgent_ones_are() -> None:
    keeper = started(level=NoteLevel.URGENT)
    keeper.look([entry(irreversible_card(1, opened_at=NOW, approve_by=NOW + timedelta(minutes=10)))], NOW, watched=True)
    notes = keeper.look([], NOW + timedelta(minutes=10), watched=False)
    assert [note.text.split(":")[0] for note in notes] == ["Expired"]


def test_a_note_is_one_short_line_and_hides_nothing() -> None:
    keeper = started()
    hostile = irreversible_card(1, summary="Send \u202e" + "x" * 500 + "\nApproved.")
    (note,) = keeper.look([entry(hostile)], NOW, watched=False)
    assert len(note.text) <= LONGEST
    assert note.text.isprintable()
    assert "\\u202e" in note.text
    assert note.text.endswith("."), "until when is never cut off"


CARDS = st.sampled_from(
    [
        *(card(number, opened_at=NOW, approve_by=NOW + timedelta(minutes=30 * number)) for number in range(1, 5)),
        *(irreversible_card(number, opened_at=NOW, approve_by=NOW + timedelta(minutes=20)) for number in range(5, 8)),
        *(card(number, Touchpoint.OUTCOME_UNKNOWN, None, opened_at=NOW, approve_by=None) for number in range(8, 10)),
    ]
)
LOOKS = st.lists(
    st.tuples(st.integers(0, 1_800), st.lists(CARDS, unique_by=lambda one: one.proposal), st.booleans()), max_size=30
)


@given(LOOKS, st.sampled_from(NoteLevel), st.booleans())
def test_whatever_comes_nobody_is_told_twice_too_early_or_against_their_wish(
    looks: list[tuple[int, list[Proposal], bool]], level: NoteLevel, quiet: bool
) -> None:
    keeper = started(level=level, quiet=QuietHours(time(0), time(23, 59, 59, 999999)) if quiet else None)
    now, first_seen, recalled, before = NOW, dict[str, datetime](), dict[str, int](), set[str]()
    for seconds, cards, watched in looks:
        now += timedelta(seconds=seconds)
        names = {one.proposal for one in cards}
        by_name = {one.proposal: one for one in cards}
        for name in names - before:
            first_seen[name] = now
        notes = keeper.look([entry(one) for one in cards], now, watched=watched)
        assert not (watched and notes)
        assert not (level is NoteLevel.NONE and notes)
        for note in notes:
            shown = by_name.get(note.proposal)
            assert note.proposal == "" or shown is not None, "a note opens a card that is there"
            if quiet:
                assert note.weight is Weight.UNKNOWN
            if level is NoteLevel.URGENT:
                assert note.weight >= Weight.GRAVE
            if shown is not None and note.text.startswith(("Decision needed", "2 dec", "3 dec", "4 dec")):
                early = now - first_seen[note.proposal] < BATCH
                assert not (early and weight_of(shown) is Weight.ORDINARY)
            if note.text.startswith("Still"):
                recalled[note.proposal] = recalled.get(note.proposal, 0) + 1
                assert recalled[note.proposal] <= (2 if note.weight is Weight.UNKNOWN else 1)
        for name in before - names:
            recalled.pop(name, None)
        before = names


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
