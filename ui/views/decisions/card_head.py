"""CardHead: what a card in the panel is, how grave, how long it still waits, and what silence means."""

from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from agent_core.model.intents import OpenProposal
from agent_core.model.proposal import Proposal, Touchpoint
from ui.models.card_text import KINDS, risk_chip, sub_line, then_words, time_left
from ui.widgets.button import Button
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Chip, Icon, Ring
from ui.widgets.surface import Surface, column, row


class CardHead(Surface):
    """Kind, risk, time left; title; where it stands and what silence means."""

    more_time = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", parent)
        self._icon = Icon("shield-check", "text2", 16)
        self._kind = Label("", "secondary_medium", "text2")
        self._risk = Chip("", "neutral")
        self._leaves = Chip("Leaves the company", "neutral", "send")
        self._ring = Ring()
        self._left = Label("", "key_value")
        self._left_word = Label("left", "secondary", "text3")
        self.more = Button("+ 15 min", "default", icon="clock", height=26)
        self.more.setObjectName("card.more_time")
        self._title = Label("", "card_title", wrap=True)
        self._title.setObjectName("card.title")
        self._sub = ElidedLabel("", "secondary", "text3")
        self._then = Label("", "secondary", "text3")
        self._then.setObjectName("card.then")
        self._build()

    def _build(self) -> None:
        layout = column(self, 6, (16, 14, 16, 8))
        first = row(None, 8)
        what: tuple[QWidget, ...] = (self._icon, self._kind, self._risk)
        when: tuple[QWidget, ...] = (self._ring, self._left, self._left_word, self.more)
        for widget in what:
            first.addWidget(widget)
        first.addStretch(1)
        for widget in when:
            first.addWidget(widget)
        layout.addLayout(first)
        layout.addWidget(self._title)
        layout.addWidget(self._leaves, 0, Qt.AlignmentFlag.AlignLeft)
        last = row(None, 8)
        last.addWidget(self._sub, 1)
        last.addWidget(self._then)
        layout.addLayout(last)
        self.more.clicked.connect(self.more_time)

    def show_card(self, entry: OpenProposal) -> None:
        """Everything but the clock."""
        card = entry.proposal
        kind, risk = KINDS[card.touchpoint], risk_chip(card)
        self._icon.set_icon(kind.icon, kind.color)
        self._kind.setText(kind.words)
        self._kind.set_color(kind.color)
        self._risk.setVisible(risk is not None)
        if risk is not None:
            self._risk.setText(risk[0])
            self._risk.set_tone(risk[1], risk[2])
        if card.touchpoint is Touchpoint.OUTCOME_UNKNOWN:
            self._risk.setVisible(True)
            self._risk.setText("Retry is locked")
            self._risk.set_tone("unk", "lock")
        self._leaves.setVisible(card.leaves_company)
        self._title.setText(card.summary)
        self._sub.setText(sub_line(entry))
        self._then.setText(then_words(card))

    def show_time(self, card: Proposal, now: datetime) -> None:
        """How long it still waits."""
        left = time_left(card, now)
        shown = bool(left.words)
        for widget in (self._ring, self._left, self._left_word):
            widget.setVisible(shown)
        self._left_word.setVisible(shown and not left.expired)
        self._ring.set_share(left.share, left.tone)
        self._left.setText(left.words)
        self._left.setAccessibleName(left.spoken)
        self._left.set_color("attn" if left.tone == "attn" else "text")
        self.more.setVisible(shown and left.tone == "attn" and not left.expired)
