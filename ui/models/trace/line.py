"""What one row of the trace shows, as plain values: the painter knows nothing of events."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ui.tokens import ColorName, ToneName

BODY_CHARACTERS: Final = 4_000
"""Of a body: more is never needed for four lines; the detail of a longer text shows it whole."""


@dataclass(frozen=True, slots=True)
class ChipText:
    """A chip. With `since` the time since then is part of its words and runs on."""

    text: str
    tone: ToneName = "plain"
    icon: str | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead somewhere: to a card, or to a step of this trace."""

    text: str
    card: str | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class TraceLine:
    """An event's line. `body` is wrapped below it, at most four lines until the row is expanded."""

    icon: str
    title: str
    text: str = ""
    icon_color: ColorName = "text3"
    title_color: ColorName = "text"
    text_color: ColorName = "text"
    mono: bool = False
    chips: tuple[ChipText, ...] = ()
    right: str = ""
    link: Link | None = None
    body: str = ""
    streaming: bool = False

    @property
    def spoken(self) -> str:
        """The line as a sentence for screen readers."""
        parts = [self.title, self.text, self.body[:400], *(chip.text for chip in self.chips), self.right]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class StepLine:
    """The head of a step: its name, the facts beside it, a chip for its state, its figures at the right."""

    name: str
    facts: str
    figures: str = ""
    chip: ChipText | None = None

    @property
    def spoken(self) -> str:
        """The head as a sentence for screen readers."""
        chip = self.chip.text if self.chip else ""
        return ", ".join(part for part in (self.name, self.facts, chip, self.figures) if part)


Line = TraceLine | StepLine
