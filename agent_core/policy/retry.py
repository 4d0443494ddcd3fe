"""Retries: how long to wait before the next attempt, and when to stop trying. One layer retries: this one.

Waits grow exponentially with full jitter (a random share of the ceiling), so that many agents do not come back at once.
"""

import math
from datetime import datetime

from agent_core.model.action import EffectClass, ToolError

PROVIDER_BASE = 1.0
PROVIDER_CEILING = 60.0
"""Seconds: the ceiling of the n-th wait is ``PROVIDER_BASE * 2**(n - 1)``, at most this."""

PROVIDER_BUDGET = 600.0
"""Seconds after the first failure in which a request is tried again; then the run pauses."""

PROVIDER_ATTEMPTS = 40
"""The bound on requests within the budget. Full jitter could draw short waits only, so time alone would be no bound."""

LONGEST_RETRY_AFTER = 120.0
"""Seconds. A service's wish beyond this is not slept through out of sight: the next attempt asks again, and the budget
pauses the run where an operator sees it."""

TOOL_ATTEMPTS = 4
TOOL_BASE = 0.5
TOOL_CEILING = 15.0

RETRYABLE_CLASSES = frozenset({EffectClass.READ_ONLY, EffectClass.IDEMPOTENT_BY_KEY})
"""Calls that may run twice without doing a thing twice."""


def provider_backoff(attempt: int, retry_after: float | None, jitter: float) -> float:
    """Seconds to wait after the failure of that attempt (from 1). `jitter` is random in [0, 1).

    The service's own wish in seconds is the least that is waited, spread a little so that agents do not come together.
    """
    return _backoff(attempt, retry_after, jitter, PROVIDER_BASE, PROVIDER_CEILING)


def give_up(first_failure_at: datetime, now: datetime, attempts: int) -> bool:
    """Whether to stop trying: ten minutes after the first failure, or at the bound of requests."""
    return attempts >= PROVIDER_ATTEMPTS or (now - first_failure_at).total_seconds() >= PROVIDER_BUDGET


def may_retry_tool(effect_class: EffectClass, error: ToolError, attempt: int) -> bool:
    """Whether a failed attempt (from 1) of a call may run again by itself."""
    return error.retryable and effect_class in RETRYABLE_CLASSES and attempt < TOOL_ATTEMPTS


def tool_backoff(attempt: int, retry_after: float | None, jitter: float) -> float:
    """Seconds to wait after that failed attempt of a tool. `jitter` is random in [0, 1)."""
    return _backoff(attempt, retry_after, jitter, TOOL_BASE, TOOL_CEILING)


def _backoff(attempt: int, retry_after: float | None, jitter: float, base: float, ceiling: float) -> float:
    highest = min(ceiling, base * 2.0 ** min(max(attempt, 1) - 1, 30))
    wish = _wish(retry_after)
    if wish is None:
        return jitter * highest
    return wish + jitter * min(highest, max(base, wish / 10))


def _wish(retry_after: float | None) -> float | None:
    if retry_after is None or math.isnan(retry_after) or retry_after < 0:
        return None
    return min(retry_after, LONGEST_RETRY_AFTER)
