"""One of two processes whose two threads decide the same cards at the same moment as the other's."""

import asyncio
import threading
from collections.abc import Sequence
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from agent_core.model.errors import DecisionRefused
from agent_core.model.intents import Decide
from agent_core.model.proposal import Via
from tests.torture.deciding.cards import CardLab

THREADS = 2

Answer = tuple[str, str, str, str]
"""Proposal, who, verdict, and how it ended: "won", or why it was refused."""


def race(root: str, number: int, cards: Sequence[str], barrier: Barrier, answers: Any) -> None:
    """Decide every card with all threads of this process, each time together with the other process."""
    found: list[Answer] = []
    threads = [
        threading.Thread(target=lambda who=who: found.extend(asyncio.run(_decide(Path(root), who, cards, barrier))))
        for who in (f"p{number}t{thread}" for thread in range(THREADS))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers.put(found)


async def _decide(root: Path, who: str, cards: Sequence[str], barrier: Barrier) -> list[Answer]:
    lab = CardLab(root, [])
    harness = await lab.open(works=False, operator=who)
    verdict = "approve" if who.endswith("0") else "reject"
    found: list[Answer] = []
    try:
        for card in cards:
            barrier.wait(timeout=60)
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
