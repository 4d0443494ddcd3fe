"""Second look: what an open card is about, examined anew by the tools themselves.

All that the desk needs of the workshop stands here, and is imported once somebody looks: a plain decision needs none
of it.
"""

import asyncio
from typing import Any

import msgspec

from agent_core.engine import recovery
from agent_core.engine.examination import Examiner, Finding
from agent_core.engine.house import House
from agent_core.engine.renewal import another_version, look_again, renewed
from agent_core.engine.workshop import equip, judge_for
from agent_core.model.errors import DecisionRefused
from agent_core.model.events import EventData, ProposalChanged
from agent_core.model.ids import IdKind
from agent_core.model.proposal import Proposal
from agent_core.model.state import CallState, SessionState
from agent_core.tools.base import ProbeAnswer


async def as_shown(house: House, state: SessionState, call: CallState, card: Proposal) -> Finding | None:
    """The call of a card as it is now."""
    return await look_again(Examiner(await asyncio.to_thread(equip, house, state)), state, call, card)


async def with_arguments(
    house: House, state: SessionState, call: CallState, arguments: dict[str, Any] | None
) -> Finding:
    """The call as it would be with other arguments."""
    return await Examiner(await asyncio.to_thread(equip, house, state)).examine(state, call, arguments=arguments)


async def probe(house: House, state: SessionState, proposal: str) -> ProbeAnswer | None:
    """What the tool's own check says now; None for a card that is about no call."""
    card = state.proposals[proposal].proposal
    if card.call_id is None:
        return None
    found = await recovery.probed(equip(house, state), state, state.calls[card.call_id])
    return found or ProbeAnswer(happened=None, detail=f"{card.tool} has no way to check.")


def revised(house: House, state: SessionState, proposal: str, finding: Finding) -> list[EventData] | None:
    """The card as it would be opened now, when that differs from what it shows; None when nothing changed."""
    card = state.proposals[proposal].proposal
    fresh = renewed(judge_for(house, state), state, card, finding)
    if fresh is None:
        return None
    return [ProposalChanged(proposal=card.proposal, revised=fresh, why="What it rests on changed since it was opened.")]


def edited(house: House, state: SessionState, proposal: str, finding: Finding) -> Proposal:
    """The card of a call that the first of two people changed. Raises DecisionRefused for one that becomes graver.

    The first person's approval took the trouble that the card asked for, and it would count for more than that.
    """
    card = state.proposals[proposal].proposal
    fresh = another_version(judge_for(house, state), state, card, finding, card.touchpoint)
    if fresh.tier > card.tier:
        grown = f"({fresh.tier.value}) than its card ({card.tier.value})"
        raise DecisionRefused(f"So changed it would be graver {grown}; refuse it and say what you want", "invalid")
    staged = f"{house.ids.new(IdKind.CALL)}-{fresh.staged}" if fresh.staged is not None else None
    return msgspec.structs.replace(fresh, tier=card.tier, people=card.people, staged=staged)
