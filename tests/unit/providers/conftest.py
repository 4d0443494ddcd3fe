"""A clock that a test moves, and requests to send."""

import asyncio
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from agent_core.providers.base import ModelRequest

START = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


class StillClock:
    """Its time moves only while somebody sleeps, and then at once; `slept` says how long."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> datetime:
        return START + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return sum(self.slept)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)

    async def sleep_until(self, instant: datetime) -> None:
        await self.sleep((instant - self.now()).total_seconds())


@pytest.fixture
def clock() -> StillClock:
    """A clock that stands still."""
    return StillClock()


@pytest.fixture
def request_of_hello() -> ModelRequest:
    """The smallest request."""
    return ModelRequest(
        model="claude-sonnet-4-5",
        messages=[msgspec.Raw(b'{"role":"user","content":[{"type":"text","text":"hello"}]}')],
        system=msgspec.Raw(b"[]"),
        tools=msgspec.Raw(b"[]"),
        max_tokens=100,
    )
