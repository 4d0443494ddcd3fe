"""How a session stands, in a word or two with a tone and an icon. Pure."""

from agent_core.model.intents import SessionSummary
from agent_core.model.proposal import Touchpoint
from agent_core.model.run import SessionStatus
from ui.tokens import ToneName

_STOP_WORDS = {
    "completed": "Done",
    "rejected": "Rejected",
    "cancelled": "Stopped",
    "step_limit": "Step limit",
    "tool_call_limit": "Tool call limit",
    "token_limit": "Token limit",
    "cost_limit": "Budget stop",
    "time_limit": "Time limit",
    "loop_detected": "Loop stopped",
    "policy_stop": "Policy stop",
    "deadline_passed": "Deadline passed",
    "refused": "Model refused",
    "context_full": "Context full",
    "provider_failed": "Model service failed",
    "failed": "Failed",
}
_PAUSE_WORDS = {
    "operator": "Paused",
    "closed": "Paused by closing",
    "limit": "Paused by a limit",
    "provider_overloaded": "Model unavailable",
    "cannot_save": "Cannot save",
}
_BAD_ENDS = ("failed", "provider_failed", "policy_stop")


def state_chip(summary: SessionSummary) -> tuple[str, ToneName, str]:
    """The words, tone and icon of a session's state."""
    if summary.status is SessionStatus.ENDED:
        reason = summary.stop_reason or ""
        words = _STOP_WORDS.get(reason, reason.replace("_", " ").capitalize() or "Ended")
        if reason in _BAD_ENDS:
            return words, "dang", "octagon-alert"
        return words, "neutral", "check" if reason == "completed" else "circle-stop"
    if summary.open_proposals:
        if summary.urgent_touchpoint is Touchpoint.OUTCOME_UNKNOWN:
            return "Outcome unknown", "unk", "circle-question-mark"
        return "Waiting for you", "attn", "hand"
    if summary.status is SessionStatus.PAUSED:
        words = _PAUSE_WORDS.get(summary.pause_reason or "", "Paused")
        return (
            words,
            "attn" if summary.pause_reason in ("provider_overloaded", "cannot_save") else "plain",
            "circle-pause",
        )
    if summary.status is SessionStatus.INTERRUPTED:
        return f"Interrupted after step {summary.step}", "attn", "circle-pause"
    return "Running", "plain", "circle-play"
