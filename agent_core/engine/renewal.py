"""Renewal: the next version of a card whose call is found to be different from what the card shows."""

import msgspec

from agent_core.engine.examination import Examiner, Finding
from agent_core.engine.judging import Judge
from agent_core.model.proposal import Proposal, Touchpoint
from agent_core.model.state import CallState, SessionState
from agent_core.policy.card_changes import card_changes


def renewed(judge: Judge, state: SessionState, card: Proposal, finding: Finding) -> Proposal | None:
    """The next version of a card whose call is found different; None when it is the same, or is no longer asked about.

    An approval that was the first of two does not count for the new version. A question binds no call, and nothing that
    is found can make it another one.
    """
    if card.digest is None or finding.digest in (None, card.digest) or finding.judgement.touchpoint is None:
        return None
    fresh = another_version(judge, state, card, finding, finding.judgement.touchpoint)
    return msgspec.structs.replace(fresh, changed=card_changes(card, fresh))


async def look_again(examiner: Examiner, state: SessionState, call: CallState, card: Proposal) -> Finding:
    """The call of a card as it is now: as the first of two people changed it while that still holds, else as asked."""
    changed = card.first_approval.arguments if card.first_approval is not None else None
    finding = await examiner.examine(state, call, arguments=changed)
    if changed is None or finding.digest == card.digest:
        return finding
    return await examiner.examine(state, call)


def another_version(
    judge: Judge, state: SessionState, card: Proposal, finding: Finding, touchpoint: Touchpoint
) -> Proposal:
    """The card of what was found, with the name, the time and the history of the card that it takes the place of."""
    return msgspec.structs.replace(
        judge.card(state, finding, touchpoint),
        proposal=card.proposal,
        opened_at=card.opened_at,
        approve_by=card.approve_by,
        deadline_outcome=card.deadline_outcome,
        deadline_text=card.deadline_text,
        escalate_to=card.escalate_to,
        escalation=card.escalation,
        answers=card.answers,
    )
