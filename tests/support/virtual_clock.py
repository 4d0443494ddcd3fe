"""A clock that tests move. Short waits pass at once; longer ones end when a test moves the clock past them."""

import asyncio
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class VirtualClock:
    """See `model.clock.Clock`. Wall and loop time can be moved apart, as sleep and clock changes do."""

    def __init__(self, start: datetime = START, passes: float = 300.0) -> None:
        self._wall = start
        self._loop = 0.0
        self._passes = passes
        """Waits up to this many seconds pass at once."""
        self._moved = asyncio.Event()
        self.slept: list[float] = []

    def now(self) -> datetime:
        """The wall clock."""
        return self._wall

    def monotonic(self) -> float:
        """The loop's clock."""
        return self._loop

    def advance(self, seconds: float, *, loop: bool = True) -> None:
        """Move the wall clock, and the loop's with it unless the machine slept."""
        self._wall += timedelta(seconds=seconds)
        if loop:
            self._loop += max(0.0, seconds)
        self._moved.set()
        self._moved = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """Wait by this clock."""
        await self.sleep_until(self._wall + timedelta(seconds=seconds))

    async def sleep_until(self, instant: datetime) -> None:
        """Wait for a wall-clock instant."""
        left = (instant - self._wall).total_seconds()
        self.slept.append(left)
        if left <= self._passes:
            self.advance(max(0.0, left))
            await asyncio.sleep(0)
            return
        while self._wall < instant:
            await self._moved.wait()
