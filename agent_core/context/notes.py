"""Notes: the volatile tail of a request, in the program's own voice. What was once sent stays in the history."""

from decimal import Decimal

from agent_core.model.budget import Limits, Spend

_VOICE = "[Pilothouse: {}]"


def budget_note(limits: Limits, spend: Spend) -> str:
    """What is used of each limit, in one line."""
    parts = [
        f"step {spend.steps + 1} of {limits.steps}",
        f"{spend.tool_calls} of {limits.tool_calls} tool calls",
        f"{_thousands(spend.tokens)} of {_thousands(limits.tokens)} tokens",
    ]
    if limits.cost_usd is not None:
        parts.append(f"{_dollars(spend.cost_usd)} of {limits.cost_usd:.2f} USD")
    parts.append(f"{spend.active_seconds:.0f} of {limits.seconds:.0f} seconds")
    return _VOICE.format("; ".join(parts) + " used")


def closing_note(reason: str) -> str:
    """What the last request says: tools are over, sum up. `reason` is one sentence."""
    return _VOICE.format(
        f"{reason.strip()} This is your last message and no tool can be called. Sum up for the operator what was done, "
        "what was found, and what is missing and why"
    )


def _thousands(tokens: int) -> str:
    return f"{tokens / 1000:.0f}k" if tokens >= 10_000 else f"{tokens:,}"


def _dollars(cost: Decimal | None) -> str:
    return "an unknown part" if cost is None else f"{cost:.2f}"
