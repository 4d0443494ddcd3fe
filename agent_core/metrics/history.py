"""History: the calls of a session as the gate judged them, with what people said. A fold of events."""

from collections.abc import Collection

import msgspec

from agent_core.config.profile import Profile
from agent_core.config.rule_trials import PastCall
from agent_core.model.proposal import Verdict
from agent_core.model.run import CallState
from agent_core.model.state import SessionState


def past_calls(state: SessionState, open_world: Collection[str]) -> list[PastCall]:
    """Every call that the gate judged, in order. `open_world` names the tools that read from outside."""
    if state.opened is None:
        return []
    profile = msgspec.convert(state.opened.profile, Profile)
    found = []
    for call in (state.calls[c] for run in state.runs if not run.inherited for c in run.calls):
        judged = call.judged
        if judged is None or (judged.error is not None and judged.error.code != "denied"):
            continue
        verdict, by = _given(state, call)
        found.append(
            PastCall(
                session=state.session,
                agent=state.opened.agent,
                call_id=call.call_id,
                step=call.step,
                at=call.asked_at,
                tool=call.tool,
                arguments=judged.arguments,
                gate=judged.verdict,
                effect_class=judged.effect_class,
                reversibility=judged.reversibility,
                rules=judged.rules,
                confidence=judged.confidence,
                open_world=call.tool in open_world,
                given=verdict,
                by=by,
                agent_rules=profile.rules,
            )
        )
    return found


def _given(state: SessionState, call: CallState) -> tuple[Verdict | None, str | None]:
    """The first closing decision on the call: what a person said to it as it was asked."""
    for name in call.proposals:
        closing = state.proposals[name].closing
        if closing is not None:
            return closing.verdict, closing.by
    return None, None
