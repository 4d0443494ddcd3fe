"""The parts of a card's body in their order, for the panel and the review page alike."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from agent_core.model.proposal import Proposal
from ui.views.decisions import kinds, sections


def above_the_change(card: Proposal, raw_call: Callable[[], None]) -> list[QWidget]:
    """What is different now, who else is in it, what only this kind has; `raw_call` shows the whole call."""
    return _given(sections.changed(card), sections.people(card), *kinds.special_parts(card, raw_call))


def below_the_change(card: Proposal, go_to: Callable[[str, str], None]) -> list[QWidget]:
    """What speaks for it and against it, and what silence means; `go_to` leads to where a value came from."""
    return _given(
        sections.answers(card),
        sections.confidence(card),
        sections.origins(card, go_to),
        sections.why(card),
        sections.consequences(card),
        sections.sources(card),
        sections.asked_because(card),
        sections.deadline(card),
    )


def _given(*parts: QWidget | None) -> list[QWidget]:
    return [part for part in parts if part is not None]
