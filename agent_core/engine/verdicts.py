"""Verdicts: what each decision is as a record, and what else is journaled with it in the same transaction."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from agent_core.engine import run_facts
from agent_core.engine.approvals import binding_digest
from agent_core.engine.openings import silence_after_escalation
from agent_core.engine.summary import profile_of
from agent_core.model.action import Tier
from agent_core.model.budget import LimitName
from agent_core.model.errors import DecisionRefused
from agent_core.model.events import (
    CallFinished,
    DecisionMade,
    EventData,
    LimitChanged,
    MessageAdded,
    ProposalChanged,
    ProposalWithdrawn,
)
from agent_core.model.intents import Decide
from agent_core.model.proposal import (
    APPROVING,
    DeadlineOutcome,
    Decision,
    Escalation,
    FirstApproval,
    Proposal,
    ProposalStatus,
    Touchpoint,
    Verdict,
    Via,
)
from agent_core.model.state import CallStatus, ProposalState, SessionState
from agent_core.policy.card_changes import card_changes
from agent_core.policy.decisions import CheckedDecision, changes, describe_decision, is_expired
from agent_core.policy.limits import limit_text

if TYPE_CHECKING:
    from agent_core.tools.base import ProbeAnswer

UNDO_SECONDS = 8.0
"""How long a reversible approval from the console can be taken back before its call starts."""


def decision(
    decision_id: str,
    state: SessionState,
    card: ProposalState,
    intent: Decide,
    checked: CheckedDecision,
    now: datetime,
    edited: Proposal | None = None,
) -> Decision:
    """The decision as it will be signed and journaled; `edited` is the card as the first of two people changed it."""
    proposal = card.proposal
    approves = checked.verdict in APPROVING
    undoable = (
        approves and checked.closes and not proposal.drill and intent.via is Via.CONSOLE and proposal.tier is Tier.R1
    )
    effective_at = now + timedelta(seconds=UNDO_SECONDS) if undoable else None
    return Decision(
        decision=decision_id,
        proposal=proposal.proposal,
        verdict=checked.verdict,
        by=intent.by.strip(),
        via=intent.via,
        at=now,
        reason=checked.reason,
        arguments=checked.arguments,
        details=checked.details,
        answer=checked.answer,
        seen=list(intent.seen),
        open_seconds=max(0.0, (now - proposal.opened_at).total_seconds()),
        effective_at=effective_at,
        digest=_digest(proposal, checked, edited) if approves and not proposal.drill else None,
        expires_at=_expiry(proposal, effective_at or now) if approves else None,
        agent_version=state.run.agent_version,
        awaits_second=checked.awaits_second,
        second_of=checked.second_of,
    )


def _digest(card: Proposal, checked: CheckedDecision, edited: Proposal | None) -> str | None:
    return edited.digest if edited is not None else binding_digest(card, checked.arguments)


def _expiry(card: Proposal, holds_from: datetime) -> datetime | None:
    """When an approval is too old to run: it holds as long as its card gave for deciding."""
    return None if card.approve_by is None else holds_from + (card.approve_by - card.opened_at)


def events(
    state: SessionState,
    card: ProposalState,
    made: Decision,
    probe: "ProbeAnswer | None",
    edited: Proposal | None = None,
) -> list[EventData]:
    """The decision, and what it means beside the call that it settles."""
    recorded: list[EventData] = [
        DecisionMade(
            proposal=made.proposal,
            verdict=made.verdict.value,
            by=made.by,
            via=made.via,
            reason=made.reason,
            open_seconds=made.open_seconds,
            decision=made,
        )
    ]
    proposal = card.proposal
    if made.verdict is Verdict.EXTEND:
        recorded.extend(_extended(state, made))
    elif made.verdict is Verdict.ESCALATE:
        recorded.append(_escalated(state, proposal, made))
    elif made.awaits_second:
        recorded.append(_approved_first(card, made, edited))
    elif made.verdict is Verdict.CHECK_AGAIN and probe is not None:
        recorded.extend(checked_again(state, proposal, probe, made.at, made.by))
    elif proposal.touchpoint is Touchpoint.EXCEPTION and made.verdict is not Verdict.ABANDON:
        recorded.append(MessageAdded(text=describe_decision(made, proposal), by=made.by))
    return recorded


def refuse_closed(card: ProposalState, now: datetime) -> None:
    """Raise DecisionRefused for a card that no longer waits."""
    if card.status is not ProposalStatus.OPEN:
        raise DecisionRefused(f"This card is {card.status.value} already", "closed")
    if is_expired(card.proposal, now):
        raise DecisionRefused("This card expired; its deadline cannot be extended any more", "expired")


def refuse_undo(state: SessionState, card: ProposalState) -> None:
    """Raise DecisionRefused unless the card was closed by an approval whose call has not started."""
    closing = card.closing
    if card.status is not ProposalStatus.DECIDED or closing is None:
        raise DecisionRefused("There is no decision on this card to take back", "closed")
    call = state.calls.get(card.proposal.call_id or "")
    if call is None or closing.digest is None:
        raise DecisionRefused("Only an approval can be taken back", "invalid")
    if call.status is not CallStatus.APPROVED:
        raise DecisionRefused("The call has started; it can no longer be taken back", "closed")


def _extended(state: SessionState, made: Decision) -> list[EventData]:
    limits = state.run.limits
    return [
        LimitChanged(
            limit=LimitName(name),
            old=limit_text(limits.get(LimitName(name))),
            new=str(value),
            by=made.by,
            why=made.reason or "",
        )
        for name, value in made.details.items()
    ]


def _escalated(state: SessionState, card: Proposal, made: Decision) -> ProposalChanged:
    """With the named person from now on, with the whole time to decide again."""
    to = str(made.details.get("to", ""))
    within = timedelta(seconds=profile_of(state).gate.approve_within)
    passed = Escalation(to=to, by=made.by, at=made.at, note=made.reason)
    changed = msgspec.structs.replace(
        card,
        escalate_to=to,
        escalation=passed,
        approve_by=None if card.approve_by is None else made.at + within,
        facts={**card.facts, "with": to, "escalated_by": made.by},
    )
    if card.deadline_outcome in (DeadlineOutcome.ESCALATE, DeadlineOutcome.CANCEL):
        changed = msgspec.structs.replace(
            changed, deadline_outcome=DeadlineOutcome.CANCEL, deadline_text=silence_after_escalation(to)
        )
    return _changed(card, changed, f"{made.by} passed it to {to}.", made.by)


def _approved_first(known: ProposalState, made: Decision, edited: Proposal | None) -> ProposalChanged:
    card = known.proposal
    first = FirstApproval(
        decision=made.decision,
        by=made.by,
        at=made.at,
        reason=made.reason,
        arguments=made.arguments,
        changes=changes(known.versions[0].arguments, made.arguments) if made.arguments is not None else [],
    )
    changed = msgspec.structs.replace(edited or card, first_approval=first)
    did = "changed and approved it" if edited is not None else "approved it first"
    return _changed(card, changed, f"{made.by} {did}; a second person has to approve it too.", made.by)


def _changed(card: Proposal, revised: Proposal, why: str, by: str) -> ProposalChanged:
    told = msgspec.structs.replace(revised, changed=card_changes(card, revised))
    return ProposalChanged(proposal=card.proposal, revised=told, why=why, by=by)


def checked_again(
    state: SessionState, card: Proposal, probe: "ProbeAnswer", at: datetime, by: str | None = None
) -> list[EventData]:
    """What a check found settles the call when it could tell; else the card shows that it was tried.

    `by` is who asked for it. A check that nobody asked for settles only what has happened, for absence is no proof, and
    says nothing where it finds what it found before.
    """
    if probe.happened if by is None else probe.happened is not None:
        from agent_core.engine import recovery

        settled: CallFinished = recovery.settled(state.calls[card.call_id or ""], probe)
        return [ProposalWithdrawn(proposal=card.proposal, why=f"A check could tell: {probe.detail}"), settled]
    before = card.facts.get("probes", [])
    what = "own check" if by is None else f"asked for by {by}"
    looked = run_facts.looked(at, probe, what, before)
    if by is None and run_facts.results(looked) == run_facts.results(before):
        return []
    revised = msgspec.structs.replace(card, facts={**card.facts, "probes": looked})
    why = f"{by} checked again." if by is not None else "A check found something else than before."
    return [ProposalChanged(proposal=card.proposal, revised=revised, why=why, by=by or "system")]
