"""The system's clock and identifiers."""

import asyncio
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent_core.engine.clock import JUMP_SECONDS, Jump, SystemClock, SystemIds, WatchedClock
from agent_core.model.ids import IdKind
from tests.support.virtual_clock import VirtualClock


async def test_an_instant_that_has_passed_is_not_waited_for() -> None:
    async with asyncio.timeout(0.5):
        await SystemClock().sleep_until(datetime.now(UTC) - timedelta(hours=1))


async def test_a_wall_clock_that_jumps_ahead_ends_the_wait_within_about_a_second() -> None:
    class Jumping(SystemClock):
        ahead = timedelta()

        def now(self) -> datetime:
            return super().now() + self.ahead

    clock = Jumping()
    waiting = asyncio.ensure_future(clock.sleep_until(clock.now() + timedelta(hours=8)))
    await asyncio.sleep(0)
    clock.ahead = timedelta(hours=8)
    async with asyncio.timeout(3):
        await waiting


@given(st.lists(st.tuples(st.integers(-90_000, 90_000), st.integers(0, 90_000)), max_size=20))
def test_a_jump_is_noticed_exactly_when_the_wall_clock_ran_ahead_of_time(passed: list[tuple[int, int]]) -> None:
    inner = VirtualClock()
    clock = WatchedClock(inner)
    expected = []
    for ahead, seconds in passed:
        before = inner.now()
        inner.advance(seconds)
        inner.advance(ahead, loop=False)
        if ahead >= JUMP_SECONDS:
            expected.append(Jump(before, inner.now()))
        clock.now()

    assert [(jump.since, jump.until) for jump in clock.jumps] == [(jump.since, jump.until) for jump in expected]


def test_identifiers_of_one_process_are_unique_and_sort_in_the_order_they_were_made() -> None:
    ids = SystemIds()
    made = [ids.new(IdKind.PROPOSAL) for _ in range(5000)]
    assert len(set(made)) == len(made)
    assert made == sorted(made)
