"""Leave a home as a released version leaves it, worked by that version's own engine:

    PYTHONPATH=CHECKOUT python tests/migrations/make_home.py tests/migrations/homes/NNNN

Uses nothing but `agent_core`, so that it runs on the code of any version; CHECKOUT holds the one that is meant. The
sessions are told apart by their goals: `ended`, `waiting` with a mail to approve, `asking` a question, `cut in call`
after a mail started, and `cut in request` while the model answered; the process was killed there. Homes of released
versions are never made again: they are what is out there.
"""

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from agent_core.config.home import Home
from agent_core.config.profile import Price
from agent_core.config.secret_store import StoreState
from agent_core.engine.harness import Harness, open_harness
from agent_core.model.events import CallStarted, Event
from agent_core.model.intents import Decide, StartRun
from agent_core.model.proposal import Via
from agent_core.providers.scripted import Script, ScriptedProvider

WORKSPACE = Path("/tmp/pilothouse-old-home/workspace")
"""The journal names it, so it lies there in tests, too. Empty: what these sessions change is in the home."""
AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PROFILE = 'name = "lab"\nmodel = "claude-sonnet-4-5"\n' + "".join(
    f'[[tools]]\nname = "{name}"\nbecause = "needed"\n' for name in ("notes_write", "ask_operator", "email_send")
)
NOTE = {"name": "notes_write", "input": {"key": "plan", "text": "Grüße ✉"}}
MAIL = {"name": "email_send", "input": {"to": "ann@example.com", "subject": "Report", "body": "It is done."}}
QUESTION = {"name": "ask_operator", "input": {"question": "Which one?", "options": ["first", "second"]}}
SLOW = 10_000.0
"""Seconds that the model takes for an answer which never comes."""


class StillClock:
    """Time goes on a second with each look, and long waits never end."""

    def __init__(self) -> None:
        self._passed = 0.0

    def now(self) -> datetime:
        """The wall clock."""
        self._passed += 1.0
        return AT + timedelta(seconds=self._passed)

    def monotonic(self) -> float:
        """The loop's clock."""
        return self._passed

    async def sleep(self, seconds: float) -> None:
        """Wait a moment, or for ever."""
        await asyncio.sleep(0.01 if seconds < SLOW / 10 else SLOW)

    async def sleep_until(self, instant: datetime) -> None:
        """Wait for ever: deadlines do not pass here."""
        await asyncio.sleep(SLOW)


class NoKeyring:
    """A machine without a keyring: keys lie in the home."""

    def state(self) -> StoreState:
        """Missing."""
        return StoreState.MISSING

    def describe(self) -> str:
        """Says so."""
        return "There is no keyring."

    def get(self, name: str) -> str | None:
        """Nothing."""
        return None

    def put(self, name: str, value: str) -> None:
        """Never called on a missing one."""
        raise AssertionError("there is no keyring")

    def remove(self, name: str) -> None:
        """Nothing to forget."""


async def opened(root: Path, *turns: dict[str, Any]) -> Harness:
    """The home, with a model that plays these turns in each session."""
    clock, price = StillClock(), Price(input=Decimal(3), output=Decimal(15))
    provider = ScriptedProvider(Script(name="lab", turns=list(turns), price=price), clock)
    home = Home.at(root / "home")
    more: dict[str, Any] = {"secrets": NoKeyring(), "environ": {}}
    return await open_harness(home, operator="anna", clock=clock, provider_for=lambda _: provider, **more)


async def started(harness: Harness, root: Path, goal: str) -> str:
    """A session that was told to go."""
    start = StartRun(profile=str(root / "agent.toml"), goal=goal, workspace=str(WORKSPACE), by="anna")
    return await harness.supervisor.start(start)


async def approve(harness: Harness, session: str) -> None:
    """Approve the session's one card."""
    (card,) = [e.proposal for e in await harness.desk.open_proposals() if e.proposal.session == session]
    await harness.desk.decide(Decide(proposal=card.proposal, verdict="approve", by="anna", via=Via.CLI, reason="Asked"))


async def work(root: Path) -> None:
    """Work all sessions, and die in the middle of two of them."""
    harness = await opened(root, {"text": "First a note.", "tools": [NOTE]}, {"tools": [MAIL]}, {"text": "All done."})
    for goal in ("ended", "waiting"):
        session = await started(harness, root, goal)
        await harness.supervisor.wait(session)
        if goal == "ended":
            await approve(harness, session)
            await harness.supervisor.wait(session)
    await harness.close()

    harness = await opened(root, {"tools": [NOTE]}, {"tools": [QUESTION]})
    await harness.supervisor.wait(await started(harness, root, "asking"))
    await harness.close()

    harness = await opened(root, {"tools": [NOTE]}, {"text": "Too late", "delay_s": SLOW})
    await started(harness, root, "cut in request")
    mailing = await opened(root, {"tools": [NOTE]}, {"tools": [MAIL]})
    mailing.bus.subscribe(_die_in_the_call)
    session = await started(mailing, root, "cut in call")
    await mailing.supervisor.wait(session)
    await approve(mailing, session)
    await mailing.supervisor.wait(session)


def _die_in_the_call(message: Any) -> None:
    if isinstance(message, Event) and isinstance(message.data, CallStarted):
        os.kill(os.getpid(), signal.SIGKILL)


def keep(home: Home, target: Path) -> None:
    """Copy what the version left: the database as SQL, and the files beside it that are no locks."""
    with closing(sqlite3.connect(home.database)) as connection:
        (number,) = connection.execute("PRAGMA user_version").fetchone()
        text = "\n".join(connection.iterdump())
    shutil.copytree(home.data, target, ignore=shutil.ignore_patterns("*.db*", "*.lock", "logs", "leases", "processes"))
    (target / "pilothouse.sql").write_text(f"{text}\nPRAGMA user_version = {number};\n", encoding="utf-8")


def main(target: Path) -> None:
    """Work in a child that dies, and keep what it leaves."""
    if target.exists():
        sys.exit(f"{target} exists; homes of released versions are never made again")
    root = Path(tempfile.mkdtemp(prefix="pilothouse-"))
    WORKSPACE.mkdir(parents=True, exist_ok=True)
    (root / "agent.toml").write_text(PROFILE, encoding="utf-8")
    child = os.fork()
    if child == 0:
        asyncio.run(work(root))
        os._exit(1)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        sys.exit("the child was not killed in its call")
    keep(Home.at(root / "home"), target)
    shutil.rmtree(root)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
