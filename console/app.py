"""The application: one window a home, an asyncio loop inside Qt's, and an ordered end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from functools import partial

os.environ.setdefault("QT_API", "pyside6")

import qasync
from PySide6.QtCore import QCoreApplication, QSize, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from agent_core.config.home import Home
from agent_core.config.operators import who_decides
from agent_core.config.settings import Settings
from agent_core.engine.harness import Harness, open_harness
from agent_core.model.intents import StartRun
from console.demo_room import Story, find_story, fresh_workspace
from console.desk_window import DeskWindow
from console.engine import engine_of
from console.faults import install, redact_for
from console.one_window import OneWindow
from ui.collector import Collector
from ui.theme import theme

STORY = "office"
WINDOW = QSize(1440, 900)


def open_console(home: Home, *, story: Story | None = None) -> int:
    """Open the window, on a bundled story if one is given, and stay until it is closed. Gives the exit code."""
    app = application()
    one = OneWindow(home)
    if not one.is_first():
        sys.stderr.write("pilothouse: a console on this home is already open; it was brought to front\n")
        return 0
    loop = event_loop(app)
    try:
        while loop.run_until_complete(_live(home, one, story)):
            story = None
        return 0
    finally:
        one.close()
        with suppress(RuntimeError):
            loop.close()


def application() -> QApplication:
    """The Qt application, made once and themed."""
    app = QApplication.instance()
    made = app if isinstance(app, QApplication) else QApplication(sys.argv[:1])
    QCoreApplication.setOrganizationName("Pilothouse")
    QCoreApplication.setApplicationName("Pilothouse")
    made.setQuitOnLastWindowClosed(False)
    theme().install(made)
    return made


def event_loop(app: QApplication) -> asyncio.AbstractEventLoop:
    """An asyncio loop inside Qt's."""
    loop: asyncio.AbstractEventLoop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)
    return loop


async def _live(home: Home, one: OneWindow, story: Story | None) -> bool:
    """Open the home, show the window, and end in order: runs rest, the journal closes, then the window.

    True when the home is to be opened anew, because a backup was put back.
    """
    ended, anew = asyncio.Event(), asyncio.Event()
    _heed_signals(ended)
    faults = install(home, redact_for(os.environ))
    asyncio.get_running_loop().set_exception_handler(faults.loop_handler)
    qInstallMessageHandler(faults.qt_handler)
    collector = Collector()
    harness = await open_harness(home, operator=who_decides(os.environ), takes_decided=True)
    faults.redact_with(lambda line: harness.house.services.redactor().redact(line))
    desk = DeskWindow(engine_of(harness, Settings.open(home), now=harness.house.clock.now))
    one.raise_wanted.connect(desk.to_front)
    desk.quit_wanted.connect(ended.set)
    desk.reopen_wanted.connect(anew.set)
    desk.reopen_wanted.connect(ended.set)
    desk.demo_wanted.connect(partial(_start_story, harness, desk, story or find_story(STORY)))
    desk.window.resize(WINDOW)
    desk.window.show()
    desk.load()
    if story is not None:
        desk.demo_wanted.emit()
    await ended.wait()
    desk.window.setEnabled(False)
    await desk.close()
    await harness.close()
    desk.window.finish_closing()
    collector.close()
    if anew.is_set():
        one.raise_wanted.disconnect(desk.to_front)
        faults.remove()
    return anew.is_set()


def _start_story(harness: Harness, desk: DeskWindow, story: Story) -> None:
    async def start() -> str:
        workspace = await asyncio.to_thread(fresh_workspace, os.environ)
        intent = StartRun(
            profile=str(story.profile), goal=story.goal, workspace=str(workspace), by=harness.house.operator
        )
        return await harness.supervisor.start(intent)

    desk.commands.spawn(start(), then=desk.open_session)


def _heed_signals(ended: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, ended.set)
        except (NotImplementedError, RuntimeError):
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(ended.set))
