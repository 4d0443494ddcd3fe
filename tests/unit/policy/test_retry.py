"""Retries: waits grow and scatter, a service's wish is honoured within reason, and there is always an end."""

import math
import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.action import EffectClass, ToolError
from agent_core.policy.retry import (
    LONGEST_RETRY_AFTER,
    PROVIDER_ATTEMPTS,
    PROVIDER_BUDGET,
    PROVIDER_CEILING,
    TOOL_ATTEMPTS,
    TOOL_CEILING,
    give_up,
    may_retry_tool,
    provider_backoff,
    tool_backoff,
)

START = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
attempts = st.integers(1, 10_000)
jitters = st.floats(0, 1, exclude_max=True)
wishes = st.none() | st.floats()


@given(attempts, jitters)
def test_a_wait_is_a_random_share_of_a_ceiling_that_doubles(attempt: int, jitter: float) -> None:
    ceiling = min(PROVIDER_CEILING, 2.0 ** min(attempt - 1, 100))
    assert provider_backoff(attempt, None, jitter) == pytest.approx(jitter * ceiling)
    assert provider_backoff(attempt, None, 0.0) == 0.0


@given(attempts, st.floats(0, LONGEST_RETRY_AFTER), jitters)
def test_the_services_wish_is_the_least_that_is_waited(attempt: int, wish: float, jitter: float) -> None:
    wait = provider_backoff(attempt, wish, jitter)
    assert wish <= wait <= wish + PROVIDER_CEILING


@given(attempts, wishes, jitters)
def test_no_wish_is_absurd_enough_to_break_a_wait(attempt: int, wish: float | None, jitter: float) -> None:
    for wait in (provider_backoff(attempt, wish, jitter), tool_backoff(attempt, wish, jitter)):
        assert math.isfinite(wait)
        assert 0 <= wait <= LONGEST_RETRY_AFTER + PROVIDER_CEILING


def test_agents_that_were_told_the_same_wait_do_not_come_back_together() -> None:
    waits = {round(provider_backoff(1, 30.0, share / 8), 3) for share in range(8)}
    assert len(waits) == 8


@pytest.mark.parametrize("seed", range(20))
def test_ten_minutes_of_overload_are_ridden_out_within_the_stated_bound(seed: int) -> None:
    """Eight agents against a service that answers 529 all the time: time ends it, long before the bound of requests."""
    draw = random.Random(seed)
    for _ in range(8):
        now, requests = START, 1
        while not give_up(START, now, requests):
            now += timedelta(seconds=provider_backoff(requests, None, draw.random()))
            requests += 1
        assert 7 < requests < PROVIDER_ATTEMPTS
        assert now - START >= timedelta(seconds=PROVIDER_BUDGET)


def test_the_bound_holds_even_when_chance_or_the_clock_is_against_it() -> None:
    assert give_up(START, START, PROVIDER_ATTEMPTS)
    assert give_up(START, START - timedelta(hours=2), PROVIDER_ATTEMPTS)
    assert not give_up(START, START - timedelta(hours=2), PROVIDER_ATTEMPTS - 1)
    assert give_up(START, START + timedelta(seconds=PROVIDER_BUDGET), 1)


@pytest.mark.parametrize("effect_class", EffectClass)
def test_only_calls_that_may_run_twice_are_retried_and_not_for_ever(effect_class: EffectClass) -> None:
    harmless = effect_class in (EffectClass.READ_ONLY, EffectClass.IDEMPOTENT_BY_KEY)
    transient = ToolError(code="timeout", message="It took too long.", retryable=True)
    assert may_retry_tool(effect_class, transient, 1) is harmless
    assert not may_retry_tool(effect_class, transient, TOOL_ATTEMPTS)
    assert not may_retry_tool(effect_class, ToolError(code="not_found", message="There is none."), 1)


@given(attempts, jitters)
def test_tools_wait_shorter(attempt: int, jitter: float) -> None:
    assert tool_backoff(attempt, None, jitter) <= TOOL_CEILING
