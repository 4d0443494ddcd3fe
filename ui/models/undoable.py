"""Which approvals can still be taken back, newest first: one card, or cards that were decided together. Pure."""

from dataclasses import dataclass
from datetime import datetime

from agent_core.model.intents import Receipt
from ui import formatting

_WORDS = {"approve": "Approved", "modify": "Approved as modified"}


@dataclass(frozen=True, slots=True)
class Act:
    """What a person decided in one go, and until when it can be taken back."""

    words: str
    proposals: tuple[str, ...]
    at: datetime
    until: datetime

    def title(self) -> str:
        """ "Approved", or how many at once."""
        many = len(self.proposals)
        return self.words if many == 1 else f"{self.words} {formatting.plural(many, 'card')}"


class Undoable:
    """The acts of this window. Receipts of one instant were decided together, and are taken back together."""

    def __init__(self) -> None:
        self._acts: list[Act] = []

    def add(self, receipt: Receipt) -> None:
        """Take in a decision; one that runs at once cannot be taken back."""
        if receipt.effective_at is None:
            return
        before = self._acts[-1] if self._acts else None
        words = _WORDS.get(receipt.verdict, "Approved")
        proposals: tuple[str, ...] = (receipt.proposal,)
        if before is not None and before.at == receipt.at and receipt.proposal not in before.proposals:
            proposals = (*before.proposals, receipt.proposal)
            self._acts.pop()
        self._acts.append(Act(words, proposals, receipt.at, receipt.effective_at))

    def newest(self, now: datetime) -> Act | None:
        """The newest act that can still be taken back."""
        self._acts = [act for act in self._acts if act.until > now]
        return self._acts[-1] if self._acts else None

    def take_back(self, now: datetime) -> Act | None:
        """The newest act, and it is none any more."""
        return self._acts.pop() if self.newest(now) is not None else None
