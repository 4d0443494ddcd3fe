"""The system's clock and identifiers: the real ones behind the ports of `model.clock`."""

import asyncio
import secrets
import time
from datetime import UTC, datetime

from agent_core.model.ids import IdKind, mint

_LOOK_EVERY = 1.0
"""Seconds between looks at the wall clock while waiting: a machine that slept, or a changed clock, is noticed."""


class SystemClock:
    """Wall time and loop time of this machine."""

    def now(self) -> datetime:
        """The wall clock, aware UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for that long by the loop's clock."""
        await asyncio.sleep(max(0.0, seconds))

    async def sleep_until(self, instant: datetime) -> None:
        """Wait for a wall-clock instant; looks again at least every second."""
        while (left := (instant - self.now()).total_seconds()) > 0:  # noqa: ASYNC110 - a wall clock sends no event
            await asyncio.sleep(min(left, _LOOK_EVERY))


class SystemIds:
    """Identifiers from the wall clock and the system's entropy. One process's sort in the order they were made."""

    def __init__(self) -> None:
        self._last: tuple[datetime, int] | None = None

    def new(self, kind: IdKind) -> str:
        """A new, unique identifier of that kind."""
        now = datetime.now(UTC)
        moment = now.replace(microsecond=now.microsecond // 1000 * 1000)
        entropy = secrets.randbits(29)  # one bit of room to count upwards within a millisecond
        if self._last is not None and moment <= self._last[0]:
            moment, entropy = self._last[0], self._last[1] + 1
        self._last = (moment, entropy)
        return mint(kind, moment, entropy)
