"""A trace in pages shows what the same events show in one piece, and holds only what is looked at."""

from hypothesis import given
from hypothesis import strategies as st

from agent_core.model import events as ev
from agent_core.model.outline import HEADLESS, KIND
from agent_core.model.standing import Opening, Standing, is_settled
from tests.support import sample_session as sample
from tests.support.random_story import stories
from tests.support.standings import taken
from tests.unit.ui.trace.test_model import delta
from ui.models.trace.filters import CONVERSATION, Group, Shown, of_groups
from ui.models.trace.find import Search
from ui.models.trace.lines import line_of
from ui.models.trace.model import TraceModel
from ui.models.trace.rows import RowKind
from ui.models.trace.whole import MOST_READ, READING, READING_STEP, UNREAD, Trace

SMALL = 12


class Pages:
    """A trace of some events and the pages that it wants."""

    def __init__(self, events: list[ev.Event], page: int = SMALL) -> None:
        self.events = list(events)
        self.opening = Opening(Standing(sample.SESSION, page), [])
        for event in events:
            self.opening.take(event)
        self.trace = Trace(self.opening)
        self.wanted: list[int] = []
        self.trace.wanted = self.wanted.append

    def go_on(self, events: list[ev.Event]) -> None:
        self.events = self.events + events
        for event in events:
            self.opening.take(event)
        self.trace.apply(events)

    def deliver(self) -> None:
        """Let every page that was asked for come."""
        while self.wanted:
            number = self.wanted.pop(0)
            after, count = self.trace.events_of(number)
            self.trace.arrive(number, self.events[after : after + count])

    def read(self, row: int) -> str:
        """What a row says, once its page is there."""
        if self.trace.at(row) is None:
            self.deliver()
        return self.trace.line(row).spoken


def in_one_piece(events: list[ev.Event]) -> TraceModel:
    model = TraceModel()
    model.load(events)
    return model


def comes_to_rest(events: list[ev.Event]) -> bool:
    """Whether every page of these events begins with nothing open."""
    standing = Standing(sample.SESSION, SMALL)
    for event in events:
        if standing.begins_page(event) and not is_settled(standing.state):
            return False
        standing.take(event)
    return True


@given(events=stories)
def test_the_outline_knows_each_row_of_the_trace(events: list[ev.Event]) -> None:
    standing, model = taken(Standing(sample.SESSION), events), in_one_piece(events)
    rows = standing.outline.rows_of(0)
    assert list(rows) == [model.byte(row) for row in range(len(model))]
    assert [bool(row & HEADLESS) for row in rows] == [
        model.head(row) is None and model.kind(row) is not RowKind.STEP for row in range(len(model))
    ]


@given(events=stories, cut=st.integers(0, 300))
def test_rows_say_the_same_in_pages_as_in_one_piece(events: list[ev.Event], cut: int) -> None:
    if not comes_to_rest(events):
        return
    pages, model = Pages(events[:cut]), in_one_piece(events)
    pages.go_on(events[cut:])
    trace = pages.trace
    assert len(trace) == len(model)
    assert [trace.kind(row) for row in range(len(model))] == [model.kind(row) for row in range(len(model))]
    assert [pages.read(row) for row in range(len(model))] == [line_of(model, row).spoken for row in range(len(model))]
    for row in range(len(model)):
        if model.kind(row) is not RowKind.STEP:
            assert trace.head(row) == model.head(row)


@given(events=stories)
def test_every_row_is_there_even_when_nothing_comes_to_rest(events: list[ev.Event]) -> None:
    pages = Pages(events, 4)
    rows = range(len(pages.trace))
    for row in rows:
        pages.read(row)
        found = pages.trace.at(row)
        assert found is not None
        assert found[0].kind(found[1]) is pages.trace.kind(row)


def test_a_row_that_is_not_there_yet_has_a_kind_and_asks_for_its_page_once() -> None:
    pages = Pages(sample.long_session(40))
    assert pages.trace.kind(2) is RowKind.STEP
    assert pages.trace.line(2) is READING_STEP
    assert pages.trace.line(3) is READING
    assert pages.wanted == [0]
    pages.deliver()
    assert pages.trace.line(2).spoken.startswith("Step 1")


def test_a_page_that_did_not_come_is_asked_for_again() -> None:
    pages = Pages(sample.long_session(40))
    pages.trace.line(2)
    pages.trace.give_up(0)
    pages.trace.line(2)
    assert pages.wanted == [0, 0]


def test_only_pages_that_were_looked_at_lately_are_held() -> None:
    pages = Pages(sample.long_session(400))
    trace = pages.trace
    for row in range(0, len(trace), 5):
        pages.read(row)
    assert sum(trace.peek(trace.first_row(page)) is not None for page in range(trace.last_page)) == MOST_READ
    assert pages.read(2).startswith("Step 1")


