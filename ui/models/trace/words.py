"""The fixed words of the trace: stop and pause reasons, limits, verdicts, deadline outcomes, effect classes. Pure."""

from collections.abc import Mapping

from agent_core.model.action import EffectClass
from agent_core.model.budget import MONEY_LIMITS, LimitName
from agent_core.model.errors import ProviderFault
from agent_core.model.proposal import DeadlineOutcome, Touchpoint, Verdict
from agent_core.model.run import StopReason
from ui import formatting

STOPPED: Mapping[str, str] = {
    StopReason.COMPLETED: "Completed",
    StopReason.STEP_LIMIT: "Stopped at the step limit",
    StopReason.TOOL_CALL_LIMIT: "Stopped at the tool call limit",
    StopReason.TOKEN_LIMIT: "Stopped at the token limit",
    StopReason.COST_LIMIT: "Stopped at the cost limit",
    StopReason.TIME_LIMIT: "Stopped at the time limit",
    StopReason.LOOP_DETECTED: "Stopped: the agent repeated itself",
    StopReason.POLICY_STOP: "Stopped by policy",
    StopReason.REJECTED: "Stopped by a rejection",
    StopReason.DEADLINE_PASSED: "Stopped: a deadline passed",
    StopReason.REFUSED: "Stopped: the model refused",
    StopReason.CONTEXT_FULL: "Stopped: the context is full",
    StopReason.PROVIDER_FAILED: "Stopped: the model service failed",
    StopReason.CANCELLED: "Stopped by a person",
    StopReason.FAILED: "Failed",
}
BAD_STOPS = frozenset({StopReason.FAILED, StopReason.PROVIDER_FAILED, StopReason.POLICY_STOP})

PAUSED: Mapping[str, str] = {
    "operator": "by an operator",
    "closed": "the console was closed",
    "limit": "another run reached its limit",
    "provider_overloaded": "the model service does not answer",
    "cannot_save": "nothing can be saved",
}
LIMITS: Mapping[LimitName, str] = {
    LimitName.STEPS: "step limit",
    LimitName.TOOL_CALLS: "tool call limit",
    LimitName.TOKENS: "token limit",
    LimitName.COST_USD: "cost limit",
    LimitName.SECONDS: "time limit",
    LimitName.TREE_COST_USD: "limit of cost with forks",
}
SCOPES: Mapping[str, str] = {"run": "", "day": "of the day", "tree": ""}

EFFECTS: Mapping[EffectClass, str] = {
    EffectClass.READ_ONLY: "read-only",
    EffectClass.IDEMPOTENT_BY_KEY: "idempotent by key",
    EffectClass.NON_IDEMPOTENT: "non-idempotent",
    EffectClass.ENGINE: "engine",
}
HELD: Mapping[Touchpoint, str] = {
    Touchpoint.APPROVAL: "Held for approval",
    Touchpoint.QUALITY_REVIEW: "Held for review",
    Touchpoint.CONFIDENCE: "Held: needs information",
    Touchpoint.EXCEPTION: "Held: exception",
    Touchpoint.OUTCOME_UNKNOWN: "Held: outcome unknown",
    Touchpoint.BUDGET: "Held: budget reached",
    Touchpoint.PLAN: "Held: plan to approve",
    Touchpoint.QUESTION: "Question to you",
}
DECIDED: Mapping[Verdict, str] = {
    Verdict.APPROVE: "Approved by {by}",
    Verdict.MODIFY: "Modified by {by}",
    Verdict.REJECT: "Rejected by {by}",
    Verdict.ASK: "{by} asked the agent",
    Verdict.ESCALATE: "Escalated by {by}",
    Verdict.TAKE_OVER: "Taken over by {by}",
    Verdict.RELEASE: "Released by {by}",
    Verdict.EDIT: "Edited by {by}",
    Verdict.SEND_BACK: "Sent back by {by}",
    Verdict.ANSWER: "Answered by {by}",
    Verdict.BEST_EFFORT: "Best effort, said {by}",
    Verdict.ABANDON: "Abandoned by {by}",
    Verdict.USE_SUGGESTION: "{by} took the suggestion",
    Verdict.FIXED: "Fixed by {by}",
    Verdict.OTHER_WAY: "{by} sent it another way",
    Verdict.SKIP: "Skipped by {by}",
    Verdict.CHECK_AGAIN: "Checked again by {by}",
    Verdict.HAPPENED: "It happened, says {by}",
    Verdict.NOT_HAPPENED: "It did not happen, says {by}",
    Verdict.EXTEND: "Extended by {by}",
    Verdict.FINISH: "Finish with what there is, said {by}",
    Verdict.STOP: "Stopped by {by}",
    Verdict.DECLINE: "Declined by {by}",
    Verdict.POSTPONE: "Postponed by {by}",
}
REFUSING = frozenset({Verdict.REJECT, Verdict.SEND_BACK, Verdict.ABANDON, Verdict.STOP, Verdict.DECLINE, Verdict.SKIP})

EXPIRED: Mapping[DeadlineOutcome, str] = {
    DeadlineOutcome.CANCEL: "the call was cancelled by the system",
    DeadlineOutcome.ESCALATE: "escalated by the system",
    DeadlineOutcome.STOP: "the run was stopped by the system",
    DeadlineOutcome.FINISH: "the run finishes with what it has",
    DeadlineOutcome.STAY: "the card stays open",
}
TECHNIQUES: Mapping[str, str] = {
    "clear": "Cleared",
    "clearing": "Cleared",
    "clear_tool_results": "Cleared",
    "compact": "Compacted",
    "compaction": "Compacted",
    "handoff": "Handed over",
    "hand_over": "Handed over",
}
FAULTS: Mapping[str, str] = {
    ProviderFault.OVERLOADED: "service overloaded",
    ProviderFault.RATE_LIMITED: "rate limited",
    ProviderFault.SERVER: "service failed",
    ProviderFault.CONNECTION: "connection lost",
    ProviderFault.CUT: "answer cut off",
    ProviderFault.STALLED: "answer stalled",
    ProviderFault.GARBAGE: "answer not readable",
    ProviderFault.AUTHENTICATION: "key refused",
    ProviderFault.PAYMENT: "payment needed",
    ProviderFault.INVALID_REQUEST: "request refused",
    ProviderFault.TOO_LARGE: "request too large",
    ProviderFault.NOT_FOUND: "no such model",
    ProviderFault.NO_KEY: "no key",
}


def limit_value(limit: LimitName, value: str) -> str:
    """A journaled limit or spend as people read it: "$0.50", "40", "15 min"; "none" lifts the limit."""
    if value == "none":
        return "no limit"
    try:
        number = float(value)
    except ValueError:
        return value
    if limit in MONEY_LIMITS:
        return formatting.money(number)
    if limit is LimitName.SECONDS:
        return formatting.duration(number)
    return formatting.count(number)


def plain(name: str) -> str:
    """A name from code as words: "cost_limit" becomes "cost limit"."""
    return name.replace("_", " ")
