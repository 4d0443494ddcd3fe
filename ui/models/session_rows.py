"""The sessions list: which group a session stands in, in which order, and what its row says. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from agent_core.model.intents import OpenProposal, SessionSummary
from agent_core.model.proposal import Touchpoint
from agent_core.model.run import SessionStatus
from ui import formatting
from ui.tokens import ColorName, ToneName

_STOP_ICONS: Mapping[str, tuple[str, ColorName]] = {
    "completed": ("check", "text3"),
    "rejected": ("circle-x", "text3"),
    "cancelled": ("circle-stop", "text3"),
    "step_limit": ("circle-dot", "text3"),
    "tool_call_limit": ("circle-dot", "text3"),
    "token_limit": ("circle-dot", "text3"),
    "cost_limit": ("circle-dot", "text3"),
    "time_limit": ("circle-dot", "text3"),
    "context_full": ("circle-dot", "text3"),
    "deadline_passed": ("hourglass", "text3"),
}


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One row. `right` is the time left of the nearest deadline, else the cost; empty texts are not drawn."""

    session: str
    title: str
    agent: str
    place: str
    """What follows the agent and is never cut off: whether it is a demo, and the step."""
    icon: str
    color: ColorName
    strong: bool = False
    badge: str = ""
    badge_tone: ToneName = "attn"
    right: str = ""
    right_color: ColorName = "text3"
    spoken: str = ""
    """The whole row for screen readers."""


@dataclass(frozen=True, slots=True)
class SessionGroup:
    """A heading and its rows."""

    title: str
    rows: tuple[SessionRow, ...]


def session_groups(
    sessions: Iterable[SessionSummary], queue: Iterable[OpenProposal], now: datetime
) -> list[SessionGroup]:
    """Groups in their order; empty ones are left out. "Needs you" is ordered as the queue is."""
    rank = {card.proposal.session: place for place, card in reversed(list(enumerate(queue)))}
    last = len(rank)
    buckets: dict[str, list[SessionSummary]] = {
        "Needs you": [],
        "Running": [],
        "Paused": [],
        "Earlier today": [],
        "Earlier": [],
    }
    for summary in sessions:
        buckets[_bucket(summary, now)].append(summary)
    buckets["Needs you"].sort(key=lambda s: (rank.get(s.session, last), *_urgency(s)))
    for name in ("Running", "Paused"):
        buckets[name].sort(key=lambda s: s.started_at)
    for name in ("Earlier today", "Earlier"):
        buckets[name].sort(key=lambda s: s.updated_at, reverse=True)
    return [SessionGroup(name, tuple(session_row(s, now) for s in rows)) for name, rows in buckets.items() if rows]


def _urgency(summary: SessionSummary) -> tuple[bool, bool, datetime, datetime]:
    """The order of the queue as far as summaries know it: so that little moves once the cards were read."""
    unknown = summary.urgent_touchpoint is Touchpoint.OUTCOME_UNKNOWN
    deadline = summary.nearest_deadline
    return not unknown, deadline is None, deadline or summary.started_at, summary.started_at


def _bucket(summary: SessionSummary, now: datetime) -> str:
    if summary.open_proposals and summary.status is not SessionStatus.ENDED:
        return "Needs you"
    if summary.status in (SessionStatus.RUNNING, SessionStatus.AWAITING_DECISION):
        return "Running"
    if summary.status in (SessionStatus.PAUSED, SessionStatus.INTERRUPTED):
        return "Paused"
    return "Earlier today" if summary.updated_at.astimezone().date() == now.astimezone().date() else "Earlier"


def session_row(summary: SessionSummary, now: datetime) -> SessionRow:
    """What the row of one session says at this moment."""
    icon, color = _icon(summary)
    waiting = bool(summary.open_proposals) and summary.status is not SessionStatus.ENDED
    right, right_color = _right(summary, waiting, now)
    place = f"{' · demo' if summary.demo else ''} · step {summary.step}"
    unknown = summary.urgent_touchpoint is Touchpoint.OUTCOME_UNKNOWN
    words = [summary.goal, summary.status.value.replace("_", " "), summary.agent + place, right]
    if waiting:
        words.insert(1, formatting.plural(len(summary.open_proposals), "decision"))
    return SessionRow(
        session=summary.session,
        title=summary.goal,
        agent=summary.agent,
        place=place,
        icon=icon,
        color=color,
        strong=waiting,
        badge=str(len(summary.open_proposals)) if waiting else "",
        badge_tone="unk" if unknown else "attn",
        right=right,
        right_color=right_color,
        spoken=", ".join(word for word in words if word),
    )


def _icon(summary: SessionSummary) -> tuple[str, ColorName]:
    if summary.status is not SessionStatus.ENDED and summary.open_proposals:
        if summary.urgent_touchpoint is Touchpoint.OUTCOME_UNKNOWN:
            return "circle-question-mark", "unk"
        return "hand", "attn"
    if summary.status is SessionStatus.RUNNING:
        return "circle-play", "text2"
    if summary.status is SessionStatus.AWAITING_DECISION:
        return "circle-play", "text2"
    if summary.status in (SessionStatus.PAUSED, SessionStatus.INTERRUPTED):
        return "circle-pause", "text2"
    return _STOP_ICONS.get(summary.stop_reason or "", ("octagon-alert", "dang"))


def _right(summary: SessionSummary, waiting: bool, now: datetime) -> tuple[str, ColorName]:
    if waiting and summary.urgent_touchpoint is Touchpoint.OUTCOME_UNKNOWN:
        return "check", "unk"
    if waiting and summary.nearest_deadline is not None:
        return formatting.countdown((summary.nearest_deadline - now).total_seconds()), "attn"
    cost = summary.spend.cost_usd
    return ("cost unknown" if cost is None else formatting.money(cost)), "text3"
