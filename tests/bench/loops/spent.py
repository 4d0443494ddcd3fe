"""What a piece of work took: CPU seconds of the whole process, threads included, and wall seconds."""

import time
from collections.abc import Awaitable
from typing import Any

WARM = 3
"""Steps of the run before the measured ones: it pays for imports, connections and caches."""


async def spent(work: Awaitable[Any]) -> dict[str, Any]:
    """Wait for the work; what it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    await work
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
