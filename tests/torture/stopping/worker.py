"""A process that works three runs, each in a call that takes a minute, with a child in a group of its own.

python -m tests.torture.stopping.worker ROOT      prints "ready" when all three calls have started
"""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from agent_core.config.home import Home
from agent_core.engine.clock import SystemClock
from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.intents import StartRun
from agent_core.store.processes import Processes
from agent_core.tools.base import Arguments, Cancelled, Outcome, Privileges, Tool, ToolContext
from agent_core.tools.registry import TOOLS
from tests.support.engine_lab import Lab, call, eventually, turn

RUNS = 3
STARTED = "started"
"""A file that gets a line, the child's pid, for each call that has started."""


class Minute(Tool[Arguments]):
    """Takes a minute, in a child whose group is recorded."""

    name = "minute"
    description = "Takes a minute."
    arguments = Arguments
    privileges = Privileges(programs=["sleep"])
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    timeout: ClassVar[float] = 120.0

    def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        """Until the child has ended, or is ended."""
        home = Home.at(context.outbox.parent)
        with subprocess.Popen(["/bin/sleep", "60"], start_new_session=True) as child:
            group = Processes(home).record(child.pid, context.session, "sleep 60")
            with (context.workspace.parent / STARTED).open("a") as started:
                started.write(f"{child.pid}\n")
            while child.poll() is None:
                if context.cancelled.wait(0.02):
                    child.kill()
            Processes(home).forget(group)
        raise Cancelled


def lab_at(root: Path) -> Lab:
    """The lab that this process and whoever stops it share."""
    lab = Lab(root, turn(call("minute")), turn(text="done"), clock=SystemClock())
    lab.write_profile(tools=("minute", "files_list"))
    return lab


async def work(root: Path) -> None:
    """Until all runs have ended."""
    lab = lab_at(root)
    harness = await lab.open(tools=(*TOOLS, Minute()))
    start = StartRun(profile=str(lab.profile), goal="wait", workspace=str(lab.workspace), by="bar")
    sessions = [await harness.supervisor.start(start) for _ in range(RUNS)]
    started = root / STARTED
    await eventually(lambda: started.exists() and len(started.read_text().split()) == RUNS, seconds=30)
    print("ready", flush=True)
    for session in sessions:
        await harness.supervisor.wait(session)
    print("rest", flush=True)
    await lab.close()


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1])))
