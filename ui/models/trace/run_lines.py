"""Lines about the run and the house: limits, context, messages, halts, pauses, stops."""

from collections.abc import Callable, Mapping
from typing import Any

from agent_core.model import events as ev
from agent_core.model.budget import Limits
from ui import formatting
from ui.hostile import visible, visible_line
from ui.models.plan_words import step_words
from ui.models.trace.brief import first_line
from ui.models.trace.line import BODY_CHARACTERS, ChipText, TraceLine
from ui.models.trace.model import TraceModel
from ui.models.trace.rows import RowKind
from ui.models.trace.words import BAD_STOPS, LIMITS, PAUSED, SCOPES, STOPPED, TECHNIQUES, limit_value, plain
from ui.tokens import ColorName


def _session_opened(model: TraceModel, row: int, data: ev.SessionOpened) -> TraceLine:
    agent = f"{data.agent} {data.agent_version}"
    chips = (ChipText("demo", "neutral"),) if data.demo else ()
    return TraceLine(
        "flag",
        "Goal",
        body=visible(data.goal[:BODY_CHARACTERS]),
        chips=chips,
        right=visible_line(f"{agent} · by {data.by}"),
    )


def _run_started(model: TraceModel, row: int, data: ev.RunStarted) -> TraceLine:
    if model.kind(row) is RowKind.MESSAGE:
        return _told(data.message or "", data.by)
    return TraceLine(
        "play",
        "Run started",
        visible_line(f"by {data.by}"),
        "text2",
        text_color="text2",
        right=limits_words(data.limits),
    )


def limits_words(limits: Limits) -> str:
    """The limits of a run in one line."""
    cost = "no cost limit" if limits.cost_usd is None else formatting.money(limits.cost_usd)
    return f"{limits.steps:,} steps · {cost} · {formatting.duration(limits.seconds)}"


def _told(text: str, by: str) -> TraceLine:
    return TraceLine(
        "send", visible_line(f"Message from {by}"), body=visible(text[:BODY_CHARACTERS]), icon_color="text2"
    )


def _message_added(model: TraceModel, row: int, data: ev.MessageAdded) -> TraceLine:
    return _told(data.text, data.by)


def _context_edited(model: TraceModel, row: int, data: ev.ContextEdited) -> TraceLine:
    verb = TECHNIQUES.get(data.technique, plain(data.technique).capitalize())
    count = f"{formatting.plural(len(data.removed), 'result')}, " if verb == "Cleared" else ""
    tokens = formatting.compact_count(data.tokens_before - data.tokens_after)
    cost = "" if data.cost_usd is None else f" · {formatting.money(data.cost_usd)}"
    span = f"{formatting.compact_count(data.tokens_before)} → {formatting.compact_count(data.tokens_after)}"
    return TraceLine(
        "layers", f"{verb} {count}{tokens} tokens", visible_line(first_line(data.summary)), text_color="text2",
        right=span + cost,
    )  # fmt: skip


def _limit_changed(model: TraceModel, row: int, data: ev.LimitChanged) -> TraceLine:
    change = f"{limit_value(data.limit, data.old)} → {limit_value(data.limit, data.new)}"
    why = f" · {data.why}" if data.why else ""
    title = f"{LIMITS[data.limit].capitalize()} changed by {data.by}"
    return TraceLine("sliders-horizontal", visible_line(title), visible_line(change + why), icon_color="text2")


def _limit_reached(model: TraceModel, row: int, data: ev.LimitReached) -> TraceLine:
    scope = SCOPES.get(data.scope, plain(data.scope))
    spent, value = limit_value(data.limit, data.spent), limit_value(data.limit, data.value)
    return TraceLine(
        "gauge", f"{LIMITS[data.limit].capitalize()} {scope}".rstrip() + " reached", f"{spent} of {value}",
        icon_color="attn", title_color="attn",
    )  # fmt: skip


def _alert_raised(model: TraceModel, row: int, data: ev.AlertRaised) -> TraceLine:
    color: ColorName = "dang" if data.level in ("alert", "critical", "error", "dang") else "attn"
    icon = "octagon-alert" if color == "dang" else "triangle-alert"
    return TraceLine(icon, "Alert", visible_line(data.message), icon_color=color, title_color=color)


