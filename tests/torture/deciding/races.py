"""Point 2: of any number of deciders one wins, whoever comes later is told what came first, and nothing runs twice."""

import asyncio
import multiprocessing
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path

from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.errors import DecisionRefused
from agent_core.model.intents import Decide, StartRun
from agent_core.model.proposal import Via
from tests.support.engine_lab import eventually
from tests.support.virtual_clock import VirtualClock
from tests.torture.deciding.cards import CardLab, payments
from tests.torture.deciding.racer import THREADS, Answer, enter, race
from tests.torture.ledger_tools import entries, ledger_of
from tests.torture.report import Options, Point

PROCESSES = 2
_CARDS_A_SESSION = 25


def measure(options: Options) -> Point:
    """Race, double-click, and decide what can no longer be decided."""
    point = Point()
    asyncio.run(_races(point, options.scratch / "races", options.size(40, 1), options.size(_CARDS_A_SESSION, 10)))
    asyncio.run(_too_late(point, options.scratch / "late", options.size(100, 10)))
    return point


async def _races(point: Point, root: Path, sessions: int, cards: int) -> None:
    lab = CardLab(root, payments(cards))
    harness = await lab.open()
    started = [await lab.start(harness, f"pay {number}") for number in range(sessions)]
    waiting = [entry.proposal for entry in await harness.desk.open_proposals()]
    found = await asyncio.to_thread(_race, root, [card.proposal for card in waiting])
    went_on = [await _goes_on(point, lab, harness, session) for session in started]
    point.all("sessions that went on with the decisions of other processes", sum(went_on), len(started))
    won = _winners(point, found, len(waiting))
    await _executions(point, lab, harness, started, won)
    await lab.close()


def _race(root: Path, cards: list[str]) -> list[Answer]:
    """What all deciders were told. A process that dies, or cannot begin, is an error at once."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(PROCESSES * THREADS)
    with ProcessPoolExecutor(PROCESSES, mp_context=context, initializer=enter, initargs=(barrier,)) as pool:
        racers = [pool.submit(race, root, number, cards) for number in range(PROCESSES)]
        return [answer for racer in racers for answer in racer.result()]


async def _goes_on(point: Point, lab: CardLab, harness: Harness, session: str) -> bool:
    """Whether it comes to its end by itself, or says that it could not save and ends once it is resumed."""
    with suppress(TimeoutError):
        await eventually(lambda: _ended(lab, harness, session), seconds=60)
        return True
    paused = (await lab.state(harness, session)).run.paused
    point.problem(
        f"a session did not go on by itself: paused {paused}, events {(await lab.kinds(harness, session))[-4:]}"
    )
    await lab.resume(harness, session)
    return paused is not None and paused.detail == "cannot_save" and await _ended(lab, harness, session)


async def _ended(lab: CardLab, harness: Harness, session: str) -> bool:
    return (await harness.reader.summary(session)).status.value == "ended"


def _winners(point: Point, found: list[Answer], cards: int) -> dict[str, tuple[str, str]]:
    """Who won which card, with which verdict."""
    won: dict[str, tuple[str, str]] = {}
    winners: Counter[str] = Counter()
    refusals: dict[str, list[str]] = defaultdict(list)
    for card, who, verdict, ending in found:
        if ending == "won":
            winners[card] += 1
            won[card] = (who, verdict)
        else:
            refusals[card].append(ending)
    named = sum(card in won and won[card][0] in ending for card, endings in refusals.items() for ending in endings)
    losers = sum(map(len, refusals.values()))
    for card, endings in refusals.items():
        for ending in endings:
            if card not in won or won[card][0] not in ending:
                point.problem(f"a loser was told: {ending}")
    point.shown("races of 4 deciders (2 processes, 2 threads each)", f"{cards:,}")
    point.all("races with exactly one winner", sum(count == 1 for count in winners.values()), cards)
    point.all("losers who were told who won", named, losers)
    return won


async def _executions(
    point: Point, lab: CardLab, harness: Harness, sessions: list[str], won: dict[str, tuple[str, str]]
) -> None:
    wanted: set[str] = set()
    for session in sessions:
        state = await lab.state(harness, session)
        for card in state.proposals.values():
            if won.get(card.proposal.proposal, ("", ""))[1] == "approve":
                wanted.add(f"{session}/{card.proposal.call_id}")
    happened = Counter(key for _, key, _ in entries(ledger_of(lab.workspace)))
    point.none("effects that happened more than once", sum(count > 1 for count in happened.values()))
    point.all("approved calls that ran, once, and no others", len(wanted & set(happened)), len(wanted | set(happened)))


async def _too_late(point: Point, root: Path, times: int) -> None:
    lab = CardLab(root, payments(times), clock=VirtualClock())
    harness = await lab.open()
    session = await lab.start(harness)
    await _double_clicks(point, lab, harness, session)
    late = [await _expired(lab, harness, number) for number in range(times)]
    _refusals(point, "decisions after the deadline, refused saying so", late, "expired")
    gone = [await _withdrawn(lab, harness, number) for number in range(times)]
    _refusals(point, "decisions on withdrawn cards, refused saying why", gone, "withdrawn")
    await lab.close()


async def _double_clicks(point: Point, lab: CardLab, harness: Harness, session: str) -> None:
    cards = [card.proposal for card in await lab.cards(harness)]
    taken = 0
    told: list[str | None] = []
    for card in cards:
        clicks = [_refused(harness, card), _refused(harness, card)]
        endings = await asyncio.gather(*clicks)
        taken += endings.count(None)
        told += [ending for ending in endings if ending is not None]
    await harness.supervisor.wait(session)
    told += [await _refused(harness, card) for card in cards]
    effects = Counter(key for _, key, _ in entries(ledger_of(lab.workspace)))
    point.all("double clicks that were one decision", taken, len(cards))
    point.all("effects after them, once each", sum(count == 1 for count in effects.values()), len(cards))
    _refusals(point, "second clicks and used approvals, refused with who came first", told, "bar already decided")


async def _refused(harness: Harness, card: str) -> str | None:
    """Why an approval is refused; None when it is taken."""
    try:
        await harness.desk.decide(Decide(proposal=card, verdict="approve", by="bar", via=Via.CLI))
    except DecisionRefused as refusal:
        return str(refusal)
    return None


async def _one_card(lab: CardLab, harness: Harness, number: int) -> tuple[str, str]:
    lab.model._scripted._script.turns[0]["tools"] = payments(1, f"late{number}")
    start = StartRun(profile=str(lab.profile), goal="pay", workspace=str(lab.workspace), by="bar")
    session = await harness.supervisor.start(start)
    await harness.supervisor.wait(session)
    (opened,) = await lab.events(harness, session, ev.ProposalOpened)
    assert isinstance(opened.data, ev.ProposalOpened)
    return session, opened.data.proposal.proposal


async def _expired(lab: CardLab, harness: Harness, number: int) -> str | None:
    session, card = await _one_card(lab, harness, number)
    lab.clock.advance(5 * 3600.0, loop=bool(number % 2))
    if number % 3 == 0:
        await harness.desk.expire(session)
        await harness.supervisor.wait(session)
    return await _refused(harness, card)


async def _withdrawn(lab: CardLab, harness: Harness, number: int) -> str | None:
    session, card = await _one_card(lab, harness, number)
    await harness.supervisor.stop(session, "eve")
    return await _refused(harness, card)


def _refusals(point: Point, name: str, told: list[str | None], words: str) -> None:
    point.all(name, sum(words in ending for ending in told if ending is not None), len(told))
    for ending in told:
        if ending is None or words not in ending:
            point.problem(f"{name}: {ending}")
