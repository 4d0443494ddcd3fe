"""The trace by real mouse and keys: following, choosing, opening, copying; and only what is in view costs anything."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QAbstractSlider
from pytestqt.qtbot import QtBot

from agent_core.model import events as ev
from tests.support import sample_session as sample
from tests.unit.ui.trace.test_model import delta
from ui.models.trace.filters import Group, of_groups
from ui.models.trace.rows import RowKind
from ui.models.trace.whole import Trace
from ui.theme import Theme, ThemeMode
from ui.views.trace import accessible
from ui.views.trace.trace_list import TraceList

Make = Callable[..., TraceList]


def now() -> datetime:
    return sample.START + timedelta(minutes=20)


@pytest.fixture
def make(qtbot: QtBot, kit_theme: Theme) -> Make:
    def build(events: list[ev.Event], width: int = 690, height: int = 420) -> TraceList:
        trace = TraceList(now)
        qtbot.addWidget(trace)
        trace.resize(width, height)
        model = Trace()
        model.apply(events)
        trace.set_model(model)
        trace.show()
        qtbot.waitExposed(trace)
        trace.setFocus()
        return trace

    return build


def tops(trace: TraceList) -> dict[int, int]:
    return {placed.row: placed.top for placed in trace.view.rows}


def middle_of(trace: TraceList, row: int) -> QPoint:
    placed = trace.view.of(row)
    assert placed is not None
    return QPoint(200, placed.top + 12)


def row_of(trace: TraceList, kind: RowKind, number: int = -1) -> int:
    rows = [row for row in range(len(trace.model)) if trace.model.kind(row) is kind]
    return rows[number]


def note(story: sample.Story, trace: TraceList, number: int = 1) -> None:
    before = len(story.events)
    for index in range(number):
        story.add(ev.NoteWritten(key=f"n{index}", text="noted"))
    trace.apply(trace.model.apply(story.events[before:]))


def story_with_steps(steps: int) -> sample.Story:
    story = sample.Story()
    story.events[:] = sample.long_session(steps)
    story.step, story.now, story._run = steps, story.events[-1].at, sample.RUN
    story._ids = 100_000
    return story


# ---------------------------------------------------------------------------------------------- following


def test_it_opens_at_the_end_and_stays_there(make: Make) -> None:
    story = story_with_steps(40)
    trace = make(story.events)
    last = trace.view.rows[-1]
    assert last.row == len(trace.model) - 1
    note(story, trace, 3)
    assert trace.following
    assert trace.view.rows[-1].row == len(trace.model) - 1
    assert trace.view.rows[-1].bottom <= trace.viewport().height()


def test_scrolling_up_ends_following_and_nothing_moves_when_rows_come(make: Make) -> None:
    story = story_with_steps(40)
    trace = make(story.events)
    trace.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderPageStepSub)
    assert not trace.following
    before = tops(trace)
    note(story, trace, 12)
    assert tops(trace) == before
    assert trace.below == 12


def test_end_follows_again(make: Make, qtbot: QtBot) -> None:
    story = story_with_steps(40)
    trace = make(story.events)
    trace.verticalScrollBar().setValue(0)
    note(story, trace, 5)
    qtbot.keyClick(trace, Qt.Key.Key_End)
    assert trace.following
    assert trace.below == 0
    assert trace.view.rows[-1].row == len(trace.model) - 1


def test_scrolling_to_the_end_by_hand_follows_again(make: Make) -> None:
    trace = make(story_with_steps(40).events)
    bar = trace.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    assert not trace.following
    bar.setValue(bar.maximum())
    assert trace.following


def test_p_holds_still_at_the_end(make: Make, qtbot: QtBot) -> None:
    story = story_with_steps(40)
    trace = make(story.events)
    qtbot.keyClick(trace, Qt.Key.Key_P)
    before = tops(trace)
    note(story, trace, 4)
    assert before.items() <= tops(trace).items()
    assert trace.below >= 3
    qtbot.keyClick(trace, Qt.Key.Key_P)
    assert trace.following


def test_text_that_streams_above_does_not_move_what_is_read(make: Make) -> None:
    story = story_with_steps(30)
    request = story.request()
    trace = make(story.events)
    trace.apply(trace.model.apply([], [(delta(request), "word " * 40)], story.now))
    assert trace.view.rows[-1].row in trace.model.streaming
    trace.verticalScrollBar().setValue(trace.verticalScrollBar().maximum() - 60)
    before = tops(trace)
    trace.apply(trace.model.apply([], [(delta(request), "more " * 400)], story.now))
    after = tops(trace)
    assert {row: after[row] for row in before if row in after} == before


def test_a_short_trace_begins_at_the_top(make: Make) -> None:
    trace = make(sample.Story().events)
    assert trace.view.rows[0].top == 2
    assert trace.verticalScrollBar().maximum() == 0


@pytest.mark.parametrize("value", [0, 777, 5_000])
def test_a_new_width_keeps_the_row_at_the_top(make: Make, value: int) -> None:
    trace = make(story_with_steps(200).events)
    trace.verticalScrollBar().setValue(value)
    row = trace.view.rows[0].row
    trace.resize(520, 420)
    assert trace.view.rows[0].row == row


# ---------------------------------------------------------------------------------------------- choosing and opening


def test_arrows_choose_events_and_keep_them_in_view(make: Make, qtbot: QtBot) -> None:
    trace = make(story_with_steps(40).events)
    qtbot.keyClick(trace, Qt.Key.Key_Up)
    first = trace.current
    for _ in range(60):
        qtbot.keyClick(trace, Qt.Key.Key_Up)
    assert first is not None
    assert trace.current == first - 60
    placed = trace.view.of(trace.current)
    assert placed is not None
    assert 0 <= placed.top < trace.viewport().height()
    qtbot.keyClick(trace, Qt.Key.Key_Down)
    assert trace.current == first - 59


def test_right_opens_left_closes_and_the_row_stays_where_it_is(make: Make, qtbot: QtBot) -> None:
    trace = make(sample.sample_events())
    row = row_of(trace, RowKind.CALL)
    trace.select(row)
    top = tops(trace)[row]
    qtbot.keyClick(trace, Qt.Key.Key_Right)
    assert trace.is_expanded(row)
    assert tops(trace)[row] == top
    qtbot.keyClick(trace, Qt.Key.Key_Left)
    assert not trace.is_expanded(row)
    qtbot.keyClick(trace, Qt.Key.Key_Left)
    assert trace.current == trace.model.head(row)


def test_a_click_opens_and_a_second_one_closes(make: Make, qtbot: QtBot) -> None:
    trace = make(sample.sample_events())
    row = row_of(trace, RowKind.OBSERVATION)
    for opened in (True, False):
        qtbot.mouseClick(trace.viewport(), Qt.MouseButton.LeftButton, pos=middle_of(trace, row))
        assert trace.is_expanded(row) is opened
    assert trace.current == row


def test_a_drag_is_no_click(make: Make, qtbot: QtBot) -> None:
    trace = make(sample.sample_events())
    start = middle_of(trace, trace.view.rows[-1].row)
    qtbot.mousePress(trace.viewport(), Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseRelease(trace.viewport(), Qt.MouseButton.LeftButton, pos=start - QPoint(0, 40))
    assert trace.current is None


def test_the_link_of_a_card_leads_to_it(make: Make, qtbot: QtBot) -> None:
    trace = make(sample.sample_events())
    row = row_of(trace, RowKind.CARD)
    data = trace.model.event(row).data
    assert isinstance(data, ev.ProposalOpened)
    trace.viewport().grab()
    rect = next(rect for rect, link in trace._links if link.card == data.proposal.proposal)
    with qtbot.waitSignal(trace.card_wanted) as wanted:
        qtbot.mouseClick(trace.viewport(), Qt.MouseButton.LeftButton, pos=rect.center().toPoint())
    assert wanted.args == [data.proposal.proposal]
    assert trace.current is None
    trace.select(row)
    with qtbot.waitSignal(trace.card_wanted):
        qtbot.keyClick(trace, Qt.Key.Key_Return)


def test_ctrl_c_copies_the_exact_text(make: Make, qtbot: QtBot) -> None:
    story = sample.Story()
    text = "exactly\tthis \u202e text\n"
    story.respond(story.request(), text)
    trace = make(story.events)
    trace.select(len(trace.model) - 1)
    qtbot.keyClick(trace, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == text


def test_a_long_thought_shows_four_lines_and_all_of_it_when_opened(make: Make) -> None:
    story = sample.Story()
    story.respond(story.request(), "A sentence about the ledger that goes on. " * 40)
    trace = make(story.events, height=900)
    row = len(trace.model) - 1
    closed = trace.layouts.get(row)
    assert closed.body is not None
    assert closed.body.lines == 4
    assert closed.body.rest is not None
    trace.set_expanded(row, True)
    opened = trace.layouts.get(row)
    assert opened.body is not None
    assert opened.body.lines > 10
    assert opened.body.rest is None


def test_going_to_a_step_puts_its_head_at_the_top(make: Make) -> None:
    trace = make(story_with_steps(300).events)
    assert trace.go_to_step(120)
    placed = trace.view.rows[0]
    assert trace.model.event(placed.row).step == 120
    assert trace.model.kind(placed.row) is RowKind.STEP
    assert trace.current == placed.row
    assert not trace.go_to_step(9_999)


def test_a_filter_keeps_the_place_and_shows_only_its_kinds(make: Make) -> None:
    trace = make(story_with_steps(100).events)
    trace.go_to_step(50)
    trace.filter_rows(of_groups(frozenset({Group.OBSERVATIONS})))
    kinds = {trace.model.kind(placed.row) for placed in trace.view.rows}
    assert kinds == {RowKind.STEP, RowKind.OBSERVATION}
    assert trace.model.event(trace.view.rows[0].row).step == 50
    trace.filter_rows(None)
    assert {trace.model.kind(placed.row) for placed in trace.view.rows} > kinds


# ---------------------------------------------------------------------------------------------- size


def test_only_rows_in_view_are_laid_out(make: Make) -> None:
    trace = make(story_with_steps(4_000).events)
    made: list[int] = []
    make_layout = trace.layouts._make
    trace.layouts._make = lambda row, *at: made.append(row) or make_layout(row, *at)  # type: ignore[method-assign, func-returns-value]
    bar = trace.verticalScrollBar()
    for share in (0.1, 0.5, 0.9):
        bar.setValue(int(bar.maximum() * share))
    assert len(made) <= 3 * 40


def test_rows_keep_their_place_while_scrolling_through_guessed_heights(make: Make) -> None:
    """What is found to be higher or lower than guessed must not move a row that stays in view."""
    trace = make(story_with_steps(800).events)
    bar = trace.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    for _ in range(60):
        before, value = tops(trace), bar.value()
        bar.setValue(value - 17)
        moved = {tops(trace)[row] - top for row, top in before.items() if row in tops(trace)}
        assert moved == {17}


def test_a_megabyte_opens_at_once_and_can_be_read_to_its_end(make: Make, qtbot: QtBot) -> None:
    story = sample.Story()
    (call,) = story.respond(story.request(), calls=[("shell_run", {"command": "yes"})])
    story.read(call, {"output": "a line of output\n" * 60_000}, "60,000 lines")
    trace = make(story.events)
    row = len(trace.model) - 1
    trace.set_expanded(row, True)
    assert not trace.layouts.expanded[row].complete
    assert trace.layouts.expanded[row].count <= 1_000
    qtbot.waitUntil(lambda: trace.layouts.expanded[row].complete, timeout=20_000)
    trace.follow()
    assert trace.layouts.expanded[row].count > 60_000
    placed = trace.view.of(row)
    assert placed is not None
    assert placed.bottom <= trace.viewport().height()


@pytest.mark.parametrize("seed", range(6))
def test_rows_lie_without_gap_or_overlap_whatever_is_done(make: Make, seed: int) -> None:
    chance = random.Random(seed)
    story = story_with_steps(60)
    trace = make(story.events)
    bar = trace.verticalScrollBar()
    acts: list[Callable[[], object]] = [
        lambda: bar.setValue(chance.randrange(bar.maximum() + 1)),
        lambda: bar.setValue(bar.value() + chance.randrange(-300, 300)),
        lambda: note(story, trace, chance.randrange(1, 9)),
        lambda: trace.set_expanded(chance.choice(trace.view.rows).row, chance.random() < 0.6),
        lambda: trace.step_by(chance.choice((-1, 1))),
        lambda: trace.resize(chance.randrange(420, 900), chance.randrange(120, 700)),
        lambda: trace.go_to_step(chance.randrange(1, 61)),
        lambda: trace.filter_rows(of_groups(frozenset(chance.sample(list(Group), 5)))),
        lambda: trace.filter_rows(None),
        trace.follow,
        trace.pause_following,
    ]
    for _ in range(120):
        chance.choice(acts)()
        rows = trace.view.rows
        assert rows
        assert all(a.bottom == b.top and a.place < b.place for a, b in pairwise(rows))
        assert rows[0].top <= 2
        reaches_end = rows[-1].place == len(trace.shown) - 1
        assert reaches_end or rows[-1].bottom >= trace.viewport().height()
        assert 0 <= bar.value() <= bar.maximum()
        if trace.following:
            assert reaches_end
            assert rows[-1].bottom <= trace.viewport().height()


# ---------------------------------------------------------------------------------------------- looks and readers


def test_the_caret_stands_still_under_reduced_motion(make: Make, kit_theme: Theme) -> None:
    story = sample.Story()
    request = story.request()
    trace = make(story.events)
    kit_theme.set_reduced_motion(True)
    trace.apply(trace.model.apply([], [(delta(request), "half a sentence")], story.now))
    assert not trace._blink.isActive()
    kit_theme.set_reduced_motion(False)
    trace.lay_out()
    assert trace._blink.isActive()


def test_an_idle_trace_runs_no_clock(make: Make) -> None:
    trace = make(story_with_steps(5).events)
    assert not any(timer.isActive() for timer in (trace._blink, trace._clock, trace._reader))


def test_screen_readers_find_the_rows(make: Make) -> None:
    accessible.install()
    trace = make(sample.sample_events())
    interface = QAccessible.queryAccessibleInterface(trace)
    assert interface.role() == QAccessible.Role.List
    assert interface.childCount() == len(trace.model)
    row = row_of(trace, RowKind.CARD)
    child = interface.child(row)
    assert child.role() == QAccessible.Role.ListItem
    assert child.text(QAccessible.Text.Name).startswith("Held for approval, It cannot be undone")
    assert child.rect().height() == trace.view.of(row).height  # type: ignore[union-attr]
    assert interface.child(0).state().offscreen
    trace.select(row)
    assert interface.focusChild().text(QAccessible.Text.Name) == child.text(QAccessible.Text.Name)
    trace.set_expanded(row, True)
    assert child.state().expanded


def test_every_kind_of_row_paints_in_both_themes_and_at_every_scale(make: Make, kit_theme: Theme) -> None:
    trace = make(sample.every_kind(), height=2_400)
    for mode in (ThemeMode.DARK, ThemeMode.LIGHT):
        kit_theme.set_mode(mode)
        for scale in (90, 150):
            kit_theme.set_scale(scale)
            for placed in trace.view.rows:
                trace.layouts.expand(placed.row)
            trace.lay_out()
            assert not trace.viewport().grab().isNull()
