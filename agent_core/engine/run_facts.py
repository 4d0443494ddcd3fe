"""What a card about the run itself says of it: what it did and tried, where its money went, what is left. Pure."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from agent_core.engine.summary import instant_text, money_text
from agent_core.metrics.rollup import projected
from agent_core.model.budget import CostParts, Spend
from agent_core.model.state import CallState, SessionState
from agent_core.policy.loops import signature

if TYPE_CHECKING:
    from agent_core.tools.base import ProbeAnswer

SHOWN_ATTEMPTS = 6
SHOWN_TOOLS = 4


def done_so_far(state: SessionState) -> str:
    """The calls of the run by what became of them, counted: "12 calls done: files_read 8, files_write 4. 1 failed."."""
    calls = [state.calls[call_id] for call_id in state.run.calls]
    ended = [call for call in calls if call.finished is not None and call.finished.ran]
    tools = Counter(call.tool for call in ended if call.finished is not None and call.finished.ok)
    failed = sum(call.finished is not None and not call.finished.ok for call in ended)
    if not tools and not failed:
        return "No call has come to an end yet."
    most = tools.most_common()
    named = ", ".join(f"{tool} {count}" for tool, count in most[:SHOWN_TOOLS])
    more = f" and {len(most) - SHOWN_TOOLS} more" if len(most) > SHOWN_TOOLS else ""
    done = f"{_plural(tools.total(), 'call')} done: {named}{more}." if tools else ""
    return " ".join(part for part in (done, f"{failed} failed." if failed else "") if part)


def money_went(state: SessionState) -> list[dict[str, str]]:
    """What the run's answers cost by kind, largest first: cause, share, dollars. Empty where a price is unknown."""
    parts: list[CostParts] = []
    for request_id in state.run.requests:
        responded = state.requests[request_id].responded
        if responded is None:
            continue
        if responded.cost_parts is None:
            return []
        parts.append(responded.cost_parts)
    sums = {words: sum((getattr(part, name) for part in parts), Decimal(0)) for name, words in _KINDS.items()}
    total = sum(sums.values(), Decimal(0))
    if not total:
        return []
    ordered = sorted(sums.items(), key=lambda entry: entry[1], reverse=True)
    return [
        {"cause": words, "share": f"{cost * 100 / total:.0f} %", "cost_usd": money_text(cost) or ""}
        for words, cost in ordered
        if cost
    ]


_KINDS = {
    "output": "Written by the model",
    "fresh_input": "Read for the first time",
    "cache_write": "Put into the cache",
    "cache_read": "Read again from the cache",
    "server_tools": "The service's own tools",
}


def to_finish(spend: Spend, usual: Spend | None) -> str:
    """What a usual run would still need, or why that cannot be said."""
    if usual is None:
        return "No estimate: too few runs of this agent came to their end."
    if spend.steps >= usual.steps:
        return f"No estimate: it is past the {_plural(usual.steps, 'step')} that this agent usually takes."
    whole = projected(spend, usual)
    left = usual.steps - spend.steps
    if whole is None or whole.cost_usd is None or spend.cost_usd is None:
        return f"About {_plural(left, 'more step')}, if it takes as many as usual."
    more = whole.cost_usd - spend.cost_usd
    return f"About {_plural(left, 'more step')} and ${more:.2f}, if it takes as many steps as usual."


def attempts(state: SessionState, call: CallState) -> list[dict[str, str]]:
    """The run's calls that asked for the same as this one, oldest first: when, what came of it, and whether it ran."""
    wanted = signature(call.tool, call.asked_input)
    same = [
        other
        for other in (state.calls[call_id] for call_id in state.run.calls)
        if other.tool == call.tool and signature(other.tool, other.asked_input) == wanted
    ]
    return [tried(other.asked_at, f"step {other.step}", _outcome(other)) for other in same[-SHOWN_ATTEMPTS:]]


def tried(at: datetime, attempt: str, result: str) -> dict[str, str]:
    """One line of what was tried, as cards keep it."""
    return {"at": instant_text(at) or "", "attempt": attempt, "result": result}


def looked(at: datetime, answer: "ProbeAnswer", what: str, before: Sequence[Any] = ()) -> list[Any]:
    """What a tool's check found, place by place, on top of `before`: each place once, as it was found last.

    `what` names a check that tells of no places. Cards of earlier versions hold a sentence each.
    """
    found = answer.looked or {what: answer.detail}
    kept = [entry for entry in before if not isinstance(entry, dict) or entry.get("attempt") not in found]
    return [*kept, *(tried(at, place, result) for place, result in found.items())]


def results(looked: Sequence[Any]) -> dict[str, Any]:
    """What was found at each place, whenever that was."""
    return {entry["attempt"]: entry["result"] for entry in looked if isinstance(entry, dict)}


def state_now(state: SessionState) -> str:
    """Whether anything is under way or changed, in one sentence."""
    calls = [state.calls[call_id] for call_id in state.run.calls]
    changed = sum(
        call.finished is not None and call.finished.ok and call.finished.ran and _changes(call) for call in calls
    )
    unknown = sum(call.unknown is not None and call.finished is None for call in calls)
    words = f"{_plural(changed, 'change')} made so far and kept" if changed else "Nothing was changed so far"
    return f"{words}; " + (f"{_plural(unknown, 'call')} of unknown outcome." if unknown else "no call is under way.")


def shown_arguments(arguments: dict[str, Any]) -> str:
    """Arguments in one line: short values by name, long ones by their length. All of it stands in the raw call."""
    return " · ".join(f"{name} {_short(value)}" for name, value in arguments.items()) or "no arguments"


def _short(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_short(item) for item in value[:3]) + (f" and {len(value) - 3} more" if len(value) > 3 else "")
    text = value if isinstance(value, str) else str(value)
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"of {len(text):,} characters"


_SHORT = 60


def _changes(call: CallState) -> bool:
    return call.judged is not None and call.judged.effect_class.changes


def _outcome(call: CallState) -> str:
    if call.finished is None or not call.finished.ran:
        return "not run"
    if call.finished.ok:
        return call.finished.summary or "done"
    return call.finished.error.code.replace("_", " ") if call.finished.error is not None else "failed"


def _plural(number: int, singular: str) -> str:
    return f"{number:,} {singular}" if number == 1 else f"{number:,} {singular}s"
