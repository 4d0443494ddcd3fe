"""Two people: which actions one approval is not enough for. Pure.

Both approve the same thing. Whoever changes the call has thereby approved it as changed, and is the first of the two;
an approval of it as it was before no longer counts.
"""

from agent_core.config.profile import GateSettings
from agent_core.model.action import Reversibility


def people_needed(gate: GateSettings, reversibility: Reversibility, tool: str) -> int:
    """How many people must approve a call, by the profile's entries: a reversibility or the name of a tool."""
    return 2 if {reversibility.value, tool} & set(gate.two_person) else 1
