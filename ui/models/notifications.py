"""When the desktop is told that a person is needed. Pure: what is open and what time it is go in, notes come out.

Grave cards at once, others together after a minute; one reminder when a fifth of the time is left, two about an unknown
outcome, which has no deadline; one word when time is over. What falls due at once is told at once, in one note. A flood
of cards becomes a single note, beside which only unknown outcomes are told; quiet hours let nothing but those through.
A note opens a card and never decides.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from enum import IntEnum, StrEnum

from agent_core.model.action import Tier
from agent_core.model.intents import OpenProposal
from agent_core.model.proposal import Proposal, Touchpoint
from ui import formatting
from ui.hostile import visible_line
from ui.models.card_text import LATE_SHARE

BATCH = timedelta(seconds=60)
FLOOD_WINDOW = timedelta(minutes=10)
FLOOD_STARTS, FLOOD_ENDS = 10, 5
UNKNOWN_REMINDERS = (timedelta(minutes=15), timedelta(minutes=60))
LONGEST = 200
"""Characters of a note; desktops cut longer ones where they like."""


class NoteLevel(StrEnum):
    """Which cards are worth a note."""

    ALL = "all"
    URGENT = "urgent"
    NONE = "none"


class Weight(IntEnum):
    """How much a note matters; what level and quiet hours let through goes by it."""

    ORDINARY = 0
    GRAVE = 1
    """Irreversible, stuck, or a flood."""
    UNKNOWN = 2
    """Nobody knows what happened."""


@dataclass(frozen=True, slots=True)
class Note:
    """One note: its text, the card that it opens ("" for none), and its weight."""

    text: str
    proposal: str = ""
    weight: Weight = Weight.ORDINARY


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
    _known: dict[str, Proposal] | None = None
    """The cards of the last look; None before the first."""
    _reminded: dict[str, int] = field(default_factory=dict)
    """How many reminders of a card were given."""
    _waiting: dict[str, datetime] = field(default_factory=dict)
    """Cards that are told together, oldest first, and when they came."""
    _arrivals: deque[datetime] = field(default_factory=deque)
    _flooded: bool = False

    def look(self, queue: Sequence[OpenProposal], now: datetime, *, watched: bool) -> list[Note]:
        """The notes of this moment. `watched`: the window is in front, so the screen itself tells."""
        cards = {entry.proposal.proposal: entry.proposal for entry in queue if not entry.with_agent}
        before, self._known = self._known, cards
        if before is None:  # what was there at the start is on the screen
            return []
        arrived = [card for name, card in cards.items() if name not in before]
        gone = [card for name, card in before.items() if name not in cards]
        notes = self._flood(len(arrived), now, len(cards))
        notes += self._new(arrived, now) + self._batch(cards, now) + self._reminders(cards, now) + _expired(gone, now)
        return [] if watched else [note for note in notes if self._passes(note, now)]

    def _passes(self, note: Note, now: datetime) -> bool:
        if self.level is NoteLevel.NONE:
            return False
        if self.quiet is not None and self.quiet.holds(now):
            return note.weight is Weight.UNKNOWN
        return self.level is NoteLevel.ALL or note.weight >= Weight.GRAVE

    def _flood(self, arrived: int, now: datetime, waiting: int) -> list[Note]:
        self._arrivals.extend([now] * arrived)
        while self._arrivals and self._arrivals[0] < now - FLOOD_WINDOW:
            self._arrivals.popleft()
        if not self._flooded and len(self._arrivals) > FLOOD_STARTS:
            self._flooded = True
            return [Note(f"Decision flood, {waiting} waiting", weight=Weight.GRAVE)]
        if self._flooded and len(self._arrivals) < FLOOD_ENDS:
            self._flooded = False
        return []

    def _new(self, arrived: Sequence[Proposal], now: datetime) -> list[Note]:
        at_once = Weight.UNKNOWN if self._flooded else Weight.GRAVE
        if not self._flooded:
            self._waiting |= {card.proposal: now for card in arrived if weight_of(card) is Weight.ORDINARY}
        return [_needed(card) for card in arrived if weight_of(card) >= at_once]

    def _batch(self, cards: dict[str, Proposal], now: datetime) -> list[Note]:
        self._waiting = {} if self._flooded else {name: at for name, at in self._waiting.items() if name in cards}
        if not self._waiting or now < min(self._waiting.values()) + BATCH:
            return []
        open_still = [cards[name] for name in self._waiting]
        self._waiting = {}
        if len(open_still) == 1:
            return [_needed(open_still[0])]
        return [Note(f"{len(open_still)} decisions needed", open_still[0].proposal)]

    def _reminders(self, cards: dict[str, Proposal], now: datetime) -> list[Note]:
        self._reminded = {name: count for name, count in self._reminded.items() if name in cards}
        due = {name: _reminders_due(card, now) for name, card in cards.items()}
        late = [cards[name] for name, count in due.items() if count > self._reminded.get(name, 0)]
        self._reminded |= {card.proposal: due[card.proposal] for card in late}
        unknown = [_note(_still_waiting(card, now), card) for card in late if card.approve_by is None]
        return unknown + _running_out([card for card in late if card.approve_by is not None], now)


def weight_of(card: Proposal) -> Weight:
    """In doubt; irreversible or stuck; or nothing out of the ordinary."""
    if card.touchpoint is Touchpoint.OUTCOME_UNKNOWN:
        return Weight.UNKNOWN
    grave = card.tier is Tier.R3 or card.touchpoint is Touchpoint.EXCEPTION
    return Weight.GRAVE if grave else Weight.ORDINARY


def _reminders_due(card: Proposal, now: datetime) -> int:
    """How many reminders a card has come to by now."""
    if card.approve_by is None:
        unknown = card.touchpoint is Touchpoint.OUTCOME_UNKNOWN
        return sum(now - card.opened_at >= wait for wait in UNKNOWN_REMINDERS) if unknown else 0
    whole, left = card.approve_by - card.opened_at, card.approve_by - now
    return int(timedelta(0) < left <= whole * LATE_SHARE)


def _still_waiting(card: Proposal, now: datetime) -> str:
    if card.approve_by is None:
        return f"Still unknown, paused until you say what happened: {card.summary}"
    words = formatting.countdown_words((card.approve_by - now).total_seconds())
    return f"Still waiting, {words} left: {card.summary}"


def _running_out(late: Sequence[Proposal], now: datetime) -> list[Note]:
    """The reminder of a card, or one for all whose time runs out together: a row of notes is read by nobody."""
    if len(late) < 2:
        return [_note(_still_waiting(card, now), card) for card in late]
    first = min(late, key=lambda card: card.approve_by or now)
    words = formatting.countdown_words(((first.approve_by or now) - now).total_seconds())
    text = f"{len(late)} decisions still waiting, {words} left for the first"
    return [Note(text, first.proposal, max(map(weight_of, late)))]


def _expired(gone: Sequence[Proposal], now: datetime) -> list[Note]:
    over = [card for card in gone if card.approve_by is not None and card.approve_by <= now]
    if len(over) > 1:
        return [Note(f"{len(over)} decisions expired; nothing was approved", weight=max(map(weight_of, over)))]
    return [Note(_short(f"Expired: {c.summary}. {c.deadline_text}"), weight=weight_of(c)) for c in over]


def _needed(card: Proposal) -> Note:
    due = ""
    if card.approve_by is not None:
        due = f". Due {formatting.clock_time(card.approve_by.astimezone(), seconds=False)}."
    return _note(f"Decision needed: {card.summary}", card, due)


def _note(text: str, card: Proposal, end: str = "") -> Note:
    return Note(_short(text, end), card.proposal, weight_of(card))


def _short(text: str, end: str = "") -> str:
    """One line with hidden characters visible, cut in the middle part only: the end says until when."""
    line, room = visible_line(text), LONGEST - len(end)
    return (line if len(line) <= room else f"{line[: room - 1]}…") + end
