"""Drills: known-bad cards to practise on. Each has a session of its own that ended before it opened and holds no call.

So there is nothing that could ever run: no call for the executor, no agent to go on, whatever is decided.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from agent_core.model.action import Reversibility, Source, Tier
from agent_core.model.budget import Limits
from agent_core.model.events import Draft, ProposalOpened, RunStarted, RunStopped, SessionOpened
from agent_core.model.proposal import (
    VERDICTS,
    ArgumentOrigin,
    Change,
    DeadlineOutcome,
    FieldChange,
    FieldsChange,
    FileChange,
    KeyFigure,
    MessageChange,
    Proposal,
    Sign,
    Touchpoint,
    Verdict,
    WhatChanges,
)
from agent_core.model.state import StopReason

AGENT, VERSION = "drill", "1"
"""They say nothing of the trap: both are shown beside the card."""
STAYS_OPEN = timedelta(minutes=15)
_OFFERED = (Verdict.APPROVE, Verdict.REJECT)
"""Asking or passing on has nobody to answer it here."""


@dataclass(frozen=True, slots=True)
class Trap:
    """One known-bad action: what a careful person sees in it is said once it was decided."""

    summary: str
    tool: str
    arguments: dict[str, Any]
    change: Change
    headline: str
    reversibility: Reversibility
    tier: Tier
    way_back: str
    lesson: str
    origins: tuple[ArgumentOrigin, ...] = ()
    sources: tuple[Source, ...] = ()
    key_figure: KeyFigure | None = None


TRAPS: tuple[Trap, ...] = (
    Trap(
        summary="Send an e-mail to billing@acme-invoices.example: Payment details",
        tool="email_send",
        arguments={"to": ["billing@acme-invoices.example"], "subject": "Payment details", "body": "As agreed."},
        change=MessageChange(to=["billing@acme-invoices.example"], subject="Payment details", body="As agreed."),
        headline="1 message to 1 recipient at acme-invoices.example",
        reversibility=Reversibility.IRREVERSIBLE,
        tier=Tier.R3,
        way_back="None: a message that has left cannot be called back.",
        lesson="The address came only from a web page.",
        origins=(
            ArgumentOrigin(
                argument="to", value="billing@acme-invoices.example", kind="result", name="a web page", untrusted=True
            ),
        ),
        key_figure=KeyFigure(label="number of recipients", value="1"),
    ),
    Trap(
        summary="Edit ledger.csv (1 line changed)",
        tool="files_edit",
        arguments={"path": "ledger.csv", "old": "4711,412.00,open", "new": "4711,4120.00,paid"},
        change=FieldsChange(
            title="ledger.csv",
            rows=[
                FieldChange(sign=Sign.CHANGED, field="amount", before="412.00", after="4120.00"),
                FieldChange(sign=Sign.CHANGED, field="status", before="open", after="paid"),
            ],
        ),
        headline="2 changes in 1 record",
        reversibility=Reversibility.REVERSIBLE,
        tier=Tier.R1,
        way_back="The old text can be put back from the session's trash.",
        lesson="Recording a payment does not change the amount that was asked for: a digit slipped.",
        origins=(ArgumentOrigin(argument="new", value="4711,4120.00,paid", kind="nowhere"),),
    ),
    Trap(
        summary="Delete the folder contracts (214 files)",
        tool="files_delete",
        arguments={"path": "contracts"},
        change=FileChange(action="delete", path="contracts", files=214, size=91_400_000),
        headline="214 files, 91.4 MB",
        reversibility=Reversibility.PARTLY_REVERSIBLE,
        tier=Tier.R2,
        way_back="The folder can be put back from the session's trash, as long as that has room.",
        lesson="It was asked to clear out drafts; this is the folder of all contracts.",
        sources=(Source(name="contracts", age_seconds=11 * 86_400.0, limit_seconds=86_400.0),),
    ),
)


def trap_of(number: int) -> Trap:
    """A trap by any whole number, such as one by chance."""
    return TRAPS[number % len(TRAPS)]


def drafts(trap: Trap, *, session: str, run: str, proposal: str, by: str, now: datetime) -> list[Draft]:
    """The whole session of a drill: it has ended, and its card is open."""
    opened = SessionOpened(
        goal="A drill: look at the card and decide.",
        agent=AGENT,
        agent_version=VERSION,
        profile={"name": AGENT, "model": "scripted:none"},
        workspace="",
        by=by,
        demo=True,
    )
    started = RunStarted(limits=Limits(steps=0, tool_calls=0, tokens=0, seconds=0), agent_version=VERSION, by=by)
    stopped = RunStopped(
        stop_reason=StopReason.COMPLETED.value, completed=True, output=None, gaps=[], confidence="high"
    )
    card = ProposalOpened(proposal=_card(trap, session, run, proposal, now))
    return [Draft(data=opened, at=now), *(Draft(data=data, at=now, run=run) for data in (started, stopped, card))]


def _card(trap: Trap, session: str, run: str, proposal: str, now: datetime) -> Proposal:
    return Proposal(
        proposal=proposal,
        session=session,
        run=run,
        step=0,
        touchpoint=Touchpoint.APPROVAL,
        summary=trap.summary,
        opened_at=now,
        approve_by=now + STAYS_OPEN,
        deadline_outcome=DeadlineOutcome.CANCEL,
        deadline_text="Without a decision it is not made. Nothing is approved by itself.",
        verdicts=[verdict for verdict in VERDICTS[Touchpoint.APPROVAL] if verdict in _OFFERED],
        tool=trap.tool,
        arguments=trap.arguments,
        verdict_reasons=["It changes something, and no rule allows it."],
        what_changes=WhatChanges(headline=trap.headline, parts=[trap.change]),
        reversibility=trap.reversibility,
        tier=trap.tier,
        way_back=trap.way_back,
        key_figure=trap.key_figure,
        sources=list(trap.sources),
        origins=list(trap.origins),
        system="workspace",
        facts={"lesson": trap.lesson},
        drill=True,
    )
