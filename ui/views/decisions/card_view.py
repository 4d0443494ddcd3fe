"""One card: head, body in a fixed order, foot. It shows, it asks, and it hands a person's decision on."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

from agent_core.model.intents import OpenProposal, Trial
from agent_core.model.proposal import Proposal, Touchpoint
from ui import formatting
from ui.models.card_text import KINDS, blocked_words, risk_chip, shows_changes, sub_line, then_words, time_left
from ui.views.decisions import body_parts, sections
from ui.views.decisions.change_part import ChangePart, scroll_to_unseen
from ui.views.decisions.footer import Footer, give_room
from ui.views.decisions.forms import Filled
from ui.widgets.button import Button
from ui.widgets.containers import HfwScrollArea
from ui.widgets.guard import Clock, InputGuard
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Chip, Icon, Ring
from ui.widgets.surface import Surface, column, row

RECHECK_MS = 60_000


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

    def show_time(self, card: Proposal, now: datetime) -> bool:
        """The clock; True when the time is over."""
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
        return left.expired


class CardView(QWidget):
    """Shows one card at a time. `decided` carries a Decide intent; letters work while the focus is inside."""

    decided = Signal(object)
    review_wanted = Signal(str)
    more_time_wanted = Signal(str)
    recheck_wanted = Signal(str)
    raw_call_wanted = Signal(object)
    origin_wanted = Signal(str, str)
    """A call whose result holds a value of the card: show it in the trace."""
    trial_wanted = Signal(str, object, object)
    """Proposal id, arguments, and whom to call back with the Trial."""

    def __init__(
        self, operator: str, now: Callable[[], datetime], *, clock: Clock | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._operator, self._now = operator, now
        self.entry: OpenProposal | None = None
        self.guard = InputGuard(self, clock=clock) if clock is not None else InputGuard(self)
        self.guard.watch(self)
        self.head = CardHead()
        self.body_area = HfwScrollArea("Card")
        self.footer = Footer(self.guard, now, self._try_out)
        self._parts: list[ChangePart] = []
        self._build()
        self._second = QTimer(self, interval=1_000)
        self._second.timeout.connect(self._tick)
        self._second.start()
        self._recheck = QTimer(self, interval=RECHECK_MS)
        self._recheck.timeout.connect(self._ask_recheck)
        self._recheck.start()

    def _build(self) -> None:
        layout = column(self, 0)
        layout.addWidget(self.head)
        layout.addWidget(self.body_area, 1)
        layout.addWidget(self.footer)
        self.footer.decided.connect(self._decide)
        self.footer.review_wanted.connect(lambda: self._with_id(self.review_wanted))
        self.footer.form_opened.connect(lambda _opened: give_room(layout, self.footer, self.body_area))
        self.head.more_time.connect(lambda: self._with_id(self.more_time_wanted))

    def _with_id(self, signal: Any) -> None:
        if self.entry is not None:
            signal.emit(self.entry.proposal.proposal)

    # ---------------------------------------------------------------- showing

    def show_entry(self, entry: OpenProposal) -> None:
        """Show a card. The same version again changes nothing; another version or card closes the lock."""
        same = self.entry is not None and self.entry.proposal.proposal == entry.proposal.proposal
        if same and self.entry is not None and self.entry.proposal == entry.proposal:
            self.entry = entry
            self._show_state()
            return
        self.entry = entry
        self.head.show_card(entry)
        self.body_area.set_content(self._body(entry.proposal))
        if not same:
            self.body_area.verticalScrollBar().setValue(0)
            self._recheck.start()
        self.footer.blocked_because = ""
        self.footer.incomplete_because = self.unseen_words()
        self.footer.show_card(entry.proposal)
        for part in self._parts:
            part.watch(self._look_again)
        self.setAccessibleName(f"{KINDS[entry.proposal.touchpoint].words}: {entry.proposal.summary}")
        self.guard.arm()
        self._show_state()

    def _body(self, card: Proposal) -> QWidget:
        body = Surface("panel")
        layout = column(body, 13, (16, 4, 16, 16))
        for part in body_parts.above_the_change(card, lambda: self.raw_call_wanted.emit(card)):
            layout.addWidget(part)
        self._parts = []
        if shows_changes(card):
            changes, self._parts = sections.what_changes(card, lambda: self.raw_call_wanted.emit(card))
            layout.addWidget(changes)
        for part in body_parts.below_the_change(card, self.origin_wanted.emit):
            layout.addWidget(part)
        layout.addStretch(1)
        return body

    def _show_state(self) -> None:
        entry = self.entry
        if entry is None:
            return
        self.head.show_time(entry.proposal, self._now())
        because = blocked_words(entry, self._operator, self._now())
        if because != self.footer.blocked_because:
            self.footer.block(because)

    def _tick(self) -> None:
        if self.isVisible():
            self._show_state()

    def _ask_recheck(self) -> None:
        if self.isVisible() and self.entry is not None:
            self.recheck_wanted.emit(self.entry.proposal.proposal)

    # ---------------------------------------------------------------- what was seen

    def unseen_words(self) -> str:
        """Why not everything was shown to its end yet, short enough for the foot; "" when everything was."""
        if flags := sum(part.flags_left() for part in self._parts):
            return f"{formatting.plural(flags, 'flagged row')} (V)"
        return "" if all(part.seen() for part in self._parts) else "see all of it first (V)"

    def _look_again(self) -> None:
        words = self.unseen_words()
        if words != self.footer.incomplete_because:
            self.footer.set_incomplete(words)

    def show_unseen(self) -> bool:
        """Scroll on to what has not been seen, a screen at a time; False when there is nothing."""
        form = self.footer.form
        return form.show_unseen() if form is not None else scroll_to_unseen(self._parts, self.body_area)

    # ---------------------------------------------------------------- deciding

    def seen_parts(self) -> list[str]:
        """Names of the changes that were shown to their end."""
        return [part.name for part in self._parts if part.seen()]

    def _decide(self, verdict: object, filled: Filled) -> None:
        if self.entry is None:
            return
        self.decided.emit(filled.deciding(self.entry.proposal, str(verdict), self._operator, self.seen_parts()))

    def _try_out(self, arguments: dict[str, Any], answer: Callable[[Trial], None]) -> None:
        if self.entry is not None:
            self.trial_wanted.emit(self.entry.proposal.proposal, arguments, answer)

    # ---------------------------------------------------------------- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters open forms, Escape closes one, Enter opens the full review; no bare key decides."""
        if event.key() == Qt.Key.Key_Escape and self.footer.cancel():
            self.setFocus()
            return
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        typing = isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit)
        if plain and not typing and not event.isAutoRepeat():
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.footer.form is None:
                self._with_id(self.review_wanted)
                return
            if event.key() == Qt.Key.Key_V and self.show_unseen():
                return
            if event.text() and self.footer.press_key(event.text()):
                return
        super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Repaint the focus ring."""
        if isinstance(event, QFocusEvent):
            self.update()
        return super().event(event)