def _alert_acknowledged(model: TraceModel, row: int, data: ev.AlertAcknowledged) -> TraceLine:
    return TraceLine("check", "Alert acknowledged", visible_line(f"by {data.by}"), icon_color="text2")


def _note_written(model: TraceModel, row: int, data: ev.NoteWritten) -> TraceLine:
    return TraceLine("bookmark", visible_line(f"Note {data.key}"), visible_line(first_line(data.text)))


def _plan_adopted(model: TraceModel, row: int, data: ev.PlanAdopted) -> TraceLine:
    edited = f"as {data.edited_by} edited it" if data.edited_by else ""
    steps = "\n".join(step_words(place, step) for place, step in enumerate(data.steps, start=1))
    count = formatting.plural(len(data.steps), "step")
    return TraceLine("list-checks", "Plan in force", visible_line(edited), body=visible(steps), right=count)


def _step_reported(model: TraceModel, row: int, data: ev.StepReported) -> TraceLine:
    title = f"Step {data.step} {'done' if data.done else 'failed'}"
    return TraceLine(
        "check" if data.done else "octagon-alert",
        visible_line(title),
        visible_line(first_line(data.result)),
        icon_color="text3" if data.done else "dang",
        title_color="text" if data.done else "dang",
    )


def _halt_set(model: TraceModel, row: int, data: ev.HaltSet) -> TraceLine:
    force = ", with force" if data.force else ""
    reason = f": {data.reason}" if data.reason else ""
    return TraceLine(
        "circle-stop", "Everything halted", visible_line(f"by {data.by}{force}{reason}"), icon_color="dang",
        title_color="dang",
    )  # fmt: skip


def _halt_released(model: TraceModel, row: int, data: ev.HaltReleased) -> TraceLine:
    return TraceLine("circle-play", "Halt released", visible_line(f"by {data.by}"), icon_color="text2")


def _tool_contained(model: TraceModel, row: int, data: ev.ToolContained) -> TraceLine:
    return TraceLine(
        "lock", visible_line(f"{data.tool} switched off"), visible_line(data.why), icon_color="attn", title_color="attn"
    )


def _regretted(model: TraceModel, row: int, data: ev.DecisionRegretted) -> TraceLine:
    title = "Marked as a mistake" if data.why else "No longer marked as a mistake"
    return TraceLine("flag", title, visible_line(first_line(data.why)), right=visible_line(f"by {data.by}"))


def _setting_changed(model: TraceModel, row: int, data: ev.SettingChanged) -> TraceLine:
    change = f"{data.key} {data.old or 'none'} → {data.new or 'none'}" + (f" · {data.why}" if data.why else "")
    return TraceLine("sliders-horizontal", visible_line(f"Setting changed by {data.by}"), visible_line(change))


def _rules_changed(model: TraceModel, row: int, data: ev.RulesChanged) -> TraceLine:
    return TraceLine("shield-check", "Rules saved", visible_line(data.why), right=visible_line(f"by {data.by}"))


def _side_asked(model: TraceModel, row: int, data: ev.SideAsked) -> TraceLine:
    return TraceLine("message-circle-question-mark", "Asked the agent", visible_line(first_line(data.question)))


def _side_answered(model: TraceModel, row: int, data: ev.SideAnswered) -> TraceLine:
    texts = [str(block.get("text", "")) for block in data.content if block.get("type") == "text"]
    said = "\n".join(texts).strip() or f"reads {', '.join(call.tool for call in data.calls)}"
    if data.fault is not None:
        return TraceLine("octagon-alert", "No answer", visible_line(first_line(data.message)), title_color="dang")
    return TraceLine("message-circle-question-mark", "Agent answered", visible_line(first_line(said)))


def _side_read(model: TraceModel, row: int, data: ev.SideRead) -> TraceLine:
    text = data.summary or (data.error.message if data.error is not None else "Done")
    return TraceLine("corner-down-right", "Read for an answer", visible_line(first_line(f"{data.tool}: {text}")))


def _tool_released(model: TraceModel, row: int, data: ev.ToolReleased) -> TraceLine:
    return TraceLine(
        "lock-open", visible_line(f"{data.tool} switched on again"), visible_line(f"by {data.by}"), "text2"
    )


