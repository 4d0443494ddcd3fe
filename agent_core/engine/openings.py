"""Openings: the proposals that the engine opens, with every field of the card. Pure: facts in, card out."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypedDict

from agent_core.config.profile import GateSettings
from agent_core.engine import run_facts
from agent_core.engine.summary import instant_text
from agent_core.model.action import Rationale, Reversibility, Source, Tier
from agent_core.model.events import CallUnknown, LoopDetected
from agent_core.model.proposal import (
    VERDICTS,
    ArgumentOrigin,
    Confidence,
    DeadlineOutcome,
    Proposal,
    Touchpoint,
    Verdict,
    WhatChanges,
)
from agent_core.model.state import CallState, SessionState

if TYPE_CHECKING:
    from agent_core.tools.base import Preview, ProbeAnswer, Tool

_STOPS = "Without a decision the run stops. Nothing is approved by itself."
_FIXED_DEADLINES = {
    Touchpoint.BUDGET: (DeadlineOutcome.FINISH, "Without a decision the run sums up what it has and ends."),
    Touchpoint.EXCEPTION: (DeadlineOutcome.STOP, _STOPS),
    Touchpoint.OUTCOME_UNKNOWN: (DeadlineOutcome.STAY, "It waits until a person says what happened."),
    Touchpoint.QUALITY_REVIEW: (
        DeadlineOutcome.STAY,
        "Without a decision the draft stays in staging. Nothing leaves by itself.",
    ),
}
"""Touchpoints whose silence means the same in every profile."""


class FrameFields(TypedDict):
    """The fields that a card has from where it stands and what kind it is."""

    proposal: str
    session: str
    run: str
    step: int
    touchpoint: Touchpoint
    opened_at: datetime
    approve_by: datetime | None
    deadline_outcome: DeadlineOutcome
    deadline_text: str
    verdicts: list[Verdict]
    escalate_to: str | None


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a card stands and how long it may wait."""

    proposal: str
    session: str
    run: str
    step: int
    now: datetime
    gate: GateSettings

    @property
    def approve_by(self) -> datetime:
        """The deadline of a card that is opened now."""
        return self.now + timedelta(seconds=self.gate.approve_within)

    def fields(self, touchpoint: Touchpoint) -> FrameFields:
        """What a card of that kind says whatever it is about, silence included."""
        outcome, text = _FIXED_DEADLINES.get(touchpoint) or (self.gate.on_deadline, silence(self.gate, touchpoint))
        return FrameFields(
            proposal=self.proposal,
            session=self.session,
            run=self.run,
            step=self.step,
            touchpoint=touchpoint,
            opened_at=self.now,
            approve_by=None if outcome is DeadlineOutcome.STAY else self.approve_by,
            deadline_outcome=outcome,
            deadline_text=text,
            verdicts=list(VERDICTS[touchpoint]),
            escalate_to=self.gate.escalate_to,
        )


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What the gate and the preview found about a call."""

    call_id: str
    tool: "Tool"
    arguments: dict[str, Any]
    schema: dict[str, Any]
    digest: str
    reasons: list[str]
    rules: list[str]
    reversibility: Reversibility
    tier: Tier
    seen: dict[str, str]
    rationale: Rationale | None
    confidence: Confidence | None
    preview: "Preview | None"
    repeat_of: str | None
    sources: list[Source]
    origins: list[ArgumentOrigin]
    people: int
    staged: str | None
    options: list[str]
    binding: dict[str, Any]


def approval(frame: Frame, facts: CallFacts, touchpoint: Touchpoint) -> Proposal:
    """The card of a call that the gate asks about, or whose confidence is too low for a rule to let it through."""
    preview = facts.preview
    return Proposal(
        **frame.fields(touchpoint),
        summary=preview.summary if preview else f"Run {facts.tool.name}",
        call_id=facts.call_id,
        tool=facts.tool.name,
        tool_version=facts.tool.version,
        arguments=facts.arguments,
        schema=facts.schema,
        digest=facts.digest,
        verdict_reasons=facts.reasons,
        what_changes=preview.what_changes if preview else _no_preview(),
        confidence=facts.confidence,
        why=facts.rationale,
        could_go_wrong=preview.could_go_wrong if preview else [],
        reversibility=facts.reversibility,
        tier=facts.tier,
        way_back=preview.way_back if preview else None,
        leaves_company=facts.tool.leaves_company,
        key_figure=preview.key_figure if preview else None,
        sources=_sources(facts),
        system=preview.system if preview else "workspace",
        evidence_parts=evidence_parts(preview, facts.tier),
        repeat_of=facts.repeat_of,
        options=facts.options,
        facts=facts.binding,
        origins=facts.origins,
        people=facts.people,
        staged=facts.staged,
    )


def question(frame: Frame, call_id: str, tool: "Tool", arguments: dict[str, Any]) -> Proposal:
    """The card of a question that the agent asks."""
    text = str(arguments.get("question", ""))
    return Proposal(
        **frame.fields(Touchpoint.QUESTION),
        summary=text,
        call_id=call_id,
        tool=tool.name,
        tool_version=tool.version,
        arguments=arguments,
        options=[str(option) for option in arguments.get("options") or []],
        tier=Tier.R0,
        system="operator",
    )


def exception(
    frame: Frame, summary: str, attempts: list[dict[str, str]], suggestion: str, facts: dict[str, Any]
) -> Proposal:
    """The card of something that the agent cannot get past."""
    return Proposal(
        **frame.fields(Touchpoint.EXCEPTION),
        summary=summary,
        what_changes=WhatChanges(headline="The run holds here", not_happening=["Nothing runs until somebody decides."]),
        could_go_wrong=["The agent may go round in the same circle again."],
        tier=Tier.R1,
        system="run",
        options=[suggestion],
        facts={**facts, "attempts": attempts, "suggestion": suggestion},
    )


def loop(frame: Frame, state: SessionState, detected: LoopDetected) -> Proposal:
    """The card of an agent that went on repeating itself after it was told so."""
    call = state.calls[detected.call_id]
    cycle = "the same call" if detected.period == 1 else f"the same {detected.period} calls in turn"
    return exception(
        frame,
        f"The agent repeats itself: {cycle}, with the same results",
        run_facts.attempts(state, call),
        "Tell the agent what to do instead, or let it finish with what it has.",
        {
            "kind": "loop_detected",
            "tool": detected.tool,
            "arguments": call.asked_input,
            "period": detected.period,
            "message": run_facts.shown_arguments(call.asked_input),
            "state": run_facts.state_now(state),
        },
    )


def not_understood(frame: Frame, state: SessionState, because: str) -> Proposal:
    """The card of an answer that ended for a reason which this version does not know."""
    reason = because.removeprefix("finish_reason:")
    return exception(
        frame,
        f'The model\'s answer ended for an unknown reason, "{reason}"',
        [],
        "Let the agent go on; end the run when the answer looks cut off.",
        {
            "kind": "finish_reason",
            "finish_reason": reason,
            "message": f"The service gave the finish reason {reason}.",
            "state": run_facts.state_now(state),
        },
    )


def outcome_unknown(
    frame: Frame, state: SessionState, call: CallState, unknown: CallUnknown, found: "ProbeAnswer | None"
) -> Proposal:
    """The card of a call that may or may not have happened. It waits for a person; the call is not run again."""
    judged, started = call.judged, call.started
    approved = state.proposals[call.proposals[-1]].proposal if call.proposals else None
    what = approved.summary if approved else f"{call.tool} of step {call.step}"
    lag = [found.detail] if found is not None and found.looked else []
    return Proposal(
        **frame.fields(Touchpoint.OUTCOME_UNKNOWN),
        summary=f"Did it happen? {what}",
        call_id=call.call_id,
        tool=call.tool,
        tool_version=judged.tool_version if judged else None,
        arguments=call.arguments,
        digest=started.digest if started else None,
        verdict_reasons=[unknown.why],
        what_changes=WhatChanges(
            headline="The call started, and no answer was recorded",
            not_happening=["Absence is not proof.", *lag, "It is not run again by itself."],
        ),
        why=judged.rationale if judged else None,
        could_go_wrong=["Running it again could do it twice."],
        reversibility=judged.reversibility if judged else Reversibility.IRREVERSIBLE,
        tier=judged.tier if judged else Tier.R3,
        system=approved.system if approved else "workspace",
        facts={
            "idempotency_key": started.idempotency_key if started else "",
            "started_at": instant_text(call.started_at),
            "why": unknown.why,
            "probes": run_facts.looked(frame.now, found, "own check") if found is not None else [],
            "call": f"{call.tool} · {run_facts.shown_arguments(call.arguments)}",
            "approved_by_card": approved.proposal if approved else None,
        },
    )


def silence(gate: GateSettings, touchpoint: Touchpoint) -> str:
    """What happens if nobody answers, in one sentence."""
    if gate.on_deadline is DeadlineOutcome.ESCALATE:
        who = gate.escalate_to or "nobody"
        return f"Without a decision it goes to {who}, once, and is then not made. Nothing is approved by itself."
    if gate.on_deadline is DeadlineOutcome.CANCEL:
        what = "the plan is not carried out" if touchpoint is Touchpoint.PLAN else "the call is not made"
        return f"Without a decision {what}; the run goes on. Nothing is approved by itself."
    return _STOPS


def silence_after_escalation(to: str) -> str:
    """What happens once the card was passed on and nobody answers there either."""
    return f"It went to {to}. Without a decision there the call is not made. Nothing is approved by itself."


def evidence_parts(preview: "Preview | None", tier: Tier) -> list[str]:
    """What must be looked at before an irreversible approval: each part of the preview, flagged rows singly."""
    if preview is None or tier is not Tier.R3:
        return []
    names: list[str] = []
    for index, part in enumerate(preview.what_changes.parts):
        names.append(f"part:{index}")
        rows = getattr(part, "rows", [])
        names.extend(f"row:{row}" for row, cells in enumerate(rows) if getattr(cells, "flag", None))
    return names


def _sources(facts: CallFacts) -> list[Source]:
    """What the preview looked at just now, and what was read before."""
    seen = facts.preview.sources if facts.preview else []
    named = {source.name for source in seen}
    return [*seen, *(source for source in facts.sources if source.name not in named)]


def _no_preview() -> WhatChanges:
    return WhatChanges(headline="What would change is not known", unavailable="This tool has no preview.")
