"""Renewal: the next version of a card whose call is found to be different from what the card shows."""

import msgspec

from agent_core.engine.examination import Finding
from agent_core.engine.judging import Judge
from agent_core.model.proposal import Proposal
from agent_core.model.state import SessionState
from agent_core.policy.card_changes import card_changes


def renewed(judge: Judge, state: SessionState, card: Proposal, finding: Finding) -> Proposal | None:
    """The next version of a card whose call is found different; None when it is the same, or is no longer asked about.

    An approval that was the first of two does not count for the new version.
    """
    if finding.digest in (None, card.digest) or finding.judgement.touchpoint is None:
        return None
    fresh = msgspec.structs.replace(
        judge.card(state, finding, finding.judgement.touchpoint),
        proposal=card.proposal,
        opened_at=card.opened_at,
        approve_by=card.approve_by,
        deadline_outcome=card.deadline_outcome,
        deadline_text=card.deadline_text,
        escalate_to=card.escalate_to,
        escalation=card.escalation,
        answers=card.answers,
    )
    return msgspec.structs.replace(fresh, changed=card_changes(card, fresh))
