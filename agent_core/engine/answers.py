"""Answers: what a call comes back with when it is settled without running. Pure; one answer per call, always."""

from typing import Any

from agent_core.model.action import ToolError
from agent_core.model.events import CallFinished
from agent_core.model.proposal import DeadlineOutcome, Decision, ProposalStatus, Touchpoint, Verdict
from agent_core.model.state import CallState, ProposalState


def by_card(call: CallState, card: ProposalState) -> CallFinished:
    """The answer that a closed card gives: refused, answered, taken over, known to have happened or not, expired."""
    decision = card.closing
    if card.status is ProposalStatus.EXPIRED or decision is None:
        return failed(call, _expired(card), summary="No decision in time; not run.")
    make = _BY_VERDICT.get((card.proposal.touchpoint, decision.verdict)) or _BY_ANY[decision.verdict]
    return make(call, decision)


def failed(call: CallState, error: ToolError, *, summary: str = "", ran: bool = False) -> CallFinished:
    """A call that is answered by an error."""
    return CallFinished(
        call_id=call.call_id,
        tool_use_id=call.tool_use_id,
        tool=call.tool,
        ok=False,
        error=error,
        ran=ran,
        summary=summary or error.message,
    )


def answered(call: CallState, result: dict[str, Any], summary: str, *, ran: bool = False) -> CallFinished:
    """A call that is answered by a result which no tool gave."""
    return CallFinished(
        call_id=call.call_id,
        tool_use_id=call.tool_use_id,
        tool=call.tool,
        ok=True,
        result=result,
        ran=ran,
        summary=summary,
    )


def cancelled(call: CallState, why: str) -> CallFinished:
    """The run ends or was stopped before this call could run."""
    return failed(call, ToolError(code="cancelled", message=f"Not run: {why}"), summary=f"Not run: {why}")


def limit_reached(call: CallState, limit: str) -> CallFinished:
    """The call did not fit under a limit any more."""
    error = ToolError(
        code="limit_reached",
        message=f"Not run: the limit of {limit} is reached.",
        suggestion="Sum up what you have; ask again only if the operator extends the limit.",
    )
    return failed(call, error)


def repeated(call: CallState, period: int) -> CallFinished:
    """The call would have completed the third repeat of a cycle."""
    what = "this same call" if period == 1 else f"the same {period} calls in turn"
    error = ToolError(
        code="loop_detected",
        message=f"Not run: you made {what} twice already, with the same results.",
        suggestion="Try another way, or finish with what you have. The next repeat stops the run.",
    )
    return failed(call, error, summary=f"Not run: third repeat of a cycle of {period}.")


def _expired(card: ProposalState) -> ToolError:
    asked = "answered" if card.proposal.touchpoint is Touchpoint.QUESTION else "decided"
    outcome = card.proposal.deadline_outcome
    stopping = " The run stops." if outcome is DeadlineOutcome.STOP else ""
    return ToolError(
        code="expired",
        message=f"Nobody {asked} in time, so nothing was done.{stopping}",
        suggestion="Go on without it, or finish and name it as a gap. Ask again only if it is needed.",
    )


def _rejected(call: CallState, decision: Decision) -> CallFinished:
    reason = decision.reason or "no reason given"
    error = ToolError(
        code="rejected",
        message=f"{decision.by} refused this call: {reason}",
        suggestion="Do not ask for the same again; find another way that respects the reason, or leave it as a gap.",
    )
    return failed(call, error, summary=f"Refused by {decision.by}: {reason}")


def _taken_over(call: CallState, decision: Decision) -> CallFinished:
    done = decision.details.get("done") is not False
    result = {
        "taken_over_by": decision.by,
        "done": done,
        "reference": decision.details.get("reference"),
        "note": decision.reason or decision.answer,
    }
    if done:
        return answered(call, result, f"{decision.by} did it outside.")
    error = ToolError(
        code="taken_over",
        message=f"{decision.by} took this over and reports it as not done: {decision.reason or 'no reason given'}",
        suggestion="Do not do it yourself.",
    )
    return failed(call, error)


def _reply(call: CallState, decision: Decision) -> CallFinished:
    return answered(call, {"answer": decision.answer, "by": decision.by}, f"Answered by {decision.by}.")


def _information(call: CallState, decision: Decision) -> CallFinished:
    """The operator gave what was missing: the call as it was asked for does not run."""
    error = ToolError(
        code="needs_information",
        message=f"Not run yet. {decision.by} answered: {decision.answer}",
        suggestion="Use the answer and make the call again with it.",
    )
    return failed(call, error, summary=f"Answered by {decision.by}.")


def _declined(call: CallState, decision: Decision) -> CallFinished:
    error = ToolError(
        code="declined",
        message=f"{decision.by} declined to answer: {decision.reason or 'no reason given'}",
        suggestion="Go on without the answer, or name it as a gap.",
    )
    return failed(call, error)


def _happened(call: CallState, decision: Decision) -> CallFinished:
    result = {
        "happened": True,
        "confirmed_by": decision.by,
        "reference": decision.details.get("reference"),
        "note": "The call was interrupted; a person confirmed that it took effect. Its own result is not known.",
    }
    return answered(call, result, f"It happened, says {decision.by}.", ran=True)


def _not_happened(call: CallState, decision: Decision) -> CallFinished:
    error = ToolError(
        code="did_not_happen",
        message=f"The call was interrupted, and {decision.by} found that it took no effect.",
        suggestion="Ask for it again if it is still needed.",
    )
    return failed(call, error, summary=f"It did not happen, says {decision.by}.", ran=True)


_BY_VERDICT = {
    (Touchpoint.QUESTION, Verdict.ANSWER): _reply,
    (Touchpoint.CONFIDENCE, Verdict.ANSWER): _information,
}
_BY_ANY = {
    Verdict.REJECT: _rejected,
    Verdict.SEND_BACK: _rejected,
    Verdict.ABANDON: _rejected,
    Verdict.TAKE_OVER: _taken_over,
    Verdict.ANSWER: _reply,
    Verdict.DECLINE: _declined,
    Verdict.HAPPENED: _happened,
    Verdict.NOT_HAPPENED: _not_happened,
}
