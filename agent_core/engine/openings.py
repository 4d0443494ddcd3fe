"""Openings: the proposals that the engine opens, with every field of the card. Pure: facts in, card out."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from agent_core.config.profile import GateSettings
from agent_core.engine import run_facts
from agent_core.engine.summary import instant_text, money_text
from agent_core.model.action import Rationale, Reversibility, Source, Tier
from agent_core.model.budget import LimitName, Scope, Spend
from agent_core.model.events import CallUnknown, LimitReached, LoopDetected
from agent_core.model.proposal import (
    VERDICTS,
    ArgumentOrigin,
    Confidence,
    DeadlineOutcome,
    FieldChange,
    FieldsChange,
    Proposal,
    Sign,
    Touchpoint,
    WhatChanges,
)
from agent_core.model.state import CallState, RunState, SessionState
from agent_core.policy.limits import limit_text

if TYPE_CHECKING:
    from agent_core.tools.base import Preview, Tool

UNKNOWN = limit_text(None)
LIMIT_WORDS = {
    LimitName.STEPS: "steps",
    LimitName.TOOL_CALLS: "tool calls",
    LimitName.TOKENS: "tokens",
    LimitName.COST_USD: "cost",
    LimitName.SECONDS: "active time",
    LimitName.TREE_COST_USD: "cost with forks",
}

_SILENCE = {
    DeadlineOutcome.STOP: "Without a decision the run stops. Nothing is approved by itself.",
    DeadlineOutcome.FINISH: "Without a decision the run sums up what it has and ends.",
    DeadlineOutcome.STAY: "It waits until a person says what happened.",
}


_STAYS_STAGED = "Without a decision the draft stays in staging. Nothing leaves by itself."


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
    stays = touchpoint is Touchpoint.QUALITY_REVIEW
    return Proposal(
        proposal=frame.proposal,
        session=frame.session,
        run=frame.run,
        step=frame.step,
        touchpoint=touchpoint,
        summary=preview.summary if preview else f"Run {facts.tool.name}",
        opened_at=frame.now,
        approve_by=None if stays else frame.approve_by,
        deadline_outcome=DeadlineOutcome.STAY if stays else frame.gate.on_deadline,
        deadline_text=_STAYS_STAGED if stays else silence(frame.gate, touchpoint),
        verdicts=list(VERDICTS[touchpoint]),
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
        escalate_to=frame.gate.escalate_to,
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
        proposal=frame.proposal,
        session=frame.session,
        run=frame.run,
        step=frame.step,
        touchpoint=Touchpoint.QUESTION,
        summary=text,
        opened_at=frame.now,
        approve_by=frame.approve_by,
        deadline_outcome=frame.gate.on_deadline,
        deadline_text=silence(frame.gate, Touchpoint.QUESTION),
        verdicts=list(VERDICTS[Touchpoint.QUESTION]),
        call_id=call_id,
        tool=tool.name,
        tool_version=tool.version,
        arguments=arguments,
        escalate_to=frame.gate.escalate_to,
        options=[str(option) for option in arguments.get("options") or []],
        tier=Tier.R0,
        system="operator",
    )


def reached_words(reached: LimitReached) -> str:
    """Why the run holds: a limit also stops what would go over it, while there is still something left."""
    word = f"{_WHOSE.get(reached.scope, '')}{LIMIT_WORDS[reached.limit]}"
    used = f"{_figure(reached.spent)} of {_figure(reached.value)} used"
    known = UNKNOWN not in (reached.spent, reached.value)
    if known and Decimal(reached.spent) < Decimal(reached.value):
        return f"The limit of {word} leaves no room for the next step: {used}"
    return f"The limit of {word} is reached: {used}"


_WHOSE = {Scope.DAY.value: "the day's "}
_ELSEWHERE = {
    Scope.DAY.value: "The limit of the day stands in the settings: raise it there, then extend this run.",
    Scope.TREE.value: "Its new value holds for this session, its other runs and every session forked from it.",
}
"""What an operator has to know of a limit that is not the run's alone."""


def _figure(text: str) -> str:
    return "unknown" if text == UNKNOWN else f"{Decimal(text):,}"


def budget(frame: Frame, state: SessionState, reached: LimitReached, usual: Spend | None) -> Proposal:
    """The card of a reached limit: how much was used and what for, what is left to do, and what may be extended."""
    run = state.run
    spend = run.spend
    return Proposal(
        proposal=frame.proposal,
        session=frame.session,
        run=frame.run,
        step=frame.step,
        touchpoint=Touchpoint.BUDGET,
        summary=reached_words(reached),
        opened_at=frame.now,
        approve_by=frame.approve_by,
        deadline_outcome=DeadlineOutcome.FINISH,
        deadline_text=_SILENCE[DeadlineOutcome.FINISH],
        verdicts=list(VERDICTS[Touchpoint.BUDGET]),
        what_changes=WhatChanges(
            headline=f"The run holds at step {frame.step}",
            parts=[FieldsChange(title="Used so far", rows=_used(run, reached))],
            not_happening=["Nothing more is spent until somebody decides.", *_elsewhere(reached)],
        ),
        could_go_wrong=["More budget may be spent without reaching the goal."],
        way_back="The limit can be lowered again at any time.",
        tier=Tier.R1,
        system="budget",
        escalate_to=frame.gate.escalate_to,
        options=[name.value for name in LimitName],
        facts={
            "limit": reached.limit.value,
            "value": reached.value,
            "spent": reached.spent,
            "scope": reached.scope,
            "cost_usd": money_text(spend.cost_usd),
            "tree_cost_usd": reached.spent if reached.limit is LimitName.TREE_COST_USD else None,
            "steps": spend.steps,
            "tool_calls": spend.tool_calls,
            "tokens": spend.tokens,
            "active_seconds": round(spend.active_seconds, 1),
            "limits": {name.value: _limit_text(run, name) for name in LimitName},
            "usual": {name.value: _usual_text(usual, name) for name in LimitName} if usual is not None else {},
            "money_went": run_facts.money_went(state),
            "done": run_facts.done_so_far(state),
            "to_finish": run_facts.to_finish(spend, usual),
        },
    )