def test_a_session_that_goes_on_lets_its_earlier_pages_go_and_finds_them_again() -> None:
    events = sample.long_session(200)
    pages = Pages(events[:20])
    for at in range(20, len(events), 7):
        pages.go_on(events[at : at + 7])
    held = sum(len(model.events) for model in [pages.trace.tail, *pages.trace._lived.values()])
    assert held < 40 * (MOST_READ + 1) < len(events)
    model = in_one_piece(events)
    assert [pages.read(row) for row in range(len(model))] == [line_of(model, row).spoken for row in range(len(model))]


def test_text_that_was_cut_off_leaves_the_rows_of_later_pages_where_they_are() -> None:
    story = sample.Story()
    pages = Pages(story.events)
    request = story.request()
    pages.go_on(story.events[-1:])
    pages.trace.apply([], [(delta(request), "half a thou")])
    story.add(ev.ModelFailed(request_id=request, attempt=1, fault="cut", message="cut"))
    story.request(request_id=request, attempt=2)
    story.respond(request, "Again.")
    pages.go_on(story.events[-3:])
    for _ in range(90):
        before = len(story.events)
        story.respond(story.request(), "Goes on.")
        pages.go_on(story.events[before:])
    trace = pages.trace
    assert trace.last_page > MOST_READ
    gone = [row for row in range(len(trace)) if trace.kind(row) is RowKind.GONE]
    assert len(gone) == 1
    steps = [row for row in range(len(trace)) if trace.kind(row) is RowKind.STEP]
    assert [pages.read(row).split(",")[0] for row in steps] == [f"Step {number}" for number in range(1, 92)]


@given(events=stories, groups=st.frozensets(st.sampled_from(Group), min_size=1))
def test_filters_need_no_page_and_find_the_same(events: list[ev.Event], groups: frozenset[Group]) -> None:
    for wanted, heads in ((of_groups(groups), True), (CONVERSATION, False)):
        pages, whole = Pages(events), Trace()
        whole.apply(events)
        one, other = Shown(wanted, heads=heads), Shown(wanted, heads=heads)
        one.catch_up(pages.trace)
        other.catch_up(whole)
        assert list(one._rows) == list(other._rows)
        assert not pages.wanted


def test_a_search_waits_for_pages_and_misses_none() -> None:
    events = sample.long_session(60)
    pages, whole = Pages(events), Trace()
    whole.apply(events)
    search, at_once = Search(pages.trace, "INV-4"), Search(whole, "INV-4")
    at_once.advance(lambda: False)
    while not search.complete:
        search.advance(lambda: False)
        assert search.waits != search.complete
        pages.deliver()
    assert list(search.hits) == list(at_once.hits)
    assert len(search.hits) > 20


def test_a_step_is_found_in_the_page_that_holds_it() -> None:
    pages = Pages(sample.long_session(60))
    assert pages.trace.row_of_step(17) == UNREAD
    assert len(pages.wanted) == 1
    pages.deliver()
    row = pages.trace.row_of_step(17)
    assert row is not None
    assert pages.read(row).startswith("Step 17")
    assert pages.trace.row_of_step(61) is None


def test_the_newest_of_several_steps_of_one_number_is_meant() -> None:
    story = sample.Story()
    for _ in range(3):
        for number in range(20):
            story.respond(story.request(), f"Words {number}.")
        story.start_run(story.events[1].data.limits)
    pages = Pages(story.events)
    while (row := pages.trace.row_of_step(5)) == UNREAD:
        pages.deliver()
    assert row is not None
    later = [r for r in range(row + 1, len(pages.trace)) if pages.read(r).startswith("Step 5,")]
    assert not later


def test_a_place_is_found_again_when_the_trace_is_made_anew() -> None:
    events = sample.long_session(60)
    before = Trace(Opening(None, events[-30:]))
    after = Pages(events, 500).trace
    row = len(before) - 7
    place = before.place_of(row)
    assert place is not None
    again = after.row_at(place)
    assert again is not None
    assert after.line(again).spoken == before.line(row).spoken


def test_the_bytes_of_a_page_are_those_of_its_rows() -> None:
    pages = Pages(sample.long_session(60))
    trace = pages.trace
    for page in range(trace.last_page + 1):
        rows = range(trace.first_row(page), len(trace) if page == trace.last_page else trace.first_row(page + 1))
        assert [byte & KIND for byte in trace.bytes_of(page)] == [trace.kind(row) for row in rows]
        assert list(trace.bytes_of(page)) == [trace.byte(row) for row in rows]
