"""Judging: every call of a response is put before the gate before the first of them runs, and all cards open together.

Later calls are looked at on the state that the earlier ones would leave.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent_core.engine import answers, openings, redrafts
from agent_core.engine.equipment import Equipment, Overlay
from agent_core.engine.examination import Examiner, Finding
from agent_core.engine.planning import step_tools
from agent_core.engine.repeats import Repeats
from agent_core.model.action import GateVerdict, Tier
from agent_core.model.events import (
    CallFinished,
    CallJudged,
    EventData,
    LoopDetected,
    ProposalOpened,
    ToolContained,
)
from agent_core.model.proposal import Proposal, Touchpoint
from agent_core.model.state import CallState, SessionState
from agent_core.policy.containment import DENIED, counts, why_contained

_COUNTS = (DENIED, "contained")
"""Refusals after which a step of a plan has failed: the same call would be refused again."""


@dataclass(slots=True)
class _Batch:
    """What earlier calls of the same response mean for the later ones."""

    overlay: Overlay = field(default_factory=dict)
    denials: dict[str, int] = field(default_factory=dict)
    claimed: set[str] = field(default_factory=set)
    """Steps of the plan that they serve."""
    looped: bool = False


class Judge:
    """The gate step of one session."""

    def __init__(self, equipment: Equipment, examiner: Examiner, repeats: Repeats) -> None:
        self._equipment = equipment
        self._examiner = examiner
        self._repeats = repeats
        self._findings: dict[str, Finding] = {}

    def take_findings(self) -> dict[str, Finding]:
        """The findings of the calls judged last, by call; given once, because they do not stay true."""
        findings, self._findings = self._findings, {}
        return findings

    async def judge(self, state: SessionState, calls: Sequence[CallState]) -> list[EventData]:
        """The events that judge these calls: allowed, asked about with an open card, or answered at once."""
        if state.last_request is not None and state.last_request.requested.closing:
            return [answers.after_the_end(call) for call in calls]
        batch = _Batch(denials=dict(state.run.denials), looped=state.run.loop is not None)
        events: list[EventData] = []
        for call in calls:
            events.extend(await self._judge_one(state, call, batch, last=call is calls[-1]))
        return events

    async def _judge_one(self, state: SessionState, call: CallState, batch: _Batch, *, last: bool) -> list[EventData]:
        period = await self._repeats.period(state, call)
        if period is not None:
            stops, batch.looped = batch.looped, True
            loop = LoopDetected(call_id=call.call_id, tool=call.tool, period=period, stops=stops)
            return [loop, answers.repeated(call, period)]
        finding = await self._examiner.examine(
            state, call, overlay=batch.overlay, denials=batch.denials.get(call.tool, 0), claimed=batch.claimed
        )
        step = served(finding)
        batch.claimed.update([step] if step is not None else [])
        events = self.sentence(state, finding)
        self._findings[call.call_id] = finding
        if counts(finding.judgement.verdict, finding.judgement.error) and finding.tool is not None:
            events.extend(self._contain(call.tool, batch))
        if not last and finding.judgement.verdict is not GateVerdict.DENY:
            batch.overlay.update(await self._leaves(state, finding, batch.overlay))
        return events

    def sentence(self, state: SessionState, finding: Finding, note: str = "") -> list[EventData]:
        """The events that a finding means: judgement, and card or answer. `note` says why it is judged again."""
        events: list[EventData] = [judged(finding, note)]
        if finding.judgement.verdict is GateVerdict.DENY:
            events.append(denied(finding))
        elif finding.judgement.touchpoint is not None:
            events.append(ProposalOpened(proposal=self.card(state, finding, finding.judgement.touchpoint)))
        return events

    def card(self, state: SessionState, finding: Finding, touchpoint: Touchpoint) -> Proposal:
        """The card of a call that a person must decide about."""
        assert finding.tool is not None
        assert finding.digest is not None
        frame = self._equipment.frame(state, finding.call.step, finding.policy.profile.gate)
        if touchpoint is Touchpoint.QUESTION:
            return openings.question(frame, finding.call.call_id, finding.tool, finding.arguments)
        preview, staged = finding.preview, None
        if touchpoint is Touchpoint.QUALITY_REVIEW:
            staged = draft_name(finding)
            if preview is not None:
                preview = redrafts.against_sent_back(state, finding.call, finding.arguments, preview)
        facts = openings.CallFacts(
            call_id=finding.call.call_id,
            tool=finding.tool,
            arguments=finding.arguments,
            schema=self._equipment.registry.schema(finding.tool.name),
            digest=finding.digest,
            reasons=finding.judgement.reasons,
            rules=finding.judgement.rules,
            reversibility=finding.reversibility,
            tier=finding.judgement.tier,
            seen=finding.seen,
            rationale=finding.rationale,
            confidence=finding.confidence,
            preview=preview,
            repeat_of=finding.repeat_of,
            sources=finding.sources,
            origins=finding.origins,
            people=finding.people,
            staged=staged,
            options=step_tools(self._equipment.registry) if touchpoint is Touchpoint.PLAN else [],
            binding={"rules": finding.judgement.rules, "verdict": finding.judgement.verdict.value},
        )
        return openings.approval(frame, facts, touchpoint)

    def _contain(self, tool: str, batch: _Batch) -> list[EventData]:
        before = batch.denials.get(tool, 0)
        batch.denials[tool] = before + 1
        why = why_contained(tool, before + 1)
        return [ToolContained(tool=tool, why=why)] if why is not None and why_contained(tool, before) is None else []

    async def _leaves(self, state: SessionState, finding: Finding, overlay: Overlay) -> Overlay:
        """What the call would leave behind, for the previews of later calls."""
        tool = finding.tool
        if tool is None or not tool.effect_class.changes:
            return {}
        context = self._equipment.context(state, finding.call.call_id, overlay)
        arguments = self._equipment.registry.validate(tool, finding.arguments)
        return await asyncio.to_thread(tool.effect_on, arguments, context)


def draft_name(finding: Finding) -> str:
    """The name of the call's draft in its session's staging folder."""
    assert finding.tool is not None
    return f"{finding.call.call_id}{finding.tool.draft_ending}"


def judged(finding: Finding, note: str = "") -> CallJudged:
    """What the gate said, with everything that it looked at."""
    judgement, tool = finding.judgement, finding.tool
    return CallJudged(
        call_id=finding.call.call_id,
        tool_use_id=finding.call.tool_use_id,
        tool=finding.call.tool,
        arguments=finding.arguments,
        verdict=judgement.verdict,
        reasons=[note, *judgement.reasons] if note else judgement.reasons,
        rules=judgement.rules,
        effect_class=finding.effect_class,
        reversibility=finding.reversibility,
        tier=judgement.tier if tool is not None else Tier.R3,
        tool_version=tool.version if tool is not None else "",
        digest=finding.digest,
        seen=finding.seen,
        rationale=finding.rationale,
        confidence=finding.confidence,
        error=judgement.error,
        plan_step=served(finding),
    )


def served(finding: Finding) -> str | None:
    """The step that the call counts for: not where it was not understood, or did not fit the plan."""
    error = finding.judgement.error
    return finding.plan_step if error is None or error.code in _COUNTS else None


def denied(finding: Finding) -> CallFinished:
    """The answer to a call that may not run."""
    error = finding.judgement.error
    assert error is not None
    return answers.failed(finding.call, error)
