"""Cards as an office would see them, one of every touchpoint and tier, for views and their tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from agent_core.model.action import TIER_OF, Rationale, Reversibility, Source, Tier
from agent_core.model.intents import OpenProposal
from agent_core.model.plan import PlanStep
from agent_core.model.plan_diff import compare_plans
from agent_core.model.proposal import (
    VERDICTS,
    Check,
    CheckResult,
    Confidence,
    DeadlineOutcome,
    FieldChange,
    FieldsChange,
    KeyFigure,
    MessageChange,
    PlanChange,
    PlannedStep,
    Proposal,
    Sign,
    StepAsks,
    TextChange,
    Touchpoint,
    WhatChanges,
)

NOW = datetime(2026, 11, 30, 9, 49, 27, tzinfo=UTC)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "content": {"type": "string"}, "copies": {"type": "integer"}},
    "required": ["path", "content", "copies"],
    "additionalProperties": False,
}
ARGUMENTS: dict[str, Any] = {"path": "reports/october.md", "content": "# October\n\nTotal: 24,308.00\n", "copies": 2}

CHECKS = [
    Check(name="Arguments are valid", result=CheckResult.PASS, weight=1, detail="all 3"),
    Check(name="Path comes from the goal", result=CheckResult.PASS, weight=2, detail="reports/"),
    Check(name="Price list older than its limit", result=CheckResult.WARN, weight=1, detail="9 d, limit 7 d"),
    Check(name="Similar past decisions", result=CheckResult.NOT_APPLICABLE, weight=0, detail="none yet"),
]


def confidence(score: float = 0.91, threshold: float = 0.85) -> Confidence:
    """A computed score with its checks."""
    return Confidence(score=score, threshold=threshold, below_threshold=score < threshold, checks=CHECKS)


def card(
    number: int = 1,
    touchpoint: Touchpoint = Touchpoint.APPROVAL,
    reversibility: Reversibility | None = Reversibility.REVERSIBLE,
    **changes: Any,
) -> Proposal:
    """A card; `changes` replace any field."""
    tier = TIER_OF[reversibility] if reversibility is not None else Tier.R1
    given: dict[str, Any] = {
        "proposal": f"p-{number}",
        "session": f"s-{number}",
        "run": f"r-{number}",
        "step": 14,
        "touchpoint": touchpoint,
        "summary": "Write reports/october.md (3 lines changed)",
        "opened_at": NOW - timedelta(minutes=12),
        "approve_by": NOW + timedelta(minutes=12, seconds=46),
        "deadline_outcome": DeadlineOutcome.CANCEL,
        "deadline_text": "No decision by 10:02: the call is not run and the agent is told so.",
        "verdicts": list(VERDICTS[touchpoint]),
        "call_id": f"c-{number}",
        "tool": "files_write",
        "tool_version": "1",
        "arguments": ARGUMENTS,
        "schema": SCHEMA,
        "digest": "ab" * 32,
        "verdict_reasons": ["files_write is not read-only and no rule allows it."],
        "what_changes": text_change(),
        "confidence": confidence(),
        "why": Rationale(why="The supplier confirmed the short delivery.", risks="The total may change again."),
        "reversibility": reversibility,
        "tier": tier,
        "way_back": "Undo puts the old file back from the session's trash.",
        "system": "workspace",
        "sources": [Source(name="ledger.csv", age_seconds=240, limit_seconds=3600)],
    }
    return Proposal(**(given | changes))


def text_change(lines: int = 6, added: int = 0) -> WhatChanges:
    """A changed text file: a line at its end, and as many before it as wanted."""
    before = "".join(f"line {number}\n" for number in range(lines))
    after = before + "".join(f"new line {number}\n" for number in range(added)) + "Total: 24,308.00\n"
    change = TextChange(path="reports/october.md", before=before, after=after, added=added + 1, removed=0)
    return WhatChanges(headline="1 file, +1 −0", parts=[change], not_happening=["Nothing leaves the workspace."])


def irreversible_card(number: int = 1, **changes: Any) -> Proposal:
    """An e-mail to three people: looked at, figure typed, held."""
    message = MessageChange(
        to=["a@ostwind.example", "b@brandt.example", "c@alpina.example"],
        subject="Invoice INV-19811",
        body="Dear customer,\n\nplease pay the invoice by 6 December.\n",
    )
    given: dict[str, Any] = {
        "summary": "Send an e-mail to 3 recipients: Invoice INV-19811",
        "tool": "email_send",
        "what_changes": WhatChanges(headline="3 e-mails", parts=[message]),
        "key_figure": KeyFigure(label="number of recipients", value="3"),
        "leaves_company": True,
        "way_back": None,
    }
    return card(number, reversibility=Reversibility.IRREVERSIBLE, **(given | changes))


PLAN = [
    PlanStep(id="bank", goal="Read the bank notes", tool="files_read"),
    PlanStep(id="mark", goal="Mark the invoice as paid", tool="files_edit", after=["bank"]),
    PlanStep(id="file", goal="File what is settled", tool="files_move", after=["mark"]),
    PlanStep(id="sum", goal="Say what stays open", tools=["files_write"], after=["mark"]),
]


def planned(steps: list[PlanStep], before: list[PlanStep] | None = None) -> WhatChanges:
    """A plan as its card shows it."""
    compared = compare_plans(steps, before) if before is not None else ((one, Sign.SAME, None) for one in steps)
    shown = [
        PlannedStep(sign=sign, step=one, reversibility=None, asks=StepAsks.YES, asks_because="No rule.", before=old)
        for one, sign, old in compared
    ]
    return WhatChanges(headline=f"{len(steps)} steps", parts=[PlanChange(steps=shown)], not_happening=["No step."])


def plan_card(number: int = 1, **changes: Any) -> Proposal:
    """A plan of four steps."""
    given: dict[str, Any] = {
        "summary": "Carry out a plan of 4 steps",
        "tool": "plan_submit",
        "arguments": {"steps": [msgspec.to_builtins(one) for one in PLAN]},
        "what_changes": planned(PLAN),
        "confidence": None,
        "why": None,
        "options": ["files_read", "files_edit", "files_move", "files_write"],
    }
    return card(number, Touchpoint.PLAN, **(given | changes))


def every_kind() -> list[Proposal]:
    """One card of each touchpoint that opens in this version."""
    fields = FieldsChange(
        title="INV-20418",
        rows=[
            FieldChange(sign=Sign.ADDED, field="Credit note", after="€412.00"),
            FieldChange(sign=Sign.CHANGED, field="Open balance", before="24,720.00", after="24,308.00"),
        ],
    )
    partly = card(
        2,
        reversibility=Reversibility.PARTLY_REVERSIBLE,
        summary="Create credit note for €412.00 against INV-20418",
        what_changes=WhatChanges(
            headline="2 changes in 1 record", parts=[fields], not_happening=["No e-mail is sent."]
        ),
    )
    bare: dict[str, Any] = {"what_changes": None, "confidence": None, "why": None}
    return [
        card(1),
        partly,
        irreversible_card(3),
        card(
            4,
            Touchpoint.CONFIDENCE,
            summary="Which “Nordwind” should receive the order?",
            confidence=confidence(0.54, 0.80),
            options=["Nordwind Technik GmbH", "Nordwind Handels AG"],
        ),
        card(
            5,
            Touchpoint.EXCEPTION,
            None,
            summary="files_edit keeps failing",
            facts={"code": "conflict", "message": "ledger.csv changed since it was read.", "retryable": False,
                   "attempts": ["09:32 edit, conflict", "09:33 read again"], "suggestion": "Read it again first."},
            **bare,
        ),
        card(
            6,
            Touchpoint.OUTCOME_UNKNOWN,
            None,
            summary="Payout batch 118: did it go out?",
            approve_by=None,
            deadline_outcome=DeadlineOutcome.STAY,
            deadline_text="",
            facts={"why": "The call timed out after 30 s with no reply.", "idempotency_key": "pay-118-7c2e"},
            **bare,
        ),
        card(
            7,
            Touchpoint.BUDGET,
            None,
            summary="The limit of cost is reached: $0.50 of $0.50",
            tool=None,
            call_id=None,
            deadline_outcome=DeadlineOutcome.FINISH,
            options=["cost_usd", "steps"],
            facts={"limits": {"cost_usd": "0.50", "steps": 60}, "done": "3,180 of 9,420 rows compared."},
            **bare,
        ),
        plan_card(9),
        card(
            8,
            Touchpoint.QUESTION,
            None,
            summary="Shall I remind Oak Lane Nursery now?",
            tool="ask_operator",
            arguments={"question": "Shall I remind Oak Lane Nursery now?"},
            options=["Yes", "No, wait"],
            **bare,
        ),
    ]  # fmt: skip


def entry(proposal: Proposal, **changes: Any) -> OpenProposal:
    """A card in the queue."""
    given: dict[str, Any] = {"proposal": proposal, "agent": "ap-reconciler", "goal": "Reconcile October", "demo": False}
    return OpenProposal(**(given | changes))
