"""Requests: one attempt at the next turn of the model. Limits first, then the intent, the stream, and its outcome.

A half-received stream leaves no calls. What a failed or cut attempt may have cost is kept as a bound. Retries are
visible: the failed attempt is journaled with the instant of the next one, which is made under limits looked at afresh.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from agent_core.config.profile import PatternName
from agent_core.context.ceiling import ContextMove, context_step, most_of
from agent_core.context.notes import budget_note, closing_note, plan_note
from agent_core.engine import exchange
from agent_core.engine.equipment import Equipment
from agent_core.engine.facade import BusMessage, StreamDelta
from agent_core.engine.ledger import Ledger, draft
from agent_core.engine.paymaster import Paymaster, Voice
from agent_core.engine.signals import Signals
from agent_core.engine.streams import Cut, stream, warm
from agent_core.engine.waiting import first_of
from agent_core.model.errors import ProviderError, ProviderFault
from agent_core.model.events import EventData, LimitReached, ModelRequested, RunPaused
from agent_core.model.ids import IdKind
from agent_core.model.state import RequestState, SessionState, StopReason
from agent_core.policy.limits import LIMIT_WORDS, STOP_REASONS, LimitHit
from agent_core.policy.plans import standing_of
from agent_core.policy.retry import give_up, provider_backoff
from agent_core.providers.base import Delta, ModelResponse, Provider
from agent_core.store.shares import Bound

OVERLOADED = "provider_overloaded"
_TOO_LONG = ("too long", "too large")


class RequestFailed(Exception):
    """The request cannot succeed: the run ends for that reason."""

    def __init__(self, reason: StopReason, detail: str = "") -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Requests:
    """Makes the model requests of one session."""

    def __init__(
        self,
        equipment: Equipment,
        ledger: Ledger,
        signals: Signals,
        provider: Provider,
        planner: Voice,
        executor: Voice,
        paymaster: Paymaster,
        publish: Callable[[BusMessage], None],
    ) -> None:
        """`executor` carries out the steps of plans; everything else is the `planner`'s. They may be one."""
        self._equipment = equipment
        self._ledger = ledger
        self._signals = signals
        self._provider = provider
        self._planner, self._executor = planner, executor
        self._speaking = planner
        self._paymaster = paymaster
        self._publish = publish
        self._failing_since: datetime | None = None
        self._failures = 0

    async def request(self, *, closing: bool, executing: bool = False) -> None:
        """Make one attempt at the next request, or stage what keeps it from being made.

        Raises RequestFailed, Cut, StaleHead (RoomTaken among them: somebody else took the money meanwhile).
        """
        await warm(self._provider, self._signals)
        state = self._ledger.state
        again = state.last_request if state.last_request and state.last_request.responded is None else None
        if again is not None and len(again.failures) < again.requested.attempt:
            self._lost(again)
            state = self._ledger.state
        if again is not None:  # whoever began the request ends it
            executing = again.requested.model == self._executor.profile.model != self._planner.profile.model
        self._speaking = self._executor if executing else self._planner
        note = again.requested.note if again else self._note(state, closing)
        estimated = self._speaking.assembler.estimate(state, "" if again else note)
        step = context_step(self._equipment.policy.read().profile.context, estimated)
        if step.move is ContextMove.STOP:
            raise RequestFailed(StopReason.CONTEXT_FULL, step.sentence)
        bounds = self._paymaster.bounds(state)
        allowed = await self._paymaster.allowance(
            self._speaking,
            state,
            state.run.spend,
            bounds,
            input_estimate=estimated.at_most,
            max_tokens=self._equipment.profile.max_tokens,
            closing=closing,
        )
        if isinstance(allowed, LimitHit):
            self._limit_reached(state, allowed, closing)
            return
        requested = exchange.intent(
            again.request_id if again else self._equipment.ids.new(IdKind.REQUEST),
            again.requested.attempt + 1 if again else 1,
            model=self._speaking.profile.model,
            note=note,
            estimated=estimated,
            allowed=allowed,
            closing=closing,
            prefix_digest=self._speaking.assembler.prefix_digest,
        )
        await self._attempt(requested, again.step if again else next_step(state), bounds)

    async def _attempt(self, requested: ModelRequested, step: int, bounds: Sequence[Bound]) -> None:
        clock = self._equipment.clock
        await self._ledger.append([draft(self._ledger.state, requested, clock.now(), step)], bounds)
        began = clock.monotonic()
        try:
            response = await self._stream(requested.request_id, step)
        except ProviderError as error:
            await self._failed(requested, error, step)
            return
        except Cut:
            message = "The stream was cut by a person, or because the program was closed."
            self._stage(exchange.failed(requested, "cut", message), step)
            raise
        self._failing_since, self._failures = None, 0
        self._stage(self._responded(requested, response, clock.monotonic() - began), step)

    def _note(self, state: SessionState, closing: bool) -> str:
        run = state.run
        if not closing:
            budget = budget_note(run.limits, run.spend)
            planned = self._equipment.profile.pattern is PatternName.PLAN_EXECUTE
            return f"{budget}\n{plan_note(standing_of(state))}" if planned else budget
        reached = run.limit_reached
        reason = f"The limit of {LIMIT_WORDS[reached.limit]} is reached." if reached else "The run ends now."
        return closing_note(reason)

    def _limit_reached(self, state: SessionState, hit: LimitHit, closing: bool) -> None:
        if closing:
            reached = state.run.limit_reached
            raise RequestFailed(STOP_REASONS[reached.limit if reached is not None else hit.limit])
        then = self._equipment.at_limit(hit.limit, hit.scope)
        event = LimitReached(limit=hit.limit, value=hit.value, spent=hit.spent, scope=hit.scope.value, then=then)
        self._stage(event, state.run.step)

    async def _stream(self, request_id: str, step: int) -> ModelResponse:
        """Send once. Raises ProviderError, or Cut when a signal cuts the stream."""
        state = self._ledger.state
        run = state.run.run

        def on_delta(delta: Delta) -> None:
            self._publish(StreamDelta(session=state.session, run=run, step=step, request_id=request_id, delta=delta))

        return await stream(self._provider, self._signals, self._speaking.assembler.request(state), on_delta)

    def _responded(self, requested: ModelRequested, response: ModelResponse, seconds: float) -> EventData:
        equipment = self._equipment
        price = self._paymaster.price(self._speaking)
        return exchange.responded(
            requested,
            response,
            cost=self._paymaster.cost(self._speaking, response),
            price_source=price.source if price is not None else "",
            duration_ms=round(seconds * 1000),
            new_call_id=lambda: equipment.ids.new(IdKind.CALL),
        )

    async def _failed(self, requested: ModelRequested, error: ProviderError, step: int) -> None:
        """Journal the failure; wait for the next attempt, hold the run, or end it."""
        clock = self._equipment.clock
        self._failures += 1
        self._failing_since = self._failing_since or clock.now()
        retry_at: datetime | None = None
        if error.retryable and not give_up(self._failing_since, clock.now(), self._failures):
            wait = provider_backoff(self._failures, error.retry_after, self._equipment.jitter())
            retry_at = clock.now() + timedelta(seconds=wait)
        message, detail = map(self._equipment.redactor.redact, (str(error), error.detail))
        event = exchange.failed(
            requested, error.fault.value, message, usage=error.usage, retry_at=retry_at, detail=detail
        )
        self._stage(event, step)
        if retry_at is not None:
            await self._ledger.flush()
            await self._wait_until(retry_at)
        elif error.retryable:
            self._failing_since, self._failures = None, 0
            self._stage(RunPaused(reason=OVERLOADED, detail=message), step)
        else:
            reason = _reason(error)
            too_large = reason is StopReason.CONTEXT_FULL
            raise RequestFailed(reason, f"{message.rstrip('.')}. {most_of(requested.slots)}" if too_large else message)

    def _lost(self, request: RequestState) -> None:
        """A request of an earlier process, whose answer nobody recorded."""
        message = "The process ended before an answer was recorded."
        self._stage(exchange.failed(request.requested, "interrupted", message), request.step)

    async def _wait_until(self, instant: datetime) -> None:
        await first_of(self._equipment.clock.sleep_until(instant), self._signals.woken.wait())

    def _stage(self, event: EventData, step: int) -> None:
        self._ledger.stage([draft(self._ledger.state, event, self._equipment.clock.now(), step)])


def _reason(error: ProviderError) -> StopReason:
    too_long = error.fault is ProviderFault.INVALID_REQUEST and any(words in str(error) for words in _TOO_LONG)
    if error.fault is ProviderFault.TOO_LARGE or too_long:
        return StopReason.CONTEXT_FULL
    return StopReason.PROVIDER_FAILED


def next_step(state: SessionState) -> int:
    """The number of the next step: steps are counted through the whole session."""
    return 1 + max((run.step for run in state.runs), default=0)
