"""Execution: calls that may run are prepared, announced in the journal, run, and recorded, in that order."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from agent_core.engine import answers
from agent_core.engine.approvals import modification
from agent_core.engine.call_events import finished, journaled_with, started, unknown_events
from agent_core.engine.equipment import Equipment
from agent_core.engine.examination import Finding
from agent_core.engine.ledger import Ledger, draft
from agent_core.engine.preparation import Preparer, Ready
from agent_core.engine.recovery import while_it_may_run
from agent_core.engine.redacting import redacted
from agent_core.engine.signals import Signal, Signals
from agent_core.model.action import EffectClass, ToolError
from agent_core.model.budget import LimitName, Scope
from agent_core.model.errors import StaleHead
from agent_core.model.events import (
    CallRetried,
    CallStarted,
    EventData,
    LimitReached,
)
from agent_core.model.state import CallState, SessionState
from agent_core.model.text import is_large
from agent_core.policy.decisions import describe_decision
from agent_core.policy.limits import LIMIT_WORDS, call_hit, calls_allowed, limit_text
from agent_core.policy.retry import may_retry_tool, tool_backoff
from agent_core.tools.authorised import Authorised
from agent_core.tools.base import Outcome
from agent_core.tools.executor import Answer, OutcomeUnknown

_SHOW_AFTER: float | None = 0.03
"""Seconds after which reads that still run are journaled as started. Most end sooner, and go into one transaction with
the request that they are answered by."""
_FLUSH_AFTER = 0.25
"""Seconds after which finished calls are recorded although others of their group still run."""
_MOST_REJUDGED = 3


class CallRunner:
    """Runs the calls of one session, through its one executor."""

    def __init__(self, equipment: Equipment, ledger: Ledger, signals: Signals, preparer: Preparer) -> None:
        self._equipment = equipment
        self._ledger = ledger
        self._signals = signals
        self._preparer = preparer

    async def run(self, call_ids: Sequence[str], fresh: dict[str, Finding]) -> None:
        """Run these calls side by side. `fresh` holds findings so new that nothing can have changed since."""
        state = self._ledger.state
        allowed = self._within_limits(state, [state.calls[c] for c in call_ids])
        ready: list[Ready] = []
        for call in allowed:
            prepared = await self._preparer.prepare(state, call, fresh.get(call.call_id))
            if isinstance(prepared, Ready):
                ready.append(prepared)
            else:
                self._stage(prepared, call.step)
        if ready:
            await self._start(ready)

    def _within_limits(self, state: SessionState, calls: list[CallState]) -> list[CallState]:
        """The calls that still fit; the others are answered, and the first of them says which limit is reached."""
        counted = [c for c in calls if not _is_engine(c) and c.attempts == 0]
        limits, spend = state.run.limits, state.run.spend
        over = counted[calls_allowed(limits, spend, len(counted)) :]
        if not over:
            return calls
        hit = call_hit(limits, spend)
        limit = hit.limit if hit is not None else LimitName.TOOL_CALLS
        for call in over:
            self._stage([answers.limit_reached(call, LIMIT_WORDS[limit])], call.step)
        if state.run.limit_reached is None:
            text = limit_text(limits.get(limit))
            spent, then = hit.spent if hit is not None else text, self._equipment.at_limit(limit, Scope.RUN)
            reached = LimitReached(limit=limit, value=text, spent=spent, then=then)
            self._stage([reached], over[0].step)
        gone = {c.call_id for c in over}
        return [c for c in calls if c.call_id not in gone]

    async def _start(self, ready: list[Ready]) -> None:
        now = self._equipment.clock.now()
        intents = [(r.call, started(r.call, r.token)) for r in ready if not _is_engine(r.call)]
        drafts = [draft(self._ledger.state, intent, now, call.step) for call, intent in intents]
        if all(_only_looks(r) for r in ready):
            self._ledger.stage(drafts)
        elif drafts:
            await self._ledger.append(drafts)
        tasks = {asyncio.create_task(self._effect(r)): r for r in ready}
        await self._gather(tasks)

    async def _gather(self, tasks: dict["asyncio.Task[list[EventData]]", Ready]) -> None:
        """Record each call as it ends; when the run is cut, give calls their grace and record what is known."""
        cut = self._signals.watch()
        pending: set[asyncio.Task[list[EventData]]] = set(tasks)
        began, patience = self._equipment.clock.monotonic(), _SHOW_AFTER
        try:
            while pending and not self._signals.cut.is_set():
                waited: set[asyncio.Future[Any]] = {*pending, cut}
                ended, _ = await asyncio.wait(waited, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
                pending = self._record(tasks, {task for task in pending if task.done()}, pending)
                if not ended:
                    patience = None
                if pending and (not ended or self._equipment.clock.monotonic() - began > _FLUSH_AFTER):
                    await self._ledger.flush()
            if pending:
                done, pending = await asyncio.wait(pending, timeout=self._signals.grace)
                self._record(tasks, done, set())
        finally:
            for task in pending:
                task.cancel()
        if pending:
            await asyncio.wait(pending)
            for task in pending:
                self._stage(self._interrupted(tasks[task]), tasks[task].call.step)

    def _record(
        self,
        tasks: dict["asyncio.Task[list[EventData]]", Ready],
        done: set["asyncio.Task[list[EventData]]"],
        pending: set["asyncio.Task[list[EventData]]"],
    ) -> set["asyncio.Task[list[EventData]]"]:
        for task in [t for t in tasks if t in done]:
            self._stage(task.result(), tasks[task].call.step)
        return pending - done

    async def _effect(self, ready: Ready) -> list[EventData]:
        """Run one call to its end, with its retries. Gives the events that record it."""
        call, token = ready.call, ready.token
        while True:
            began = self._equipment.clock.monotonic()
            context = self._equipment.context(self._ledger.state, call.call_id)
            answer = await self._without_secrets(await self._equipment.executor.execute(token, context))
            millis = round((self._equipment.clock.monotonic() - began) * 1000)
            if isinstance(answer, OutcomeUnknown):
                state = self._ledger.state
                return await while_it_may_run(self._equipment, state, state.calls[call.call_id], answer.why)
            if not isinstance(answer, ToolError):
                return self._recorded(ready, answer, millis)
            if answer.code == "changed" and token.attempt < _MOST_REJUDGED:
                state = self._ledger.state
                return await self._preparer.changed_under(state, state.calls[call.call_id], answer)
            if not may_retry_tool(ready.finding.effect_class, answer, token.attempt):
                return self._recorded(ready, answer, millis)
            token = await self._retry(ready, token, answer)

    async def _without_secrets(self, answer: Answer) -> Answer:
        """What a tool gave back, with every known secret replaced."""
        redactor = self._equipment.redactor
        if isinstance(answer, OutcomeUnknown) or not redactor.knows_any:
            return answer
        if is_large(answer):
            return await asyncio.to_thread(redacted, redactor, answer)
        return redacted(redactor, answer)

    async def _retry(self, ready: Ready, token: Authorised, error: ToolError) -> Authorised:
        """Journal the failed attempt, wait, and announce the next one."""
        call, clock = ready.call, self._equipment.clock
        wait = tool_backoff(token.attempt, error.retry_after, self._equipment.jitter())
        at = clock.now() + timedelta(seconds=wait)
        retried = CallRetried(call_id=call.call_id, tool=call.tool, attempt=token.attempt, error=error, retry_at=at)
        await self._ledger.append([draft(self._ledger.state, retried, clock.now(), call.step)])
        await clock.sleep_until(at)
        again = self._preparer.next_attempt(token)
        if not _is_engine(call):
            await self._append_intent(call, started(call, again))
        return again

    async def _append_intent(self, call: CallState, intent: CallStarted) -> None:
        while True:
            try:
                now = self._equipment.clock.now()
                await self._ledger.append([draft(self._ledger.state, intent, now, call.step)])
                return
            except StaleHead:
                continue

    def _recorded(self, ready: Ready, answer: Outcome | ToolError, millis: int) -> list[EventData]:
        call = ready.call
        if isinstance(answer, ToolError):
            return [answers.failed(call, answer, ran=True)]
        told = self._told(call)
        beside = journaled_with(call, ready.finding.arguments, told[0] if told is not None else None)
        return [*beside, finished(call, answer, millis, told)]

    def _told(self, call: CallState) -> tuple[str, str] | None:
        """Who changed the call, and the words that tell the model exactly what was changed."""
        state = self._ledger.state
        decision = modification(state, call)
        if decision is None:
            return None
        known = state.proposals[decision.proposal]
        first, asked = known.proposal.first_approval, known.versions[0]
        if first is None or decision.second_of != first.decision:
            return decision.by, describe_decision(decision, asked)
        return first.by, f"{first.by} changed the arguments. {describe_decision(decision, asked)}"

    def _interrupted(self, ready: Ready) -> list[EventData]:
        """What is known of a call that was cut off."""
        call, raised = ready.call, self._signals.raised
        if ready.finding.effect_class is EffectClass.NON_IDEMPOTENT:
            state, why = self._ledger.state, "It was cut off after it started and may have taken effect."
            return unknown_events(self._equipment, state, state.calls[call.call_id], why)
        if raised is None or raised.signal is not Signal.STOP:
            return []
        if ready.finding.effect_class is EffectClass.IDEMPOTENT_BY_KEY:
            message = "The call was interrupted and may have taken effect; asking for it again does no harm."
        else:
            message = "The call was cut off when the run was stopped."
        return [answers.failed(call, ToolError(code="interrupted", message=message), ran=True)]

    def _stage(self, events: Sequence[EventData], step: int) -> None:
        now = self._equipment.clock.now()
        for event in events:
            self._ledger.stage([draft(self._ledger.state, event, now, step)])


def _only_looks(ready: Ready) -> bool:
    """Whether a call has no effect that would have to be announced before it begins: it reads, and only here."""
    tool = ready.finding.tool
    return tool is not None and not tool.open_world and not tool.effect_class.changes


def _is_engine(call: CallState) -> bool:
    return call.judged is not None and call.judged.effect_class is EffectClass.ENGINE
