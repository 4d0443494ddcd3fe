"""What a model response costs, to the last digit, in US dollars. An unknown price is None, never 0.

Prices come from a profile's own ``[price]``, else from the installed genai-prices package, as they were at the time of
the request. Its automatic update is never started: the price list is as old as the package.
"""

import asyncio
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from agent_core.config.profile import Price
from agent_core.model.budget import CostParts, Usage
from agent_core.model.errors import InputError
from agent_core.providers.messages.usage import usage_of

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice as ListedPrice
    from genai_prices.types import TieredPrices

MILLION = Decimal(1_000_000)
THOUSAND = Decimal(1000)

_OWN_SOURCE = "profile"
_TIER_MARGIN = 1.25
"""How far the real input may lie above its estimate before a dearer tier is missed in a reservation."""
_IN_TOP_LEVEL = frozenset({"message", "fallback_message"})
"""Kinds of iterations whose tokens the usage object counts at its top; all others come on top of it."""


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars per million tokens of each kind."""

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write_5m: Decimal
    cache_write_1h: Decimal

    @property
    def dearest_input(self) -> Decimal:
        """Of the kinds that input can turn out to be in our requests, which never write the cache for an hour."""
        return max(self.input, self.cache_read, self.cache_write_5m)


class Tier(msgspec.Struct, frozen=True, kw_only=True):
    """Rates of a whole request whose input, cache included, has more than `above` tokens."""

    above: int
    rates: Rates


class ModelPrice(msgspec.Struct, frozen=True, kw_only=True):
    """What one model costs: its tiers, the first of which begins at 0, and where the figures come from."""

    tiers: list[Tier]
    web_search: Decimal = Decimal(0)
    """US dollars for each web search of the service."""
    source: str

    def rates(self, input_tokens: int) -> Rates:
        """The rates of a request with so many input tokens, cache included."""
        return [tier.rates for tier in self.tiers if tier.above == 0 or input_tokens > tier.above][-1]

    def cost(self, usage: Usage, web_searches: int = 0) -> CostParts:
        """What that usage costs."""
        rates = self.rates(usage.context_tokens)
        short_lived = rates.cache_write_5m * usage.cache_write_5m_tokens
        long_lived = rates.cache_write_1h * usage.cache_write_1h_tokens
        return CostParts(
            fresh_input=rates.input * usage.input_tokens / MILLION,
            cache_read=rates.cache_read * usage.cache_read_tokens / MILLION,
            cache_write=(short_lived + long_lived) / MILLION,
            output=rates.output * usage.output_tokens / MILLION,
            server_tools=self.web_search * web_searches,
        )

    def upper_bound(self, input_estimate: int, max_tokens: int) -> Decimal:
        """The most a request may cost: the dearest tier that its input may reach, all of it written to the cache."""
        reached = [tier.rates for tier in self.tiers if tier.above == 0 or input_estimate * _TIER_MARGIN > tier.above]
        dearest_input = max(rates.dearest_input for rates in reached)
        dearest_output = max(rates.output for rates in reached)
        return (dearest_input * input_estimate + dearest_output * max_tokens) / MILLION


class PriceBook:
    """Looks prices up and remembers them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, date], ModelPrice | None] = {}

    async def warm(self) -> None:
        """Load the price list in a thread: it takes a fifth of a second."""
        await asyncio.to_thread(_list_version)

    def price(self, model: str, at: datetime, own: Price | None = None) -> ModelPrice | None:
        """The price of a model at a time; `own` (a profile's or a script's) wins. None where it is not known.

        Raises InputError for an own price that is negative, infinite or not a number.
        """
        if own is not None:
            return _own_price(own)
        key = (model, at.date())
        if key not in self._known:
            self._known[key] = _listed_price(model, at)
        return self._known[key]

    def cost(
        self, usage: Usage, raw_usage: Mapping[str, Any], model: str, at: datetime, own: Price | None = None
    ) -> CostParts | None:
        """What one response cost; None where the price or the usage is not known for certain.

        `raw_usage` is the service's own usage object: its web searches, and what its iterations count beside the sums.
        """
        price = self.price(model, at, own)
        if price is None or not usage.complete:
            return None
        total = price.cost(usage, _web_searches(raw_usage))
        for iteration in _beside_the_sums(raw_usage):
            other = self.price(str(iteration.get("model") or model), at, own)
            more = usage_of(iteration, final=True)
            if other is None or not more.complete:
                return None
            total = _sum(total, other.cost(more))
        return total


