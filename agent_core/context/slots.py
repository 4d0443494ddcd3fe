"""How full the context is, by slot: sizes in bytes, scaled to what the service counted last.

The service's usage is the truth. Between two responses only the newest messages are estimated.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil

from agent_core.model.context import Slot

LIKELY_BYTES = 3.5
"""Bytes of JSON a token, as recorded conversations have them."""
FEWEST_BYTES = 2.0
"""Bytes a token that hardly any text goes below (numbers, identifiers, other scripts than Latin)."""
BASE_OVERHEAD = 100
"""Tokens that the service adds to every request, thinking included; up to 30 were recorded."""
TOOL_OVERHEAD = 600
"""Tokens that it adds once tools are offered; 500 to 620 were recorded."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the service counted for one request: tokens read and written, and the bytes that they were."""

    context_tokens: int
    output_tokens: int
    sent_bytes: int
    response_bytes: int


@dataclass(frozen=True, slots=True)
class ContextEstimate:
    """The input tokens of the next request: likely, at most, and the likely ones by slot."""

    tokens: int
    at_most: int
    slots: dict[str, int] = field(default_factory=dict)


def estimate(sizes: Mapping[Slot, int], measured: Measured | None) -> ContextEstimate:
    """Tokens of a request whose parts have these sizes in bytes; `measured` is an earlier request that it continues."""
    total = sum(sizes.values())
    if measured is None:
        known = BASE_OVERHEAD + (TOOL_OVERHEAD if sizes.get(Slot.TOOLS, 0) > len("[]") else 0)
        fresh = total
    else:
        known = measured.context_tokens + measured.output_tokens
        fresh = max(0, total - measured.sent_bytes - measured.response_bytes)
    likely = known + ceil(fresh / LIKELY_BYTES)
    return ContextEstimate(likely, known + ceil(fresh / FEWEST_BYTES), _split(sizes, likely))


def _split(sizes: Mapping[Slot, int], tokens: int) -> dict[str, int]:
    """The tokens by slot, in proportion to bytes; what rounding leaves over goes to the largest."""
    total = sum(sizes.values())
    shares = {slot.value: tokens * size // total if total else 0 for slot, size in sizes.items()}
    if shares:
        shares[max(shares, key=lambda name: shares[name])] += tokens - sum(shares.values())
    return shares
