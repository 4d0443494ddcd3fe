"""Budgets: what a run may use, what it has used, and what a model costs. Money is Decimal US dollars."""

from decimal import Decimal
from enum import StrEnum

import msgspec

Figure = int | float | Decimal
"""A limit, or what is used of it."""


class LimitName(StrEnum):
    """The limits of a run, by their name in a profile's ``[limits]``."""

    STEPS = "steps"
    TOOL_CALLS = "tool_calls"
    TOKENS = "tokens"
    COST_USD = "cost_usd"
    SECONDS = "seconds"
    TREE_COST_USD = "tree_cost_usd"


MONEY_LIMITS = frozenset({LimitName.COST_USD, LimitName.TREE_COST_USD})
"""Limits in US dollars: they hold only where the price is known."""


class Scope(StrEnum):
    """Whose spend a limit is held against: one run's, that of all sessions of a day, or that of a tree."""

    RUN = "run"
    DAY = "day"
    TREE = "tree"


class AtLimit(StrEnum):
    """What happens when a limit is reached, as the settings have it for each."""

    ASK = "ask"
    """A card asks whether to extend, finish or stop."""
    FINISH = "finish"
    """The run sums up what it has and ends: its result is partial."""
    PAUSE_ALL = "pause_all"
    """A card asks, and every other run is paused until somebody resumes it."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of one run. 0 allows nothing; a cost of None means that no such limit applies (the price is unknown)."""

    steps: int = 25
    tool_calls: int = 50
    tokens: int = 500_000
    cost_usd: Decimal | None = Decimal("2.00")
    seconds: float = 900.0
    """Active seconds: waiting for a person does not count."""
    tree_cost_usd: Decimal | None = None
    """What the session may cost with all its runs and everything forked from it: the same in all sessions of a tree."""

    def get(self, name: LimitName) -> Figure | None:
        """The limit of that name."""
        value: Figure | None = getattr(self, name.value)
        return value


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens of one model response, as the Messages API counts them: input without cache, output with reasoning."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    reasoning_tokens: int = 0
    complete: bool = True
    """False when the provider never sent the final figures: a lower bound."""

    @property
    def cache_write_tokens(self) -> int:
        """Cache writes of both lifetimes."""
        return self.cache_write_5m_tokens + self.cache_write_1h_tokens

    @property
    def context_tokens(self) -> int:
        """Everything the model read: fresh input and both kinds of cache."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total(self) -> int:
        """All four kinds, as the token limit counts them."""
        return self.context_tokens + self.output_tokens


class CostParts(msgspec.Struct, frozen=True, kw_only=True):
    """What one response cost, by kind, in US dollars."""

    fresh_input: Decimal = Decimal(0)
    cache_read: Decimal = Decimal(0)
    cache_write: Decimal = Decimal(0)
    output: Decimal = Decimal(0)
    server_tools: Decimal = Decimal(0)
    """What the service's own tools cost per use, such as web searches."""

    @property
    def total(self) -> Decimal:
        """The sum of the parts."""
        return self.fresh_input + self.cache_read + self.cache_write + self.output + self.server_tools


class Spend(msgspec.Struct, frozen=True, kw_only=True):
    """What a run has used. `cost_usd` is None once any part of it is unknown; it is never 0 for unknown."""

    steps: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: Decimal | None = Decimal(0)
    cost_bound_usd: Decimal = Decimal(0)
    """Cost that lost or cut requests may have caused, on top of `cost_usd`."""
    lost_tokens: int = 0
    """Tokens that lost or cut requests may have used, counted against the token limit."""
    active_seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """All four kinds and what lost requests may have used: what the token limit is held against."""
        counted = self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens
        return counted + self.lost_tokens

    def get(self, name: LimitName) -> Figure | None:
        """What counts against the limit of that name; None where it is unknown, or counts over more than the run."""
        if name is LimitName.TREE_COST_USD:
            return None
        if name is LimitName.SECONDS:
            return self.active_seconds
        value: Figure | None = getattr(self, name.value)
        return value