def _own_price(own: Price) -> ModelPrice:
    for name in own.__struct_fields__:
        value = getattr(own, name)
        if not value.is_finite() or value < 0:
            raise InputError(f'The price "{name}" is {value}; it must be a number of US dollars, 0 or more')
    rates = Rates(
        input=own.input,
        output=own.output,
        cache_read=own.cache_read,
        cache_write_5m=own.cache_write,
        cache_write_1h=own.cache_write,
    )
    return ModelPrice(tiers=[Tier(above=0, rates=rates)], source=_OWN_SOURCE)


def _list_version() -> str:
    import genai_prices
    from genai_prices.data_snapshot import get_snapshot

    get_snapshot()
    return f"genai-prices {genai_prices.__version__}"


def _listed_price(model: str, at: datetime) -> ModelPrice | None:
    from genai_prices.data_snapshot import get_snapshot

    source = _list_version()
    try:
        _, info = get_snapshot().find_provider_model(model, None, "anthropic", None)
    except LookupError:
        return None
    listed = info.get_prices(at)
    if listed.input_mtok is None or listed.output_mtok is None:
        return None
    starts = sorted({0, *(start for value in vars(listed).values() for start in _tier_starts(value))})
    searches = getattr(listed, "web_searches_kcount", None)
    return ModelPrice(
        tiers=[Tier(above=start, rates=_rates_above(listed, start)) for start in starts],
        web_search=searches / THOUSAND if isinstance(searches, Decimal) else Decimal(0),
        source=source,
    )


def _rates_above(listed: "ListedPrice", start: int) -> Rates:
    """Rates just above a tier's start. A kind without a price costs what the kind that it is part of costs."""
    fresh = _at(listed.input_mtok, start)
    output = _at(listed.output_mtok, start)
    assert fresh is not None
    assert output is not None
    short_lived = _or(_at(listed.cache_write_mtok, start), fresh)
    return Rates(
        input=fresh,
        output=output,
        cache_read=_or(_at(listed.cache_read_mtok, start), fresh),
        cache_write_5m=short_lived,
        cache_write_1h=_or(_at(listed.cache_write_1h_mtok, start), short_lived),
    )


def _at(value: "Decimal | TieredPrices | None", start: int) -> Decimal | None:
    if value is None or isinstance(value, Decimal):
        return value
    price = value.base
    for tier in value.tiers:
        if start >= tier.start:
            price = tier.price
    return price


def _or(value: Decimal | None, otherwise: Decimal) -> Decimal:
    return otherwise if value is None else value


def _tier_starts(value: Any) -> list[int]:
    return [tier.start for tier in getattr(value, "tiers", ())]


def _web_searches(raw_usage: Mapping[str, Any]) -> int:
    used = raw_usage.get("server_tool_use")
    count = used.get("web_search_requests") if isinstance(used, Mapping) else None
    return count if type(count) is int and count > 0 else 0


def _beside_the_sums(raw_usage: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    iterations = raw_usage.get("iterations")
    listed = iterations if isinstance(iterations, list) else []
    return [each for each in listed if isinstance(each, Mapping) and each.get("type") not in _IN_TOP_LEVEL]


def _sum(one: CostParts, other: CostParts) -> CostParts:
    return CostParts(**{name: getattr(one, name) + getattr(other, name) for name in CostParts.__struct_fields__})
