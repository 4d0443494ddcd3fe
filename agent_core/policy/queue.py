"""The queue: in which order cards wait, which are alike, and which may be decided together. Pure."""

from collections.abc import Sequence
from datetime import datetime

from agent_core.model.action import Reversibility, Tier
from agent_core.model.errors import DecisionRefused, RefusedCard, TogetherRefused
from agent_core.model.intents import Decide
from agent_core.model.proposal import Proposal, Touchpoint, Verdict

MOST_TOGETHER = 20
_TIER_ORDER = ("R3", "R2", "R1", "R0")
_TOGETHER = frozenset({Verdict.APPROVE, Verdict.REJECT, Verdict.POSTPONE})

Urgency = tuple[bool, bool, datetime | None, int, str]


def urgency(card: Proposal) -> Urgency:
    """The order of the queue: unknown outcomes first, then the nearest deadline, then the gravest tier, then age."""
    never = card.approve_by is None
    return (
        card.touchpoint is not Touchpoint.OUTCOME_UNKNOWN,
        never,
        card.opened_at if never else card.approve_by,
        _TIER_ORDER.index(card.tier.value),
        card.proposal,
    )


def place(card: Proposal, snoozed_until: datetime | None, now: datetime) -> tuple[bool, Urgency]:
    """As `urgency`, snoozed cards after all others until their time has come."""
    return snoozed_until is not None and snoozed_until > now, urgency(card)


def group_of(card: Proposal, agent: str) -> str:
    """The same for cards that are asked for the same reason: agent, kind, tool, tier and why the gate asks."""
    reasons = [*card.verdict_reasons, *(str(rule) for rule in card.facts.get("rules", []))]
    return " | ".join([agent, card.touchpoint.value, card.tool or "", card.tier.value, *sorted(set(reasons))])


def may_be_decided_together(card: Proposal) -> bool:
    """Whether a card may be one of several that are decided at once: its call can simply be undone."""
    undoable = card.tier is Tier.R1 and card.reversibility is Reversibility.REVERSIBLE
    return card.touchpoint is Touchpoint.APPROVAL and undoable and card.people == 1


def check_together(intents: Sequence[Decide], cards: Sequence[Proposal]) -> None:
    """Raise DecisionRefused where these cards may not be decided at once; `cards` are in the order of `intents`."""
    if not 1 <= len(intents) <= MOST_TOGETHER:
        raise DecisionRefused(f"1 to {MOST_TOGETHER} cards are decided together, not {len(intents)}.", "invalid")
    if len({intent.proposal for intent in intents}) < len(intents):
        raise DecisionRefused("A card is there twice; none was decided.", "invalid")
    if len({(intent.verdict, intent.by, intent.via) for intent in intents}) > 1:
        raise DecisionRefused("Cards are decided together by one person with one word.", "invalid")
    if intents[0].verdict not in _TOGETHER:
        words = ", ".join(sorted(_TOGETHER))
        raise DecisionRefused(f'"{intents[0].verdict}" is said to one card at a time; together: {words}.', "invalid")
    why = "it cannot simply be undone, so it is decided by itself"
    alone = [card for card in cards if not may_be_decided_together(card)]
    if alone:
        raise TogetherRefused([RefusedCard(card.proposal, card.summary, why, "invalid") for card in alone])
