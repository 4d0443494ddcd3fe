"""The application: one window a home, an asyncio loop inside Qt's, and an ordered end."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

os.environ.setdefault("QT_API", "pyside6")

import qasync
from PySide6.QtCore import QCoreApplication, QSize, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from agent_core.config.look import look_of
from agent_core.config.operators import who_decides
from agent_core.store.sessions import recent_sessions
from console.desk_window import DeskWindow
from console.one_window import OneWindow
from console.opening_engine import OpeningEngine
from console.signals import heed
from ui.collector import Collector
from ui.console_state import RECENT_SESSIONS
from ui.theme import theme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_core.config.home import Home
    from console.demo_room import Story
    from console.faults import Faults
    from ui.tray import TrayIcon

WINDOW = QSize(1440, 900)
GLANCE_SECONDS = 0.1
"""How long the frame waits for its sessions, so that they do not pop in; a slower disk fills them in later."""
UNSEEN_SECONDS = 0.5
"""How long the rest waits for the frame to be painted; a window that opens minimised never is."""


def open_console(home: Home, *, story: Story | None = None) -> int:
    """Open the window, on a bundled story if one is given, and stay until it is closed. Gives the exit code."""
    theme().wear(look_of(home))
    app = application()
    one = OneWindow(home)
    if not one.is_first():
        sys.stderr.write("pilothouse: a console on this home is already open; it was brought to front\n")
        return 0
    loop = event_loop(app)
    try:
        said: str | None = ""
        while said is not None:
            said = loop.run_until_complete(_live(home, one, story, said))
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


@contextmanager
def qt_unheard() -> Iterator[None]:
    """While it lasts, what Qt says by itself goes nowhere: of a display that is none, it says what that cannot do."""
    before = qInstallMessageHandler(lambda *_: None)
    try:
        yield
    finally:
        qInstallMessageHandler(before)


async def _live(home: Home, one: OneWindow, story: Story | None, said: str) -> str | None:
    """Show the window, open the home behind it, and end in order: runs rest, the journal closes, then the window.

    `said` is told at first. Gives what to say in the next window when the home is to be opened anew, because a backup
    was put back and nobody told the program to leave; else None.
    """
    ended, told = asyncio.Event(), asyncio.Event()
    anew: list[str] = []

    def leave() -> None:
        told.set()
        ended.set()

    heed(leave)
    collector = Collector()
    engine = OpeningEngine(home, who_decides(os.environ))
    desk = DeskWindow(engine, tray_icon=_tray_icon)
    one.raise_wanted.connect(desk.to_front)
    desk.quit_wanted.connect(ended.set)
    desk.reopen_wanted.connect(anew.append)
    desk.reopen_wanted.connect(lambda _said: ended.set())
    desk.demo_wanted.connect(partial(_start_story, desk, story))
    faults: Faults | None = None
    try:
        await _show(desk, home)
        faults = await _report_faults(desk, home)
        await desk.furnish()
        redactor = (await engine.open()).house.services.redactor
        faults.redact_with(lambda line: redactor().redact(line))
        desk.load()
        if said:
            desk.window.say(said, "circle-check")
        if story is not None:
            _go_on(desk, story)
        await ended.wait()
    finally:
        desk.window.begin_closing()
        engine.give_up()
        await desk.close()
        await engine.close()
        desk.window.finish_closing()
        collector.close()
        one.raise_wanted.disconnect(desk.to_front)
    if not anew or told.is_set():
        return None
    if faults is not None:
        faults.remove()
    return anew[-1]


async def _report_faults(desk: DeskWindow, home: Home) -> Faults:
    """From now on every unexpected error goes to the log, and is told on the screen."""
    await asyncio.to_thread(import_module, "console.faults")
    from console.faults import install, redact_for

    faults = install(home, redact_for(os.environ), desk.fault.emit)
    asyncio.get_running_loop().set_exception_handler(faults.loop_handler)
    qInstallMessageHandler(faults.qt_handler)
    return faults


async def _show(desk: DeskWindow, home: Home) -> None:
    """Show the frame with its sessions, and wait until both were seen: nothing is to slow that down."""
    glance = asyncio.ensure_future(_glance(desk, home))
    await asyncio.wait((glance,), timeout=GLANCE_SECONDS)
    seen = asyncio.Event()
    desk.window.seen.connect(seen.set)
    desk.window.resize(WINDOW)
    desk.window.show()
    with suppress(TimeoutError):
        await asyncio.wait_for(seen.wait(), UNSEEN_SECONDS)
    await asyncio.wait((glance,), timeout=UNSEEN_SECONDS)


async def _glance(desk: DeskWindow, home: Home) -> None:
    found = await asyncio.to_thread(recent_sessions, home, RECENT_SESSIONS)
    if found is not None and not desk.state.sessions_known:
        desk.state.show_recent(found)


def _tray_icon() -> TrayIcon | None:
    from ui.tray import system_tray_icon

    return system_tray_icon()


def _start_story(desk: DeskWindow, story: Story | None) -> None:
    from console.demo_room import USUAL_STORY, find_story
    from console.story import begin

    told = story or find_story(USUAL_STORY)
    desk.commands.spawn(begin(desk.engine.supervisor, told, os.environ, desk.engine.operator), then=desk.open_session)


def _go_on(desk: DeskWindow, story: Story) -> None:
    """Show the session of the story that was left open; begin one where there is none."""
    from console.story import left_open

    def shown(session: str | None) -> None:
        if session is None:
            desk.demo_wanted.emit()
        else:
            desk.open_session(session)

    desk.commands.spawn(left_open(desk.engine.reader, story), then=shown)
