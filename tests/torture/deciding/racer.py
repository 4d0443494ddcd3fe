"""One process of a race: its threads decide the same cards as the other process's, at the same moment."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path

from agent_core.model.errors import DecisionRefused
from agent_core.model.intents import Decide
from agent_core.model.proposal import Via
from tests.torture.deciding.cards import CardLab

THREADS = 2
_PATIENCE = 120.0
"""Seconds that deciders wait for one another."""

Answer = tuple[str, str, str, str]
"""Proposal, who, verdict, and how it ended: "won", or why it was refused."""

_barriers: list[Barrier] = []


def enter(barrier: Barrier) -> None:
    """Take the barrier that the deciders of all processes meet at."""
    _barriers.append(barrier)


def race(root: Path, number: int, cards: Sequence[str]) -> list[Answer]:
    """Decide every card with all threads of this process, each time together with the other process."""
    deciders = [f"p{number}t{thread}" for thread in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        return [answer for found in pool.map(partial(_decided, root, cards), deciders) for answer in found]


def _decided(root: Path, cards: Sequence[str], who: str) -> list[Answer]:
    (barrier,) = _barriers
    try:
        return asyncio.run(_decide(root, who, cards, barrier))
    except BaseException:
        barrier.abort()  # the others must not wait for a decider that has gone
        raise


async def _decide(root: Path, who: str, cards: Sequence[str], barrier: Barrier) -> list[Answer]:
    lab = CardLab(root, [])
    harness = await lab.open(works=False, operator=who)
    verdict = "approve" if who.endswith("0") else "reject"
    found: list[Answer] = []
    try:
        for card in cards:
            barrier.wait(timeout=_PATIENCE)
            try:
                await harness.desk.decide(Decide(proposal=card, verdict=verdict, by=who, via=Via.CLI, reason="race"))
                found.append((card, who, verdict, "won"))
            except DecisionRefused as refusal:
                found.append((card, who, verdict, str(refusal)))
            except Exception as error:  # noqa: BLE001 - any other end is a finding of its own
                found.append((card, who, verdict, f"{type(error).__name__}: {error}"))
    finally:
        await lab.close()
    return found
