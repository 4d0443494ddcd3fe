"""Day book: the limit on what all sessions of a day may cost, over every process of the home."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

from agent_core.model.clock import Clock
from agent_core.model.intents import DayBudget
from agent_core.policy.limits import DayLimit
from agent_core.store.spend import Spending


class SharedDayBook:
    """Holds requests against the day's limit. Where no limit is set, nothing is asked and nothing is reserved."""

    def __init__(self, spending: Spending, clock: Clock, limit: Callable[[], Decimal | None]) -> None:
        self._spending = spending
        self._clock = clock
        self._limit = limit

    async def room(self) -> DayLimit | None:
        """Today's limit with what is spent and reserved; None when no limit is set."""
        limit = self._limit()
        if limit is None:
            return None
        spent = await self._spending.since(self._midnight())
        return DayLimit(limit_usd=limit, spent_usd=spent.known + spent.bound, reserved_usd=spent.reserved)

    async def reserve(self, key: str, session: str, run: str, amount: Decimal | None) -> bool:
        """Reserve under the limit, in one step with looking at it; False when it does not fit.

        A request of unknown price has no amount: run limits on tokens hold it.
        """
        limit = self._limit()
        if limit is None or amount is None:
            return True
        return await self._spending.reserve(
            key, session, run, amount, at=self._clock.now(), day=self._midnight(), limit=limit
        )

    async def budget(self) -> DayBudget:
        """What today cost so far, for screens."""
        spent = await self._spending.since(self._midnight())
        return DayBudget(spent_usd=spent.known, unknown_runs=spent.unknown_runs, limit_usd=self._limit())

    def _midnight(self) -> datetime:
        """The start of the operator's day."""
        return self._clock.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
