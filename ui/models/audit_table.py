"""The audit as a table and a detail, and how people decide, in words and cells. Pure."""

import json
from collections.abc import Mapping
from datetime import datetime

from agent_core.model.audit import AuditEntry, Calibration
from agent_core.model.proposal import REFUSING, ProposalStatus, Verdict
from ui import formatting
from ui.models.decision_words import particulars
from ui.tokens import ColorName
from ui.widgets.field_diff import FieldChange
from ui.widgets.table import Cell, Column

COLUMNS = (
    Column("Time", 116),
    Column("Card", 86, role="mono"),
    Column("By", 96),
    Column("Event", 156),
    Column("Action", 180, stretch=3.0),
    Column("Agent", 120, stretch=0.6),
    Column("Confidence", 98, right=True),
    Column("Tier", 48),
    Column("Took", 94, right=True),
    Column("Signed", 76),
)
CALIBRATION_COLUMNS = (
    Column("Who", 160, stretch=1.0),
    Column("", 76),
    Column("Cards", 70, right=True),
    Column("Median time", 100, right=True),
    Column("Approved", 84, right=True),
    Column("Edited", 74, right=True),
    Column("Refused", 78, right=True),
    Column("Expired", 78, right=True),
    Column("Under 3 s", 84, right=True),
    Column("Regretted", 86, right=True),
    Column("Drills caught", 108, right=True),
)
_VERDICTS: Mapping[Verdict, tuple[str, str]] = {
    Verdict.APPROVE: ("Approved", "check"),
    Verdict.RELEASE: ("Released", "send"),
    Verdict.MODIFY: ("Modified", "pencil"),
    Verdict.EDIT: ("Edited", "pencil"),
    Verdict.REJECT: ("Rejected", "x"),
    Verdict.SEND_BACK: ("Sent back", "rotate-ccw"),
    Verdict.TAKE_OVER: ("Taken over", "user-check"),
    Verdict.ESCALATE: ("Escalated", "arrow-up-right"),
    Verdict.ASK: ("Asked", "message-circle-question-mark"),
    Verdict.POSTPONE: ("Postponed", "clock"),
    Verdict.EXTEND: ("Extended", "coins"),
    Verdict.FINISH: ("Finished", "check"),
    Verdict.STOP: ("Stopped", "circle-stop"),
    Verdict.ANSWER: ("Answered", "check"),
    Verdict.DECLINE: ("Declined", "x"),
    Verdict.BEST_EFFORT: ("Best effort", "check"),
    Verdict.ABANDON: ("Abandoned", "circle-x"),
    Verdict.HAPPENED: ("Happened", "check"),
    Verdict.NOT_HAPPENED: ("Did not happen", "x"),
    Verdict.FIXED: ("Fixed", "check"),
    Verdict.SKIP: ("Skipped", "arrow-right"),
    Verdict.OTHER_WAY: ("Other way", "git-fork"),
    Verdict.USE_SUGGESTION: ("Suggestion used", "check"),
    Verdict.CHECK_AGAIN: ("Checked again", "refresh-cw"),
}


def event_cell(entry: AuditEntry) -> Cell:
    """What has become of a card, and whether somebody regrets it."""
    event = _event(entry)
    if entry.regret is None:
        return event
    return Cell(f"{event.text}, regretted", color="attn", icon="triangle-alert")


def _event(entry: AuditEntry) -> Cell:
    if entry.outcome == "unknown":
        return Cell("Unknown", color="unk", icon="circle-question-mark")
    if entry.status is ProposalStatus.EXPIRED:
        return Cell("Expired", icon="hourglass")
    if entry.status is ProposalStatus.WITHDRAWN:
        return Cell("Withdrawn", icon="undo-2")
    return _decided(entry)


def _decided(entry: AuditEntry) -> Cell:
    """What was said to a card, whatever came of it."""
    if entry.verdict is None:
        return Cell("Held", color="attn", icon="hand")
    words, icon = _VERDICTS.get(entry.verdict, (entry.verdict.value.replace("_", " ").capitalize(), "check"))
    return Cell(words, icon=icon)


def drill_words(verdict: Verdict | None, lesson: str) -> str:
    """How a drill ended, and what a careful person sees in its card."""
    ended = "not answered" if verdict is None else "caught" if verdict in REFUSING else "let through; nothing ran"
    return f"A drill, {ended}. {lesson}"


def audit_cells(entry: AuditEntry, now: datetime) -> list[Cell | str]:
    """One row."""
    score = "" if entry.confidence is None else f"{entry.confidence:.2f}"
    low: ColorName = "attn" if entry.below_threshold else "text2"
    took = entry.decisions[-1].open_seconds if entry.decisions else None
    marks = "".join(f" · {word}" for word, on in (("demo", entry.demo), ("drill", entry.drill)) if on)
    return [
        formatting.day_and_time(entry.at.astimezone(), now.astimezone()),
        entry.proposal[-6:],
        entry.by or ("system" if entry.status is not ProposalStatus.OPEN else ""),
        event_cell(entry),
        Cell(entry.title, color="text", role="secondary_medium"),
        f"{entry.agent}{marks}",
        Cell(score, color=low),
        entry.tier.value,
        "" if took is None else formatting.duration(took),
        signed_cell(entry),
    ]


