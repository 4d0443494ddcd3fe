"""Runner: works one session. Asks the pattern what comes next, performs it, and looks again, until the run rests.

The only place where commands become effects. Intents are durable before their effect begins; outcomes are staged and
go into the next transaction, together with whatever follows from them.
"""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from agent_core.engine import answers, closing, openings, recovery, staging
from agent_core.engine.budget_card import budget_card
from agent_core.engine.commands import (
    AnswerCalls,
    AnswerQuestion,
    AwaitDecisions,
    Command,
    Idle,
    JudgeCalls,
    OpenProposal,
    RequestModel,
    ResolveUnknown,
    RunCalls,
    Stop,
    WaitUntil,
)
from agent_core.engine.equipment import Equipment
from agent_core.engine.examination import Finding
from agent_core.engine.execution import CallRunner
from agent_core.engine.judging import Judge
from agent_core.engine.ledger import Ledger, draft
from agent_core.engine.patterns import NextCommand
from agent_core.engine.requests import RequestFailed, Requests
from agent_core.engine.side_questions import SideQuestions
from agent_core.engine.signals import Signal, Signals
from agent_core.engine.streams import Cut
from agent_core.engine.waiting import first_of
from agent_core.metrics import alerts
from agent_core.model.budget import Spend
from agent_core.model.errors import StaleHead, StorageError
from agent_core.model.events import EventData, LimitReached, ProposalOpened, RunPaused
from agent_core.model.proposal import Proposal, Touchpoint
from agent_core.model.state import CallState, StopReason

_log = logging.getLogger(__name__)

ALERTS_EVERY = 4
"""Steps between looks for alerts; they are looked for too where a run comes to a card of its own or ends."""


