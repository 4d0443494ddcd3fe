"""Random gate inputs over a small world, so that rules often match."""

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from agent_core.config.profile import Match, Rule, RuleScope
from agent_core.model.action import EffectClass, GateVerdict, Reversibility, Tier, ToolError
from agent_core.model.proposal import Confidence
from agent_core.policy.gate import GateInput

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
RESTRICTION = [GateVerdict.ALLOW, GateVerdict.ASK, GateVerdict.DENY]
GRAVITY = list(Reversibility)

_paths = st.sampled_from(["reports/a.md", "reports/2026/b.md", "reports", "secrets/key", "a.md", "."])
_when: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {},
        {"path": "reports/**"},
        {"path": "**"},
        {"path": "secrets/**"},
        {"path": {"inside": "reports"}},
        {"path": ["a.md", "reports/*"]},
        {"amount": {"max": 250}},
        {"amount": 250, "path": "**"},
        {"no_such_argument": "x"},
    ]
)


def rules_with(verdicts: st.SearchStrategy[GateVerdict]) -> st.SearchStrategy[Rule]:
    """Rules of some verdicts, in force and not."""
    return st.builds(
        Rule,
        tool=st.sampled_from(["files_write", "files_write", "other"]),
        verdict=verdicts,
        when=_when,
        match=st.just(Match.GLOB),
        scope=st.sampled_from(RuleScope),
        expires=st.sampled_from(
            [None, None, (NOW + timedelta(hours=1)).isoformat(), (NOW - timedelta(hours=1)).isoformat(), "never"]
        ),
        uses=st.sampled_from([None, None, 1, 3]),
        rule_id=st.sampled_from(["", "u-1", "u-2"]),
    )


any_rule = rules_with(st.sampled_from(GateVerdict))


def confidence(score: float | None, threshold: float = 0.85) -> Confidence:
    """A confidence of that score."""
    low = score is not None and score < threshold
    return Confidence(score=score, threshold=threshold, below_threshold=low, checks=[])


def error(code: str) -> ToolError:
    """An error of that code."""
    return ToolError(code=code, message=f"It is {code}.")


@st.composite
def gate_inputs(draw: st.DrawFn) -> GateInput:
    """A call in some state of the world; refusals apart from rules are rare, so that the rest is reached."""
    rarely = st.integers(0, 9).map(lambda roll: roll == 0)
    facts: dict[str, Any] = {"path": draw(_paths)}
    return GateInput(
        tool="files_write",
        now=NOW,
        in_manifest=not draw(rarely),
        available=("files_write", "files_read"),
        contained="It is off." if draw(rarely) else None,
        invalid=error("invalid") if draw(rarely) else None,
        denied=error("outside") if draw(rarely) else None,
        effect_class=draw(st.sampled_from(EffectClass)),
        reversibility=draw(st.sampled_from(Reversibility)),
        open_world=draw(st.booleans()),
        arguments={**facts, "amount": draw(st.sampled_from([1, 250, 251.5, "n/a"]))},
        facts=facts,
        rules=draw(st.lists(any_rule, max_size=5)),
        rule_uses=draw(st.dictionaries(st.sampled_from(["u-1", "u-2"]), st.integers(0, 4), max_size=2)),
        confidence=draw(st.none() | st.floats(0, 1).map(confidence) | st.just(confidence(None))),
        stale_sources=draw(st.booleans()),
        repeat_of="step 7 (outcome unknown)" if draw(rarely) else None,
        already_answered=draw(st.booleans()),
        answered_tier=draw(st.none() | st.sampled_from(Tier)),
        demo=draw(rarely),
        real=draw(st.booleans()),
    )


def changed(call: GateInput, **parts: Any) -> GateInput:
    """The same call with some parts changed."""
    return dataclasses.replace(call, **parts)
