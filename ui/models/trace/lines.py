"""From a row to its line. Words come from code; the model's words stand in `body`, the tools' in `text`."""

from collections.abc import Callable
from typing import Any

from agent_core.model import events as ev
from agent_core.model.action import EffectClass, GateVerdict
from ui import formatting
from ui.hostile import visible, visible_line
from ui.models.trace.brief import first_line, one_line, rough_size
from ui.models.trace.card_lines import card_line, change_line, closing_line, decision_line, undone_line
from ui.models.trace.line import BODY_CHARACTERS, ChipText, Line, TraceLine
from ui.models.trace.model import TraceModel
from ui.models.trace.rows import RowKind
from ui.models.trace.run_lines import RUN_LINES
from ui.models.trace.step_line import step_line
from ui.models.trace.words import EFFECTS, FAULTS, plain

_LATE = "… "
WORTH_SAYING = 60.0
"""Seconds: what was read just now has no age."""


def line_of(model: TraceModel, row: int) -> Line:
    """What a row shows."""
    kind = model.kind(row)
    if kind is RowKind.STEP:
        return step_line(model, row)
    if kind is RowKind.THOUGHT:
        return _thought(model, row)
    if kind is RowKind.CALL:
        return _call(model, row)
    if kind is RowKind.CARD:
        return card_line(model, row)
    data = model.event(row).data
    return _LINES[type(data)](model, row, data)


def thought_text(model: TraceModel, row: int) -> str:
    """Everything that a thought says, exactly as it came."""
    stream = model.streaming.get(row)
    if stream is not None:
        return _LATE + stream.text if stream.late else stream.text
    block = block_of(model, row)
    kind = block.get("type")
    if kind in ("text", "thinking"):
        return str(block.get(kind) or "")
    return ""


def block_of(model: TraceModel, row: int) -> dict[str, Any]:
    """The block of a response that a row stands for; empty while it streams."""
    data = model.event(row).data
    return data.content[model.rows.blocks[row]] if isinstance(data, ev.ModelResponded) else {}


def _thought(model: TraceModel, row: int) -> TraceLine:
    stream = model.streaming.get(row)
    block = block_of(model, row)
    kind = stream.kind if stream is not None else str(block.get("type"))
    if kind in ("text", "thinking"):
        text = thought_text(model, row)
        shown = text if stream is not None else text[:BODY_CHARACTERS].strip()
        return TraceLine("brain", "Thought", body=visible(shown), streaming=stream is not None)
    hidden = kind == "redacted_thinking"
    words = "hidden by the model's service" if hidden else f"a block of kind {plain(kind)}"
    return TraceLine("brain", "Thought", visible_line(words), text_color="text3")


def _call(model: TraceModel, row: int) -> TraceLine:
    stream = model.streaming.get(row)
    if stream is not None:
        text = visible_line(stream.text[:BODY_CHARACTERS])
        tool = visible_line(stream.tool) or "Tool call"
        return TraceLine(
            "wrench", tool, text, icon_color="text2", text_color="text2", mono=True, right="writing…", streaming=True
        )
    block = block_of(model, row)
    later = model.later(row)
    judged = next((e.data for e in reversed(later) if isinstance(e.data, ev.CallJudged)), None)
    return TraceLine(
        "wrench",
        visible_line(str(block.get("name", ""))),
        visible_line(one_line(arguments_of(model, row))),
        icon_color="text2",
        text_color="text2",
        mono=True,
        chips=_call_chips(judged, later),
        right=_call_state(judged, later),
    )


def arguments_of(model: TraceModel, row: int) -> Any:
    """The arguments of a call as they ran, or would run: modified, else as judged, else as the model gave them."""
    given = block_of(model, row).get("input")
    for event in reversed(model.later(row)):
        if isinstance(event.data, ev.CallStarted | ev.CallJudged):
            return event.data.arguments
        if isinstance(event.data, ev.DecisionMade) and event.data.decision.arguments is not None:
            return event.data.decision.arguments
    return given


def _call_chips(judged: ev.CallJudged | None, later: list[ev.Event]) -> tuple[ChipText, ...]:
    attempts = sum(isinstance(event.data, ev.CallRetried) for event in later)
    chips = [ChipText(f"retry {attempts}", icon="rotate-ccw")] if attempts else []
    if judged is not None and judged.plan_step is not None:
        chips.append(ChipText(visible_line(judged.plan_step), "neutral", "list-checks"))
    if judged is not None and judged.effect_class is not EffectClass.ENGINE and judged.error is None:
        chips.append(ChipText(EFFECTS[judged.effect_class]))
    return tuple(chips)


