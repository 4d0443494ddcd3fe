"""What people call the patterns of agents: name, what it does, icon."""

from collections.abc import Mapping

from agent_core.config.profile import PatternName

PATTERN_WORDS: Mapping[PatternName, tuple[str, str, str]] = {
    PatternName.REACT: ("ReAct", "decides step by step", "repeat"),
    PatternName.PLAN_EXECUTE: ("Plan-execute", "plan shown before it starts", "workflow"),
    PatternName.STATE_MACHINE: ("State machine", "fixed states, gates", "network"),
    PatternName.REFLECTION: ("Reflection", "draft, critique, revise", "refresh-cw"),
}


def pattern_name(pattern: str) -> str:
    """A pattern as people call it; one that this version does not know by its own name."""
    return PATTERN_WORDS[PatternName(pattern)][0] if pattern in list(PatternName) else pattern
