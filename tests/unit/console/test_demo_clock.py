"""The demo's clock lets short waits pass and brings deadlines when it is told to."""

import asyncio
from datetime import timedelta

from console.demo_clock import DemoClock


async def test_a_short_wait_passes_at_once_and_counts() -> None:
    clock = DemoClock()
    before, ticks = clock.now(), clock.monotonic()

    await clock.sleep(30)

    assert timedelta(seconds=30) <= clock.now() - before < timedelta(seconds=40)
    assert 30 <= clock.monotonic() - ticks < 40


async def test_a_deadline_comes_with_the_jump_and_wakes_earlier_ones_only() -> None:
    clock = DemoClock()
    now = clock.now()
    early = asyncio.create_task(clock.sleep_until(now + timedelta(minutes=15)))
    late = asyncio.create_task(clock.sleep_until(now + timedelta(days=1)))
    await asyncio.sleep(0)
    assert not early.done()

    clock.jump(now + timedelta(minutes=15))
    await early

    assert not late.done()
    late.cancel()


async def test_time_never_goes_back() -> None:
    clock = DemoClock()
    before = clock.now()

    clock.jump(before - timedelta(days=1))

    assert clock.now() >= before
