"""The table of all sessions, row by row, and the words beside it. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from agent_core.model import events as ev
from agent_core.model.events import Event
from agent_core.model.intents import SessionQuery, SessionSummary
from agent_core.model.proposal import OPEN_VERDICTS, Decision, Verdict
from agent_core.model.run import SessionStatus
from ui import formatting
from ui.models.pattern_words import pattern_name
from ui.models.session_words import state_chip
from ui.tokens import ColorName
from ui.widgets.table import Cell, Column

COLUMNS = (
    Column("State", 140),
    Column("Session", 150, stretch=3.0),
    Column("Agent", 140, stretch=0.6),
    Column("Pattern", 94),
    Column("Started", 112),
    Column("Steps", 58, right=True),
    Column("Cost", 70, right=True),
    Column("Decisions", 156, stretch=0.3),
)
AGENT_COLUMN, PATTERN_COLUMN, STEPS_COLUMN, COST_COLUMN, DECISIONS_COLUMN = 2, 3, 5, 6, 7
_TONE_COLOR: dict[str, ColorName] = {"attn": "attn", "dang": "dang", "unk": "unk"}
LAST_STEPS = 4


def session_cells(summary: SessionSummary, now: datetime) -> list[Cell | str]:
    """One row."""
    words, tone, icon = state_chip(summary)
    color: ColorName = _TONE_COLOR.get(tone, "text2")
    waiting = bool(summary.open_proposals) and summary.status is not SessionStatus.ENDED
    cost = summary.spend.cost_usd
    demo = " · demo" if summary.demo else ""
    return [
        Cell(words, color=color, icon=icon),
        Cell(summary.goal, color="text", role="key_value" if waiting else "body_medium"),
        Cell(summary.agent + demo),
        Cell(pattern_name(summary.pattern)),
        Cell(formatting.day_and_time(summary.started_at.astimezone(), now.astimezone())),
        Cell(str(summary.step)),
        Cell(formatting.money(cost) if cost is not None else "unknown"),
        Cell(decisions_words(summary)),
    ]


def decisions_words(summary: SessionSummary) -> str:
    """ "1 open · 2 yes · 1 edited · 1 no", or "none"."""
    counts = (
        (len(summary.open_proposals), "open"),
        (summary.decided_yes, "yes"),
        (summary.decided_edited, "edited"),
        (summary.decided_no, "no"),
    )
    return " · ".join(f"{number} {word}" for number, word in counts if number) or "none"


def query_for(
    text: str, *, week: bool = False, waiting: bool = False, state: str | None = None, now: datetime
) -> SessionQuery:
    """The query of the search field and the filter chips."""
    return SessionQuery(
        text=text.strip(),
        statuses=[SessionStatus(state)] if state else [],
        since=now - timedelta(days=7) if week else None,
        has_decisions=waiting,
    )


def last_steps(events: Sequence[Event]) -> list[tuple[str, str, str]]:
    """The newest steps and decisions of a session's newest events, newest first: number, words, cost."""
    ends: dict[str, ev.CallFinished] = {}
    closed: dict[str, str] = {}
    decided: dict[str, list[str]] = {}
    undone: set[str] = set()
    lines: list[tuple[str, str, str]] = []
    for event in reversed(events):
        match event.data:
            case ev.CallFinished() as finished:
                ends[finished.call_id] = finished
            case ev.DecisionUndone(decision=name):
                undone.add(name)
            case ev.DecisionMade(decision=decision) if decision.verdict not in OPEN_VERDICTS:
                if decision.decision not in undone:
                    closed.setdefault(decision.proposal, _decision_words(decision))
            case ev.ProposalOpened(proposal=card) if card.call_id is not None and card.proposal in closed:
                decided.setdefault(card.call_id, []).insert(0, closed[card.proposal])
            case ev.ModelResponded() as responded:
                words = "; ".join(_call_words(call.tool, ends.get(call.call_id)) for call in responded.calls)
                cost = responded.cost_usd
                lines.append(
                    (str(event.step), words or _said(responded), formatting.money(cost) if cost is not None else "")
                )
                lines += [("", made, "") for call in responded.calls for made in decided.get(call.call_id, ())]
        if len(lines) >= LAST_STEPS:
            break
    return lines[:LAST_STEPS]


def _decision_words(decision: Decision) -> str:
    past = {Verdict.APPROVE: "approved", Verdict.REJECT: "rejected", Verdict.MODIFY: "modified"}
    return f"Decision: {decision.by} {past.get(decision.verdict, decision.verdict.value.replace('_', ' '))} it"


def _call_words(tool: str, finished: ev.CallFinished | None) -> str:
    if finished is None:
        return f"{tool}, not finished"
    return finished.summary or (tool if finished.ok else f"{tool} failed")


def _said(responded: ev.ModelResponded) -> str:
    texts = [str(block.get("text", "")) for block in responded.content if block.get("type") == "text"]
    return " ".join(" ".join(texts).split())[:120] or "Answered"
