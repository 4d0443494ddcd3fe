"""Preparation: a call is looked at once more just before it runs, and authorised, or judged afresh.

Whatever was approved must still be exactly what would run. A call that is no longer the one that was judged does not
run: its approval is withdrawn, what changed is said, and where it has to be asked about a fresh card is open.
"""

from dataclasses import dataclass

from agent_core.context.side import ONLY_READS
from agent_core.engine.approvals import Approvals, difference, modification
from agent_core.engine.equipment import Equipment, idempotency_key
from agent_core.engine.examination import Answered, Examiner, Finding
from agent_core.engine.judging import Judge
from agent_core.model.action import EffectClass, GateVerdict, ToolError
from agent_core.model.events import EventData, ProposalWithdrawn
from agent_core.model.proposal import Decision
from agent_core.model.state import CallState, CallStatus, SessionState
from agent_core.tools.authorised import Authorised


@dataclass(frozen=True, slots=True)
class Ready:
    """A call that may start now."""

    call: CallState
    token: Authorised
    finding: Finding


class Preparer:
    """Prepares the calls of one session. The only holder of the executor's stamp."""

    def __init__(self, equipment: Equipment, examiner: Examiner, judge: Judge, approvals: Approvals) -> None:
        self._equipment = equipment
        self._examiner = examiner
        self._judge = judge
        self._approvals = approvals

    async def prepare(self, state: SessionState, call: CallState, fresh: Finding | None) -> Ready | list[EventData]:
        """Ready to start, or the events that say why not."""
        if call.status is CallStatus.STARTED:
            return await self._prepare_again(state, call)
        if call.status is CallStatus.APPROVED:
            return await self._prepare_approved(state, call)
        finding = fresh
        if finding is None:
            finding = await self._examiner.examine(state, call)
            if call.judged is None or finding.digest != call.judged.digest:
                return self._judge.sentence(state, finding, "It was judged again before it ran.")
        return Ready(call, self._authorise(state, call, finding, None), finding)

    async def _prepare_approved(self, state: SessionState, call: CallState) -> Ready | list[EventData]:
        decision = call.decision
        assert decision is not None
        card = state.proposals[decision.proposal]
        problem = await self._approvals.problem(card, decision, call, self._equipment.clock.now())
        if problem is not None:
            finding = await self._examiner.examine(state, call)
            return self._ask_again(state, call, finding, problem)
        answered = Answered(card.proposal.tier, decision.decision)
        changed = card.proposal.arguments if modification(state, call) is not None else None
        arguments = changed if decision.arguments is None else decision.arguments
        finding = await self._examiner.examine(state, call, arguments=arguments, answered=answered)
        if finding.judgement.verdict is GateVerdict.DENY:
            return self._judge.sentence(state, finding, "Looked at again after the decision, it is refused now.")
        if finding.judgement.touchpoint is not None:
            return self._ask_again(state, call, finding, "It is graver now than the card said.")
        if finding.people > card.proposal.people:
            fresh = await self._examiner.examine(state, call)
            return self._ask_again(state, call, fresh, "Two people must approve it now.")
        if decision.digest == card.proposal.digest and not self._approvals.still_binds(decision, finding):
            fresh = await self._examiner.examine(state, call)
            return self._ask_again(state, call, fresh, difference(call, fresh))
        return Ready(call, self._authorise(state, call, finding, decision.decision), finding)

    async def prepare_read(self, state: SessionState, call: CallState) -> Ready | ToolError:
        """A call that answers an operator's question: ready where it only reads and the gate lets it, else why not."""
        finding = await self._examiner.examine(state, call)
        error = finding.judgement.error
        if error is not None:
            return error
        if finding.effect_class is not EffectClass.READ_ONLY or finding.judgement.verdict is not GateVerdict.ALLOW:
            return ToolError(code="only_reads", message=ONLY_READS, suggestion="Answer with what you know.")
        return Ready(call, self._authorise(state, call, finding, None), finding)

    def _ask_again(self, state: SessionState, call: CallState, finding: Finding, why: str) -> list[EventData]:
        """Take the approval back, say what changed, and judge afresh."""
        withdrawn = [ProposalWithdrawn(proposal=call.proposals[-1], why=why)] if call.proposals else []
        return [*withdrawn, *self._judge.sentence(state, finding, why)]

    def _authorise(self, state: SessionState, call: CallState, finding: Finding, decision: str | None) -> Authorised:
        assert finding.tool is not None
        assert finding.digest is not None
        return self._equipment.stamp.authorise(
            tool=finding.tool.name,
            tool_version=finding.tool.version,
            arguments=finding.arguments,
            session=state.session,
            call_id=call.call_id,
            verdict=finding.judgement.verdict,
            rules=finding.judgement.rules,
            seen=finding.seen,
            digest=finding.digest,
            idempotency_key=idempotency_key(state.session, call.call_id),
            decision=decision,
            attempt=call.attempts + 1,
        )

    async def _prepare_again(self, state: SessionState, call: CallState) -> Ready | list[EventData]:
        """A call that started in an earlier process and may run twice: what it would see now may be its own effect."""
        judged, decision = call.judged, call.decision
        answered = _answered(state, decision)
        finding = await self._examiner.examine(state, call, arguments=call.arguments, answered=answered)
        if not finding.judgement.may_run:
            return self._judge.sentence(state, finding, "It was looked at again before it would run once more.")
        decided = decision.decision if decision is not None else None
        if judged is None or (decision is not None and decision.arguments is not None):
            return Ready(call, self._authorise(state, call, finding, decided), finding)
        as_judged = self._equipment.stamp.authorise(
            tool=call.tool,
            tool_version=judged.tool_version,
            arguments=judged.arguments,
            session=state.session,
            call_id=call.call_id,
            verdict=judged.verdict,
            rules=judged.rules,
            seen=judged.seen,
            digest=judged.digest or "",
            idempotency_key=idempotency_key(state.session, call.call_id),
            decision=decided,
            attempt=call.attempts + 1,
        )
        return Ready(call, as_judged, finding)

    async def changed_under(self, state: SessionState, call: CallState, error: ToolError) -> list[EventData]:
        """What was judged changed between the last look and the act, so nothing ran: judge afresh."""
        return self._ask_again(state, call, await self._examiner.examine(state, call), error.message)

    def next_attempt(self, token: Authorised) -> Authorised:
        """The same call once more."""
        return self._equipment.stamp.once_more(token)


def _answered(state: SessionState, decision: Decision | None) -> Answered | None:
    if decision is None or decision.digest is None:
        return None
    return Answered(state.proposals[decision.proposal].proposal.tier, decision.decision)
