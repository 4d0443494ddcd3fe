"""Waiting for signals in tests that run on the Qt loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import SignalInstance

PATIENCE = 10.0


async def heard(signal: SignalInstance, act: Callable[[], object]) -> tuple[object, ...]:
    """Do something and wait for the signal that follows; gives what it carried."""
    future: asyncio.Future[tuple[object, ...]] = asyncio.get_running_loop().create_future()

    def hear(*carried: object) -> None:
        if not future.done():
            future.set_result(carried)

    signal.connect(hear)
    try:
        act()
        return await asyncio.wait_for(future, PATIENCE)
    finally:
        signal.disconnect(hear)
