"""Events of proposals and of the decisions on them."""

from agent_core.model.events.base import EventData
from agent_core.model.proposal import DeadlineOutcome, Decision, Proposal, Via


class ProposalOpened(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A card is open and the call, or the run, waits."""

    kind = "proposal_opened"
    proposal: Proposal


class ProposalPresented(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A person was shown the card for the first time through that door."""

    kind = "proposal_presented"
    proposal: str
    by: str
    via: Via


class ProposalChanged(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The card came back different: re-checked, answered by the agent, escalated, extended. Same id."""

    kind = "proposal_changed"
    proposal: str
    revised: Proposal
    why: str
    by: str = "system"
    answers: str | None = None
    """The `ask` decision that the agent has answered with this version."""


class ProposalWithdrawn(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The card is closed because what it asked for no longer stands."""

    kind = "proposal_withdrawn"
    proposal: str
    why: str


class ProposalExpired(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Nobody answered in time: the system's act, never a person's, and never an approval."""

    kind = "proposal_expired"
    proposal: str
    outcome: DeadlineOutcome
    by: str = "system"


class DecisionMade(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A person decided. What readers look for first stands beside the decision: who, how, why, after how long."""

    kind = "decision_made"
    proposal: str
    verdict: str
    by: str
    via: Via
    reason: str | None
    open_seconds: float
    decision: Decision


class DecisionUndone(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """An approval was taken back before its call started; the same card is open again."""

    kind = "decision_undone"
    proposal: str
    decision: str
    by: str
