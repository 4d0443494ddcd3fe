"""Brings a session to a call in doubt, as a kill leaves it: its start is in the journal, its outcome is not."""

from agent_core.engine.harness import Harness
from agent_core.model.events import CallStarted, Draft
from agent_core.model.proposal import Proposal


async def start_without_outcome(harness: Harness, card: Proposal) -> None:
    """Journal the start of an approved call, and nothing after it. The session must rest, and nobody may work it."""
    state = await harness.reader.state(card.session)
    call = state.calls[card.call_id or ""]
    decision = call.decision
    if decision is None:
        raise ValueError(f"{card.proposal} is not approved")
    started = CallStarted(
        call_id=call.call_id,
        tool_use_id=call.tool_use_id,
        tool=call.tool,
        arguments=call.arguments,
        idempotency_key=f"{card.session}:{call.call_id}",
        digest=decision.digest or "",
        decision=decision.decision,
    )
    draft = Draft(data=started, at=harness.house.clock.now(), run=card.run, step=card.step)
    await harness.house.journal.append(card.session, [draft], head=state.head)
