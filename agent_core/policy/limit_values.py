"""Values of limits: read from what people write, and suggested from what an agent's good runs used."""

import math
import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal

from agent_core.config.values import BadValue, as_count, as_money, as_seconds
from agent_core.model.budget import LimitName, Limits, Spend
from agent_core.model.errors import InputError

FEWEST_RUNS = 5
"""Runs without which there is nothing to suggest from."""

HEADROOM = Decimal("1.25")
"""What a suggestion leaves above the 99th percentile."""

_WHOLE = re.compile(r"\d+", re.ASCII)
_PLAIN = re.compile(r"\d+(\.\d+)?", re.ASCII)


def parse_limit(name: LimitName, value: object) -> int | float | Decimal:
    """A limit as a person or a file wrote it. Raises InputError with one sentence for what cannot be meant.

    Text holds a plain number ("25", "2.00"); seconds may be a duration ("15m") too. 0 is a limit: it allows nothing.
    """
    written = value.strip() if isinstance(value, str) else value
    try:
        if name is LimitName.COST_USD:
            return as_money(written)
        if name is LimitName.SECONDS:
            plain = isinstance(written, str) and _PLAIN.fullmatch(written)
            return as_seconds(float(written) if plain else written)  # type: ignore[arg-type]
        return as_count(int(written) if isinstance(written, str) and _WHOLE.fullmatch(written) else written)
    except BadValue as error:
        raise InputError(f"The limit {name.value} {error}.") from None
    except ValueError:
        raise InputError(f"The limit {name.value} has too many digits to be a number.") from None


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


def _count(figures: Sequence[int]) -> int:
    return max(1, math.ceil(_percentile_99([Decimal(figure) for figure in figures]) * HEADROOM))


def _cents(figures: Sequence[Decimal]) -> Decimal:
    suggested = (_percentile_99(figures) * HEADROOM).quantize(Decimal("0.01"), ROUND_CEILING)
    return max(suggested, Decimal("0.01"))


def _percentile_99(figures: Sequence[Decimal]) -> Decimal:
    """The smallest figure that 99 % of all do not exceed (nearest rank)."""
    ordered = sorted(figures)
    return ordered[math.ceil(len(ordered) * 0.99) - 1]