def _call_state(judged: ev.CallJudged | None, later: list[ev.Event]) -> str:
    """The right end of a call: how long it took, or how it stands."""
    for event in reversed(later):
        match event.data:
            case ev.CallFinished(ok=True, ran=False) if judged and judged.effect_class is EffectClass.ENGINE:
                return ""  # A question that was answered, or a plan that was adopted: there was nothing to run.
            case ev.CallFinished(ran=False):
                return "not run"
            case ev.CallFinished(duration_ms=duration):
                return formatting.duration(duration / 1_000)
            case ev.CallUnknown():
                return "unknown"
            case ev.CallRetried():
                return "waiting to retry"
            case ev.CallStarted():
                return "running"
            case ev.ProposalOpened() | ev.DecisionUndone():
                return "held"
            case ev.DecisionMade():
                return "decided"
            case ev.CallJudged(verdict=GateVerdict.ASK):
                return "held"
    return ""


def _of_tool(tool: str, text: str) -> str:
    """Which call of several a text is of; refused arguments say so themselves."""
    return text if text.startswith(f"{tool}: ") else f"{tool}: {text}"


def _observation(model: TraceModel, row: int, data: ev.CallFinished) -> TraceLine:
    chips: tuple[ChipText, ...] = ()
    if data.error is not None:
        retryable = ", retryable" if data.error.retryable else ""
        chips = (ChipText(visible_line(plain(data.error.code)) + retryable, "dang"),)
    text = data.error.message if data.error is not None else data.summary or "Done"
    if model.calls_of_step(row) > 1:
        text = _of_tool(data.tool, text)
    return TraceLine(
        "corner-down-right",
        "Observation",
        visible_line(first_line(text)),
        title_color="dang" if data.error is not None and data.ran else "text",
        chips=chips,
        right=_size_and_age(data),
    )


def _size_and_age(data: ev.CallFinished) -> str:
    if data.error is not None or data.result is None:
        return ""
    size, more = rough_size(data.result)
    words = [("over " if more else "") + formatting.byte_size(size)]
    ages = [source.age_seconds for source in data.sources if source.age_seconds is not None]
    if ages and max(ages) >= WORTH_SAYING:
        words.append(f"changed {formatting.age(max(ages))} earlier")  # the age of what was read, not of the result
    return " · ".join(words)


def _rule(model: TraceModel, row: int, data: ev.CallJudged) -> TraceLine:
    reason = visible_line(data.reasons[0] if data.reasons else "")
    if model.calls_of_step(row) > 1:
        reason = _of_tool(visible_line(data.tool), reason)
    if data.verdict is GateVerdict.DENY:
        title = "Denied by the gate" if data.error is None or data.error.code == "denied" else "Refused"
        return TraceLine("lock", title, reason, title_color="dang", icon_color="dang")
    return TraceLine("shield-check", "Allowed by rule", visible_line(data.rules[0]), mono=True, text_color="text2")


def _model_failed(model: TraceModel, row: int, data: ev.ModelFailed) -> TraceLine:
    fault = FAULTS.get(data.fault, plain(data.fault))
    wait = (data.retry_at - model.event(row).at).total_seconds() if data.retry_at is not None else None
    right = f"attempt {data.attempt}" + (f" · next in {formatting.duration(wait)}" if wait is not None else "")
    return TraceLine(
        "rotate-ccw" if wait is not None else "octagon-alert",
        "Model request failed",
        visible_line(first_line(data.message)),
        title_color="text" if wait is not None else "dang",
        icon_color="text3" if wait is not None else "dang",
        chips=(ChipText(visible_line(fault), "dang"),),
        right=right,
    )


def _call_retried(model: TraceModel, row: int, data: ev.CallRetried) -> TraceLine:
    wait = (data.retry_at - model.event(row).at).total_seconds()
    return TraceLine(
        "rotate-ccw",
        "Trying again",
        visible_line(_of_tool(data.tool, first_line(data.error.message))),
        chips=(ChipText(visible_line(plain(data.error.code)), "dang"),),
        right=f"attempt {data.attempt} · next in {formatting.duration(wait)}",
    )


def _call_unknown(model: TraceModel, row: int, data: ev.CallUnknown) -> TraceLine:
    return TraceLine(
        "circle-question-mark",
        "Outcome unknown",
        visible_line(f"{data.tool} may or may not have happened. {data.why}"),
        icon_color="unk",
        title_color="unk",
    )


def _loop(model: TraceModel, row: int, data: ev.LoopDetected) -> TraceLine:
    cycle = "the same call" if data.period == 1 else f"the same {data.period} calls in turn"
    then = "the run holds" if data.stops else "the agent was told"
    return TraceLine(
        "repeat", "Loop detected", visible_line(f"{cycle}, a third time: {data.tool} was not run, {then}"),
        icon_color="attn", title_color="attn",
    )  # fmt: skip


_LINES: dict[type[ev.EventData], Callable[[TraceModel, int, Any], TraceLine]] = {
    ev.CallFinished: _observation,
    ev.CallJudged: _rule,
    ev.ModelFailed: _model_failed,
    ev.CallRetried: _call_retried,
    ev.CallUnknown: _call_unknown,
    ev.LoopDetected: _loop,
    ev.DecisionMade: decision_line,
    ev.ProposalExpired: closing_line,
    ev.ProposalWithdrawn: closing_line,
    ev.DecisionUndone: undone_line,
    ev.ProposalChanged: change_line,
    **RUN_LINES,
}
