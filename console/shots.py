"""Pictures of the views, drawn offscreen: from a copy of the home, or from a bundled story played up to a card."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from agent_core.config.home import Home
from agent_core.config.operators import who_decides
from agent_core.config.settings import Settings
from agent_core.engine.harness import Harness, open_harness
from agent_core.model.errors import InputError, StorageError
from agent_core.model.intents import StartRun
from agent_core.model.proposal import Proposal
from console.commands.shot import ShotRequest
from console.deciding import FromFile, intent
from console.demo_clock import DemoClock
from console.demo_room import Story, find_story, fresh_workspace
from console.slot_errors import SlotErrors, slot_errors

DEMO_STORY = "office"
EVERY_KIND = "desk"
"""The story that brings up each kind of card."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is drawn: an open home that nobody works on, its time, the session and card to show."""

    harness: Harness
    home: Home
    at: datetime
    session: str | None = None
    card: str | None = None
    workspace: Path | None = None
    """A copy that is to be thrown away afterwards."""


def take_shot(request: ShotRequest) -> None:
    """Draw one view to a PNG. Nothing of the home is written. Whatever goes wrong in a slot of the window is raised."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from console.app import application, event_loop, qt_unheard
    from ui.collector import Collector

    app = application()
    loop = event_loop(app)
    collector = Collector()
    try:
        with qt_unheard(), slot_errors() as errors:
            errors.watch_loop(loop)
            loop.run_until_complete(_draw(request, errors))
    finally:
        collector.close()
        with suppress(RuntimeError):
            loop.close()


async def _draw(request: ShotRequest, errors: SlotErrors) -> None:
    with tempfile.TemporaryDirectory(prefix="pilothouse-shot-") as folder:
        subject = await _subject(request, Path(folder))
        try:
            await _picture(request, subject, errors)
        finally:
            await subject.harness.close()
            if subject.workspace is not None:
                shutil.rmtree(subject.workspace, ignore_errors=True)


async def _subject(request: ShotRequest, folder: Path) -> Subject:
    """The home that is drawn, else a story: the one named, or the demo where there is no card to draw."""
    if request.view == "first-run":
        return await _nothing_yet(Home.at(folder / "home"))
    if request.story is None:
        home = copy_of(request.home, folder)
        harness = await open_harness(home, operator=who_decides(os.environ), works=False)
        if request.session is not None:
            request = replace(request, session=await _named(harness, request.session))
        at = harness.house.clock.now()
        cards = [entry.proposal for entry in await harness.desk.open_proposals() if _fits(entry.proposal, request)]
        if cards or request.view not in ("card", "review"):
            session = request.session or (cards[0].session if cards else None)
            return Subject(harness, home, at, session, cards[0].proposal if cards else None)
        await harness.close()
    story = find_story(request.story or (EVERY_KIND if request.kind is not None else DEMO_STORY))
    return await _played(request, story, Home.at(folder / "story"))


async def _nothing_yet(home: Home) -> Subject:
    """A home without sessions: what the first run shows, whatever there is by now, or a story would bring."""
    harness = await open_harness(home, operator=who_decides(os.environ), works=False)
    return Subject(harness, home, harness.house.clock.now())


async def _named(harness: Harness, session: str) -> str:
    try:
        return await harness.reader.find(session)
    except InputError:
        await harness.close()
        raise


def _fits(card: Proposal, request: ShotRequest) -> bool:
    if request.session is not None and card.session != request.session:
        return False
    if request.kind is not None:
        return card.touchpoint.value == request.kind
    return request.view != "review" or card.tier.value == "R3"


async def _played(request: ShotRequest, story: Story, home: Home) -> Subject:
    """Play a story with its own operator until a card is open that fits, and leave it open."""
    clock = DemoClock()
    harness = await open_harness(home, operator=who_decides(os.environ), clock=clock)
    workspace = await asyncio.to_thread(fresh_workspace, {**os.environ, "PILOTHOUSE_HOME": str(home.data)})
    start = StartRun(profile=str(story.profile), goal=story.goal, workspace=str(workspace), by=harness.house.operator)
    session = await harness.supervisor.start(start)
    try:
        card = await _play_until(harness, clock, session, FromFile(story.operator()), request)
    except InputError:
        await harness.close()
        raise
    return Subject(harness, home, clock.now(), session, card, workspace)


async def _play_until(
    harness: Harness, clock: DemoClock, session: str, operator: FromFile, request: ShotRequest
) -> str | None:
    """The id of the card that fits; None when the story ended without one, unless a kind was asked for."""
    wanted = request.view in ("card", "review", "console")
    while True:
        await harness.supervisor.wait(session)
        cards = [e.proposal for e in await harness.desk.open_proposals() if e.proposal.session == session]
        fitting = [card for card in cards if _story_fits(card, request)]
        if wanted and fitting:
            return fitting[0].proposal
        if not cards:
            if request.kind is not None:
                raise InputError(f"The story has no card of the kind {request.kind}; {EVERY_KIND} has one of each")
            return None
        await _answer(harness, clock, session, operator, cards)


def _story_fits(card: Proposal, request: ShotRequest) -> bool:
    if request.kind is None and request.view == "console":
        return card.tier.value == "R3"
    return _fits(card, request)


async def _answer(harness: Harness, clock: DemoClock, session: str, operator: FromFile, cards: list[Proposal]) -> None:
    for card in cards:
        reply = await operator.reply(card, clock.now())
        if reply is not None:
            await harness.desk.decide(intent(card.proposal, reply, by=harness.house.operator, via=operator.via))
            return
    due = [card.approve_by for card in cards if card.approve_by is not None]
    if due:
        clock.jump(min(due))
        await harness.desk.expire(session)


def copy_of(home: Home, folder: Path) -> Home:
    """A home in `folder` with the same database, its proofs, settings and profiles; the original is only read."""
    copy = Home.at(folder / "home")
    copy.create()
    if home.settings.exists():
        shutil.copy2(home.settings, copy.settings)
    if home.agents.is_dir():
        shutil.copytree(home.agents, copy.agents, dirs_exist_ok=True)
    for proof in (*home.keys.glob("*.pub"), *home.heads.glob("*.log")):
        shutil.copy2(proof, (copy.keys if proof.suffix == ".pub" else copy.heads) / proof.name)
    if home.database.exists():
        try:
            with (
                closing(sqlite3.connect(f"{home.database.resolve().as_uri()}?mode=ro", uri=True)) as source,
                closing(sqlite3.connect(copy.database)) as target,
            ):
                source.backup(target)
        except sqlite3.Error as error:
            raise StorageError(f"{home.database} cannot be read: {error}") from error
    return copy


async def _picture(request: ShotRequest, subject: Subject, errors: SlotErrors) -> None:
    from console.desk_window import DeskWindow
    from console.engine import engine_of
    from console.stage import Stage

    ticks = itertools.count()
    settings = Settings.open(subject.home)
    settings.change("general.theme", request.theme)  # in the copy that is drawn
    engine = engine_of(subject.harness, settings, now=lambda: subject.at, lock_clock=lambda: float(next(ticks)))
    stage = Stage(DeskWindow(engine), request.width, request.height)
    await stage.open()
    picture = await stage.picture(request.view, subject.session, subject.card)
    errors.check()  # a view that failed half-way is no picture
    if not picture.save(str(request.out), "PNG"):
        raise InputError(f"--out: {request.out} cannot be written")
    await stage.close()
