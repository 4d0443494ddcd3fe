"""Side questions: an operator asks the agent about an open card. It may only read, and the history stays as it is.

Each look performs one piece, as its own events tell what is due: a request, the reads of a response, or the card's way
back. So a crash or a stop in between loses nothing. Tokens, cost and tool calls count under the run's limits; a side
request is no step.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import msgspec

from agent_core.context import side as talk
from agent_core.engine import exchange
from agent_core.engine.equipment import Equipment
from agent_core.engine.examination import Examiner
from agent_core.engine.judging import Judge
from agent_core.engine.ledger import Ledger, draft
from agent_core.engine.paymaster import Paymaster, Voice
from agent_core.engine.preparation import Preparer, Ready
from agent_core.engine.redacting import redacted
from agent_core.engine.renewal import look_again, renewed
from agent_core.engine.signals import Signals
from agent_core.engine.streams import Cut, stream, warm
from agent_core.engine.waiting import first_of
from agent_core.model.action import Source, ToolError
from agent_core.model.errors import ProviderError
from agent_core.model.events import AskedCall, Draft, EventData, ProposalChanged, SideAnswered, SideAsked, SideRead
from agent_core.model.ids import IdKind
from agent_core.model.proposal import AgentAnswer, Decision, Proposal
from agent_core.model.run import CallState, SideEvent
from agent_core.model.state import SessionState, replace_spend
from agent_core.policy.card_changes import card_changes
from agent_core.policy.limits import LIMIT_WORDS, LimitHit, call_hit
from agent_core.policy.retry import provider_backoff
from agent_core.providers.base import Delta, ModelResponse, Provider
from agent_core.tools.executor import OutcomeUnknown

MOST_RESPONSES = 5
"""The last of them must be in words."""
MOST_FAILURES = 3
LONGEST_ANSWER = 2048
"""Output tokens."""
MOST_READS = 8
"""Calls of one response."""
_BYTES_A_TOKEN = 3


class _Overtaken(Exception):
    """The card was closed while the agent was still answering."""


@dataclass(frozen=True, slots=True)
class _Case:
    """One question, with its card and what came of it so far."""

    card: Proposal
    asked: Decision
    side: Sequence[SideEvent]


class SideQuestions:
    """Answers the questions about one session's cards."""

    def __init__(
        self,
        equipment: Equipment,
        ledger: Ledger,
        signals: Signals,
        provider: Provider,
        voice: Voice,
        paymaster: Paymaster,
        preparer: Preparer,
        judge: Judge,
        examiner: Examiner,
    ) -> None:
        self._equipment = equipment
        self._ledger = ledger
        self._signals = signals
        self._provider = provider
        self._voice = voice
        self._paymaster = paymaster
        self._preparer = preparer
        self._judge = judge
        self._examiner = examiner

    async def go_on(self, proposal: str) -> None:
        """Perform what the question about this card needs next. Raises Cut, StaleHead."""
        state = self._ledger.state
        known = state.proposals[proposal]
        if known.asked is None:
            return
        case = _Case(known.proposal, known.asked, tuple(state.sides.get(known.asked.decision, ())))
        lost = talk.lost(case.side)
        if lost is not None:
            self._settle(lost, _fault(lost, "interrupted", "The process ended before an answer was recorded."))
            return
        answers, failures = talk.responses(case.side), talk.failures(case.side)
        due = _unread(case.side, answers[-1]) if answers and not failures else []
        if due:
            await self._read(state, case, due)
        elif len(failures) >= MOST_FAILURES:
            await self._bring_back(case, f"The agent could not answer: {failures[-1].message}", failed=True)
        elif answers and not failures and not answers[-1].calls:
            text = talk.answer_text(answers[-1])
            await self._bring_back(case, text or "The agent gave no answer.", failed=not text)
        elif len(answers) >= MOST_RESPONSES:
            await self._bring_back(case, "The agent read on and gave no answer.", failed=True)
        else:
            await self._ask(state, case, closing=len(answers) == MOST_RESPONSES - 1)

    async def _ask(self, state: SessionState, case: _Case, *, closing: bool) -> None:
        await warm(self._provider, self._signals)
        equipment = self._equipment
        question = talk.question_blocks(case.card, case.asked)
        question = {**question, "text": equipment.redactor.redact(str(question["text"]))}
        more = talk.side_messages(case.side, equipment.profile.context.result_cap)
        beside = len(msgspec.json.encode([question, more])) // _BYTES_A_TOKEN
        bounds = self._paymaster.bounds(state)
        estimated = self._voice.assembler.estimate(state)
        allowed = await self._paymaster.allowance(
            self._voice,
            state,
            replace_spend(state.run.spend, steps=0),
            bounds,
            input_estimate=estimated.at_most + beside,
            max_tokens=min(equipment.profile.max_tokens, LONGEST_ANSWER),
        )
        if isinstance(allowed, LimitHit):
            word = LIMIT_WORDS[allowed.limit]
            await self._bring_back(case, f"The limit of {word} leaves no room for an answer.", failed=True)
            return
        announced = SideAsked(
            request_id=equipment.ids.new(IdKind.REQUEST),
            proposal=case.card.proposal,
            decision=case.asked.decision,
            attempt=len(talk.failures(case.side)) + 1,
            model=equipment.profile.model,
            max_tokens=allowed.max_tokens,
            input_estimate=estimated.tokens + beside,
            reserved_tokens=allowed.reservation.tokens,
            reserved_cost_usd=allowed.reservation.cost_usd,
            question=case.asked.answer or "",
            closing=closing,
        )
        event = draft(self._ledger.state, announced, equipment.clock.now(), case.card.step)
        await self._ledger.append([event], bounds)
        await self._send(announced, case, question, more)

    async def _send(
        self,
        announced: SideAsked,
        case: _Case,
        question: dict[str, object],
        more: Sequence[tuple[str, list[dict[str, object]]]],
    ) -> None:
        clock = self._equipment.clock
        began = clock.monotonic()
        request = self._voice.assembler.aside(self._ledger.state, question, more, announced)
        sending = asyncio.create_task(stream(self._provider, self._signals, request, _unheard))
        try:
            response = await self._unless_closed(case.card.proposal, sending)
        except ProviderError as error:
            message = self._equipment.redactor.redact(str(error))
            final = not error.retryable
            self._settle(announced, _fault(announced, error.fault.value, message, refused=exchange.never_ran(error)))
            if final:
                await self._bring_back(case, f"The agent could not answer: {message}", failed=True)
                return
            await self._ledger.flush()
            wait = provider_backoff(announced.attempt, error.retry_after, self._equipment.jitter())
            await self._wait(timedelta(seconds=wait))
        except _Overtaken:
            self._settle(announced, _fault(announced, "overtaken", "The card was closed before the answer came."))
        except Cut:
            self._settle(announced, _fault(announced, "cut", "The stream was cut."))
            raise
        else:
            self._settle(announced, self._answered(announced, response, round((clock.monotonic() - began) * 1000)))

    async def _unless_closed(self, proposal: str, sending: "asyncio.Task[ModelResponse]") -> ModelResponse:
        """The response, unless the card is closed first: then nobody waits for an answer any more."""
        closed = asyncio.create_task(self._until_closed(proposal))
        try:
            await asyncio.wait({sending, closed}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                return sending.result()
            raise _Overtaken
        finally:
            for task in (closed, sending):
                if not task.done():
                    task.cancel()
                    with contextlib.suppress(asyncio.CancelledError, Exception):
                        await task

    async def _until_closed(self, proposal: str) -> None:
        while self._ledger.state.proposals[proposal].with_agent:
            self._ledger.changed.clear()
            await self._ledger.changed.wait()

    async def _read(self, state: SessionState, case: _Case, calls: Sequence[AskedCall]) -> None:
        """Run the reads of a response, one after another; whatever is no read is answered with an error."""
        answer = talk.responses(case.side)[-1]
        for place, asked in enumerate(calls):
            given = answer.content[asked.block].get("input")
            call = CallState(
                call_id=asked.call_id,
                tool_use_id=asked.tool_use_id,
                tool=asked.tool,
                run=state.run.run,
                step=case.card.step,
                asked_input=given if isinstance(given, dict) else {},
                asked_at=self._equipment.clock.now(),
            )
            self._stage(await self._one_read(state, case, call, place), case)

    async def _one_read(self, state: SessionState, case: _Case, call: CallState, place: int) -> SideRead:
        hit = call_hit(state.run.limits, state.run.spend)
        if hit is not None or place >= MOST_READS:
            words = LIMIT_WORDS[hit.limit] if hit is not None else "reads for one answer"
            return _not_read(case, call, ToolError(code="limit_reached", message=f"Not run: the limit of {words}."))
        ready = await self._preparer.prepare_read(state, call)
        if not isinstance(ready, Ready):
            return _not_read(case, call, ready)
        answer = await self._equipment.executor.execute(ready.token, self._equipment.context(state, call.call_id))
        if isinstance(answer, OutcomeUnknown):
            answer = ToolError(code="failed", message=answer.why)
        clean = redacted(self._equipment.redactor, answer)
        read = _not_read(case, call, clean if isinstance(clean, ToolError) else None)
        if isinstance(clean, ToolError):
            return msgspec.structs.replace(read, ran=True)
        return msgspec.structs.replace(
            read,
            arguments=ready.finding.arguments,
            ok=True,
            ran=True,
            result=clean.result,
            summary=clean.summary,
            sources=clean.sources,
        )

    async def _bring_back(self, case: _Case, text: str, *, failed: bool) -> None:
        """The card comes back with the answer, looked at afresh; nothing happens where it was closed meanwhile."""
        await self._ledger.flush()
        state, now = self._ledger.state, self._equipment.clock.now()
        call = state.calls.get(case.card.call_id or "")
        finding = None
        if call is not None:
            finding = await look_again(self._examiner, state, call, state.proposals[case.card.proposal].proposal)
        answer = AgentAnswer(
            decision=case.asked.decision,
            question=case.asked.answer or "",
            asked_by=case.asked.by,
            answer=text,
            answered_at=now,
            evidence=_evidence(case.side),
            failed=failed,
        )

        def record(newest: SessionState) -> list[Draft]:
            known = newest.proposals[case.card.proposal]
            if not known.with_agent or known.asked != case.asked:
                return []
            card = known.proposal
            fresh = renewed(self._judge, newest, card, finding) if finding is not None else None
            revised = msgspec.structs.replace(fresh or card, answers=[*card.answers, answer])
            revised = msgspec.structs.replace(revised, changed=card_changes(card, revised))
            why = " ".join(revised.changed)
            event = ProposalChanged(
                proposal=card.proposal, revised=revised, why=why, by="agent", answers=case.asked.decision
            )
            return [Draft(data=event, at=now, run=card.run, step=card.step)]

        await self._ledger.decide(record)

    def _answered(self, announced: SideAsked, response: ModelResponse, millis: int) -> SideAnswered:
        cost = self._paymaster.cost(self._voice, response)
        return SideAnswered(
            request_id=announced.request_id,
            proposal=announced.proposal,
            decision=announced.decision,
            content=response.content,
            calls=exchange.asked_calls(response, lambda: self._equipment.ids.new(IdKind.CALL)),
            finish_reason=response.finish_reason,
            usage=response.usage,
            cost_usd=cost.total if cost is not None else None,
            duration_ms=millis,
        )

    async def _wait(self, span: timedelta) -> None:
        until = self._equipment.clock.now() + span
        await first_of(self._equipment.clock.sleep_until(until), self._signals.woken.wait())

    def _settle(self, announced: SideAsked, event: SideAnswered) -> None:
        """Stage what came of a request."""
        state = self._ledger.state
        step = state.proposals[announced.proposal].proposal.step
        self._ledger.stage([draft(state, event, self._equipment.clock.now(), step)])

    def _stage(self, event: EventData, case: _Case) -> None:
        self._ledger.stage([draft(self._ledger.state, event, self._equipment.clock.now(), case.card.step)])


def _unheard(delta: Delta) -> None:
    """Side answers do not stream to the screen: the card comes back with the whole of it."""


def _unread(side: Sequence[SideEvent], answer: SideAnswered) -> list[AskedCall]:
    read = {event.call_id for event in side if isinstance(event, SideRead)}
    return [asked for asked in answer.calls if asked.call_id not in read]


def _fault(announced: SideAsked, fault: str, message: str, *, refused: bool = False) -> SideAnswered:
    """An attempt without a response, with the most that it may have used."""
    return SideAnswered(
        request_id=announced.request_id,
        proposal=announced.proposal,
        decision=announced.decision,
        fault=fault,
        message=message,
        lost_tokens=0 if refused else announced.reserved_tokens,
        cost_bound_usd=None if refused else announced.reserved_cost_usd,
    )


def _not_read(case: _Case, call: CallState, error: ToolError | None) -> SideRead:
    return SideRead(
        proposal=case.card.proposal,
        decision=case.asked.decision,
        call_id=call.call_id,
        tool_use_id=call.tool_use_id,
        tool=call.tool,
        arguments=call.asked_input,
        ok=False,
        error=error,
        ran=False,
        summary=error.message if error is not None else "",
    )


def _evidence(side: Sequence[SideEvent]) -> list[Source]:
    """What was read for the answer, each name once."""
    found: dict[str, Source] = {}
    for event in side:
        if isinstance(event, SideRead) and event.ok:
            for source in event.sources or [Source(name=event.tool)]:
                found.setdefault(source.name, msgspec.structs.replace(source, call_id=event.call_id))
    return list(found.values())
