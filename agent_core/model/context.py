"""Context: the parts of a model request, and how full it may grow before something is done about it."""

from enum import StrEnum

import msgspec


class Slot(StrEnum):
    """A part of the model's context, in the order in which requests hold them."""

    SYSTEM = "system"
    TOOLS = "tools"
    SKILLS = "skills"
    MEMORY = "memory"
    NOTES = "notes"
    HISTORY = "history"
    RESULTS = "results"
    OUTPUT = "output"
    HEADROOM = "headroom"


class Worksheet(msgspec.Struct, frozen=True, kw_only=True):
    """The design ceiling and its triggers, in input tokens; `result_cap` is in characters per tool result."""

    ceiling: int = 200_000
    clear_at: int = 100_000
    compact_at: int = 150_000
    handoff_at: int = 180_000
    result_cap: int = 20_000
