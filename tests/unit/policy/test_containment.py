"""Containment: three refusals by the gate switch a tool off; nothing else counts."""

import pytest

from agent_core.model.action import GateVerdict, ToolError
from agent_core.policy.containment import DENIALS, counts, why_contained


@pytest.mark.parametrize(
    "code", ["invalid_arguments", "unknown_tool", "contained", "rejected", "expired", "not_in_demo"]
)
def test_only_denials_count(code: str) -> None:
    assert counts(GateVerdict.DENY, ToolError(code="denied", message="No."))
    assert counts(GateVerdict.DENY, None)
    assert not counts(GateVerdict.DENY, ToolError(code=code, message="No."))
    for verdict in (GateVerdict.ALLOW, GateVerdict.ASK):
        assert not counts(verdict, None)


def test_the_third_denial_switches_a_tool_off_and_says_so() -> None:
    assert [why_contained("files_read", n) is not None for n in range(DENIALS + 2)] == [False] * 3 + [True] * 2
    assert (
        why_contained("files_read", 3)
        == "files_read was refused 3 times in this run and is off until an operator lifts it."
    )
