"""The window stands before the home is open: sessions are listed, and nothing that is asked meanwhile is lost."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListView, QPushButton
from pytestqt.qtbot import QtBot

from agent_core.config.home import Home
from agent_core.model.intents import DayBudget
from agent_core.store.sessions import recent_sessions
from console.desk_window import DeskWindow
from console.opening_engine import OpeningEngine
from tests.gui.console.opened import OpenConsole, begin
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from tests.support.sample_summaries import summary
from tests.support.waiting import active
from ui.bridge import Batch
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.widgets.messages import EmptyState

HEAVY = (
    "anthropic", "mcp", "pydantic", "sqlmodel", "sqlalchemy", "alembic", "numpy", "pyqtgraph", "jsonschema", "keyring",
    "cryptography", "tomlkit", "agent_core.engine.harness", "agent_core.store.journal", "ui.dialogs.new_run",
    "ui.views.settings.page", "ui.views.trace.trace_view", "ui.views.decisions.panel",
)  # fmt: skip


def framed(qtbot: QtBot, home: Path) -> tuple[DeskWindow, OpeningEngine]:
    """The window on a home that is not open yet."""
    engine = OpeningEngine(Home.at(home), "ana")
    desk = DeskWindow(engine)
    qtbot.addWidget(desk.window)
    desk.window.resize(1440, 900)
    desk.state.show_recent(recent_sessions(Home.at(home), 200) or [])
    desk.window.show()
    return desk, engine


async def put_away(desk: DeskWindow, engine: OpeningEngine) -> None:
    engine.give_up()
    await desk.close()
    await engine.close()
    desk.window.finish_closing()


@pytest.fixture
async def worked(opened: Callable[[], object], home: Path) -> str:
    """A session that lies in the home, with a card open; its id."""
    console: OpenConsole = await opened()  # type: ignore[misc]
    session = await begin(console)
    await console.card("Edit ledger.csv")
    await console.close()
    return session


async def test_the_sessions_are_listed_before_the_home_is_open(qtbot: QtBot, home: Path, worked: str) -> None:
    desk, engine = framed(qtbot, home)

    listed = desk.window.findChild(QListView, "sessions.list")
    assert listed.isVisible()
    assert desk.frame.sessions.model.first_session() == worked == desk.state.current
    decisions = desk.window.findChild(QPushButton, "top.decisions")
    assert decisions.accessibleName().startswith("1 decision")
    await put_away(desk, engine)


async def test_a_home_that_nobody_has_read_is_not_called_empty(qtbot: QtBot, home: Path) -> None:
    desk, engine = framed(qtbot, home)
    desk.state.sessions_known = False
    desk.frame.sessions.refresh()
    (nothing,) = desk.frame.sessions.findChildren(EmptyState)
    assert not nothing.isVisible()

    desk.state.show_recent([])
    assert nothing.isVisible()
    await put_away(desk, engine)


async def test_the_first_steps_have_the_window_to_themselves_until_there_is_a_session(qtbot: QtBot, home: Path) -> None:
    desk, engine = framed(qtbot, home)
    first_steps, columns = desk.session.first_run, (desk.frame.sessions, desk.cards.panel)
    assert first_steps.isVisible()
    assert not any(column.isVisible() for column in columns)

    desk.state.show_recent([summary(1)])
    assert not first_steps.isVisible()
    assert all(column.isVisible() for column in columns)
    await put_away(desk, engine)


async def test_a_key_pressed_before_the_home_is_open_gets_what_it_asks_for(
    qtbot: QtBot, home: Path, worked: str
) -> None:
    desk, engine = framed(qtbot, home)
    await active(desk.window)
    qtbot.keyClick(desk.window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert desk.window.page == "sessions"
    qtbot.keyClick(desk.window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(desk.window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert desk.cards.panel.isVisible()
    await put_away(desk, engine)


async def test_what_is_asked_before_the_home_is_open_is_answered_once_it_is(
    qtbot: QtBot, home: Path, worked: str
) -> None:
    desk, engine = framed(qtbot, home)
    answers: list[DayBudget] = []
    desk.commands.spawn(engine.reader.day_budget(), then=answers.append)
    await asyncio.sleep(0)
    assert not answers

    await engine.open()
    desk.load()
    await desk.commands.settle()
    assert len(answers) == 1
    assert [entry.proposal.session for entry in desk.state.queue] == [worked]
    assert desk.state.opening is not None, "the session that was selected in advance is shown"
    await desk.close()
    await engine.close()
    desk.window.finish_closing()


async def test_what_is_read_or_heard_later_replaces_what_was_read_in_advance(qapp: object) -> None:
    reader = StandInReader([summary(1, step=2), summary(2, step=2)])
    state = ConsoleState(Commands(StandInSupervisor(), StandInDesk(), reader, "ana"))
    state.show_recent([summary(1, step=1), summary(2, step=1)])
    batch = Batch()
    batch.add(summary(2, step=3))
    state.apply(batch)

    state.load()
    await state.commands.settle()

    assert sorted(one.step for one in state.sessions.values()) == [2, 3]


async def test_what_waits_for_a_home_that_does_not_open_waits_no_more(qtbot: QtBot, home: Path) -> None:
    desk, engine = framed(qtbot, home)
    desk.commands.spawn(engine.reader.day_budget())
    await asyncio.sleep(0)

    engine.give_up()

    await asyncio.wait_for(desk.commands.close(), 5)
    await put_away(desk, engine)


def test_nothing_heavy_is_imported_before_the_frame_is_shown() -> None:
    look = f"import sys, console.app; print([name for name in {HEAVY!r} if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.strip() == "[]"
