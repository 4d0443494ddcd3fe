"""Shared limits: what all sessions of a day may cost, and a session with its runs and forks, over every process.

The day's limit stands in the settings. That of a tree is a limit of each run in it, the same in every session.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal

from agent_core.model.budget import Scope
from agent_core.model.clock import Clock
from agent_core.model.intents import DayBudget, TreeBudget
from agent_core.model.state import SessionState
from agent_core.policy.limits import SharedLimit
from agent_core.store.shares import Bound, Day, Spent, Tree
from agent_core.store.spend import Spending


class SharedLimits:
    """Holds requests against the limits that runs share. Where none is set, nothing is asked."""

    def __init__(self, spending: Spending, clock: Clock, day_limit: Callable[[], Decimal | None]) -> None:
        self._spending = spending
        self._clock = clock
        self._day_limit = day_limit

    def bounds(self, state: SessionState) -> list[Bound]:
        """The bounds that hold for a session's next request."""
        day, tree = self._day_limit(), state.run.limits.tree_cost_usd
        bounds = [] if day is None else [Bound(self._today(), day)]
        return bounds if tree is None else [*bounds, Bound(Tree(state.session), tree)]

    async def room(self, bounds: Sequence[Bound]) -> list[SharedLimit]:
        """Each bound with what is spent and reserved of it."""
        return [_limit(bound, await self._spending.of(bound.share)) for bound in bounds]

    async def day(self) -> DayBudget:
        """What today cost so far, for screens."""
        spent = await self._spending.of(self._today())
        return DayBudget(spent_usd=spent.known, unknown_runs=spent.unknown_runs, limit_usd=self._day_limit())

    async def tree(self, state: SessionState) -> TreeBudget:
        """What the tree of a session cost so far, against the limit that its newest run has."""
        spent = await self._spending.of(Tree(state.session))
        return TreeBudget(
            spent_usd=spent.known,
            at_most_usd=spent.known + spent.bound,
            unknown_runs=spent.unknown_runs,
            limit_usd=state.run.limits.tree_cost_usd if state.runs else None,
            sessions=len(await self._spending.members(state.session)),
        )

    def _today(self) -> Day:
        """The operator's day."""
        return Day(start_of_day(self._clock.now()))


def start_of_day(now: datetime) -> datetime:
    """Midnight, where the operator is."""
    return now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)


def _limit(bound: Bound, spent: Spent) -> SharedLimit:
    return SharedLimit(
        scope=Scope.DAY if isinstance(bound.share, Day) else Scope.TREE,
        limit_usd=min(bound.limit, bound.whole),
        spent_usd=spent.known + spent.bound,
        reserved_usd=spent.reserved,
    )
