"""The trace: sessions of many events, shown, scrolled, and added to while they run."""

import gc
import random
import tracemalloc
from datetime import timedelta
from functools import cache
from typing import Any

from tests.bench.screens.stage import play, seconds, settle, show, stage, until
from tests.bench.worker import serve
from tests.support import sample_session as sample
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from tests.support.sample_session import Story
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.models.trace.model import TraceModel
from ui.views.trace.trace_list import TraceList
from ui.views.trace.trace_view import TraceView

EVENTS_A_STEP, ROWS_A_STEP = 5, 4
WIDTH, HEIGHT = 700, 620
_SAID = "INV-20418 is €412.00 above the order. Before proposing anything, check whether the goods receipt was short. "
_ADDED = 250
"""Steps of one addition: a thousand rows."""
_JUMPS = 40
_WEIGHED = 20_000


def _add_steps(story: Story, count: int) -> None:
    for _ in range(count):
        request = story.request()
        (call,) = story.respond(request, _SAID, [("files_read", {"path": f"invoices/{story.step:06d}.txt"})])
        story.read(call, {"path": f"invoices/{story.step:06d}.txt", "text": "Total: 24,308.00"}, "1 line")


@cache
def _story(events: int) -> Story:
    story = Story()
    _add_steps(story, (events - len(story.events)) // EVENTS_A_STEP)
    return story


@cache
def _model(events: int) -> TraceModel:
    model = TraceModel()
    model.load(_story(events).events)
    return model


@cache
def _list(events: int) -> TraceList:
    trace = TraceList(_now)
    show(trace, WIDTH, HEIGHT)
    trace.set_model(_model(events))
    settle()
    return trace


def _now() -> Any:
    return sample.START + timedelta(minutes=20)


def paint(events: int) -> dict[str, Any]:
    """Seconds from a model that is there to its rows on the screen."""
    model = _model(events)
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
    """Seconds a frame, jumping through the whole session."""
    trace, places = _list(events), random.Random(7)
    bar = trace.verticalScrollBar()

    def jumps() -> None:
        for _ in range(_JUMPS):
            bar.setValue(places.randrange(bar.maximum()))
            trace.viewport().repaint()

    return {"seconds": seconds(jumps) / _JUMPS}


def append(events: int) -> dict[str, Any]:
    """Seconds for a thousand rows more, painted, in a session of so many events that follows its end."""
    story, trace = _story(events), _list(events)
    trace.follow()
    settle()
    known = len(story.events)
    _add_steps(story, _ADDED)
    fresh = story.events[known:]

    def add() -> None:
        trace.apply(trace.model.apply(fresh))
        trace.viewport().repaint()

    return {"seconds": seconds(add)}


def open_session(events: int) -> dict[str, Any]:
    """Seconds from the choice of a session, whose events lie in memory, to its rows on the screen."""
    stage()
    story = _story(events)
    commands = Commands(StandInSupervisor(), StandInDesk(), StandInReader(events=story.events), "bench")
    state = ConsoleState(commands)
    view = TraceView(state, _now)
    show(view, WIDTH, HEIGHT)

    async def choose() -> None:
        state.select(story.session)
        await until(lambda: state.state is not None and not view.feed.loading)
        view.list.viewport().repaint()

    took = seconds(lambda: play(choose()))
    view.deleteLater()
    settle()
    return {"seconds": took}


def weigh() -> dict[str, Any]:
    """Bytes of memory a row, of the list alone and of the events that it keeps."""
    gc.collect()
    tracemalloc.start()
    story = Story()
    _add_steps(story, _WEIGHED // EVENTS_A_STEP)
    events, _ = tracemalloc.get_traced_memory()
    model = TraceModel()
    model.load(story.events)
    trace = TraceList(_now)
    trace.resize(WIDTH, HEIGHT)
    trace.set_model(model)
    both, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {"rows": (both - events) / len(model), "events": both / len(model)}


if __name__ == "__main__":
    stage()
    serve({"paint": paint, "scroll": scroll, "append": append, "open": open_session, "weigh": weigh})
