"""One card in the panel: head, body in a fixed order, foot. It hands a person's decision on."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent

from agent_core.model.intents import OpenProposal
from agent_core.model.proposal import Proposal
from ui.commands import Commands
from ui.form_keeper import FormKeeper
from ui.models.card_text import KINDS, shows_changes
from ui.views.decisions import body_parts, sections
from ui.views.decisions.card_head import CardHead
from ui.views.decisions.change_part import ChangePart
from ui.views.decisions.footer import Footer, give_room
from ui.views.decisions.shown_card import ShownCard
from ui.widgets.containers import HfwScrollArea
from ui.widgets.guard import Clock
from ui.widgets.surface import Surface, column


class CardView(ShownCard):
    """`review_wanted` carries the card's id."""

    review_wanted = Signal(str)

    def __init__(
        self, commands: Commands, keeper: FormKeeper, now: Callable[[], datetime], *, clock: Clock | None = None
    ) -> None:
        super().__init__("panel", commands, keeper, now, Footer, clock)
        self.setObjectName("card")
        self.head = CardHead()
        self.changes_area = HfwScrollArea("Card")
        layout = column(self, 0)
        layout.addWidget(self.head)
        layout.addWidget(self.changes_area, 1)
        layout.addWidget(self.footer)
        self.footer.review_wanted.connect(self._open_review)
        self.footer.form_opened.connect(lambda _opened: give_room(layout, self.footer, self.changes_area))
        self.head.more_time.connect(self.more_time)

    def draw(self, entry: OpenProposal, *, another: bool) -> Sequence[ChangePart]:
        """Head and body; another card is read from its top."""
        card = entry.proposal
        self.head.show_card(entry)
        body, parts = self._body(card)
        self.changes_area.set_content(body)
        if another:
            self.changes_area.verticalScrollBar().setValue(0)
        self.setAccessibleName(f"{KINDS[card.touchpoint].words}: {card.summary}")
        return parts

    def _body(self, card: Proposal) -> tuple[Surface, list[ChangePart]]:
        body = Surface("panel")
        layout = column(body, 13, (16, 4, 16, 16))
        for part in body_parts.above_the_change(card, lambda: self.raw_call_wanted.emit(card)):
            layout.addWidget(part)
        parts: list[ChangePart] = []
        if shows_changes(card):
            changes, parts = sections.what_changes(card, lambda: self.raw_call_wanted.emit(card))
            layout.addWidget(changes)
        for part in body_parts.below_the_change(card, self.origin_wanted.emit):
            layout.addWidget(part)
        layout.addStretch(1)
        return body, parts

    def show_time(self, card: Proposal, now: datetime) -> None:
        """In the head."""
        self.head.show_time(card, now)

    def _open_review(self) -> None:
        if self.entry is not None:
            self.review_wanted.emit(self.proposal)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Besides what every card does: Escape closes a form."""
        if event.key() == Qt.Key.Key_Escape and self.footer.cancel():
            self.setFocus()
            return
        super().keyPressEvent(event)

    def plain_key(self, event: QKeyEvent) -> bool:
        """Besides what every card does: Enter opens the full review."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.footer.form is None:
            self._open_review()
            return True
        return super().plain_key(event)

    def event(self, event: QEvent) -> bool:
        """Repaint the focus ring."""
        if isinstance(event, QFocusEvent):
            self.update()
        return super().event(event)
