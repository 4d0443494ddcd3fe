"""Two people: which actions one approval is not enough for. Pure."""

from agent_core.config.profile import GateSettings
from agent_core.model.action import Reversibility
from agent_core.model.proposal import EDITING, VERDICTS, Touchpoint, Verdict

"""Two people approve the same thing, so neither may alter it; whoever wants it otherwise refuses it with a reason."""


def people_needed(gate: GateSettings, reversibility: Reversibility, tool: str) -> int:
    """How many people must approve a call, by the profile's entries: a reversibility or the name of a tool."""
    return 2 if {reversibility.value, tool} & set(gate.two_person) else 1


def offered(touchpoint: Touchpoint, people: int = 1) -> list[Verdict]:
    """The verdicts of a card, in the order of their buttons."""
    return [verdict for verdict in VERDICTS[touchpoint] if people == 1 or verdict not in EDITING]
