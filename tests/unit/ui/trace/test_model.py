"""Events and streaming text become rows, each event looked at once, in whatever portions they come."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.engine.facade import StreamDelta
from agent_core.model import events as ev
from agent_core.model.events import EVENT_TYPES
from agent_core.model.proposal import Verdict
from agent_core.providers.base import Delta
from tests.support import sample_session as sample
from ui.models.trace.lines import line_of
from ui.models.trace.model import TraceModel
from ui.models.trace.rows import RowKind


def of(events: list[ev.Event]) -> TraceModel:
    model = TraceModel()
    model.apply(events)
    return model


def spoken(model: TraceModel) -> list[str]:
    return [line_of(model, row).spoken for row in range(len(model)) if model.kind(row) is not RowKind.GONE]


def delta(request: str, kind: str = "text", block: int = 0, tool: str | None = None) -> StreamDelta:
    piece = Delta(kind=kind, block=block, text="", tool=tool)
    return StreamDelta(session=sample.SESSION, run=sample.RUN, step=1, request_id=request, delta=piece)


@given(cuts=st.lists(st.integers(0, 90), max_size=6))
def test_rows_are_the_same_however_the_events_are_portioned(cuts: list[int]) -> None:
    events = sample.every_kind()
    model, bounds = TraceModel(), [0, *sorted(min(cut, len(events)) for cut in cuts), len(events)]
    for start, end in pairwise(bounds):
        model.apply(events[start:end])
    whole = of(events)
    assert spoken(model) == spoken(whole)
    assert model.rows.kinds == whole.rows.kinds


@pytest.mark.parametrize("kind", [event_type.kind for event_type in EVENT_TYPES])
def test_every_kind_of_event_shows_in_a_row(kind: str) -> None:
    """Alone it makes a new row, or it changes one that is there: nothing passes unseen."""
    events = sample.every_kind()
    index = next(i for i, event in enumerate(events) if event.kind == kind)
    model = of(events[:index])
    change = model.apply(events[index : index + 1])
    assert len(model) > change.first_new or change.changed


def test_a_change_names_new_rows_and_the_old_ones_that_look_different() -> None:
    story = sample.Story()
    model = of(story.events)
    request = story.request()
    story.respond(request, "Look.", [("files_list", {"path": "."})])
    change = model.apply(story.events[2:])
    assert change.first_new == 2
    assert [model.kind(row) for row in range(2, len(model))] == [RowKind.STEP, RowKind.THOUGHT, RowKind.CALL]
    call = len(model) - 1
    calls = list(model._calls)
    story.judge(calls[0])
    change = model.apply(story.events[-1:])
    assert call in change.changed
    assert change.first_new == len(model)


# ---------------------------------------------------------------------------------------------- streaming


def test_streamed_text_becomes_the_row_of_the_response() -> None:
    story = sample.Story()
    request = story.request()
    model = of(story.events)
    model.apply([], [(delta(request), "The led"), (delta(request), "ger agrees")])
    row = len(model) - 1
    assert line_of(model, row).spoken == "Thought, The ledger agrees"
    assert row in model.streaming
    before = len(model)
    story.respond(request, "The ledger agrees, line by line.")
    model.apply(story.events[-1:])
    assert len(model) == before
    assert not model.streaming
    assert line_of(model, row).spoken == "Thought, The ledger agrees, line by line."


def test_text_whose_beginning_was_not_heard_says_so() -> None:
    story = sample.Story()
    request = story.request()
    model = TraceModel()
    model.load(story.events)
    model.apply([], [(delta(request), "and so on")])
    assert line_of(model, len(model) - 1).spoken == "Thought, … and so on"


def test_a_call_shows_while_its_arguments_are_written() -> None:
    story = sample.Story()
    request = story.request()
    model = of(story.events)
    model.apply([], [(delta(request, "input", 0, "files_write"), '{"path": "a')])
    assert line_of(model, len(model) - 1).spoken.startswith('files_write, {"path": "a')


def test_a_stream_that_breaks_off_leaves_no_row() -> None:
    story = sample.Story()
    request = story.request()
    model = of(story.events)
    model.apply([], [(delta(request), "half a sen")])
    story.add(ev.ModelFailed(request_id=request, attempt=1, fault="connection", message="lost after 12 events"))
    change = model.apply(story.events[-1:])
    assert change.gone
    assert not any("half a sen" in text for text in spoken(model))
    assert spoken(model)[-1].startswith("Model request failed, lost after 12 events")


def test_a_stop_in_the_middle_of_a_stream_leaves_what_the_journal_has() -> None:
    story = sample.Story()
    request = story.request()
    model = of(story.events)
    model.apply([], [(delta(request), "half")])
    story.add(ev.RunStopped(stop_reason="cancelled", completed=False, output=None, gaps=[], confidence="low"))
    model.apply(story.events[-1:])
    assert spoken(model) == spoken(of(story.events))


def test_a_late_piece_of_an_answered_request_is_ignored() -> None:
    story = sample.Story()
    request = story.request()
    story.respond(request, "Done.")
    model = of(story.events)
    rows = len(model)
    model.apply([], [(delta(request), "ghost")])
    assert len(model) == rows


# ---------------------------------------------------------------------------------------------- cards


def held() -> tuple[sample.Story, str, str]:
    story = sample.Story()
    request = story.request()
    (call,) = story.respond(request, calls=[("files_delete", {"path": "a"})])
    card = story.open_card(call, summary="Delete a")
    return story, call, card


def test_a_decision_that_comes_at_once_takes_the_place_of_held() -> None:
    story, _, card = held()
    model = of(story.events)
    assert spoken(model)[-1].startswith("Held for approval")
    rows = len(model)
    story.decide(card, Verdict.APPROVE, 150)
    model.apply(story.events[-1:])
    assert len(model) == rows
    assert spoken(model)[-1].startswith("Approved by m.keller, after 2 min 30 s")


def test_a_decision_that_comes_after_other_rows_stands_where_it_happened() -> None:
    story, _, card = held()
    story.decide(card, Verdict.ASK, 20, reason="Which a?")
    story.decide(card, Verdict.REJECT, 20, reason="Not this one", digest=None)
    texts = spoken(of(story.events))
    assert texts[-3].startswith("Held for approval")
    assert texts[-2].startswith("m.keller asked the agent, Which a?")
    assert texts[-1].startswith("Rejected by m.keller, after 40 s: Not this one")


def test_an_approval_taken_back_shows_the_card_as_open() -> None:
    story, _, card = held()
    decision = story.decide(card, Verdict.APPROVE, 5)
    story.add(ev.DecisionUndone(proposal=card, decision=decision.decision, by=sample.OPERATOR))
    model = of(story.events)
    assert spoken(model)[-2].startswith("Held for approval")
    assert model.waiting


def test_a_step_waits_while_a_card_of_it_is_open() -> None:
    story, call, card = held()
    model = of(story.events)
    head = model.row_of_step(1)
    assert head is not None
    assert "Waiting for you" in line_of(model, head).spoken
    story.decide(card, Verdict.APPROVE, 5)
    story.start(call)
    model.apply(story.events[-2:])
    assert "Waiting for you" not in line_of(model, head).spoken


# ---------------------------------------------------------------------------------------------- size


def test_rows_stay_small_and_each_event_is_looked_at_once() -> None:
    events = sample.long_session(600)
    model = TraceModel()
    touched = 0
    for event in events:
        change = model.apply([event])
        touched += len(change.changed) + len(model) - change.first_new
    assert model.rows.size / len(model) <= 48
    assert touched <= 4 * len(events)
