"""Paymaster: what a model that speaks in a session may use next, under its run's limits and those it shares.

Also what an answer of it cost. The turns of a run and the answers to side questions are paid alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_core.config.profile import Price, Profile
from agent_core.context.assemble import Assembler
from agent_core.engine.ledger import Ledger
from agent_core.engine.shared_limits import SharedLimits
from agent_core.model.budget import CostParts, Spend
from agent_core.model.clock import Clock
from agent_core.model.state import SessionState
from agent_core.policy.limits import Allowance, LimitHit, request_allowance
from agent_core.providers.base import ModelResponse
from agent_core.providers.pricing import ModelPrice, PriceBook
from agent_core.store.shares import Bound


@dataclass(frozen=True, slots=True)
class Voice:
    """A model that speaks in a session, as it is shown the history and as it is paid."""

    profile: Profile
    assembler: Assembler
    own_price: Price | None = None


class Paymaster:
    """Holds the requests of one session against limits and prices."""

    def __init__(self, ledger: Ledger, clock: Clock, prices: PriceBook, shared: SharedLimits) -> None:
        self._ledger = ledger
        self._clock = clock
        self._prices = prices
        self._shared = shared

    def bounds(self, state: SessionState) -> list[Bound]:
        """The shared limits that the next request is reserved against."""
        return self._shared.bounds(state)

    async def allowance(
        self,
        voice: Voice,
        state: SessionState,
        spend: Spend,
        bounds: Sequence[Bound],
        *,
        input_estimate: int,
        max_tokens: int,
        closing: bool = False,
    ) -> Allowance | LimitHit:
        """What a request may use at most, or the limit that leaves no room for it. `spend` is what counts so far."""
        if bounds:
            await self._ledger.flush()  # what the last request cost must stand where others look
        price = self.price(voice)
        return request_allowance(
            state.run.limits,
            spend,
            [],
            input_estimate=input_estimate,
            max_tokens=max_tokens,
            price_of=price.upper_bound if price is not None else None,
            closing=closing,
            shared=await self._shared.room(bounds),
        )

    def price(self, voice: Voice) -> ModelPrice | None:
        """What it takes now; None where that is not known."""
        return self._prices.price(voice.profile.model, self._clock.now(), voice.own_price)

    def cost(self, voice: Voice, response: ModelResponse) -> CostParts | None:
        """What its answer cost; None where price or usage is not known for certain."""
        return self._prices.cost(response.usage, response.raw_usage, response.model, self._clock.now(), voice.own_price)
