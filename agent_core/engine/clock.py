"""The system's clock and identifiers: the real ones behind the ports of `model.clock`."""

import asyncio
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from agent_core.model.clock import Clock
from agent_core.model.ids import IdKind, mint

_LOOK_EVERY = 1.0
"""Seconds between looks at the wall clock while waiting: a machine that slept, or a changed clock, is noticed."""


JUMP_SECONDS = 10.0
"""By how much the wall clock has to run ahead at once to count as a jump."""


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


@dataclass(frozen=True, slots=True)
class Jump:
    """A time that nobody saw pass: the machine slept, or the clock was set."""

    since: datetime
    until: datetime


class WatchedClock:
    """A clock that notices when the wall clock runs ahead of the loop's. See `model.clock.Clock`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen = clock.now(), clock.monotonic()
        self.jumps: list[Jump] = []
        """Every jump so far, in order."""

    def now(self) -> datetime:
        """The wall clock; each look notices what passed since the last."""
        now, passed = self._clock.now(), self._clock.monotonic()
        (seen, before), self._seen = self._seen, (now, passed)
        if (now - seen).total_seconds() - (passed - before) >= JUMP_SECONDS:
            self.jumps.append(Jump(seen, now))
        return now

    def monotonic(self) -> float:
        """The loop's clock."""
        return self._clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait by that clock."""
        await self._clock.sleep(seconds)

    async def sleep_until(self, instant: datetime) -> None:
        """Wait for an instant by that clock."""
        await self._clock.sleep_until(instant)


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
