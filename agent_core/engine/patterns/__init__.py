"""Loop patterns: small pure strategies that say what comes next. Those that this version lacks are refused by name."""

from collections.abc import Callable
from datetime import datetime

from agent_core.config.profile import PatternName
from agent_core.engine.commands import Command
from agent_core.engine.patterns import plan_execute, react
from agent_core.model.errors import NotInThisVersion
from agent_core.model.state import SessionState

NextCommand = Callable[[SessionState, datetime], Command]
"""What to do next, from the state and the wall clock's instant alone."""

PATTERNS: tuple[tuple[PatternName, NextCommand], ...] = (
    (PatternName.REACT, react.next_command),
    (PatternName.PLAN_EXECUTE, plan_execute.next_command),
)


def pattern_for(name: PatternName) -> NextCommand:
    """The strategy of that name; raises NotInThisVersion."""
    for known, strategy in PATTERNS:
        if known is name:
            return strategy
    raise NotInThisVersion(f'The pattern "{name.value}" is not in this version; use "react" or "plan_execute"')
