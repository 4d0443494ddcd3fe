"""Approvals: what a decision binds, and whether it still holds just before its call runs.

A signature covers the digest, the card, the verdict, the operator, the agent's version, the time and the expiry. An
edited row in the database therefore approves nothing.
"""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from agent_core.model.people import same_person
from agent_core.model.proposal import APPROVING, EDITING, Decision, Proposal, ProposalStatus
from agent_core.model.state import CallState, ProposalState, SessionState
from agent_core.policy.digest import call_digest

if TYPE_CHECKING:
    from agent_core.engine.examination import Finding


class Signatures(Protocol):
    """Holds signatures against operators' public keys."""

    async def fault_of(self, decision: Decision) -> str | None:
        """Why a decision's signature proves nothing; None when its operator did sign exactly this."""
        ...


def binding_digest(card: Proposal, arguments: dict[str, Any] | None) -> str | None:
    """The digest that an approving decision carries: of the card's call, or of the call as a person modified it.

    A card that waits for a second person shows the call as the first one changed it. What any other changed call would
    see is not known before it is looked at, so it binds arguments and rules; the executing process makes preview and
    checks again.
    """
    first = card.first_approval
    if arguments is None or card.call_id is None or (first is not None and arguments == first.arguments):
        return card.digest
    return call_digest(
        arguments=arguments,
        tool=card.tool or "",
        tool_version=card.tool_version or "",
        session=card.session,
        call_id=card.call_id,
        verdict=str(card.facts.get("verdict", "ask")),
        rules=[str(rule) for rule in card.facts.get("rules", [])],
        seen={},
    )


def _belong_together(card: Proposal, decision: Decision) -> bool:
    """A change carries arguments; any other approval none, but those of the change that it seconds."""
    if decision.verdict in EDITING:
        return decision.arguments is not None
    return decision.arguments == (card.first_approval.arguments if card.first_approval is not None else None)


def modification(state: SessionState, call: CallState) -> Decision | None:
    """Who changed the call into what its newest card asks about; None where that is the call as the model made it.

    A change that made the call graver was asked about once more, on a card of its own.
    """
    cards = [state.proposals[name] for name in call.proposals]
    made = next((card for card in reversed(cards) if card.closing is not None and card.closing.arguments), None)
    if made is None or (made is not cards[-1] and cards[-1].proposal.arguments == made.proposal.arguments):
        return None
    return made.closing


class Approvals:
    """Checks approvals at the moment of execution."""

    def __init__(self, signatures: Signatures) -> None:
        self._signatures = signatures

    async def problem(self, card: ProposalState, decision: Decision, call: CallState, now: datetime) -> str | None:
        """Why this approval may not be used, in one sentence; None when it may. What it saw is checked elsewhere."""
        if card.proposal.drill:
            return "It was a drill, which never runs."
        if card.status is not ProposalStatus.DECIDED or card.closing != decision:
            return "The card was not closed by this decision."
        if decision.verdict not in APPROVING or decision.digest is None:
            return f'The decision "{decision.verdict.value}" approves nothing.'
        fault = await self._signatures.fault_of(decision)
        if fault is not None:
            return f"The approval proves nothing: {fault}."
        if decision.expires_at is not None and now >= decision.expires_at:
            return "The approval expired before the call could start."
        if card.proposal.call_id != call.call_id or card.proposal.tool != call.tool:
            return "The approval belongs to another call."
        if decision.digest != binding_digest(card.proposal, decision.arguments):
            return "The approval was given for another call."
        if not _belong_together(card.proposal, decision):
            return "The approval and its arguments do not belong together."
        return await self._second_problem(card, decision, now) if card.proposal.people > 1 else None

    async def _second_problem(self, card: ProposalState, decision: Decision, now: datetime) -> str | None:
        """Why two people have not approved this together; None when they have."""
        first = next((one for one in card.decisions if one.decision == decision.second_of), None)
        if first is None or not first.awaits_second or first.verdict not in APPROVING:
            return "Two people must approve this, and only one did."
        if same_person(first.by, decision.by):
            return f"{first.by} cannot be both of the two people who must approve this."
        if first.digest != decision.digest or first.arguments != decision.arguments:
            return "The two approvals were given for different calls."
        if first.expires_at is not None and now >= first.expires_at:
            return "The first approval expired before the call could start."
        fault = await self._signatures.fault_of(first)
        return None if fault is None else f"The first approval proves nothing: {fault}."

    def still_binds(self, decision: Decision, finding: "Finding") -> bool:
        """Whether the call as it would run now is exactly the one that was approved."""
        return finding.digest is not None and finding.digest == decision.digest


def difference(call: CallState, finding: "Finding") -> str:
    """What changed between the judgement that was approved and the one that would hold now, in one sentence."""
    before = call.judged
    if before is None:
        return "The call was never judged."
    names = sorted(n for n in {*before.seen, *finding.seen} if before.seen.get(n) != finding.seen.get(n))
    if names:
        return f"{', '.join(names)} changed since the approval."
    if finding.tool is not None and before.tool_version != finding.tool.version:
        return f"{call.tool} is another version than the one that was approved."
    if sorted(before.rules) != sorted(finding.judgement.rules) or before.verdict is not finding.judgement.verdict:
        return "The policy changed since the approval."
    return "The call is no longer the one that was approved."