def _elsewhere(reached: LimitReached) -> list[str]:
    return [_ELSEWHERE[reached.scope]] if reached.scope in _ELSEWHERE else []


def _limit_text(run: RunState, name: LimitName) -> str:
    """A limit as `extend` takes it; empty where none applies."""
    value = run.limits.get(name)
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _usual_text(usual: Spend, name: LimitName) -> str:
    """What a usual run takes of a limit; empty where that is not known."""
    if name is LimitName.TREE_COST_USD:
        return ""
    if name is LimitName.COST_USD:
        return money_text(usual.cost_usd) or ""
    return str(
        {
            LimitName.STEPS: usual.steps,
            LimitName.TOOL_CALLS: usual.tool_calls,
            LimitName.TOKENS: usual.tokens,
            LimitName.SECONDS: round(usual.active_seconds),
        }[name]
    )


def exception(
    frame: Frame, summary: str, attempts: list[dict[str, str]], suggestion: str, facts: dict[str, Any]
) -> Proposal:
    """The card of something that the agent cannot get past."""
    return Proposal(
        proposal=frame.proposal,
        session=frame.session,
        run=frame.run,
        step=frame.step,
        touchpoint=Touchpoint.EXCEPTION,
        summary=summary,
        opened_at=frame.now,
        approve_by=frame.approve_by,
        deadline_outcome=DeadlineOutcome.STOP,
        deadline_text=_SILENCE[DeadlineOutcome.STOP],
        verdicts=list(VERDICTS[Touchpoint.EXCEPTION]),
        what_changes=WhatChanges(headline="The run holds here", not_happening=["Nothing runs until somebody decides."]),
        could_go_wrong=["The agent may go round in the same circle again."],
        tier=Tier.R1,
        system="run",
        escalate_to=frame.gate.escalate_to,
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
    frame: Frame, state: SessionState, call: CallState, unknown: CallUnknown, probes: list[str]
) -> Proposal:
    """The card of a call that may or may not have happened. It waits for a person; the call is not run again."""
    judged, started = call.judged, call.started
    approved = call.proposals[-1] if call.proposals else None
    what = state.proposals[approved].proposal.summary if approved else f"{call.tool} of step {call.step}"
    return Proposal(
        proposal=frame.proposal,
        session=frame.session,
        run=frame.run,
        step=call.step,
        touchpoint=Touchpoint.OUTCOME_UNKNOWN,
        summary=f"Did it happen? {what}",
        opened_at=frame.now,
        approve_by=None,
        deadline_outcome=DeadlineOutcome.STAY,
        deadline_text=_SILENCE[DeadlineOutcome.STAY],
        verdicts=list(VERDICTS[Touchpoint.OUTCOME_UNKNOWN]),
        call_id=call.call_id,
        tool=call.tool,
        tool_version=judged.tool_version if judged else None,
        arguments=call.arguments,
        digest=started.digest if started else None,
        verdict_reasons=[unknown.why],
        what_changes=WhatChanges(
            headline="The call started, and no answer was recorded",
            not_happening=["It is not run again by itself.", "Absence of a trace is no proof that it did not happen."],
        ),
        why=judged.rationale if judged else None,
        could_go_wrong=["Running it again could do it twice."],
        reversibility=judged.reversibility if judged else Reversibility.IRREVERSIBLE,
        tier=judged.tier if judged else Tier.R3,
        system="workspace",
        escalate_to=frame.gate.escalate_to,
        facts={
            "idempotency_key": started.idempotency_key if started else "",
            "started_at": instant_text(call.started_at),
            "why": unknown.why,
            "probes": [run_facts.tried(frame.now, "own check", found) for found in probes],
            "call": f"{call.tool} · {run_facts.shown_arguments(call.arguments)}",
            "approved_by_card": approved,
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
    return _SILENCE[gate.on_deadline]


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


def _used(run: RunState, reached: LimitReached) -> list[FieldChange]:
    limits, spend = run.limits, run.spend
    cost = money_text(spend.cost_usd) or "unknown"
    figures = [
        ("Steps", str(spend.steps), str(limits.steps)),
        ("Tool calls", str(spend.tool_calls), str(limits.tool_calls)),
        ("Tokens", str(spend.tokens), str(limits.tokens)),
        ("Cost in USD", cost, money_text(limits.cost_usd) or "no limit"),
        ("Active seconds", f"{spend.active_seconds:.0f}", f"{limits.seconds:.0f}"),
    ]
    if reached.scope == Scope.TREE.value:
        figures.append(("Cost with forks in USD", reached.spent, reached.value))
    if reached.scope == Scope.DAY.value:
        figures.append(("Cost of the day in USD", reached.spent, reached.value))
    return [FieldChange(sign=Sign.SAME, field=name, before=used, after=limit) for name, used, limit in figures]
