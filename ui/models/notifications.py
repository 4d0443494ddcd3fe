"""When the desktop is told that a person is needed. Pure: what is open and what time it is go in, notes come out.

Grave cards at once, others together after a minute; one reminder when a fifth of the time is left; one word when it is
over. A flood becomes a single note, quiet hours let only unknown outcomes through. A note opens a card and never
decides.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from enum import StrEnum

from agent_core.model.action import Tier
from agent_core.model.intents import OpenProposal
from agent_core.model.proposal import Proposal, Touchpoint
from ui import formatting
from ui.models.card_text import LATE_SHARE

BATCH = timedelta(seconds=60)
FLOOD_WINDOW = timedelta(minutes=10)
FLOOD_STARTS, FLOOD_ENDS = 10, 5
_GRAVE = (Touchpoint.OUTCOME_UNKNOWN, Touchpoint.EXCEPTION)


class NoteLevel(StrEnum):
    """Which cards are worth a note."""

    ALL = "all"
    URGENT = "urgent"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Note:
    """One note: its text, and the card that it opens ("" for none)."""

    text: str
    proposal: str = ""


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From one time of day to another, local; over midnight too."""

    start: time
    end: time

    def holds(self, now: datetime) -> bool:
        """Whether it is quiet at this moment."""
        at = now.astimezone().time()
        return self.start <= at < self.end if self.start <= self.end else at >= self.start or at < self.end


@dataclass(slots=True)
class NoteKeeper:
    """Looks at the queue from time to time and remembers what was told."""

    level: NoteLevel = NoteLevel.ALL
    quiet: QuietHours | None = None
    _known: dict[str, Proposal] = field(default_factory=dict)
    _reminded: set[str] = field(default_factory=set)
    _waiting: list[str] = field(default_factory=list)
    _batch_due: datetime | None = None
    _arrivals: deque[datetime] = field(default_factory=deque)
    _flooded: bool = False
    _started: bool = False

    def look(self, queue: Sequence[OpenProposal], now: datetime, *, watched: bool) -> list[Note]:
        """The notes of this moment. `watched`: the window is in front, so the screen itself tells."""
        cards = {entry.proposal.proposal: entry.proposal for entry in queue if not entry.with_agent}
        arrived = [card for name, card in cards.items() if name not in self._known]
        gone = [card for name, card in self._known.items() if name not in cards]
        self._known = cards
        if not self._started:  # what was there at the start is on the screen
            self._started = True
            return []
        notes = self._flood(len(arrived), now, len(cards))
        notes += self._new(arrived, now) + self._batch(now) + self._reminders(now) + self._expired(gone, now)
        return [] if watched else [note for note in notes if self._passes(note, now)]

    def _passes(self, note: Note, now: datetime) -> bool:
        card = self._known.get(note.proposal)
        unknown = card is not None and card.touchpoint is Touchpoint.OUTCOME_UNKNOWN
        if self.level is NoteLevel.NONE:
            return False
        if self.quiet is not None and self.quiet.holds(now):
            return unknown
        return self.level is NoteLevel.ALL or (card is not None and is_grave(card))

    def _flood(self, arrived: int, now: datetime, waiting: int) -> list[Note]:
        self._arrivals.extend([now] * arrived)
        while self._arrivals and self._arrivals[0] < now - FLOOD_WINDOW:
            self._arrivals.popleft()
        if not self._flooded and len(self._arrivals) > FLOOD_STARTS:
            self._flooded = True
            return [Note(f"Decision flood, {waiting} waiting")]
        if self._flooded and len(self._arrivals) < FLOOD_ENDS:
            self._flooded = False
        return []

    def _new(self, arrived: Sequence[Proposal], now: datetime) -> list[Note]:
        if self._flooded:
            return []
        notes = [Note(f"Decision needed: {c.summary}{_due(c)}", c.proposal) for c in arrived if is_grave(c)]
        later = [c.proposal for c in arrived if not is_grave(c)]
        if later and self._batch_due is None:
            self._batch_due = now + BATCH
        self._waiting += later
        return notes

    def _batch(self, now: datetime) -> list[Note]:
        if self._batch_due is None or now < self._batch_due:
            return []
        self._batch_due = None
        open_still = [self._known[name] for name in self._waiting if name in self._known]
        self._waiting = []
        if not open_still or self._flooded:
            return []
        if len(open_still) == 1:
            return [Note(f"Decision needed: {open_still[0].summary}{_due(open_still[0])}", open_still[0].proposal)]
        return [Note(f"{len(open_still)} decisions needed", open_still[0].proposal)]

    def _reminders(self, now: datetime) -> list[Note]:
        notes: list[Note] = []
        for name, card in self._known.items():
            if card.approve_by is None or name in self._reminded:
                continue
            whole, left = card.approve_by - card.opened_at, card.approve_by - now
            if timedelta(0) < left <= whole * LATE_SHARE:
                self._reminded.add(name)
                words = formatting.countdown_words(left.total_seconds())
                notes.append(Note(f"Still waiting, {words} left: {card.summary}", name))
        return notes

    def _expired(self, gone: Sequence[Proposal], now: datetime) -> list[Note]:
        return [Note(f"Expired: {c.summary}. {c.deadline_text}") for c in gone if c.approve_by and c.approve_by <= now]


def is_grave(card: Proposal) -> bool:
    """Irreversible, in doubt, or stuck."""
    return card.tier is Tier.R3 or card.touchpoint in _GRAVE


def _due(card: Proposal) -> str:
    if card.approve_by is None:
        return ""
    return f". Due {formatting.clock_time(card.approve_by.astimezone(), seconds=False)}."
