"""The view around the trace: tabs, chip, filter, find bar, loading, and the cost panel below it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from agent_core.model import events as ev
from agent_core.model.events import Event
from agent_core.model.plan import PlanStep
from tests.support import sample_session as sample
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor, opening_of
from tests.unit.ui.trace.test_model import delta
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.models.trace.filters import ALL_GROUPS, Group
from ui.views.cost_panel import CostPanel
from ui.views.trace.trace_view import TraceView


def now() -> datetime:
    return sample.START + timedelta(minutes=20)


@pytest.fixture
def state() -> ConsoleState:
    return ConsoleState(Commands(StandInSupervisor(), StandInDesk([]), StandInReader(), "ana"))


def select(state: ConsoleState, events: list[Event]) -> None:
    state.current, state.opening = sample.SESSION, opening_of(events)
    state.current_changed.emit()


def happen(state: ConsoleState, events: list[Event]) -> None:
    assert state.opening is not None
    for event in events:
        state.opening.take(event)
    state.current_advanced.emit(events, [])


@pytest.fixture
def view(qtbot: QtBot, state: ConsoleState) -> TraceView:
    made = TraceView(state, now)
    qtbot.addWidget(made)
    made.resize(690, 460)
    made.show()
    qtbot.waitExposed(made)
    return made


def open_find(view: TraceView, qtbot: QtBot, text: str) -> None:
    view.list.setFocus()
    qtbot.keyClick(view.list, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(view.find_bar.field, text)
    qtbot.waitUntil(lambda: not view.find_bar.searching)


# ---------------------------------------------------------------------------------------------- content


def test_a_selected_session_is_shown_and_goes_on(view: TraceView, state: ConsoleState) -> None:
    events = sample.sample_events()
    select(state, events[:30])
    shown = len(view.list.model)
    happen(state, events[30:])
    assert len(view.list.model) > shown
    assert view.list.view.rows[-1].row == len(view.list.model) - 1


def test_another_session_replaces_the_first(view: TraceView, state: ConsoleState) -> None:
    select(state, sample.sample_events())
    select(state, sample.Story().events)
    assert len(view.list.model) == 2
    assert view.files.count == 0


def test_before_the_first_step_it_says_that_the_agent_plans(view: TraceView, state: ConsoleState) -> None:
    story = sample.Story()
    select(state, story.events)
    assert view.list.note == "Planning. First step usually takes 3 to 6 s."
    story.request()
    happen(state, story.events[-1:])
    assert view.list.note == ""


def test_a_reading_that_takes_long_shows_a_skeleton(view: TraceView, state: ConsoleState, qtbot: QtBot) -> None:
    state.current, state.opening = sample.SESSION, None
    state.current_changed.emit()
    assert not view._skeleton_place.isVisible()
    qtbot.waitUntil(view._skeleton_place.isVisible)
    select(state, sample.sample_events())
    assert not view._skeleton_place.isVisible()


# ---------------------------------------------------------------------------------------------- the head


def test_the_chip_says_what_is_below_and_leads_there(view: TraceView, state: ConsoleState, qtbot: QtBot) -> None:
    events = sample.every_kind()
    select(state, events[:60])
    assert view.following.text() == "Following live"
    view.list.verticalScrollBar().setValue(0)
    assert view.following.text() == "Not following"
    happen(state, events[60:])
    assert view.following.text() == f"{view.list.below} new below"
    qtbot.mouseClick(view.following, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert view.following.text() == "At the end", "it has ended meanwhile"
    view.list.verticalScrollBar().setValue(0)
    assert view.following.text() == "To the end"


def test_the_filter_leaves_kinds_out_and_says_so(view: TraceView, state: ConsoleState) -> None:
    select(state, sample.every_kind())
    view.filter.choose(frozenset({Group.DECISIONS}))
    assert view.filter.accessibleName() == "Filter trace, showing Decisions and rules"
    assert len(view.list.shown) < len(view.list.model)
    view.filter.choose(ALL_GROUPS)
    assert len(view.list.shown) == len(view.list.model)


def test_tabs_lead_to_files_and_messages_and_back_to_a_step(
    view: TraceView, state: ConsoleState, qtbot: QtBot
) -> None:  # fmt: skip
    select(state, sample.every_kind())
    view.tabs.setCurrentIndex(2)
    assert view.files.isVisible()
    assert view.files.count == 3
    view.tabs.setCurrentIndex(3)
    assert view.messages.isVisible()
    assert 0 < len(view.messages.shown) < len(view.list.shown)
    view.tabs.setCurrentIndex(2)
    view.files.table.selectRow(1)
    qtbot.mouseClick(view.files._step, Qt.MouseButton.LeftButton)
    assert view.tabs.currentIndex() == 0
    assert view.list.model.event(view.list.view.rows[0].row).step == 4


# ---------------------------------------------------------------------------------------------- finding


def test_find_marks_hits_and_goes_through_them(view: TraceView, state: ConsoleState, qtbot: QtBot) -> None:
    select(state, sample.every_kind())
    open_find(view, qtbot, "credit note")
    assert view.find_bar.hits >= 2
    first = view.list.current
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Return)
    assert view.list.current != first
    assert view.list.current is not None
    assert view.list.view.of(view.list.current) is not None
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert view.list.current == first
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Escape)
    assert not view.find_bar.isVisible()
    assert not view.list._marked


def test_find_says_when_there_is_nothing(view: TraceView, state: ConsoleState, qtbot: QtBot) -> None:
    select(state, sample.sample_events())
    open_find(view, qtbot, "zebra")
    assert view.find_bar._hits.text() == "No hit"


def test_find_counts_what_arrives_while_it_is_open(view: TraceView, state: ConsoleState, qtbot: QtBot) -> None:
    story = sample.Story()
    select(state, story.events)
    open_find(view, qtbot, "zebra")
    story.add(ev.MessageAdded(text="Mind the zebra.", by="ana"))
    happen(state, story.events[-1:])
    qtbot.waitUntil(lambda: view.find_bar.hits == 1)


def test_g_asks_for_a_step_and_goes_there(view: TraceView, state: ConsoleState, qtbot: QtBot) -> None:
    select(state, sample.every_kind())
    view.list.setFocus()
    qtbot.keyClick(view.list, Qt.Key.Key_G)
    qtbot.keyClicks(view.find_bar.field, "99")
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Return)
    assert view.find_bar.field.problem == "There is no step 99 here"
    view.find_bar.field.clear()
    qtbot.keyClicks(view.find_bar.field, "3")
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Return)
    assert not view.find_bar.isVisible()
    assert view.list.model.event(view.list.view.rows[0].row).step == 3


# ---------------------------------------------------------------------------------------------- announcements


def test_finished_events_are_announced_and_pieces_of_a_stream_never(
    view: TraceView, state: ConsoleState, qtbot: QtBot
) -> None:  # fmt: skip
    story = sample.Story()
    request = story.request()
    select(state, story.events)
    said: list[str] = []
    state.announced.connect(lambda text, _urgent: said.append(text))
    view.activateWindow()
    view.list.setFocus()
    qtbot.waitUntil(view.list.hasFocus)
    for _ in range(20):
        state.current_advanced.emit([], [(delta(request), "word ")])
    assert said == []
    story.respond(request, "word " * 20, [("files_list", {"path": "."})])
    happen(state, story.events[-1:])
    assert said == ['files_list, {"path": "."}']


# ---------------------------------------------------------------------------------------------- cost


@pytest.fixture
def panel(qtbot: QtBot, state: ConsoleState) -> CostPanel:
    made = CostPanel(state, now)
    qtbot.addWidget(made)
    made.resize(690, 170)
    made.graph.build_plot()
    made.show()
    qtbot.waitExposed(made)
    return made


def test_the_panel_sums_up_in_one_line_when_collapsed(panel: CostPanel, state: ConsoleState) -> None:
    select(state, sample.sample_events())
    panel.set_collapsed(True)
    assert panel.graph._summary.text().startswith("$0.11 of $0.50 · projected $")
    assert panel.graph._summary.text().endswith("· cache read 68 %")


def test_a_click_on_a_bar_asks_for_its_step(panel: CostPanel, state: ConsoleState, qtbot: QtBot) -> None:
    select(state, sample.sample_events())
    with qtbot.waitSignal(panel.step_wanted) as wanted:
        panel.graph.step_clicked.emit(4)
    assert wanted.args == [4]


def test_the_same_figures_stand_as_a_table(panel: CostPanel, state: ConsoleState, qtbot: QtBot) -> None:
    select(state, sample.sample_events())
    qtbot.mouseClick(panel._as_table, Qt.MouseButton.LeftButton)
    assert panel.table.isVisible()
    assert panel.table.model().rowCount() == 7
    panel.table.selectRow(2)
    with qtbot.waitSignal(panel.step_wanted) as wanted:
        qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert wanted.args == [3]
    qtbot.mouseClick(panel._as_table, Qt.MouseButton.LeftButton)
    assert not panel.table.isVisible()


def test_an_unknown_cost_stands_in_words_with_the_tokens_below(panel: CostPanel, state: ConsoleState) -> None:
    story = sample.Story(price=False)
    story.respond(story.request(), "Hello.")
    select(state, story.events)
    assert panel.graph.accessibleName().startswith("Cost per step, Cost unknown: there is no price")
    assert panel.table.isVisible()
    panel.set_collapsed(True)
    assert panel.graph._summary.text().startswith("Cost unknown")


def test_a_burst_of_responses_is_drawn_a_few_times_a_second(
    panel: CostPanel, state: ConsoleState, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    story = sample.Story()
    select(state, story.events)
    drawn: list[int] = []
    set_state = panel.graph.set_state
    monkeypatch.setattr(panel.graph, "set_state", lambda shown: (drawn.append(len(shown.steps)), set_state(shown)))
    for _ in range(30):
        story.respond(story.request(), "Again.")
        happen(state, story.events[-2:])
    assert len(drawn) <= 4  # words and figures of one look, not of thirty
    qtbot.waitUntil(lambda: drawn[-1] == 30)


def test_nothing_is_drawn_while_the_panel_is_hidden(panel: CostPanel, state: ConsoleState) -> None:
    story = sample.Story()
    select(state, story.events)
    panel.hide()
    story.respond(story.request(), "Again.")
    happen(state, story.events[-2:])
    assert panel.costs.bills
    assert not panel._timer.isActive()
    panel.show()
    assert panel.graph._state.steps


def test_the_plan_tab_shows_how_far_each_step_is_and_leads_to_its_call(
    view: TraceView, state: ConsoleState, qtbot: QtBot
) -> None:
    select(state, sample.sample_events())
    view.tabs.setCurrentIndex(1)
    assert not view.plan.list.isVisible(), "a session without a plan says so"
    steps = [
        PlanStep(id="look", goal="Read the orders", tool="files_read"),
        PlanStep(id="tell", goal="Say what is missing", after=["look"]),
    ]
    story = sample.Story()
    story.events[:] = sample.sample_events()
    story.step, story.now, story._run, story._ids = 7, story.events[-1].at, sample.RUN, 900
    count = len(story.events)
    story.add(ev.PlanAdopted(call_id="c-plan", steps=steps, edited_by="ana"))
    (call,) = story.respond(story.request(), calls=[("files_read", {"path": "a", "plan_step": "look"})])
    story.judge(call, plan_step="look")
    happen(state, story.events[count:])

    assert said(view) == ["running", "not yet"]
    known = len(story.events)
    story.start(call)
    story.finish(call, {"path": "a"}, "Read a")
    happen(state, story.events[known:])
    assert said(view) == ["done", "ready"]

    qtbot.keyClick(view.plan.list, Qt.Key.Key_Return)
    assert view.tabs.currentIndex() == 0, "the step of the run is shown in the trace"


def said(view: TraceView) -> list[str]:
    return [row.state.text for row in view.plan.list.rows if row.state is not None]
