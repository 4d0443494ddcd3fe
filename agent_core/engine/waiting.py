"""Waiting: until whichever comes first."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def first_of(*waits: Coroutine[Any, Any, object]) -> None:
    """Wait until one of them is over; the others are cancelled."""
    tasks = {asyncio.ensure_future(wait) for wait in waits}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
