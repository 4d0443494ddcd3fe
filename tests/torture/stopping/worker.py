"""A process that works some sessions whose tools sleep.

python -m tests.torture.stopping.worker FOLDER SESSIONS MARKER      writes a line once all are started
"""

import asyncio
import sys
from pathlib import Path

from agent_core.engine.clock import SystemClock
from agent_core.model.intents import StartRun
from agent_core.tools.registry import TOOLS
from tests.support.engine_lab import Lab, call, turn
from tests.torture.sleeper import ALLOWED, SLEEPS, Sleeper


def lab_of(folder: Path, marker: str) -> Lab:
    """The lab of a worker: each session's first turn sleeps."""
    lab = Lab(folder, turn(call("sleeper", script=SLEEPS.format(marker))), turn(text="done"), clock=SystemClock())
    lab.write_profile(ALLOWED, tools=("sleeper", "files_list"))
    return lab


async def work(folder: Path, sessions: int, marker: str) -> None:
    """Start them, say so, and stay until all rest."""
    lab = lab_of(folder, marker)
    harness = await lab.open(tools=(*TOOLS, Sleeper()))
    started = []
    for number in range(sessions):
        start = StartRun(profile=str(lab.profile), goal=f"sleep {number}", workspace=str(lab.workspace), by="bar")
        started.append(await harness.supervisor.start(start))
    print(*started, flush=True)
    for session in started:
        await harness.supervisor.wait(session)
    await lab.close()


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
