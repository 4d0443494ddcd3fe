"""The full review: everything of one card on a page.

What cannot be undone is approved only here: every part looked at, the key figure typed, the button held.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from agent_core.model.intents import OpenProposal
from agent_core.model.proposal import Proposal
from ui.commands import Commands
from ui.form_keeper import FormKeeper
from ui.models.card_text import shows_changes
from ui.theme import px, theme
from ui.views.decisions import body_parts, sections
from ui.views.decisions.approval_foot import ReviewFooter
from ui.views.decisions.change_part import ChangePart
from ui.views.decisions.footer import give_room
from ui.views.decisions.review_head import ReviewHead
from ui.views.decisions.shown_card import ShownCard
from ui.widgets.containers import HfwScrollArea
from ui.widgets.guard import Clock
from ui.widgets.marks import Line
from ui.widgets.surface import Surface, column, row

SIDE_WIDTH = 436


class ReviewPage(ShownCard):
    """The same intents as the card; `back_wanted` returns to the console, `step_wanted` to another card."""

    looked_at = Signal(str)
    """Another card is shown."""
    back_wanted = Signal()
    step_wanted = Signal(int)

    def __init__(
        self, commands: Commands, keeper: FormKeeper, now: Callable[[], datetime], *, clock: Clock | None = None
    ) -> None:
        super().__init__("raised", commands, keeper, now, ReviewFooter, clock)
        self.setObjectName("review")
        self.head = ReviewHead()
        self.changes_area, self._evidence = HfwScrollArea("What changes"), HfwScrollArea("Evidence")
        self._middle = QWidget()
        self._build()

    def _build(self) -> None:
        layout = column(self, 0)
        layout.addWidget(self.head)
        layout.addWidget(Line())
        middle = row(self._middle, 0)
        middle.addWidget(self.changes_area, 1)
        middle.addWidget(Line(vertical=True))
        middle.addWidget(self._evidence)
        layout.addWidget(self._middle, 1)
        layout.addWidget(self.footer)
        self.footer.form_opened.connect(lambda _opened: give_room(layout, self.footer, self._middle))
        self.head.back.clicked.connect(self.back_wanted)
        self.head.more.clicked.connect(self.more_time)
        theme().follow(self._fit_evidence)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The evidence keeps to its share of the page."""
        super().resizeEvent(event)
        self._fit_evidence()

    def _fit_evidence(self) -> None:
        """Its width at the present size of letters, and half of the page at most."""
        self._evidence.setFixedWidth(min(px(SIDE_WIDTH), self.width() // 2))

    def show_place(self, entry: OpenProposal, place: int, total: int) -> None:
        """Show a card, and which one of how many it is."""
        self.head.place.setText(f"{place + 1} of {total}")
        self.show_entry(entry)

    def draw(self, entry: OpenProposal, *, another: bool) -> Sequence[ChangePart]:
        """What changes on the left, what speaks for and against it on the right."""
        card = entry.proposal
        self.head.show_card(entry)
        body, parts = self._changes(card)
        self.changes_area.set_content(body)
        self._evidence.set_content(self._evidence_of(card))
        self.setAccessibleName(f"Review: {card.summary}")
        if another:
            self.looked_at.emit(card.proposal)
        return parts

    def _changes(self, card: Proposal) -> tuple[QWidget, list[ChangePart]]:
        body = Surface("raised")
        layout = column(body, 13, (22, 14, 22, 18))
        for part in body_parts.above_the_change(card, lambda: self.raw_call_wanted.emit(card)):
            layout.addWidget(part)
        parts: list[ChangePart] = []
        if shows_changes(card):
            changes, parts = sections.what_changes(card, lambda: self.raw_call_wanted.emit(card), tall=True)
            layout.addWidget(changes)
        layout.addStretch(1)
        return body, parts

    def _evidence_of(self, card: Proposal) -> QWidget:
        body = Surface("panel")
        layout = column(body, 14, (18, 14, 18, 18))
        for part in body_parts.below_the_change(card, self.origin_wanted.emit):
            layout.addWidget(part)
        layout.addStretch(1)
        return body

    def show_time(self, card: Proposal, now: datetime) -> None:
        """In the head."""
        self.head.show_time(card, now)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Besides what every card does: Escape closes a form, then the page."""
        if event.key() == Qt.Key.Key_Escape:
            if not self.footer.cancel():
                self.back_wanted.emit()
            return
        super().keyPressEvent(event)

    def plain_key(self, event: QKeyEvent) -> bool:
        """Besides what every card does: J and K go to other cards."""
        if event.key() in (Qt.Key.Key_J, Qt.Key.Key_K) and self.footer.form is None:
            self.step_wanted.emit(1 if event.key() == Qt.Key.Key_J else -1)
            return True
        return super().plain_key(event)
