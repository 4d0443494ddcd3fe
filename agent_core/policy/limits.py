"""Limits: what the next request or call may use, so that no limit is ever overshot. Money is Decimal US dollars.

A request may use what is left after everything spent, everything that other requests in flight have reserved, and a
reserve for the closing answer: one request of 1,024 output tokens on the current input. The reserve lies inside the
cost and token limits and outside the step and time limits.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from agent_core.config.values import BadValue, as_count, as_money, as_seconds
from agent_core.model.budget import MONEY_LIMITS, Figure, LimitName, Limits, Scope, Spend
from agent_core.model.errors import InputError
from agent_core.model.state import StopReason

RESERVE_OUTPUT = 1024
"""Output tokens of the closing request."""

LEAST_OUTPUT = 512
"""A request that could not answer with this many tokens is not made: the limit counts as reached."""

FEWEST_RUNS = 5
"""Runs without which there is nothing to suggest from."""

HEADROOM = Decimal("1.25")
"""What a suggestion leaves above the 99th percentile."""

_WHOLE = re.compile(r"\d+", re.ASCII)
_PLAIN = re.compile(r"\d+(\.\d+)?", re.ASCII)

LIMIT_WORDS: dict[LimitName, str] = {
    LimitName.STEPS: "steps",
    LimitName.TOOL_CALLS: "tool calls",
    LimitName.TOKENS: "tokens",
    LimitName.COST_USD: "cost",
    LimitName.SECONDS: "active time",
    LimitName.TREE_COST_USD: "cost with forks",
}

STOP_REASONS: dict[LimitName, StopReason] = {
    LimitName.STEPS: StopReason.STEP_LIMIT,
    LimitName.TOOL_CALLS: StopReason.TOOL_CALL_LIMIT,
    LimitName.TOKENS: StopReason.TOKEN_LIMIT,
    LimitName.COST_USD: StopReason.COST_LIMIT,
    LimitName.SECONDS: StopReason.TIME_LIMIT,
    LimitName.TREE_COST_USD: StopReason.COST_LIMIT,
}

LIMIT_STOPS = frozenset(STOP_REASONS.values())
"""Runs that ended so can be opened again through their budget card."""

PriceOf = Callable[[int, int], Decimal]
"""The most that a request of so many input and output tokens can cost at list price. Never falls as either grows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """What one request in flight may still use. The cost is None where its price is unknown."""

    tokens: int
    cost_usd: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLimit:
    """A limit that several runs share, with what they spent and what their requests in flight have reserved."""

    scope: Scope
    limit_usd: Decimal
    spent_usd: Decimal
    reserved_usd: Decimal = Decimal(0)

    @property
    def name(self) -> LimitName:
        """Which limit it is; that of a day stands in the settings and has no name in `[limits]`."""
        return LimitName.TREE_COST_USD if self.scope is Scope.TREE else LimitName.COST_USD


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The next request may be made, with at most so many output tokens; the reservation stands until its usage came."""

    max_tokens: int
    reservation: Reservation


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitHit:
    """A limit stops the next request or call. `value` and `spent` as the journal writes them."""

    limit: LimitName
    value: str
    spent: str
    scope: Scope = Scope.RUN

    @property
    def stop_reason(self) -> StopReason:
        """Why the run ends when nobody extends the limit."""
        return STOP_REASONS[self.limit]


def request_allowance(
    limits: Limits,
    spend: Spend,
    reserved: Sequence[Reservation],
    *,
    input_estimate: int,
    max_tokens: int,
    price_of: PriceOf | None,
    closing: bool = False,
    shared: Sequence[SharedLimit] = (),
) -> Allowance | LimitHit:
    """Whether the next model request may be made, and how long its answer may be.

    `reserved` are the run's own requests in flight, `shared` the limits that it shares with others. `max_tokens` is
    lowered to what is left after the reserve; a `closing` request is the one that the reserve is for. An unknown price
    (None) leaves the cost unlimited: the token limit stands.
    """
    if hit := _run_is_over(limits, spend, len(reserved), closing=closing):
        return hit
    reserve_tokens = 0 if closing else input_estimate + RESERVE_OUTPUT
    wanted = min(max_tokens, RESERVE_OUTPUT) if closing else max_tokens
    allowed = min(wanted, _tokens_left(limits, spend, reserved) - reserve_tokens - input_estimate)
    tightest = _hit(LimitName.TOKENS, limits.tokens, spend.tokens)
    if price_of is not None:
        reserve_usd = Decimal(0) if closing else price_of(input_estimate, RESERVE_OUTPUT)
        for left, hit in _money_left(limits, spend, reserved, price_of, shared):
            affordable = _longest_answer(price_of, input_estimate, left - reserve_usd, allowed)
            if affordable < allowed:
                allowed, tightest = affordable, hit
    if allowed < min(LEAST_OUTPUT, wanted):
        return tightest
    cost = None if price_of is None else price_of(input_estimate, allowed)
    return Allowance(max_tokens=allowed, reservation=Reservation(tokens=input_estimate + allowed, cost_usd=cost))


def calls_allowed(limits: Limits, spend: Spend, wanted: int) -> int:
    """How many of so many calls may start: the first ones, in order. The rest are answered `limit_reached`."""
    if spend.active_seconds >= limits.seconds:
        return 0
    return max(0, min(wanted, limits.tool_calls - spend.tool_calls))


def call_hit(limits: Limits, spend: Spend) -> LimitHit | None:
    """The limit that keeps the next tool call from starting, if one does."""
    if spend.tool_calls >= limits.tool_calls:
        return _hit(LimitName.TOOL_CALLS, limits.tool_calls, spend.tool_calls)
    if spend.active_seconds >= limits.seconds:
        return _hit(LimitName.SECONDS, limits.seconds, spend.active_seconds)
    return None


def spent_of(name: LimitName, spend: Spend) -> Figure | None:
    """The most that a run can have spent of one limit; None where that is unknown, or that of others counts too."""
    if name is LimitName.COST_USD and spend.cost_usd is not None:
        return spend.cost_usd + spend.cost_bound_usd
    return spend.get(name)


def limit_text(value: Figure | None) -> str:
    """A limit, or what was spent of it, as the journal writes it; "none" where no limit applies or nothing is known."""
    if value is None:
        return "none"
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value).removesuffix(".0")


def parse_limit(name: LimitName, value: object) -> Figure:
    """A limit as a person or a file wrote it. Raises InputError with one sentence for what cannot be meant.

    Text holds a plain number ("25", "2.00"); seconds may be a duration ("15m") too. 0 is a limit: it allows nothing.
    """
    written = value.strip() if isinstance(value, str) else value
    try:
        if name in MONEY_LIMITS:
            return as_money(written)
        if name is LimitName.SECONDS:
            plain = isinstance(written, str) and _PLAIN.fullmatch(written)
            return as_seconds(float(written) if plain else written)  # type: ignore[arg-type]
        return as_count(int(written) if isinstance(written, str) and _WHOLE.fullmatch(written) else written)
    except BadValue as error:
        raise InputError(f"The limit {name.value} {error}") from None
    except ValueError:
        raise InputError(f"The limit {name.value} has too many digits to be a number") from None


def sound_limits(given: Limits) -> Limits:
    """Limits as they came through the face of the engine, each held to what can be meant. Raises InputError."""
    sound = {
        name.value: None if value is None and name in MONEY_LIMITS else parse_limit(name, value)
        for name in LimitName
        for value in [given.get(name)]
    }
    return Limits(**sound)  # type: ignore[arg-type]


def suggest(history: Sequence[Spend]) -> Limits | None:
    """Limits from an agent's successful runs: the 99th percentile plus headroom. None for fewer than five runs.

    The cost is None when it is known of fewer than five.
    """
    if len(history) < FEWEST_RUNS:
        return None
    costs = [spend.cost_usd for spend in history if spend.cost_usd is not None]
    return Limits(
        steps=_count([spend.steps for spend in history]),
        tool_calls=_count([spend.tool_calls for spend in history]),
        tokens=_count([spend.tokens for spend in history]),
        cost_usd=_cents(costs) if len(costs) >= FEWEST_RUNS else None,
        seconds=float(_count([math.ceil(spend.active_seconds) for spend in history])),
    )


def _run_is_over(limits: Limits, spend: Spend, in_flight: int, *, closing: bool) -> LimitHit | None:
    """Steps and time. The closing request lies outside both, unless they allow nothing at all."""
    if (spend.steps + in_flight >= limits.steps and not closing) or limits.steps <= 0:
        return _hit(LimitName.STEPS, limits.steps, spend.steps)
    if (spend.active_seconds >= limits.seconds and not closing) or limits.seconds <= 0:
        return _hit(LimitName.SECONDS, limits.seconds, spend.active_seconds)
    return None


def _tokens_left(limits: Limits, spend: Spend, reserved: Sequence[Reservation]) -> int:
    return limits.tokens - spend.tokens - sum(reservation.tokens for reservation in reserved)


def _money_left(
    limits: Limits, spend: Spend, reserved: Sequence[Reservation], price_of: PriceOf, shared: Sequence[SharedLimit]
) -> Iterator[tuple[Decimal, LimitHit]]:
    """What each cost limit leaves, with the hit to report when that is too little."""
    if limits.cost_usd is not None:
        spent = _spent_at_most(spend, price_of)
        in_flight = sum((_cost_at_most(reservation, price_of) for reservation in reserved), Decimal(0))
        yield limits.cost_usd - spent - in_flight, _hit(LimitName.COST_USD, limits.cost_usd, spent)
    for one in shared:
        left = one.limit_usd - one.spent_usd - one.reserved_usd
        yield left, _hit(one.name, one.limit_usd, one.spent_usd, one.scope)


def _spent_at_most(spend: Spend, price_of: PriceOf) -> Decimal:
    """What was spent; where a part of it is unknown, all of its tokens at today's list price."""
    known = spend.cost_usd
    if known is None:
        read = spend.input_tokens + spend.cache_read_tokens + spend.cache_write_tokens
        known = price_of(read + spend.lost_tokens, spend.output_tokens + spend.lost_tokens)
    return known + spend.cost_bound_usd