def _clock_jumped(model: TraceModel, row: int, data: ev.ClockJumped) -> TraceLine:
    seconds = max(0.0, (model.event(row).at - data.since).total_seconds())
    why = f"for {formatting.duration(seconds)}: the machine slept, or its clock was set"
    return TraceLine("moon", "Time stood still", why, icon_color="text2", right="not counted")


def _run_paused(model: TraceModel, row: int, data: ev.RunPaused) -> TraceLine:
    forced = data.reason in ("provider_overloaded", "cannot_save")
    color: ColorName = "attn" if forced else "text"
    words = f"by {data.by}" if data.reason == "operator" else PAUSED.get(data.reason, plain(data.reason))
    if data.detail:  # what is known of a service says more than that it does not answer
        words = data.detail if data.reason == "provider_overloaded" else f"{words} · {data.detail}"
    return TraceLine(
        "circle-pause", "Paused", visible_line(words), icon_color="attn" if forced else "text2",
        title_color=color,
    )  # fmt: skip


def _run_resumed(model: TraceModel, row: int, data: ev.RunResumed) -> TraceLine:
    changes = f" · {data.preflight[0]}" if data.preflight else ""
    more = f" and {len(data.preflight) - 1} more" if len(data.preflight) > 1 else ""
    return TraceLine("circle-play", "Resumed", visible_line(f"by {data.by}{changes}{more}"), icon_color="text2")


def _run_stopped(model: TraceModel, row: int, data: ev.RunStopped) -> TraceLine:
    title = STOPPED.get(data.stop_reason, plain(data.stop_reason).capitalize())
    bad = data.stop_reason in BAD_STOPS
    good = data.completed
    gaps = f"{formatting.plural(len(data.gaps), 'gap')}: {data.gaps[0]}" if data.gaps else ""
    text = gaps or ("" if data.by == "system" else f"by {data.by}")
    return TraceLine(
        "check" if good else "octagon-alert" if bad else "circle-stop",
        title,
        visible_line(text),
        icon_color="dang" if bad else "text2",
        title_color="dang" if bad else "text",
        right=visible_line(f"confidence {data.confidence}"),
        body=visible((data.output or "")[:BODY_CHARACTERS]),
    )


def _whence(step: int) -> str:
    return f"after step {step:,}" if step else "from the goal"


def _session_forked(model: TraceModel, row: int, data: ev.SessionForked) -> TraceLine:
    return TraceLine("git-fork", "Forked", visible_line(f"{_whence(data.step)} of {data.source}, by {data.by}"))


def _restored(model: TraceModel, row: int, data: ev.Restored) -> TraceLine:
    heads = formatting.plural(len(data.heads), "session")
    return TraceLine(
        "history", "Backup restored", visible_line(f"by {data.by}, {heads} set back"), icon_color="attn",
        title_color="attn",
    )  # fmt: skip


def _operator_key_added(model: TraceModel, row: int, data: ev.OperatorKeyAdded) -> TraceLine:
    return TraceLine("key-round", "Operator key added", visible_line(f"{data.operator}, kept in the {data.place}"))


RUN_LINES: Mapping[type[ev.EventData], Callable[[TraceModel, int, Any], TraceLine]] = {
    ev.SessionOpened: _session_opened,
    ev.RunStarted: _run_started,
    ev.MessageAdded: _message_added,
    ev.ContextEdited: _context_edited,
    ev.LimitChanged: _limit_changed,
    ev.LimitReached: _limit_reached,
    ev.AlertRaised: _alert_raised,
    ev.AlertAcknowledged: _alert_acknowledged,
    ev.NoteWritten: _note_written,
    ev.PlanAdopted: _plan_adopted,
    ev.StepReported: _step_reported,
    ev.HaltSet: _halt_set,
    ev.HaltReleased: _halt_released,
    ev.ToolContained: _tool_contained,
    ev.ToolReleased: _tool_released,
    ev.DecisionRegretted: _regretted,
    ev.RulesChanged: _rules_changed,
    ev.SettingChanged: _setting_changed,
    ev.SideAsked: _side_asked,
    ev.SideAnswered: _side_answered,
    ev.SideRead: _side_read,
    ev.ClockJumped: _clock_jumped,
    ev.RunPaused: _run_paused,
    ev.RunResumed: _run_resumed,
    ev.RunStopped: _run_stopped,
    ev.SessionForked: _session_forked,
    ev.Restored: _restored,
    ev.OperatorKeyAdded: _operator_key_added,
}
