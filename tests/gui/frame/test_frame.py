"""The frame of the console: sessions list, top bar, status bar, gauges and the page of all sessions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from agent_core.model import events as ev
from agent_core.model.budget import Limits
from agent_core.model.events import Event
from agent_core.model.intents import DayBudget, OpenProposal, Preflight, SessionSummary, TreeBudget
from agent_core.model.proposal import Touchpoint
from agent_core.model.run import SessionStatus
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from tests.support.sample_cards import NOW, card, entry
from tests.support.sample_summaries import summary
from ui.bridge import Batch
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.models.session_list_model import SessionListModel
from ui.models.session_rows import session_groups
from ui.models.sessions_table import session_cells
from ui.theme import Theme
from ui.views.session_list import SessionListView
from ui.views.sessions_page import SessionsPage
from ui.views.status_bar import StatusBar
from ui.views.top_bar import TopBar
from ui.widgets.table import Cell

Settle = Callable[[Commands], Awaitable[None]]


class House:
    """Stand-ins with some sessions, and the state that reads them."""

    def __init__(self, sessions: Sequence[SessionSummary], queue: Sequence[OpenProposal] = ()) -> None:
        self.reader = StandInReader(sessions)
        self.supervisor = StandInSupervisor()
        self.commands = Commands(self.supervisor, StandInDesk(queue), self.reader, "ana")
        self.state = ConsoleState(self.commands)

    async def load(self, settle: Settle) -> None:
        self.state.load()
        await settle(self.commands)


def waiting(number: int, **changes: Any) -> SessionSummary:
    given: dict[str, Any] = {
        "status": SessionStatus.AWAITING_DECISION,
        "stop_reason": None,
        "open_proposals": [f"p-{number}"],
        "nearest_deadline": NOW + timedelta(minutes=12, seconds=46),
        "updated_at": NOW,
    }
    return summary(number, **(given | changes))


SESSIONS = [
    summary(1, updated_at=NOW, goal="Tag the backlog"),
    waiting(2, goal="Reconcile October"),
    waiting(3, goal="Payout batch", urgent_touchpoint=Touchpoint.OUTCOME_UNKNOWN, nearest_deadline=None),
    summary(4, status=SessionStatus.RUNNING, stop_reason=None, goal="Q3 summary", updated_at=NOW),
    summary(5, status=SessionStatus.PAUSED, stop_reason=None, pause_reason="closed", goal="Tariffs", updated_at=NOW),
    summary(6, stop_reason="failed", goal="Old failure", updated_at=NOW - timedelta(days=3)),
]
QUEUE = [entry(card(3, Touchpoint.OUTCOME_UNKNOWN, None, approve_by=None)), entry(card(2))]


def test_who_needs_a_person_stands_first_in_the_order_of_the_queue() -> None:
    groups = session_groups(SESSIONS, QUEUE, NOW)
    assert [group.title for group in groups] == ["Needs you", "Running", "Paused", "Earlier today", "Earlier"]
    assert [row.title for row in groups[0].rows] == ["Payout batch", "Reconcile October"]
    assert groups[0].rows[0].badge_tone == "unk"
    assert groups[0].rows[1].right == "12:46"


def test_an_unknown_cost_is_said_and_is_never_zero() -> None:
    unknown = summary(7, cost=None, updated_at=NOW)
    row = session_groups([unknown], [], NOW)[0].rows[0]
    assert row.right == "cost unknown"


def test_the_word_demo_stands_before_what_a_narrow_list_cuts_off() -> None:
    demo = summary(8, demo=True, updated_at=NOW)
    row = session_groups([demo], [], NOW)[0].rows[0]
    assert (row.agent, row.place) == ("folder-clerk", " · demo · step 9")
    in_table = session_cells(demo, NOW)[2]
    assert isinstance(in_table, Cell)
    assert in_table.text.startswith("folder-clerk · demo")


def test_the_list_model_signals_exactly_what_changed(qtmodeltester: ModelTester) -> None:
    model = SessionListModel()
    model.set_groups(session_groups(SESSIONS, QUEUE, NOW))
    qtmodeltester.check(model)
    changed: list[tuple[int, int]] = []
    resets: list[bool] = []
    model.dataChanged.connect(lambda first, last, *_: changed.append((first.row(), last.row())))
    model.modelReset.connect(lambda: resets.append(True))
    model.set_groups(session_groups(SESSIONS, QUEUE, NOW + timedelta(seconds=1)))
    assert resets == []
    assert changed == [(2, 2)], "only the row whose clock moved"


async def test_a_session_is_chosen_by_mouse_and_by_keys(qtbot: QtBot, settled: Settle) -> None:
    house = House(SESSIONS, QUEUE)
    view = SessionListView(house.state, lambda: NOW)
    qtbot.addWidget(view)
    view.resize(256, 700)
    view.show()
    await house.load(settled)
    chosen: list[str] = []
    view.chosen.connect(chosen.append)
    index = view.model.index(view.model.row_of("s-4"))
    qtbot.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=view.list.visualRect(index).center())
    assert chosen[-1] == "s-4"
    house.state.select("s-4")
    qtbot.keyClick(view.list, Qt.Key.Key_Up)
    assert chosen[-1] == "s-2", "headings are stepped over"


async def test_the_top_bar_counts_decisions_and_holds_the_day_against_its_limit(qtbot: QtBot, settled: Settle) -> None:
    house = House(SESSIONS, QUEUE)
    house.reader.day = DayBudget(spent_usd=Decimal("16.20"), unknown_runs=1, limit_usd=Decimal(20))
    bar = TopBar(house.state, lambda: NOW)
    qtbot.addWidget(bar)
    bar.resize(1440, 48)
    bar.show()
    await house.load(settled)
    assert bar.decisions.label().startswith("2 decisions · next due in 12:46")
    spent = bar.findChild(QLabel, "top.spent")
    assert spent is not None
    assert spent.text() == "$16.20 +"
    asked: list[bool] = []
    bar.decisions_wanted.connect(lambda: asked.append(True))
    qtbot.mouseClick(bar.decisions, Qt.MouseButton.LeftButton)
    assert asked == [True]


async def test_the_top_bar_shows_a_session_with_its_forks_where_a_limit_holds_over_them(
    qtbot: QtBot, settled: Settle
) -> None:
    house = House(SESSIONS)
    house.reader.all_events = [opened("s-1", None), opened("s-2", Decimal("1.00"))]
    house.reader.tree = TreeBudget(
        spent_usd=Decimal("0.80"), at_most_usd=Decimal("0.85"), unknown_runs=0, limit_usd=Decimal(1), sessions=3
    )
    bar = TopBar(house.state, lambda: NOW)
    qtbot.addWidget(bar)
    bar.show()
    spent = bar.findChild(QLabel, "top.tree_spent")
    assert spent is not None
    for session, shown in (("s-1", False), ("s-2", True), ("s-1", False)):
        house.state.select(session)
        await settled(house.commands)
        assert spent.isVisibleTo(bar) is shown
    house.state.select("s-2")
    await settled(house.commands)
    assert spent.text() == "$0.85"
    assert "3 sessions" in spent.toolTip()


def opened(session: str, tree: Decimal | None) -> Event:
    """The event that a run begins with."""
    data = ev.RunStarted(limits=Limits(tree_cost_usd=tree), agent_version="1", by="ana")
    return Event(seq=1, at=NOW, session=session, run="r-1", step=0, data=data, prev="", digest="")


def test_the_status_bar_counts_cards_of_the_last_ten_minutes(qtbot: QtBot) -> None:
    moment = [NOW]
    bar = StatusBar("ana", lambda: moment[0])
    qtbot.addWidget(bar)
    batch = Batch()
    for number in range(11):
        data = ev.ProposalOpened(proposal=card(number))
        batch.add(Event(seq=number + 1, at=NOW, session="s-1", run="r-1", step=1, data=data, prev="", digest=""))
    bar.apply(batch)
    assert (bar.load, bar.flooded) == (11, True)
    bar.take_opened({"p-0": NOW, "p-of-before": NOW - timedelta(minutes=3)})
    assert bar.load == 12, "each card once"
    moment[0] = NOW + timedelta(minutes=8)
    bar.refresh()
    assert bar.load == 11
    moment[0] = NOW + timedelta(minutes=11)
    bar.refresh()
    assert (bar.load, bar.flooded) == (0, False)


def test_the_status_bar_says_when_a_session_of_before_was_saved(qtbot: QtBot) -> None:
    bar = StatusBar("ana", lambda: NOW)
    qtbot.addWidget(bar)
    bar.take_sessions([])
    assert "Nothing to save yet" in shown_words(bar)
    bar.take_sessions([summary(6, updated_at=NOW - timedelta(days=3)), summary(1, updated_at=NOW)])
    assert f"Saved {NOW.astimezone():%H:%M:%S}" in shown_words(bar)


def shown_words(bar: StatusBar) -> list[str]:
    return [label.text() for label in bar.findChildren(QLabel)]


# ---------------------------------------------------------------- all sessions


@pytest.fixture
def page(qtbot: QtBot, settled: Settle) -> Callable[..., Awaitable[tuple[SessionsPage, House]]]:
    async def show(width: int = 1388) -> tuple[SessionsPage, House]:
        house = House(SESSIONS, QUEUE)
        house.supervisor.preflight_answer = Preflight(
            lines=[(True, "Agent version unchanged"), (False, "3 results are 2 days old and will be read again")],
            next_step=10,
            can_resume=True,
        )
        made = SessionsPage(house.state, house.commands, lambda: NOW)
        qtbot.addWidget(made)
        made.resize(width, 800)
        made.show()
        await house.load(settled)
        return made, house

    return show


def words_in(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if not label.isHidden())


async def test_search_finds_by_words_and_says_when_nothing_matches(
    page: Callable[..., Awaitable[tuple[SessionsPage, House]]], qtbot: QtBot, settled: Settle
) -> None:
    made, house = await page()
    qtbot.keyClicks(made.search, "october")
    made.refresh()
    await settled(house.commands)
    assert made.model.rowCount() == 1
    qtbot.keyClicks(made.search, " nothing like it")
    made.refresh()
    await settled(house.commands)
    assert not made.table.isVisible()
    assert seen(made, "No session matches")
    qtbot.mouseClick(seen(made, "Clear filters"), Qt.MouseButton.LeftButton)
    await settled(house.commands)
    assert made.table.isVisible()


async def test_a_page_without_any_session_offers_the_first_ones(
    page: Callable[..., Awaitable[tuple[SessionsPage, House]]], qtbot: QtBot
) -> None:
    made, _ = await page()
    wanted: list[str] = []
    made.new_run_wanted.connect(lambda: wanted.append("new run"))
    made.demo_wanted.connect(lambda: wanted.append("demo"))
    made.show_sessions([])
    assert seen(made, "No runs yet")
    for words in ("New run", "Start demo"):
        qtbot.mouseClick(seen(made, words), Qt.MouseButton.LeftButton)
    assert wanted == ["new run", "demo"]


def seen(widget: QWidget, words: str) -> QWidget:
    """The one label or button that is to be seen with these words."""
    parts = [*widget.findChildren(QLabel), *widget.findChildren(QPushButton)]
    (found,) = [part for part in parts if part.isVisible() and part.text() == words]
    return found


async def test_a_resting_session_shows_what_changed_before_it_goes_on(
    page: Callable[..., Awaitable[tuple[SessionsPage, House]]], qtbot: QtBot, settled: Settle
) -> None:
    made, house = await page()
    row = [s.session for s in SESSIONS].index("s-5")
    made.table.selectRow(row)
    await settled(house.commands)
    assert "3 results are 2 days old and will be read again" in words_in(made.pane)
    resume = made.pane.findChild(QPushButton, "sessions.resume")
    assert resume is not None
    assert resume.text() == "Resume at step 10"
    qtbot.mouseClick(resume, Qt.MouseButton.LeftButton)
    await settled(house.commands)
    assert ("resume", ("s-5", None)) in house.supervisor.asked


async def test_all_columns_fit_at_both_widths(page: Callable[..., Awaitable[tuple[SessionsPage, House]]]) -> None:
    for width in (1388, 1228):
        made, _ = await page(width)
        assert made.table.horizontalScrollBar().maximum() == 0, f"a column is cut off at {width}"


async def test_large_letters_leave_no_column_cut_off(
    page: Callable[..., Awaitable[tuple[SessionsPage, House]]], kit_theme: Theme
) -> None:
    kit_theme.set_scale(150)
    made, _ = await page(1202)
    assert made.table.horizontalScrollBar().maximum() == 0
    assert not made.table.isColumnHidden(1), "what the session is for stays"
