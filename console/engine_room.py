"""Opens the engine for one command, runs it, and closes everything in order, whatever happened."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

from agent_core.config.home import Home
from agent_core.config.operators import who_decides
from agent_core.engine.harness import Harness, open_harness
from agent_core.model.clock import Clock
from console.faults import install, redact_for
from console.paths import find_home, make_home
from console.signals import put_back

Work = Callable[[Harness], Awaitable[int]]


def run(
    environ: Mapping[str, str],
    work: Work,
    *,
    works: bool = False,
    home: Home | None = None,
    clock: Clock | None = None,
) -> int:
    """Run one command on the engine and give its exit code. `works`: sessions are worked here, not only looked at."""
    logging.getLogger().addHandler(logging.NullHandler())  # what is logged goes to the log, never between the lines
    place = make_home(home or find_home(environ))
    with put_back():
        return asyncio.run(_run(environ, work, works, place, clock))


async def _run(environ: Mapping[str, str], work: Work, works: bool, home: Home, clock: Clock | None) -> int:
    faults = install(home, redact_for(environ)) if works else None
    if faults is not None:
        asyncio.get_running_loop().set_exception_handler(faults.loop_handler)
    try:
        harness = await open_harness(home, operator=who_decides(environ), environ=environ, works=works, clock=clock)
        if faults is not None:
            faults.redact_with(lambda line: harness.house.services.redactor().redact(line))
        try:
            return await work(harness)
        finally:
            await harness.close()
    finally:
        if faults is not None:
            faults.remove()
