"""Point 12, measured."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from agent_core.engine import exporting
from agent_core.model.events import EventData, decode_data, encode_data
from agent_core.model.text import whole_json
from agent_core.policy.redaction import Redactor
from tests.support import sample_session
from tests.torture.report import Options, Point
from tests.torture.text.strings import hostile, poisoned


@dataclass
class Listener:
    """Whoever fetches something comes here."""

    url: str = ""
    visits: list[bytes] = field(default_factory=list)


@contextmanager
def listening() -> Iterator[Listener]:
    """A server on this computer that writes down who came."""
    server = socket.create_server(("127.0.0.1", 0))
    listener = Listener(f"http://127.0.0.1:{server.getsockname()[1]}")

    def serve() -> None:
        with suppress(OSError):
            while True:
                visitor, _ = server.accept()
                listener.visits.append(visitor.recv(2_000))
                visitor.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listener
    with suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(5)


def measure(options: Options) -> Point:
    """Show them all everywhere, export them, and let a tool put out fifty megabytes."""
    point = Point()
    with listening() as listener:
        strings = hostile(listener.url)
        _exports(point, strings, options.scratch / "exports")
        chosen = strings[:: max(1, len(strings) // 6)] if options.quick else strings
        _screens(point, chosen, options.scratch / "screens")
        point.none("requests that reached the listener", len(listener.visits))
    _flood(point, options)
    return point


def _exports(point: Point, strings: list[str], folder: Path) -> None:
    """What is journaled and exported holds the characters as they were; only halves of one become U+FFFD."""
    folder.mkdir(parents=True)
    kept = 0
    for text in strings:
        events = [msgspec.structs.replace(e, data=_safe(e.data, text)) for e in sample_session.sample_events()]
        out = folder / "export.jsonl"
        exporting.export(events, "jsonl", out, Redactor({}))
        lines = out.read_text(encoding="utf-8").split("\n")[:-1]
        told = [json.loads(line) for line in lines]
        wanted = [exporting.event_json(event) for event in events]
        again = all(decode_data(e.kind, encode_data(e.data)) == e.data for e in events)
        kept += told == wanted and again and len(lines) == len(events)
        if told != wanted or not again:
            point.problem(f"not kept: {text[:60]!r}")
    point.all("hostile strings whose characters an export keeps, one event a line", kept, len(strings))


def _safe(data: EventData, text: str) -> EventData:
    """As it comes through the door of the journal: whole characters."""
    return poisoned(data, whole_json(text))


PROCESSES = 2
"""Screens are drawn by one thread of one program, so two programs share them."""


def _screens(point: Point, strings: list[str], folder: Path) -> None:
    longest_first = sorted(enumerate(strings), key=lambda numbered: -len(numbered[1]))
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(_seen, longest_first, repeat(folder)))
        sharp = pool.submit(_sharp, folder).result()
    faults = set().union(*(seen.faults for seen in found))
    point.shown("hostile strings, each in every page, card, dialog, title and tooltip", len(strings))
    point.all("of these, seen on the screen as they are typed", sum(seen.met for seen in found), len(strings))
    point.sure("a label that guesses is caught (so that the count can fail)", sharp)
    point.none("texts that hide, fake or guess", len(faults), sum(seen.looked for seen in found))
    for fault in sorted(faults):
        point.problem(fault)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen on the screens of one string: whether it was there at all, how many texts, and what is wrong."""

    met: bool
    looked: int
    faults: set[str]


def _seen(numbered: tuple[int, str], folder: Path) -> Seen:
    """In a process of its own."""
    from tests.torture.text.screens import Screens

    screens = Screens(folder)
    _on_qt(lambda: screens.show(*numbered))
    return Seen(bool(screens.met), screens.looked, set(screens.faults))


def _sharp(folder: Path) -> bool:
    """Whether a fault would have been noticed."""
    from tests.torture.text.screens import Screens

    return Screens(folder).catches()


def _on_qt(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine on Qt's loop, as the console does."""
    from console.app import application, event_loop, qt_unheard
    from ui.collector import Collector

    loop = event_loop(application())
    collector = Collector()
    try:
        with qt_unheard():
            loop.run_until_complete(work())
    finally:
        collector.close()
        with suppress(RuntimeError):
            loop.close()
        asyncio.set_event_loop(None)


def _flood(point: Point, options: Options) -> None:
    """Pairs of idle and flood on one run, one after the other: their medians, so that a busy moment decides nothing."""
    from tests.torture.text.flood import stalls

    megabytes, times = 50, options.size(7, 1)
    found: dict[str, list[float]] = {}

    async def watch() -> None:
        found.update(await stalls(options.scratch / "flood", megabytes, options.size(3, 1), times))

    _on_qt(watch)
    idle, flood = median(found["idle"]), median(found["flood"])
    point.shown(f"longest stall of the GUI while a run waits, median of {times}", f"{idle * 1000:.0f} ms")
    point.shown(f"longest stall while a tool puts out {megabytes} MB on that run", f"{flood * 1000:.0f} ms")
    ratios = [over / under for under, over in zip(found["idle"], found["flood"], strict=True)]
    if options.quick:
        point.shown("against idle", f"{median(ratios):.1f} times")
    else:
        point.most(f"against idle, median of {times} pairs", median(ratios), 5, " times")
