"""Closing: the result that every run ends with, good or bad: output, completed, gaps and a computed confidence."""

from dataclasses import dataclass
from typing import Any

from agent_core.config.profile import Profile
from agent_core.engine import answers
from agent_core.model.engine_tools import FINISH
from agent_core.model.events import EventData, ProposalWithdrawn, RunStopped
from agent_core.model.plan import StepState
from agent_core.model.proposal import APPROVING, CheckResult, ProposalStatus, Touchpoint
from agent_core.model.state import CallState, CallStatus, SessionState, StopReason
from agent_core.policy.plans import standing_of

_SENTENCES = {
    StopReason.STEP_LIMIT: "The step limit was reached before the goal.",
    StopReason.TOOL_CALL_LIMIT: "The tool call limit was reached before the goal.",
    StopReason.TOKEN_LIMIT: "The token limit was reached before the goal.",
    StopReason.COST_LIMIT: "The cost limit was reached before the goal.",
    StopReason.TIME_LIMIT: "The time limit was reached before the goal.",
    StopReason.LOOP_DETECTED: "The agent repeated itself and was stopped.",
    StopReason.POLICY_STOP: "The policy stopped the run.",
    StopReason.REJECTED: "The operator refused an action and stopped the run.",
    StopReason.DEADLINE_PASSED: "A decision did not come in time and the run was stopped.",
    StopReason.REFUSED: "The model refused to go on.",
    StopReason.CONTEXT_FULL: "The context is full.",
    StopReason.PROVIDER_FAILED: "The model's service failed.",
    StopReason.CANCELLED: "The run was stopped by a person.",
    StopReason.FAILED: "The run failed.",
}


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a run ends, by whom, and the sentence that explains it."""

    reason: StopReason
    by: str = "system"
    detail: str = ""
    finish: str | None = None


def stopped(state: SessionState, profile: Profile, ending: Ending) -> RunStopped:
    """The closing event of the newest run."""
    finish = _finish_arguments(state, ending)
    gaps = _gaps(state, ending, finish)
    claimed = finish is None or finish.get("completed") is True
    completed = ending.reason is StopReason.COMPLETED and claimed and not standing_of(state).unfinished
    return RunStopped(
        stop_reason=ending.reason.value,
        completed=completed,
        output=_output(state, finish),
        gaps=gaps,
        confidence=_confidence(state, profile, gaps, finished=finish is not None),
        by=ending.by,
        detail=ending.detail,
    )


def _finish_arguments(state: SessionState, ending: Ending) -> dict[str, Any] | None:
    return state.calls[ending.finish].arguments if ending.finish is not None else None


def _output(state: SessionState, finish: dict[str, Any] | None) -> str | None:
    if finish is not None:
        return str(finish.get("output", ""))
    for request_id in reversed(state.run.requests):
        responded = state.requests[request_id].responded
        if responded is None:
            continue
        text = "\n".join(str(b.get("text", "")) for b in responded.content if b.get("type") == "text").strip()
        if text:
            return text
    return None


def _gaps(state: SessionState, ending: Ending, finish: dict[str, Any] | None) -> list[str]:
    gaps: list[str] = []
    if ending.reason is not StopReason.COMPLETED:
        gaps.append(_why(ending))
    named = finish.get("gaps") if finish is not None else None
    gaps.extend(str(gap) for gap in named or [])
    gaps.extend(_not_done(step) for step in standing_of(state).unfinished)
    gaps.extend(
        f"Nobody knows whether {state.calls[c].tool} of step {state.calls[c].step} happened." for c in _unknown(state)
    )
    return gaps


def _why(ending: Ending) -> str:
    """The sentence of the reason and what explains it; alone where that says itself that the service failed."""
    sentence = _SENTENCES[ending.reason]
    if ending.detail and ending.reason is StopReason.PROVIDER_FAILED:
        return ending.detail
    return f"{sentence} {ending.detail}".strip()


def _not_done(state: StepState) -> str:
    why = f" ({state.detail.rstrip('.')})" if state.detail else ""
    return f'Step "{state.step.id}" of the plan is not done{why}: {state.step.goal}'


def _unknown(state: SessionState) -> list[str]:
    return [c for c in state.run.calls if state.calls[c].status is CallStatus.UNKNOWN]


def _confidence(state: SessionState, profile: Profile, gaps: list[str], *, finished: bool) -> str:
    if gaps or _unknown(state):
        return "low"
    lists_finish = any(entry.name == FINISH for entry in profile.tools)
    calls = [state.calls[c] for c in state.run.calls]
    if any(_overrode(state, call) or _stale(state, call) for call in calls) or (lists_finish and not finished):
        return "medium"
    return "high"


def _overrode(state: SessionState, call: CallState) -> bool:
    """A person let a call run although its score lay below the threshold."""
    decision = call.decision
    if decision is None or decision.verdict not in APPROVING:
        return False
    card = state.proposals.get(decision.proposal)
    confidence = card.proposal.confidence if card is not None else None
    return confidence is not None and confidence.below_threshold


def _stale(state: SessionState, call: CallState) -> bool:
    """A call ran on a fact that was older than it may be."""
    if call.judged is None or call.finished is None or not call.finished.ran:
        return False
    cards = [state.proposals[card].proposal for card in call.proposals]
    if any(source.stale for card in cards for source in card.sources):
        return True
    checks = call.judged.confidence.checks if call.judged.confidence is not None else []
    return any(check.name.startswith("origin of") and check.result is CheckResult.WARN for check in checks)


def settle(state: SessionState, profile: Profile, ending: Ending) -> list[EventData]:
    """Everything that ends the newest run: each open call answered, each open card closed, the result.

    Calls of unknown outcome keep their card: only a person can say what happened, before or after the end.
    """
    why = ending.detail or _SENTENCES.get(ending.reason, "the run ended")
    events: list[EventData] = []
    for call_id in state.run.calls:
        call = state.calls[call_id]
        if call.status in (CallStatus.FINISHED, CallStatus.UNKNOWN):
            continue
        card = state.proposals[call.proposals[-1]] if call.proposals else None
        settled = card is not None and card.status in (ProposalStatus.DECIDED, ProposalStatus.EXPIRED)
        refuses = card is not None and (card.closing is None or card.closing.digest is None)
        if card is not None and settled and refuses:
            events.append(answers.by_card(call, card))
        else:
            events.append(answers.cancelled(call, why))
    events.extend(
        ProposalWithdrawn(proposal=card_id, why="The run ended.")
        for card_id in state.open_proposals
        if state.proposals[card_id].proposal.touchpoint is not Touchpoint.OUTCOME_UNKNOWN
    )
    events.append(stopped(state, profile, ending))
    return events
