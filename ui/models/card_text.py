"""What a card says besides its parts: kind, risk, time left, deadline, in words. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agent_core.model.action import Reversibility
from agent_core.model.intents import OpenProposal
from agent_core.model.people import same_person
from agent_core.model.proposal import CheckResult, DeadlineOutcome, Proposal, Touchpoint
from ui import formatting
from ui.tokens import ColorName, ToneName


@dataclass(frozen=True, slots=True)
class Kind:
    """The words, icon and colours of a touchpoint."""

    words: str
    icon: str
    color: ColorName = "text2"


KINDS: Mapping[Touchpoint, Kind] = {
    Touchpoint.APPROVAL: Kind("Approval gate", "shield-check"),
    Touchpoint.QUALITY_REVIEW: Kind("Quality review", "file-text"),
    Touchpoint.CONFIDENCE: Kind("Needs information", "circle-question-mark"),
    Touchpoint.EXCEPTION: Kind("Exception", "octagon-alert", "dang"),
    Touchpoint.OUTCOME_UNKNOWN: Kind("Outcome unknown", "circle-question-mark", "unk"),
    Touchpoint.BUDGET: Kind("Budget reached", "coins", "attn"),
    Touchpoint.PLAN: Kind("Plan", "list-checks"),
    Touchpoint.QUESTION: Kind("Question", "message-circle-question-mark"),
}

RISK_WORDS: Mapping[Reversibility, str] = {
    Reversibility.REVERSIBLE: "Reversible",
    Reversibility.PARTLY_REVERSIBLE: "Partly reversible",
    Reversibility.IRREVERSIBLE: "Irreversible",
}
_RISK_TONES: Mapping[Reversibility, tuple[ToneName, str]] = {
    Reversibility.REVERSIBLE: ("neutral", "undo-2"),
    Reversibility.PARTLY_REVERSIBLE: ("attn", "undo-2"),
    Reversibility.IRREVERSIBLE: ("dang", "octagon-alert"),
}
_THEN: Mapping[DeadlineOutcome, str] = {
    DeadlineOutcome.CANCEL: "then: cancelled, not run",
    DeadlineOutcome.ESCALATE: "then: goes to {to}",
    DeadlineOutcome.STOP: "then: the run stops",
    DeadlineOutcome.FINISH: "then: finishes with what there is",
    DeadlineOutcome.STAY: "stays open",
}
CHECK_MARKS: Mapping[CheckResult, tuple[str, ColorName, ColorName]] = {
    CheckResult.PASS: ("check", "text3", "text"),
    CheckResult.WARN: ("triangle-alert", "attn", "attn"),
    CheckResult.FAIL: ("x", "dang", "dang"),
    CheckResult.NOT_APPLICABLE: ("circle-dashed", "text3", "text3"),
}
"""Icon, its colour, and the colour of the words."""

LATE_SHARE = 0.2


def risk_chip(card: Proposal) -> tuple[str, ToneName, str] | None:
    """Words, tone and icon of the risk; None where nothing is risked."""
    if card.reversibility is None:
        return None
    tone, icon = _RISK_TONES[card.reversibility]
    return RISK_WORDS[card.reversibility], tone, icon


def then_words(card: Proposal) -> str:
    """What silence means, in few words; always shown."""
    return _THEN[card.deadline_outcome].format(to=card.escalate_to or "another person")


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The clock of a card. `share` of the time is left, 0 to 1; no deadline: words are empty."""

    words: str
    share: float
    tone: ToneName
    spoken: str
    expired: bool = False


def time_left(card: Proposal, now: datetime) -> TimeLeft:
    """How long a card can still be answered."""
    if card.approve_by is None:
        return TimeLeft("", 1.0, "neutral", "no deadline")
    whole = max(1.0, (card.approve_by - card.opened_at).total_seconds())
    left = (card.approve_by - now).total_seconds()
    if left <= 0:
        return TimeLeft("expired", 0.0, "attn", "expired", expired=True)
    tone: ToneName = "attn" if left / whole <= LATE_SHARE else "neutral"
    spoken = f"{formatting.countdown_words(left)} left"
    return TimeLeft(formatting.countdown(left), min(1.0, left / whole), tone, spoken)


def sub_line(entry: OpenProposal) -> str:
    """System, step and number of a card."""
    card = entry.proposal
    parts = [card.system, entry.agent, f"step {card.step}", card.proposal, "demo" if entry.demo else ""]
    return " · ".join(part for part in parts if part)


def queue_second(entry: OpenProposal) -> str:
    """The second line of a row in the queue."""
    if entry.with_agent:
        return f"{entry.agent} · with agent"
    if entry.proposal.decider is not None:
        return f"{entry.agent} · with {entry.proposal.decider}"
    if entry.proposal.first_approval is not None:
        return f"{entry.agent} · approved once, by {entry.proposal.first_approval.by}"
    return f"{entry.agent} · step {entry.proposal.step}"


def queue_risk(entry: OpenProposal) -> tuple[str, ColorName]:
    """The risk word of a row in the queue."""
    card = entry.proposal
    if card.touchpoint is Touchpoint.OUTCOME_UNKNOWN:
        return "do not retry", "text3"
    if card.reversibility is None:
        return KINDS[card.touchpoint].words.lower(), "text3"
    return RISK_WORDS[card.reversibility].lower(), "text3"


def checks_line(card: Proposal) -> str:
    """ "5 of 6 pass"; those that do not apply do not count."""
    if card.confidence is None:
        return ""
    counted = [check for check in card.confidence.checks if check.result is not CheckResult.NOT_APPLICABLE]
    passed = sum(check.result is CheckResult.PASS for check in counted)
    return f"{passed} of {len(counted)} pass" if counted else "no check applies"


def is_over(entry: OpenProposal, now: datetime) -> bool:
    """Whether the time of a card has passed, also where nobody has recorded that yet."""
    return entry.expired or time_left(entry.proposal, now).expired


def blocked_words(entry: OpenProposal, operator: str, now: datetime) -> str:
    """Why this person cannot say yes at this moment; "" when they can."""
    card = entry.proposal
    if is_over(entry, now):
        return "The time is over; nothing was approved."
    if entry.with_agent:
        return "With the agent: its answer comes back here."
    if card.decider is not None and not same_person(card.decider, operator):
        return f"With {card.decider}: only they can approve, you can still refuse."
    first = card.first_approval
    if first is not None and same_person(first.by, operator):
        return "You have approved; a second person is needed."
    return ""


_CHANGING = (Touchpoint.APPROVAL, Touchpoint.CONFIDENCE, Touchpoint.QUALITY_REVIEW, Touchpoint.PLAN)


def shows_changes(card: Proposal) -> bool:
    """Whether the card asks about a change to the world, rather than about the run itself."""
    return card.touchpoint in _CHANGING


_LONGEST_HOLD = 30


def hold_words(card: Proposal) -> str:
    """The verb and object on the button that is held, short enough to be read whole: "send an e-mail"."""
    words = re.split(r"[,:(]| to | in | from ", card.summary, maxsplit=1)[0].strip()
    if not words or len(words) > _LONGEST_HOLD:
        return "approve"
    return words[0].lower() + words[1:]


def announcement(entry: OpenProposal) -> str:
    """What a screen reader says when a card comes."""
    card = entry.proposal
    risk = risk_chip(card)
    words = [KINDS[card.touchpoint].words, card.summary, risk[0].lower() if risk else "", entry.agent]
    return ", ".join(word for word in words if word)
