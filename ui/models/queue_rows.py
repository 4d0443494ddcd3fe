"""The queue as it is listed: three or more like cards that can simply be undone become one row. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_core.model.action import Tier
from agent_core.model.intents import OpenProposal

SMALLEST_GROUP = 3
LARGEST_BATCH = 20


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One row: a card, or (with `members`) like cards under the first of them."""

    entry: OpenProposal
    members: tuple[OpenProposal, ...] = ()


def queue_items(entries: Sequence[OpenProposal]) -> list[QueueItem]:
    """Rows in the order of the queue; a group stands where its most urgent card stands."""
    groups: dict[str, list[OpenProposal]] = {}
    for entry in entries:
        if can_group(entry):
            groups.setdefault(entry.group, []).append(entry)
    items: list[QueueItem] = []
    shown: set[str] = set()
    for entry in entries:
        members = groups.get(entry.group, []) if can_group(entry) else []
        if len(members) < SMALLEST_GROUP:
            items.append(QueueItem(entry))
        elif entry.group not in shown:
            shown.add(entry.group)
            items.append(QueueItem(entry, tuple(members)))
    return items


def can_group(entry: OpenProposal) -> bool:
    """Only reversible cards that wait for whoever is here; a drill is looked at alone."""
    card = entry.proposal
    free = card.decider is None and card.people == 1 and not card.drill and not entry.with_agent and not entry.expired
    return bool(entry.group) and card.tier is Tier.R1 and free


def batch_start(entry: OpenProposal) -> bool:
    """Whether a card starts ticked in a batch: never one that scored below its threshold."""
    confidence = entry.proposal.confidence
    return confidence is None or not confidence.below_threshold
