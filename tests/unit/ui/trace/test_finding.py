"""Filters and the search: nothing that is there is missed, nothing is read twice."""

from hypothesis import given
from hypothesis import strategies as st

from agent_core.model import events as ev
from agent_core.model.proposal import Touchpoint, Verdict
from tests.support import sample_session as sample
from ui.models.trace.filters import ALL_GROUPS, CONVERSATION, GROUP_OF, Group, Shown, of_groups
from ui.models.trace.find import Search
from ui.models.trace.rows import RowKind
from ui.models.trace.whole import Trace


def of(events: list[ev.Event]) -> Trace:
    trace = Trace()
    trace.apply(events)
    return trace


def found(model: Trace, needle: str) -> list[int]:
    search = Search(model, needle)
    search.advance(lambda: False)
    return list(search.hits)


def test_every_kind_of_row_belongs_to_a_group() -> None:
    assert set(GROUP_OF) == set(RowKind) - {RowKind.GONE, RowKind.STEP}


@given(groups=st.frozensets(st.sampled_from(Group), min_size=1), cut=st.integers(0, 90))
def test_a_filter_lets_through_its_kinds_and_the_heads_of_their_steps(groups: frozenset[Group], cut: int) -> None:
    events = sample.every_kind()
    model, shown = Trace(), Shown(of_groups(groups))
    for part in (events[:cut], events[cut:]):
        model.apply(part)
        shown.catch_up(model)
    rows = [shown.row(place) for place in range(len(shown))]
    assert rows == sorted(rows)
    wanted = [row for row in range(len(model)) if GROUP_OF.get(model.kind(row)) in groups]
    assert [row for row in rows if model.kind(row) is not RowKind.STEP] == wanted
    assert all(shown.place(row) == place for place, row in enumerate(rows))
    if groups != ALL_GROUPS:
        for place, row in enumerate(rows):
            if model.kind(row) is RowKind.STEP:
                assert model.head(rows[place + 1]) == row


def test_everything_chosen_needs_no_list() -> None:
    assert of_groups(ALL_GROUPS) is None


def test_the_conversation_is_what_both_sides_said() -> None:
    story = sample.Story()
    (call,) = story.respond(story.request(), "Let me ask.", [("ask_operator", {"question": "Which month?"})])
    card = story.open_card(call, Touchpoint.QUESTION, summary="Which month?")
    story.decide(card, Verdict.ANSWER, 30, answer="October", digest=None)
    story.finish(call, {"answer": "October"}, "Answered by m.keller.", ran=False)
    story.add(ev.MessageAdded(text="And be quick.", by=sample.OPERATOR))
    story.respond(story.request(), "October is done.")
    story.add(
        ev.RunStopped(stop_reason="completed", completed=True, output="October is done.", gaps=[], confidence="high")
    )
    model, shown = of(story.events), Shown(CONVERSATION, heads=False)
    shown.catch_up(model)
    texts = [model.line(shown.row(place)).spoken for place in range(len(shown))]
    assert [text.split(",")[0] for text in texts] == [
        "Goal", "Answered by m.keller", "Message from m.keller", "Thought", "Completed",
    ]  # fmt: skip


def test_a_search_finds_titles_arguments_results_reasons_and_thoughts() -> None:
    model = of(sample.sample_events())
    for needle in ("short DELIVERY", "receipts/gr-5521", "Name the currency", "206", "received 118", "overloaded",
                   "no rule can lower", "Fresh", "step 3"):  # fmt: skip
        assert found(model, needle), needle
    assert not found(model, "no such words anywhere")
    assert not found(model, "")


def test_a_search_in_slices_finds_what_it_finds_at_once() -> None:
    model = of(sample.every_kind())
    search = Search(model, "ledger")
    for _ in range(10_000):
        search.advance(lambda: True)
        if search.complete:
            break
    assert list(search.hits) == found(model, "ledger")


def test_a_search_goes_on_with_rows_that_come_or_change_later() -> None:
    events = sample.every_kind()
    model = of(events[:40])
    search = Search(model, "m.keller")
    search.advance(lambda: False)
    search.look_again(model.apply(events[40:]).changed)
    assert not search.complete
    search.advance(lambda: False)
    assert list(search.hits) == found(model, "m.keller")


def test_a_hit_across_two_pieces_of_a_long_text_is_found() -> None:
    story = sample.Story()
    (call,) = story.respond(story.request(), calls=[("files_read", {"path": "a"})])
    story.read(call, {"text": "x" * 199_995 + "needle" + "y" * 300_000}, "1 line")
    model = of(story.events)
    assert found(model, "needle") == [len(model) - 1]
