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
from agent_core.model.events import ProposalChanged
from agent_core.model.ids import IdKind
from agent_core.model.proposal import Proposal
from agent_core.model.state import CallState, CallStatus, SessionState
from agent_core.tools.base import ProbeAnswer

_BEGUN = (CallStatus.STARTED, CallStatus.FINISHED, CallStatus.UNKNOWN)


class SecondLook:
    """Looks at the calls of one home's cards."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def as_shown(self, state: SessionState, proposal: str) -> Finding | None:
        """The call of a card as it is now; None for a card without one, or whose call has begun."""
        call = _not_begun(state, proposal)
        if call is None:
            return None
        return await look_again(await self._examiner(state), state, call, state.proposals[proposal].proposal)

    async def with_arguments(
        self, state: SessionState, proposal: str, arguments: dict[str, Any] | None
    ) -> Finding | None:
        """The call of a card as it would be with other arguments; None as in `as_shown`."""
        call = _not_begun(state, proposal)
        if call is None:
            return None
        return await (await self._examiner(state)).examine(state, call, arguments=arguments)

    async def probe(self, state: SessionState, proposal: str) -> ProbeAnswer | None:
        """What the tool's own check says now; None where there is no check, or no call."""
        call = state.calls.get(state.proposals[proposal].proposal.call_id or "")
        return await recovery.probed(equip(self._house, state), state, call) if call is not None else None

    async def asked_for(self, state: SessionState, proposal: str) -> ProbeAnswer:
        """The same for a person who asks for it, and is told where there is no check."""
        tool = state.proposals[proposal].proposal.tool
        nothing = ProbeAnswer(happened=None, detail=f"{tool} has no way to check.")
        return await self.probe(state, proposal) or nothing

    def revised(self, state: SessionState, proposal: str, finding: Finding) -> ProposalChanged | None:
        """The card as it would be opened now, when that differs from what it shows; None when nothing changed."""
        card = state.proposals[proposal].proposal
        fresh = renewed(judge_for(self._house, state), state, card, finding)
        if fresh is None:
            return None
        return ProposalChanged(
            proposal=card.proposal, revised=fresh, why="What it rests on changed since it was opened."
        )

    def edited(self, state: SessionState, proposal: str, finding: Finding) -> Proposal:
        """The card of a call that the first of two people changed. Raises DecisionRefused for one that becomes graver.

        The first person's approval took the trouble that the card asked for, and it would count for more than that.
        """
        card = state.proposals[proposal].proposal
        fresh = another_version(judge_for(self._house, state), state, card, finding, card.touchpoint)
        if fresh.tier > card.tier:
            grown = f"({fresh.tier.value}) than its card ({card.tier.value})"
            raise DecisionRefused(f"So changed it would be graver {grown}; refuse it and say what you want", "invalid")
        staged = f"{self._house.ids.new(IdKind.CALL)}-{fresh.staged}" if fresh.staged is not None else None
        return msgspec.structs.replace(fresh, tier=card.tier, people=card.people, staged=staged)

    async def _examiner(self, state: SessionState) -> Examiner:
        return Examiner(await asyncio.to_thread(equip, self._house, state))


def _not_begun(state: SessionState, proposal: str) -> CallState | None:
    """The call of a card, while it has not begun."""
    call = state.calls.get(state.proposals[proposal].proposal.call_id or "")
    return None if call is None or call.status in _BEGUN else call
