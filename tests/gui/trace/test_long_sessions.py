"""Sessions of many pages, by mouse and keys: they open at their end, and every page comes when it is looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from agent_core.model import events as ev
from agent_core.model.events import Event
from agent_core.model.standing import Opening
from tests.support import sample_session as sample
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from ui.bridge import Batch
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.models.trace.filters import Group
from ui.models.trace.rows import RowKind
from ui.views.cost_panel import CostPanel
from ui.views.trace.trace_view import TABS, TraceView

Settled = Callable[[Commands], Awaitable[None]]
STEPS = 800


class Shelf(StandInReader):
    """Keeps a session's pages, and how many were fetched. `slow` holds the whole back until it is set."""

    def __init__(self, events: Sequence[Event]) -> None:
        super().__init__(events=events)
        self.fetched: list[int] = []
        self.slow: asyncio.Event | None = None

    async def events(self, session: str, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        if limit is not None:
            self.fetched.append(after + 1)
        return await super().events(session, after, limit)

    async def first_look(self, session: str) -> Opening:
        return await self.whole(session) if self.slow is None else Opening(None, list(self.all_events[-40:]))

    async def whole(self, session: str) -> Opening:
        if self.slow is not None:
            await self.slow.wait()
        return await super().whole(session)

    async def fault(self, session: str) -> str:
        return ""


class Bench:
    """A trace of a long session, and the cost panel below it."""

    def __init__(self, qtbot: QtBot, events: Sequence[Event], settled: Settled) -> None:
        self.qtbot, self.shelf, self._settled = qtbot, Shelf(events), settled
        self.commands = Commands(StandInSupervisor(), StandInDesk([]), self.shelf, "ana")
        self.state = ConsoleState(self.commands)
        self.view = TraceView(self.state, self.now)
        self.costs = CostPanel(self.state, self.now)
        for widget in (self.view, self.costs):
            qtbot.addWidget(widget)
        self.view.resize(690, 460)
        self.view.show()

    def now(self) -> datetime:
        return sample.START + timedelta(minutes=20)

    async def settle(self) -> None:
        for _ in range(3):
            await self._settled(self.commands)

    async def until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await self.settle()

    async def select(self) -> None:
        self.state.select(sample.SESSION)
        await self.settle()

    async def happen(self, events: Sequence[Event]) -> None:
        batch = Batch()
        for event in events:
            batch.add(event)
        self.shelf.all_events.extend(events)
        self.state.apply(batch)
        await self.settle()

    def shown(self) -> list[str]:
        self.view.list.viewport().repaint()
        return [self.view.list.model.line(placed.row).spoken for placed in self.view.list.view.rows]


@pytest.fixture
async def bench(qtbot: QtBot, settled: Settled) -> Bench:
    return Bench(qtbot, sample.long_session(STEPS), settled)


async def test_it_opens_at_its_end_and_reads_nothing_else(bench: Bench) -> None:
    await bench.select()
    assert any(line.startswith(f"Step {STEPS}") for line in bench.shown())
    assert bench.shelf.fetched == []
    assert bench.state.state is not None
    assert len(bench.state.state.requests) < STEPS / 2
    assert bench.costs.costs.bills[0].first == 1


async def test_where_it_is_scrolled_to_is_read_and_shown(bench: Bench) -> None:
    await bench.select()
    bar = bench.view.list.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    assert any("…" in line for line in bench.shown())
    await bench.settle()
    assert not any("…" in line for line in bench.shown())
    assert len(bench.shelf.fetched) <= 2
    bar.setValue(0)
    bench.shown()
    await bench.settle()
    assert "Reconcile October invoices" in bench.shown()[0]


async def test_a_search_goes_through_all_of_it(bench: Bench) -> None:
    await bench.select()
    bench.view.find_bar.open()
    bench.qtbot.keyClicks(bench.view.find_bar.field, "INV-17.txt")
    await bench.until(lambda: not bench.view.find_bar.searching)
    assert bench.view.find_bar.hits == 2
    assert any("INV-17.txt" in line for line in bench.shown())


async def test_a_step_far_away_is_gone_to_once_it_is_read(bench: Bench) -> None:
    await bench.select()
    bench.view.list.setFocus()
    bench.qtbot.keyClick(bench.view.list, Qt.Key.Key_G)
    bench.qtbot.keyClicks(bench.view.find_bar.field, "123")
    bench.qtbot.keyClick(bench.view.find_bar.field, Qt.Key.Key_Return)
    assert bench.view.find_bar.field.problem == ""
    await bench.settle()
    assert bench.shown()[0].startswith("Step 123,")
    assert not bench.view.list.following


async def test_what_happens_is_followed_across_the_border_of_a_page(bench: Bench) -> None:
    later = sample.long_session(STEPS + 200)[len(bench.shelf.all_events) :]
    await bench.select()
    for at in range(0, len(later), 50):
        await bench.happen(later[at : at + 50])
    assert bench.state.opening is not None
    assert bench.state.opening.standing is not None
    assert bench.view.list.model.last_page == len(bench.state.opening.standing.outline.pages)
    assert bench.view.list.following
    assert any(line.startswith(f"Step {STEPS + 200}") for line in bench.shown())
    assert bench.view.list.view.rows[-1].row == len(bench.view.list.model) - 1


async def test_arrows_walk_over_the_border_of_a_page(bench: Bench) -> None:
    await bench.select()
    trace = bench.view.list
    trace.setFocus()
    trace.select(trace.model.first_row(trace.model.last_page))
    for _ in range(3):
        bench.qtbot.keyClick(trace, Qt.Key.Key_Up)
        bench.shown()
        await bench.settle()
    assert trace.current == trace.model.first_row(trace.model.last_page) - 3
    assert not any("…" in line for line in bench.shown())
    bench.qtbot.keyClick(trace, Qt.Key.Key_Right)
    assert trace.is_expanded(trace.current)


async def test_a_filter_knows_every_row_before_it_is_read(bench: Bench) -> None:
    await bench.select()
    bench.view.filter.choose(frozenset({Group.OBSERVATIONS}))
    rows = [bench.view.list.model.kind(bench.view.list.shown.row(p)) for p in range(len(bench.view.list.shown))]
    assert rows.count(RowKind.OBSERVATION) == rows.count(RowKind.STEP) == STEPS


async def test_messages_are_found_wherever_they_are_and_when_they_come(bench: Bench) -> None:
    await bench.select()
    bench.view.tabs.setCurrentIndex(TABS.index("Messages"))
    bench.view.messages.viewport().repaint()
    await bench.settle()
    rows = [bench.view.messages.model.line(placed.row).spoken for placed in bench.view.messages.view.rows]
    assert len(rows) == 1
    assert "Reconcile October invoices" in rows[0]
    story = sample.Story()
    story.events[:] = bench.shelf.all_events
    story.step, story.now, story._ids = STEPS, story.events[-1].at, 90_000
    story.add(ev.MessageAdded(text="Mind the zebra.", by="ana"))
    await bench.happen(story.events[-1:])
    assert "Mind the zebra." in bench.view.messages.model.line(bench.view.messages.view.rows[-1].row).spoken


async def test_files_are_collected_from_all_of_it_once_somebody_looks(qtbot: QtBot, settled: Settled) -> None:
    story = sample.Story()
    (call,) = story.respond(story.request(), calls=[("files_write", {"path": "a.txt", "content": "one"})])
    story.judge(call)
    story.start(call)
    story.finish(call, {"path": "a.txt", "created": True}, "Written")
    for _ in range(900):
        story.respond(story.request(), "Goes on.")
    bench = Bench(qtbot, story.events, settled)
    await bench.select()
    assert bench.view.files.count == 0
    bench.view.tabs.setCurrentIndex(TABS.index("Files"))
    await bench.settle()
    assert bench.view.files.count == 1
    before = len(story.events)
    (call,) = story.respond(story.request(), calls=[("files_write", {"path": "b.txt", "content": "two"})])
    story.start(call)
    story.finish(call, {"path": "b.txt", "created": True}, "Written")
    await bench.happen(story.events[before:])
    assert bench.view.files.count == 2


async def test_without_a_snapshot_the_end_shows_at_once_and_the_rest_follows(bench: Bench) -> None:
    bench.shelf.slow = asyncio.Event()
    bench.state.select(sample.SESSION)
    for _ in range(20):
        await asyncio.sleep(0)
    assert any(line.startswith(f"Step {STEPS}") for line in bench.shown())
    assert bench.state.state is None
    later = sample.long_session(STEPS + 1)[len(bench.shelf.all_events) :]
    batch = Batch()
    for event in later:
        batch.add(event)
    bench.state.apply(batch)
    assert any(line.startswith(f"Step {STEPS + 1}") for line in bench.shown())
    bench.shelf.slow.set()
    await bench.settle()
    assert bench.state.state is not None
    assert bench.state.state.seq == later[-1].seq
    assert len(bench.view.list.model) > 2 * STEPS
    assert any(line.startswith(f"Step {STEPS + 1}") for line in bench.shown())


async def test_somebody_who_has_scrolled_up_stays_there_when_the_rest_is_known(bench: Bench) -> None:
    bench.shelf.slow = asyncio.Event()
    bench.state.select(sample.SESSION)
    for _ in range(20):
        await asyncio.sleep(0)
    bar = bench.view.list.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    before = bench.shown()
    bench.shelf.slow.set()
    await bench.settle()
    assert bench.shown()[:3] == before[:3]
    assert not bench.view.list.following


async def test_another_session_is_not_disturbed_by_pages_of_the_first(bench: Bench) -> None:
    await bench.select()
    bar = bench.view.list.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    bench.shown()
    other = sample.Story("s-other")
    bench.shelf.all_events.extend(other.events)
    bench.state.select("s-other")
    await bench.settle()
    assert len(bench.view.list.model) == len(other.events)
