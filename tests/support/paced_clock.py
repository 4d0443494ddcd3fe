"""A clock on which many wait at once: time goes to the next instant that somebody waits for, once all are at rest."""

import asyncio
import heapq
import itertools
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from tests.support.virtual_clock import START

_REST_SECONDS = 0.01
"""Real seconds without a new waiter after which all are taken to be at rest."""
_PATIENCE = 200
_LEAP = 20.0
"""The most that time goes on at once: whoever works in threads meanwhile gets a chance."""


class PacedClock:
    """See `model.clock.Clock`. Nothing moves but by `run_until`."""

    def __init__(self, start: datetime = START) -> None:
        self._start = start
        self._elapsed = 0.0
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now(self) -> datetime:
        """The wall clock."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """The loop's clock."""
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        """Wait by this clock."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (self._elapsed + seconds, next(self._order), future))
        await future

    async def sleep_until(self, instant: datetime) -> None:
        """Wait for an instant."""
        await self.sleep((instant - self.now()).total_seconds())

    async def run_until(
        self, elapsed: float, holds: Callable[[], Awaitable[bool]] | None = None, least: int = 0
    ) -> None:
        """Let time go on to that many seconds, or until something holds.

        It stands still while fewer than `least` wait for it, for up to two real seconds at a time.
        """
        while self._elapsed < elapsed and not (holds is not None and await holds()):
            await self._rest()
            for _ in range(_PATIENCE):
                if sum(not future.done() for _, _, future in self._waiting) >= least:
                    break
                await asyncio.sleep(_REST_SECONDS)
            while self._waiting and self._waiting[0][2].done():
                heapq.heappop(self._waiting)
            upto = min(self._waiting[0][0], elapsed) if self._waiting else elapsed
            self._elapsed = max(self._elapsed, min(upto, self._elapsed + _LEAP))
            while self._waiting and self._waiting[0][0] <= self._elapsed:
                _, _, future = heapq.heappop(self._waiting)
                if not future.done():
                    future.set_result(None)
        await self._rest()

    async def _rest(self) -> None:
        """Until nobody has begun to wait for a moment."""
        while True:
            before = next(self._order)
            await asyncio.sleep(_REST_SECONDS)
            if next(self._order) == before + 1:
                return