class Runner:
    """Works one session that this process holds the lease of."""

    def __init__(
        self,
        equipment: Equipment,
        ledger: Ledger,
        signals: Signals,
        next_command: NextCommand,
        requests: Requests,
        judge: Judge,
        calls: CallRunner,
        questions: SideQuestions,
        stop_ordered: Callable[[], str | None],
        usual: Spend | None = None,
    ) -> None:
        self._equipment = equipment
        self._ledger = ledger
        self._signals = signals
        self._next_command = next_command
        self._requests = requests
        self._judge = judge
        self._calls = calls
        self._questions = questions
        self._stop_ordered = stop_ordered
        self._usual = usual
        self._fresh: dict[str, Finding] = {}

    async def work(self) -> None:
        """Until the run ended, is paused, or waits for a person. Raises StorageError when nothing can be saved."""
        try:
            while await self._one():
                pass
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - a bug ends this run with its name, not the program
            _log.exception("session %s failed", self._ledger.session)
            await self._end(closing.Ending(StopReason.FAILED, detail=f"{type(error).__name__}: {error}"))

    async def _one(self) -> bool:
        """Perform what comes next. False once the run rests."""
        try:
            self._heed_orders()
            if self._signals.raised is not None:
                return await self._obey()
            command = self._next_command(self._ledger.state, self._equipment.clock.now())
            if isinstance(command, Idle | AwaitDecisions):
                return await self._rest()
            await self._perform(command)
        except StaleHead:
            self._fresh.clear()
        except Cut:
            pass
        except RequestFailed as failure:
            await self._end(closing.Ending(failure.reason, detail=failure.detail))
        return True

    def _heed_orders(self) -> None:
        """The halt flag and orders to stop are files, read before every request and call."""
        by = self._stop_ordered()
        if by is not None:
            self._signals.give(Signal.STOP, by)

    async def _obey(self) -> bool:
        raised = self._signals.raised
        assert raised is not None
        run = self._ledger.state.run
        if raised.signal is Signal.STOP and run.stopped is None:
            await self._end(closing.Ending(StopReason.CANCELLED, by=raised.by, detail=raised.why))
        elif run.stopped is None and run.paused is None and not self._waits():
            reason = "closed" if raised.signal is Signal.CLOSE else raised.reason
            await self._append([RunPaused(reason=reason, by=raised.by, detail=raised.why)])
        return await self._rest()

    async def _rest(self) -> bool:
        """Nothing more to do here for now: what is staged is saved, and drafts lie where people find them."""
        await self._ledger.flush()
        await staging.mirror(self._equipment, self._ledger.state)
        return False

    def _waits(self) -> bool:
        """Whether the run rests anyway, on its cards or in the time to undo: closing changes nothing about that."""
        signal = self._signals.raised
        command = self._next_command(self._ledger.state, self._equipment.clock.now())
        rests = isinstance(command, AwaitDecisions | WaitUntil)
        return rests and signal is not None and signal.signal is Signal.CLOSE

    async def _perform(self, command: Command) -> None:
        match command:
            case RequestModel(closing=last, executing=executing):
                await self._requests.request(closing=last, executing=executing)
                if self._ledger.state.run.step % ALERTS_EVERY == 0:
                    self._look_for_alerts()
            case JudgeCalls(calls=calls):
                await self._judge_calls(calls)
            case RunCalls(calls=calls):
                fresh, self._fresh = self._fresh, {}
                await self._calls.run(calls, fresh)
            case AnswerCalls(calls=calls):
                self._stage([self._answer(call_id) for call_id in calls])
            case ResolveUnknown(calls=calls):
                await self._resolve(calls)
            case OpenProposal(touchpoint=touchpoint, because=because):
                await self._append([ProposalOpened(proposal=self._run_card(touchpoint, because))])
                self._look_for_alerts()
            case AnswerQuestion(proposal=proposal):
                await self._questions.go_on(proposal)
            case WaitUntil(instant=instant):
                await self._wait_until(instant)
            case Stop(reason=reason, finish=finish, detail=detail):
                self._look_for_alerts()
                await self._end(closing.Ending(reason, detail=detail, finish=finish))

    def _look_for_alerts(self) -> None:
        """Stage what an analyst should look at; it needs no decision and holds nothing up."""
        state = self._ledger.state
        watched = alerts.Watched(state, self._usual, self._equipment.policy.read().profile.context.ceiling)
        self._stage(alerts.due(watched, {raised.alert for raised in state.alerts}))

    async def _judge_calls(self, call_ids: Sequence[str]) -> None:
        state = self._ledger.state
        calls = [state.calls[c] for c in call_ids]
        if not all(self._harmless(call) for call in calls):
            # Previews take a while; the response must not be lost meanwhile.
            await self._ledger.flush()
            state = self._ledger.state
            calls = [state.calls[c] for c in call_ids]
        self._stage(await self._judge.judge(state, calls))
        self._fresh = self._judge.take_findings()

    def _harmless(self, call: CallState) -> bool:
        registry = self._equipment.registry
        return call.tool in registry and not registry.find(call.tool).effect_class.changes

    def _answer(self, call_id: str) -> EventData:
        state = self._ledger.state
        call = state.calls[call_id]
        return answers.by_card(call, state.proposals[call.proposals[-1]])

    async def _resolve(self, call_ids: Sequence[str]) -> None:
        await self._ledger.flush()
        state = self._ledger.state
        calls = [state.calls[c] for c in call_ids]
        again = [c.call_id for c in calls if recovery.resolution(c) is recovery.Resolution.RUN_AGAIN]
        for call in calls:
            if call.call_id not in again:
                self._stage(await recovery.by_probe(self._equipment, state, call), call.step)
        if again:
            await self._calls.run(again, {})

    def _run_card(self, touchpoint: Touchpoint, because: str) -> Proposal:
        state = self._ledger.state
        run = state.run
        frame = self._equipment.frame(state, run.step, self._equipment.policy.read().profile.gate)
        if touchpoint is Touchpoint.BUDGET:
            assert isinstance(run.limit_reached, LimitReached)
            return budget_card(frame, state, run.limit_reached, self._usual)
        if run.loop is not None and run.loop.stops:
            return openings.loop(frame, state, run.loop)
        return openings.not_understood(frame, state, because)

    async def _wait_until(self, instant: datetime) -> None:
        """Wait, unless something happens first: an undo, another decision, a signal."""
        await self._ledger.flush()
        self._ledger.changed.clear()
        until = self._equipment.clock.sleep_until(instant)
        await first_of(until, self._ledger.changed.wait(), self._signals.woken.wait())

    async def _end(self, ending: closing.Ending) -> None:
        """End the run, whatever stands open; on a newer head look again at what does."""
        while self._ledger.state.run.stopped is None:
            try:
                await self._append(closing.settle(self._ledger.state, self._equipment.profile, ending))
            except StaleHead:
                continue

    async def _append(self, events: Sequence[EventData]) -> None:
        state, now = self._ledger.state, self._equipment.clock.now()
        await self._ledger.append([draft(state, event, now) for event in events])

    def _stage(self, events: Sequence[EventData], step: int | None = None) -> None:
        now = self._equipment.clock.now()
        self._ledger.stage([draft(self._ledger.state, event, now, step) for event in events])
