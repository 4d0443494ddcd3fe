"""Answers: what a call comes back with when it is settled without running. Pure; one answer per call, always."""

from typing import Any

from agent_core.model.action import ToolError
from agent_core.model.events import CallFinished
from agent_core.model.proposal import Decision, ProposalStatus, Touchpoint, Verdict
from agent_core.model.state import CallState, ProposalState
from agent_core.policy.decisions import describe_decision, describe_expiry


def by_card(call: CallState, card: ProposalState) -> CallFinished:
    """The answer that a closed card gives: refused, answered, taken over, known to have happened or not, expired."""
    decision = card.closing
    if card.status is ProposalStatus.EXPIRED or decision is None:
        return failed(call, _expired(card), summary="No decision in time; not run.")
    make = _BY_VERDICT.get((card.proposal.touchpoint, decision.verdict)) or _BY_ANY[decision.verdict]
    return make(call, decision, describe_decision(decision, card.proposal))


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


def after_the_end(call: CallState) -> CallFinished:
    """The closing request asks for words alone; what the model calls there all the same is not heard."""
    message = "Not run: the run ends with this answer, and nothing is called any more."
    return failed(call, ToolError(code="run_ends", message=message))


def repeated(call: CallState, period: int) -> CallFinished:
    """The call would have completed the third repeat of a cycle."""
    what = "this same call" if period == 1 else f"the same {period} calls in turn"
    error = ToolError(
        code="loop_detected",
        message=f"Not run: you made {what} twice already, with the same results.",
        suggestion="Try another way, or finish with what you have. The next repeat stops the run.",
    )
    return failed(call, error, summary="Not run: it repeats itself a third time.")


def _expired(card: ProposalState) -> ToolError:
    return ToolError(
        code="expired",
        message=describe_expiry(card.proposal),
        suggestion="Go on without it, or finish and name it as a gap. Ask again only if it is needed.",
    )


def _rejected(call: CallState, decision: Decision, told: str) -> CallFinished:
    suggestion = "Do not ask for the same again; find another way that respects the reason, or leave it as a gap."
    return failed(call, ToolError(code="rejected", message=told, suggestion=suggestion))


def _sent_back(call: CallState, decision: Decision, told: str) -> CallFinished:
    suggestion = "Change the draft as the reason says and hand it in again; the same draft would come back."
    return failed(call, ToolError(code="sent_back", message=told, suggestion=suggestion))


def _taken_over(call: CallState, decision: Decision, told: str) -> CallFinished:
    done = decision.details.get("done")
    if done is False:
        error = ToolError(code="taken_over", message=told, suggestion="Do not do it yourself.")
        return failed(call, error, summary=f"{decision.by} took it over; it is not done.")
    result = {"taken_over_by": decision.by, "note": told, "reference": decision.details.get("reference")}
    return answered(call, result, f"{decision.by} {'did' if done else 'does'} it outside.")


def _reply(call: CallState, decision: Decision, told: str) -> CallFinished:
    return answered(call, {"answer": decision.answer, "by": decision.by}, f"Answered by {decision.by}.")


def _information(call: CallState, decision: Decision, told: str) -> CallFinished:
    """The operator gave what was missing: the call as it was asked for does not run."""
    suggestion = "The call was not run. Use the answer and make the call again with it."
    error = ToolError(code="needs_information", message=told, suggestion=suggestion)
    return failed(call, error, summary=f"Answered by {decision.by}.")


def _declined(call: CallState, decision: Decision, told: str) -> CallFinished:
    suggestion = "Go on without the answer, or name it as a gap."
    return failed(call, ToolError(code="declined", message=told, suggestion=suggestion))


def _happened(call: CallState, decision: Decision, told: str) -> CallFinished:
    result = {"happened": True, "note": told, "reference": decision.details.get("reference")}
    return answered(call, result, f"It happened, says {decision.by}.", ran=True)


def _not_happened(call: CallState, decision: Decision, told: str) -> CallFinished:
    suggestion = "Ask for it again if it is still needed."
    error = ToolError(code="did_not_happen", message=told, suggestion=suggestion)
    return failed(call, error, summary=f"It did not happen, says {decision.by}.", ran=True)


_BY_VERDICT = {
    (Touchpoint.QUESTION, Verdict.ANSWER): _reply,
    (Touchpoint.CONFIDENCE, Verdict.ANSWER): _information,
}
_BY_ANY = {
    Verdict.REJECT: _rejected,
    Verdict.SEND_BACK: _sent_back,
    Verdict.ABANDON: _rejected,
    Verdict.TAKE_OVER: _taken_over,
    Verdict.ANSWER: _reply,
    Verdict.DECLINE: _declined,
    Verdict.HAPPENED: _happened,
    Verdict.NOT_HAPPENED: _not_happened,
}
