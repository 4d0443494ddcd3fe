"""The clock of the headless demo: it does not wait, and jumps to the next deadline when everybody else does."""

import asyncio
import time
from datetime import UTC, datetime, timedelta

SHORT = timedelta(minutes=1)
"""Waits up to this long simply pass; longer ones are deadlines, which come when nothing else can happen."""


class DemoClock:
    """Wall time plus the time that was skipped. See `model.clock.Clock`."""

    def __init__(self) -> None:
        self._skipped = timedelta()
        self._waiting: list[tuple[datetime, asyncio.Event]] = []

    def now(self) -> datetime:
        """The wall clock, aware UTC, with every skipped wait added."""
        return datetime.now(UTC) + self._skipped

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic() + self._skipped.total_seconds()

    async def sleep(self, seconds: float) -> None:
        """Skip that long."""
        await self.sleep_until(self.now() + timedelta(seconds=seconds))

    async def sleep_until(self, instant: datetime) -> None:
        """Skip a short wait; wait for `jump` where it is a long one."""
        if instant - self.now() <= SHORT:
            self._skip_to(instant)
            await asyncio.sleep(0)
            return
        reached = asyncio.Event()
        self._waiting.append((instant, reached))
        try:
            await reached.wait()
        finally:
            self._waiting = [entry for entry in self._waiting if entry[1] is not reached]

    def jump(self, instant: datetime) -> None:
        """Skip to an instant and wake whoever waits for it or for an earlier one."""
        self._skip_to(instant)
        now = self.now()
        for due, reached in self._waiting:
            if due <= now:
                reached.set()

    def _skip_to(self, instant: datetime) -> None:
        self._skipped += max(timedelta(), instant - self.now())
