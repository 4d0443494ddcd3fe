"""The clock as a port: wall time for deadlines and records, loop time for short waits. Tests bring their own."""

from datetime import datetime
from typing import Protocol

from agent_core.model.ids import IdKind


class Clock(Protocol):
    """What the core may know of time."""

    def now(self) -> datetime:
        """The wall clock, aware UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back; their zero means nothing."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for that long, by this clock."""
        ...

    async def sleep_until(self, instant: datetime) -> None:
        """Wait for a wall-clock instant; right after sleep and clock changes (looks again at least every second)."""
        ...


class Ids(Protocol):
    """Where new identifiers come from."""

    def new(self, kind: IdKind) -> str:
        """A new, unique identifier of that kind."""
        ...
