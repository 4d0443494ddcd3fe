"""Our engine, whole: a home on disk, durable journal, gate, budgets, loop detector, and somebody who listens live."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from agent_core.config.home import Home
from agent_core.engine.facade import BusMessage
from agent_core.engine.harness import Harness, open_harness
from agent_core.model.intents import SessionQuery, StartRun
from tests.bench.conversation import MODEL, SYSTEM, TOOL, goal
from tests.bench.loops.spent import WARM, spent
from tests.bench.worker import serve
from tests.support.engine_lab import NoKeyring

PROFILE = f"""
name = "bench"
model = "{MODEL}"
system_prompt = "{SYSTEM}"
[limits]
steps = 100000
tool_calls = 100000
tokens = 1000000000
cost_usd = "100000"
seconds = 100000
[context]
ceiling = 10000000
clear_at = 9000000
compact_at = 9100000
handoff_at = 9200000
[[tools]]
name = "{TOOL["name"]}"
because = "reads the notes"
"""
"""Limits that are looked at in every step and never reached."""


EARLIER = 100
"""Steps of the run that a database holds before its growth is measured."""


class Listener:
    """Counts what it hears, as a screen's bridge takes it in."""

    def __init__(self) -> None:
        self.heard = 0

    def take(self, message: BusMessage) -> None:
        """One message."""
        self.heard += 1


async def converse(harness: Harness, root: Path, steps: int) -> str:
    """One session from its start to the end of its run."""
    profile, workspace = str(root / "agent.toml"), str(root / "workspace")
    start = StartRun(profile=profile, goal=goal(steps), workspace=workspace, by="bench")
    session = await harness.supervisor.start(start)
    await harness.supervisor.wait(session)
    return session


async def check_completed(harness: Harness) -> None:
    """Raises RuntimeError for a run that ended otherwise: its figures would mean nothing."""
    for row in await harness.reader.sessions(SessionQuery(limit=1000)):
        if row.stop_reason != "completed":
            raise RuntimeError(f"{row.session} did not complete: {row.stop_reason} {row.message}")


@asynccontextmanager
async def opened(url: str, root: Path) -> AsyncIterator[Harness]:
    """The home in that folder, whose model is at that address."""
    environ = {"ANTHROPIC_API_KEY": "bench", "ANTHROPIC_BASE_URL": url}
    harness = await open_harness(Home.at(root / "home"), operator="bench", secrets=NoKeyring(), environ=environ)
    try:
        yield harness
    finally:
        await harness.close()


@contextmanager
def new_root() -> Iterator[Path]:
    """A folder with a workspace and a profile, taken away at the end."""
    with tempfile.TemporaryDirectory(prefix="pilothouse-bench-") as folder:
        root = Path(folder)
        (root / "workspace").mkdir()
        (root / "agent.toml").write_text(PROFILE, encoding="utf-8")
        yield root


async def _measured(url: str, steps: int, runs: int, root: Path) -> dict[str, Any]:
    listener = Listener()
    async with opened(url, root) as harness:
        harness.bus.subscribe(listener.take)
        await converse(harness, root, WARM)
        took = await spent(asyncio.gather(*(converse(harness, root, steps) for _ in range(runs))))
        await check_completed(harness)
    return {**took, "heard": listener.heard}


def run(url: str, steps: int, runs: int) -> dict[str, Any]:
    """That many sessions side by side, in a home of their own."""
    with new_root() as root:
        return asyncio.run(_measured(url, steps, runs, root))


async def _written(url: str, steps: int, root: Path) -> int:
    """The size of the database after a run, closed."""
    async with opened(url, root) as harness:
        await converse(harness, root, steps)
        await check_completed(harness)
    return Home.at(root / "home").database.stat().st_size


def count_bytes(url: str, steps: int) -> dict[str, Any]:
    """What a run adds to a database that holds one already: in a new one the first steps fill pages that are there."""
    with new_root() as root:
        before = asyncio.run(_written(url, EARLIER, root))
        return {"bytes": asyncio.run(_written(url, steps, root)) - before}


if __name__ == "__main__":
    serve({"run": run, "bytes": count_bytes})
