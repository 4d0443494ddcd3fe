"""ReviewHead: the head of the review page."""

from datetime import datetime

from PySide6.QtWidgets import QWidget

from agent_core.model.action import Tier
from agent_core.model.intents import OpenProposal
from agent_core.model.proposal import Proposal
from ui.models.card_text import KINDS, risk_chip, sub_line, then_words, time_left
from ui.widgets.button import Button
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Chip, KeyHint, Ring
from ui.widgets.surface import clear, column, row


class ReviewHead(QWidget):
    """Where one came from, the title, how long it waits, and what kind of card it is."""

    def __init__(self) -> None:
        super().__init__()
        self.back = Button("Back to console", "ghost", icon="arrow-left", key="Esc", height=28, flush=True)
        self.back.setObjectName("review.back")
        self.place = Label("", "secondary", "text3")
        self._title = Label("", "review_title", wrap=True)
        self._ring = Ring(size=18)
        self._left = Label("", "panel_head")
        self._then = Label("", "secondary", "text3")
        self.more = Button("+ 15 min", "default", icon="clock", height=26)
        self._chips = row(None, 8)
        self._build()

    def _build(self) -> None:
        layout = column(self, 8, (22, 12, 18, 12))
        first = row(None, 6)
        first.addWidget(self.back)
        first.addStretch(1)
        first.addWidget(self.place)
        for key in ("J", "K"):
            first.addWidget(KeyHint(key))
        layout.addLayout(first)
        second = row(None, 8)
        second.addWidget(self._title, 1)
        when: tuple[QWidget, ...] = (self._ring, self._left, self.more, self._then)
        for widget in when:
            second.addWidget(widget)
        layout.addLayout(second)
        layout.addLayout(self._chips)

    def show_card(self, entry: OpenProposal) -> None:
        """Everything but the clock."""
        card = entry.proposal
        self._title.setText(card.summary)
        self._then.setText(then_words(card))
        clear(self._chips)
        kind, risk = KINDS[card.touchpoint], risk_chip(card)
        self._chips.addWidget(Chip(kind.words, "plain", kind.icon))
        if risk is not None:
            self._chips.addWidget(Chip(*risk))
        if card.leaves_company:
            self._chips.addWidget(Chip("Leaves the company", "neutral", "send"))
        if card.tier is Tier.R3 and card.key_figure is not None:
            self._chips.addWidget(Chip(f"{card.key_figure.label}: {card.key_figure.value}", "neutral"))
        self._chips.addWidget(ElidedLabel(sub_line(entry), "secondary", "text3"), 1)

    def show_time(self, card: Proposal, now: datetime) -> None:
        """How long it still waits."""
        left = time_left(card, now)
        self._ring.set_share(left.share, left.tone)
        self._ring.setVisible(bool(left.words))
        self._left.setText(f"{left.words} left" if left.words and not left.expired else left.words)
        self._left.set_color("attn" if left.tone == "attn" else "text")
        self.more.setVisible(left.tone == "attn" and bool(left.words) and not left.expired)