def signed_cell(entry: AuditEntry) -> Cell:
    """Whether the chain and every signature hold."""
    if entry.chain_fault is not None:
        return Cell("altered", color="dang", icon="octagon-alert")
    if any(decision.fault for decision in entry.decisions):
        return Cell("no proof", color="dang", icon="octagon-alert")
    return Cell("valid", color="text3", icon="badge-check") if entry.decisions else Cell("")


def headline(entry: AuditEntry) -> str:
    """The detail's first line: "p-… modified by ana, ran at 09:38:04"."""
    event = (_decided(entry) if entry.outcome == "unknown" else _event(entry)).text.lower()
    who = f" by {entry.by}" if entry.by else ""
    ran = ""
    if entry.executed_at is not None:
        came = {"": "started at", "unknown": "outcome unknown since"}.get(entry.outcome, f"{entry.outcome} at")
        ran = f", {came} {formatting.clock_time(entry.executed_at.astimezone())}"
    return f"{entry.proposal[-6:]} {event}{who}{ran}"


def seen_words(entry: AuditEntry) -> str:
    """What was looked at, and how long the card was open."""
    if not entry.decisions:
        return "not decided yet"
    last = entry.decisions[-1]
    seen = ", ".join(dict.fromkeys(last.seen)) or "nothing recorded"
    return f"looked at: {seen} · through {last.via.value} · open {formatting.duration(last.open_seconds)}"


def changed_fields(entry: AuditEntry) -> list[FieldChange]:
    """Proposed against executed, argument by argument; empty where nothing ran or nothing differs."""
    if entry.executed is None:
        return []
    names = [*entry.proposed, *(name for name in entry.executed if name not in entry.proposed)]
    changes: list[FieldChange] = []
    for name in names:
        before, after = _shown(entry.proposed, name), _shown(entry.executed, name)
        if before == after:
            continue
        kind = "changed" if name in entry.proposed and name in entry.executed else "added"
        kind = "removed" if name not in entry.executed else kind
        changes.append(FieldChange(kind, name, before, after))  # type: ignore[arg-type]
    return changes


def _shown(arguments: Mapping[str, object], name: str) -> str:
    if name not in arguments:
        return ""
    value = arguments[name]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def story(entry: AuditEntry) -> list[tuple[str, str]]:
    """Every decision, answer and fault of a card in words: (icon, sentence)."""
    lines: list[tuple[str, str]] = []
    for made in entry.decisions:
        words, icon = _VERDICTS.get(made.verdict, (made.verdict.value.replace("_", " ").capitalize(), "check"))
        notes = [
            *particulars(made.verdict, made.details),
            f"answer: {made.answer}" if made.answer else "",
            f"reason: {made.reason}" if made.reason else "",
            "first of two" if made.awaits_second else "",
            "taken back" if made.undone else "",
            f"signature: {made.fault}" if made.fault else "",
        ]
        tail = "".join(f" · {note}" for note in notes if note)
        lines.append((icon, f"{words} by {made.by} at {formatting.clock_time(made.at.astimezone())}{tail}"))
    lines += [("message-circle-question-mark", f"Asked: {a.question} Answered: {a.answer}") for a in entry.answers]
    if entry.result:
        lines.append(("corner-down-right", entry.result))
    if entry.chain_fault:
        lines.append(("octagon-alert", f"The session's chain does not hold: {entry.chain_fault}"))
    if entry.lesson:
        lines.append(("eye", drill_words(entry.verdict, entry.lesson)))
    if entry.regret:
        lines.append(("triangle-alert", f"Regretted by {entry.regret_by}: {entry.regret}"))
    return lines


def week_words(one: Calibration) -> str:
    """How many cards somebody closed, and how many of them otherwise than asked: "61 decided, 4 rejected, 5 edited"."""
    refused, edited = (round((share or 0) * one.cards) for share in (one.refused, one.edited))
    return f"{one.cards} decided, {refused} rejected, {edited} edited"


def calibration_cells(one: Calibration, what: str) -> list[Cell | str]:
    """One row of how somebody decides, a person or all on an agent's cards; unknown shares say so."""
    hasty: ColorName = "attn" if one.hasty else "text2"
    return [
        Cell(one.who, color="text", role="secondary_medium"),
        what,
        str(one.cards),
        formatting.duration(one.median_seconds),
        formatting.percent(one.approved),
        formatting.percent(one.edited),
        formatting.percent(one.refused),
        formatting.percent(one.expired),
        Cell(str(one.hasty), color=hasty),
        str(one.regrets),
        f"{one.caught} of {one.drills}" if one.drills else formatting.MISSING,
    ]
