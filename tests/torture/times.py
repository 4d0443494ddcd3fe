"""Point 8: deadlines under sleep, changed clocks, daylight saving and restarts. Silence is the system's act, and no."""

import asyncio
import os
import random
import time
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.errors import DecisionRefused
from agent_core.model.intents import Decide
from agent_core.model.proposal import ProposalStatus, Via
from tests.support.engine_lab import Lab, call, eventually, turn
from tests.support.virtual_clock import VirtualClock
from tests.torture.report import Options, Point

_ZONES = ("UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu")
_STARTS = ((2026, 11, 1, 0, 40), (2026, 3, 8, 1, 40), (2026, 3, 29, 1, 30), (2026, 10, 25, 2, 30), (2026, 6, 1, 12, 0))
"""Local times around which clocks are set forward or back."""
_WINDOWS = (60, 3600, 4 * 3600, 26 * 3600)
HOUR = 3600.0


def measure(options: Options) -> Point:
    """Let time jump under open cards, and see what silence did."""
    point, chance, tally = Point(), random.Random(options.seed), Counter[str]()
    zone_before = os.environ.get("TZ")
    times = options.size(300, 16)
    try:
        for number in range(times):
            _set_zone(chance.choice(_ZONES))
            asyncio.run(_one(point, tally, options.scratch / str(number), chance))
    finally:
        _set_zone(zone_before)
    point.none("cards approved by silence", tally["approved"], times)
    point.none("calls that ran without a decision, or after their deadline", tally["ran"], times)
    point.none("cards that expired early, or stayed open past their instant", tally["wrong"], times)
    point.all("expiries that are the system's act and told so", tally["system"], tally["expired"])
    point.all("late decisions refused", tally["late refused"], tally["late"])
    return point


def _set_zone(name: str | None) -> None:
    os.environ.pop("TZ", None)
    if name is not None:
        os.environ["TZ"] = name
    time.tzset()


async def _one(point: Point, tally: Counter[str], root: Path, chance: random.Random) -> None:
    local = datetime(*chance.choice(_STARTS), tzinfo=ZoneInfo(os.environ["TZ"]))
    window = chance.choice(_WINDOWS)
    clock = VirtualClock(start=local.astimezone(ZoneInfo("UTC")), passes=30.0)
    lab = Lab(root, turn(call("files_write", path="out.txt", content="x")), turn(text="done"), clock=clock)
    outcome = chance.choice(("cancel", "stop"))
    lab.write_profile(gate=f'approve_within = "{window}s"\non_deadline = "{outcome}"')
    harness = await lab.open()
    session = await lab.start(harness)
    card = await lab.card(harness)
    assert card.approve_by is not None
    tally["wrong"] += (card.approve_by - card.opened_at) != timedelta(seconds=window)
    jump = chance.choice((8 * HOUR, -2 * HOUR, HOUR, 72 * HOUR, window - 1.0, float(window), window + 1.0, 30.0))
    past = jump >= window
    what = f"a jump of {jump:g} s with a window of {window} s"
    match chance.choice(("asleep", "awake", "restart")):
        case "asleep":
            clock.advance(jump, loop=False)
        case "awake":
            clock.advance(jump)
        case _:
            await lab.close()
            clock.advance(jump)
            harness = await lab.open()
    if past:
        await _refuse_late(tally, harness, card.proposal)
        await harness.desk.expire(session)
        if harness.supervisor._works.get(session) is None:
            await _go_on(harness, session)
        await eventually(lambda: _ended(lab, harness, session))
    state = await lab.state(harness, session)
    status = state.proposals[card.proposal].status
    tally["approved"] += status is ProposalStatus.DECIDED
    tally["ran"] += (lab.workspace / "out.txt").exists()
    if status is not (ProposalStatus.EXPIRED if past else ProposalStatus.OPEN):
        tally["wrong"] += 1
        point.problem(f"the card is {status.value} after {what}")
    if past:
        tally["expired"] += 1
        expiries = [e.data for e in await lab.events(harness, session, ev.ProposalExpired)]
        told = "expired" in str(lab.model.results()) if outcome == "cancel" else state.run.stopped is not None
        tally["system"] += told and [e.by for e in expiries if isinstance(e, ev.ProposalExpired)] == ["system"]
    await lab.close()


async def _refuse_late(tally: Counter[str], harness: Harness, card: str) -> None:
    tally["late"] += 1
    try:
        await harness.desk.decide(Decide(proposal=card, verdict="approve", by="bar", via=Via.CLI))
    except DecisionRefused:
        tally["late refused"] += 1


async def _go_on(harness: Harness, session: str) -> None:
    try:
        await harness.supervisor.resume(session, "bar")
    except Exception:  # noqa: BLE001 - it goes on by itself, or has ended
        await harness.supervisor.wait(session)


async def _ended(lab: Lab, harness: Harness, session: str) -> Any:
    return (await lab.result(harness, session))["status"] == "ended"
