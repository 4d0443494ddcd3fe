"""The trace: sessions of many events in a database, opened, scrolled, read, and added to while they run."""

import asyncio
import atexit
import gc
import random
import tempfile
import tracemalloc
from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from agent_core.config.home import Home
from agent_core.model.events import Draft, Event
from agent_core.model.standing import Opening
from agent_core.store.journal import Journal
from tests.bench.screens.stage import play, seconds, settle, show, stage, until
from tests.bench.worker import serve
from tests.support import sample_session as sample
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from tests.support.sample_session import Story
from ui.bridge import Batch
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.views.trace.trace_list import TraceList
from ui.views.trace.trace_view import TraceView

EVENTS_A_STEP, ROWS_A_STEP = 5, 4
WIDTH, HEIGHT = 700, 620
_SAID = "INV-20418 is €412.00 above the order. Before proposing anything, check whether the goods receipt was short. "
_ADDED = 250
"""Steps of one addition: a thousand rows."""
_JUMPS = 40
_READS = 20
_AT_ONCE = 200
"""Steps that are written in one go."""


def _now() -> Any:
    return sample.START + timedelta(minutes=20)


def _add_steps(story: Story, count: int) -> None:
    for _ in range(count):
        request = story.request()
        (call,) = story.respond(request, _SAID, [("files_read", {"path": f"invoices/{story.step:06d}.txt"})])
        story.read(call, {"path": f"invoices/{story.step:06d}.txt", "text": "Total: 24,308.00"}, "1 line")


@cache
def _journal(events: int) -> Journal:
    """A home with one session of so many events, written as a run writes it."""
    folder = tempfile.TemporaryDirectory(prefix="pilothouse-bench-")
    journal = Journal.open(Home.at(Path(folder.name)))
    story, written = Story(), 0
    while written < events:
        drafts = [Draft(data=event.data, at=event.at, run=event.run, step=event.step) for event in story.events]
        journal.append_now(story.session, drafts)
        written += len(story.events)
        story.events.clear()
        _add_steps(story, min(_AT_ONCE, (events - written) // EVENTS_A_STEP + 1))
    journal.snapshots.whole(story.session)
    atexit.register(folder.cleanup)
    atexit.register(journal.close)
    return journal


class JournalReader(StandInReader):
    """Reads from a journal, off this thread."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self._journal = journal

    async def events(self, session: str, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        return await self._journal.read(session, after, limit)

    async def first_look(self, session: str) -> Opening:
        return await self._journal.first_look(session)

    async def whole(self, session: str) -> Opening:
        return await self._journal.whole(session)

    async def fault(self, session: str) -> str:
        return ""


class Screen:
    """The console's centre on one session."""

    def __init__(self, events: int) -> None:
        stage()
        self.state = ConsoleState(
            Commands(StandInSupervisor(), StandInDesk(), JournalReader(_journal(events)), "bench")
        )
        self.view = TraceView(self.state, _now)
        show(self.view, WIDTH, HEIGHT)

    async def open(self) -> None:
        self.state.select(sample.SESSION)
        await self.painted()
        await until(lambda: self.state.state is not None)

    async def painted(self) -> None:
        """Until what is in view has been read and painted."""
        trace = self.view.list
        await until(lambda: bool(trace.view.rows) and all(trace.model.at(row.row) for row in trace.view.rows))
        trace.viewport().repaint()

    def close(self) -> None:
        self.view.deleteLater()
        settle()


@cache
def _opened(events: int) -> Screen:
    screen = Screen(events)
    play(screen.open())
    return screen


def open_session(events: int) -> dict[str, Any]:
    """Seconds from the choice of a session to its rows on the screen, with everything that is known of it."""
    screen = Screen(events)
    took = seconds(lambda: play(screen.open()))
    screen.close()
    return {"seconds": took}


def paint(events: int) -> dict[str, Any]:
    """Seconds from a trace that is there to its rows on the screen."""
    model = _opened(events).view.list.model
    trace = TraceList(_now)
    show(trace, WIDTH, HEIGHT)

    def draw() -> None:
        trace.set_model(model)
        trace.viewport().repaint()

    took = seconds(draw)
    trace.deleteLater()
    settle()
    return {"seconds": took}


def scroll(events: int) -> dict[str, Any]:
    """Seconds a frame, jumping through the whole session: what has not been read yet is read behind it."""
    trace, places = _opened(events).view.list, random.Random(7)
    bar = trace.verticalScrollBar()

    async def jumps() -> None:
        for _ in range(_JUMPS):
            bar.setValue(places.randrange(bar.maximum()))
            trace.viewport().repaint()

    took = seconds(lambda: play(jumps())) / _JUMPS
    play(_opened(events).painted())
    return {"seconds": took}


def read(events: int) -> dict[str, Any]:
    """Seconds from a jump to rows that say something."""
    screen, places = _opened(events), random.Random(8)
    bar = screen.view.list.verticalScrollBar()

    async def jumps() -> None:
        for _ in range(_READS):
            bar.setValue(places.randrange(bar.maximum()))
            await screen.painted()

    return {"seconds": seconds(lambda: play(jumps())) / _READS}


def append(events: int) -> dict[str, Any]:
    """Seconds for a thousand rows more, painted, in a session of so many events that follows its end."""
    screen, story = _opened(events), Story()
    screen.view.list.follow()
    settle()
    opening = screen.state.opening
    assert opening is not None
    story.events.clear()
    story.step, story._ids = 10_000_000 + opening.newest, opening.newest * 10
    _add_steps(story, _ADDED)
    batch = Batch()
    for number, event in enumerate(story.events, opening.newest + 1):
        batch.add(msgspec.structs.replace(event, seq=number))

    def add() -> None:
        screen.state.apply(batch)
        screen.view.list.viewport().repaint()

    async def added() -> None:
        add()
        await asyncio.sleep(0)

    return {"seconds": seconds(lambda: play(added()))}


def weigh(events: int) -> dict[str, Any]:
    """Bytes of memory a row, after many places of the session have been looked at."""
    _journal(events)
    gc.collect()
    tracemalloc.start()
    screen, places = Screen(events), random.Random(9)
    play(screen.open())
    bar = screen.view.list.verticalScrollBar()

    async def jumps() -> None:
        for _ in range(_READS):
            bar.setValue(places.randrange(bar.maximum()))
            await screen.painted()

    play(jumps())
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    rows = len(screen.view.list.model)
    screen.close()
    return {"bytes": taken / rows}


if __name__ == "__main__":
    stage()
    serve({"open": open_session, "paint": paint, "scroll": scroll, "read": read, "append": append, "weigh": weigh})