def _cost_at_most(reservation: Reservation, price_of: PriceOf) -> Decimal:
    if reservation.cost_usd is not None:
        return reservation.cost_usd
    return price_of(reservation.tokens, reservation.tokens)


def _longest_answer(price_of: PriceOf, input_tokens: int, money: Decimal, most: int) -> int:
    """The most output tokens, up to `most`, that the money pays for beside the input; 0 when not even the input."""
    if most <= 0 or price_of(input_tokens, most) <= money:
        return most
    affordable, too_dear = 0, most
    while too_dear - affordable > 1:
        middle = (affordable + too_dear) // 2
        if price_of(input_tokens, middle) <= money:
            affordable = middle
        else:
            too_dear = middle
    return affordable


def _hit(name: LimitName, value: Figure, spent: Figure, scope: Scope = Scope.RUN) -> LimitHit:
    rounded = round(spent, 3) if isinstance(spent, float) else spent
    return LimitHit(limit=name, value=limit_text(value), spent=limit_text(rounded), scope=scope)


def _count(figures: Sequence[int]) -> int:
    return max(1, math.ceil(_percentile_99([Decimal(figure) for figure in figures]) * HEADROOM))


def _cents(figures: Sequence[Decimal]) -> Decimal:
    suggested = (_percentile_99(figures) * HEADROOM).quantize(Decimal("0.01"), ROUND_CEILING)
    return max(suggested, Decimal("0.01"))


def _percentile_99(figures: Sequence[Decimal]) -> Decimal:
    """The smallest figure that 99 % of all do not exceed (nearest rank)."""
    ordered = sorted(figures)
    return ordered[math.ceil(len(ordered) * 0.99) - 1]
