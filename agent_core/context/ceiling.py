"""What happens as a context fills up. Pure: a decision from sizes, never a change.

This version rewrites nothing: recent models sign their reasoning and refuse an edited history. So a full context is
said in time and ends the run by name, and nothing is ever cut silently. A ceiling that is raised in the profile holds
from the next request, so that a new run of the session can go on. Clearing and compaction will be further moves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from agent_core.context.slots import ContextEstimate
from agent_core.model.context import Slot, Worksheet

_NAMES = {
    Slot.SYSTEM: "the system prompt",
    Slot.TOOLS: "the tool definitions",
    Slot.NOTES: "notes",
    Slot.HISTORY: "the conversation",
    Slot.RESULTS: "tool results",
}


class ContextMove(StrEnum):
    """What to do before the next request."""

    PROCEED = "proceed"
    STOP = "stop"
    """The run ends `context_full`."""


@dataclass(frozen=True, slots=True)
class ContextStep:
    """The decision, how full the context is against its ceiling (1.0 is full), and a sentence where there is news."""

    move: ContextMove
    utilisation: float
    passed: str | None = None
    """The highest trigger that the next request passes: clear_at, compact_at or handoff_at."""
    sentence: str = ""


def context_step(worksheet: Worksheet, estimated: ContextEstimate) -> ContextStep:
    """What the worksheet says of a request of that size. The same sizes always give the same answer."""
    share = estimated.tokens / worksheet.ceiling if worksheet.ceiling > 0 else float("inf")
    passed = next((name for name in _TRIGGERS if estimated.tokens >= getattr(worksheet, name)), None)
    if estimated.tokens < worksheet.ceiling:
        return ContextStep(ContextMove.PROCEED, share, passed)
    sentence = (
        f"The next request would take about {estimated.tokens:,} tokens, and the ceiling is {worksheet.ceiling:,}. "
        f"{most_of(estimated.slots)} With a higher ceiling in the profile's [context] a message lets it go on."
    )
    return ContextStep(ContextMove.STOP, share, passed, sentence)


def most_of(slots: Mapping[str, int]) -> str:
    """What takes most of a request, in a sentence: tokens by slot."""
    largest = Slot(max(slots, key=lambda name: slots[name]))
    return f"Most of it is {_NAMES.get(largest, largest.value)} ({slots[largest.value]:,} tokens)."


_TRIGGERS = ("handoff_at", "compact_at", "clear_at")
