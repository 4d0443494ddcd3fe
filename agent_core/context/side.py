"""Side conversations: what the agent is asked about an open card, beside the history. Pure.

The request begins with the history to the byte, so that its signed reasoning and the prompt cache hold; what follows is
never part of it.
"""

from collections.abc import Sequence

from agent_core.context.blocks import Block, response_blocks, side_result_block, text_block
from agent_core.model.events import SideAnswered, SideAsked, SideRead
from agent_core.model.proposal import Decision, Proposal
from agent_core.model.run import SideEvent

ONLY_READS = "Only reading tools may be used while an operator's question is answered."


def question_text(card: Proposal, asked: Decision) -> str:
    """The question as the agent reads it, with what was asked about the card before."""
    earlier = "".join(f'\n{one.asked_by} asked: "{one.question}" You answered: {one.answer}' for one in card.answers)
    before = f"\nEarlier, about the same call:{earlier}" if earlier else ""
    return (
        f"{asked.by} asks before deciding about your call {card.tool} ({card.summary}): {asked.answer}{before}\n"
        "Answer in plain words, and say what the answer rests on. You may look things up with reading tools only. "
        "Nothing that you say here approves or changes the call."
    )


def side_messages(side: Sequence[SideEvent], result_cap: int) -> list[tuple[str, list[Block]]]:
    """The messages after the question: (role, blocks), as far as the side conversation went."""
    reads = {event.call_id: event for event in side if isinstance(event, SideRead)}
    said: list[tuple[str, list[Block]]] = []
    for answer in responses(side):
        use_ids = {asked.block: asked.tool_use_id for asked in answer.calls}
        blocks = response_blocks(answer.content, use_ids, keep_thinking=True)
        results = [side_result_block(reads[c.call_id], result_cap) for c in answer.calls if c.call_id in reads]
        if blocks and results:
            said += [("assistant", blocks), ("user", results)]
    return said


def responses(side: Sequence[SideEvent]) -> list[SideAnswered]:
    """The whole responses of a side conversation, in order."""
    return [event for event in side if isinstance(event, SideAnswered) and event.fault is None]


def failures(side: Sequence[SideEvent]) -> list[SideAnswered]:
    """The attempts that gave no response since the last one that did."""
    found: list[SideAnswered] = []
    for event in side:
        if isinstance(event, SideAnswered):
            found = [] if event.fault is None else [*found, event]
    return found


def answer_text(answer: SideAnswered) -> str:
    """What a response says in words."""
    texts = (str(block.get("text", "")) for block in answer.content if block.get("type") == "text")
    return "\n".join(texts).strip()


def lost(side: Sequence[SideEvent]) -> SideAsked | None:
    """A request whose answer nobody recorded: its process ended."""
    newest = side[-1] if side else None
    return newest if isinstance(newest, SideAsked) else None


def question_blocks(card: Proposal, asked: Decision) -> Block:
    """The question as a block."""
    return text_block(question_text(card, asked))
