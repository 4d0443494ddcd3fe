"""One process of a story: it starts or resumes the session and works it, until it is killed or the session has ended.

Whatever it was told is saved (a decision's receipt, an event) it writes at once into `facts.jsonl`, outside the home.
"""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from agent_core.engine.facade import BusMessage
from agent_core.engine.harness import Harness
from agent_core.model.events import Event
from agent_core.model.ids import HOME_SESSION
from agent_core.model.intents import SessionQuery
from agent_core.model.proposal import Proposal, Touchpoint
from tests.torture.kill.story import StoryLab
from tests.torture.ledger_tools import EFFECT, entries, ledger_of

OPERATIONS = frozenset(
    {"open", "os.rename", "os.remove", "os.link", "os.mkdir", "os.truncate", "sqlite3.connect", EFFECT}
)
"""Audit events before which a process can be killed: wherever it is about to change something outside itself."""
FACTS = "facts.jsonl"


class Kill(msgspec.Struct, frozen=True, kw_only=True):
    """When a process dies. One of: after its n-th saved event, before its n-th commit, before its n-th operation, right
    after its n-th effect, at a random moment."""

    event: int | None = None
    commit: int | None = None
    operation: int | None = None
    effect: int | None = None
    share: float | None = None
    """Of the time that a whole session takes here."""


class Done(msgspec.Struct):
    """What a process has done so far that it can be killed at."""

    commits: int = 0
    operations: int = 0
    effects: int = 0


def arm(kill: Kill) -> Done:
    """Kill this process before the commit or operation or after the effect that is named; gives what counts them."""
    done = Done()

    def begins(statement: str) -> None:
        done.commits += statement == "COMMIT"
        if done.commits == kill.commit:
            die()

    def hook(name: str, arguments: tuple[Any, ...]) -> None:
        if name in OPERATIONS:
            done.operations += 1
            done.effects += (name, arguments) == (EFFECT, ("after",))
            if done.operations == kill.operation or (name == EFFECT and done.effects == kill.effect):
                die()

    def connect(*given: Any, **named: Any) -> sqlite3.Connection:
        connection = connecting(*given, **named)
        connection.set_trace_callback(begins)
        return connection

    connecting, sqlite3.connect = sqlite3.connect, connect
    sys.addaudithook(hook)
    return done


def die() -> None:
    """As `kill -9` does it."""
    os.kill(os.getpid(), signal.SIGKILL)


async def work(root: Path, seed: int, kill: Kill) -> None:
    """Start the story or go on with it, deciding every card, until the session has ended."""
    made = StoryLab(root, seed)
    harness = await made.open()
    told = _Told(root / FACTS)
    harness.bus.subscribe(_listener(told, kill.event))
    rows = await harness.reader.sessions(SessionQuery())
    if not rows:
        session = await made.start(harness, "Do what is asked for.")
    else:
        session = rows[0].session
        if (await made.result(harness, session))["status"] != "ended":
            await made.resume(harness, session)
    await _decide_all(made, harness, session, told)
    await made.close()


def _listener(told: "_Told", last: int | None) -> Callable[[BusMessage], None]:
    seen = 0

    def hear(message: BusMessage) -> None:
        nonlocal seen
        if isinstance(message, Event) and message.session != HOME_SESSION:
            told.write({"event": message.digest})
            seen += 1
            if seen == last:
                die()

    return hear


async def _decide_all(made: StoryLab, harness: Harness, session: str, told: "_Told") -> None:
    await harness.supervisor.wait(session)
    while cards := await made.cards(harness):
        for card in cards:
            verdict, more = _answer(made, card)
            receipt = await made.decide(harness, card.proposal, verdict, **more)
            told.write({"decision": receipt.decision, "proposal": card.proposal, "verdict": verdict, **more})


def _answer(made: StoryLab, card: Proposal) -> tuple[str, dict[str, Any]]:
    """The operator: sees the ledger and the files, and says what is true."""
    if card.touchpoint is Touchpoint.OUTCOME_UNKNOWN:
        keys = {key for _, key, _ in entries(ledger_of(made.workspace))}
        happened = f"{card.session}/{card.call_id}" in keys
        return ("happened" if happened else "not_happened"), {}
    verdict = made.verdict_for(card.arguments)
    if verdict == "modify":
        return verdict, {"arguments": {"ref": f"changed-{card.arguments['ref']}"}}
    if verdict == "take_over":
        return verdict, {"details": {"reference": "T-1", "done": True}}
    return verdict, {"reason": "no"} if verdict == "reject" else {}


class _Told:
    """What this process was told is saved, one line each, there even when it is killed a moment later."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, fact: dict[str, Any]) -> None:
        os.write(self._descriptor, msgspec.json.encode(fact) + b"\n")
