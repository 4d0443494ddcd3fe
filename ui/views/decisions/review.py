"""The full review: everything of one card on a page.

What cannot be undone is approved only here: every part looked at, the key figure typed, the button held.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QPlainTextEdit, QWidget

from agent_core.model.action import Tier
from agent_core.model.intents import OpenProposal, Trial
from agent_core.model.proposal import Proposal, Verdict
from ui.models.card_buttons import CardButton, Form
from ui.models.card_text import (
    KINDS,
    blocked_words,
    hold_words,
    risk_chip,
    shows_changes,
    sub_line,
    then_words,
    time_left,
)
from ui.theme import px
from ui.views.decisions import body_parts, sections
from ui.views.decisions.card_view import RECHECK_MS
from ui.views.decisions.change_part import ChangePart, scroll_to_unseen
from ui.views.decisions.footer import Footer, give_room
from ui.views.decisions.forms import Filled
from ui.views.decisions.tried_form import NO_FIGURE, TryOut
from ui.widgets.button import Button
from ui.widgets.containers import HfwScrollArea
from ui.widgets.field import Field
from ui.widgets.guard import Clock, InputGuard
from ui.widgets.hold_button import HoldButton
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Chip, Icon, KeyHint, Line, Ring
from ui.widgets.surface import Surface, column, row

SIDE_WIDTH = 436


class ReviewFooter(Footer):
    """As the card's foot; an irreversible approval is typed and held here instead of opened."""

    def __init__(
        self, guard: InputGuard, now: Callable[[], datetime], try_out: TryOut, parent: QWidget | None = None
    ) -> None:
        super().__init__(guard, now, try_out, parent)
        self.setObjectName("review.footer")
        self.parts: Sequence[ChangePart] = ()
        self._looked: QHBoxLayout | None = None
        self._figure = Field(name="Key figure")
        self._reason = Field(name="Reason")
        self._hold: HoldButton | None = None

    def block(self, because: str) -> None:
        """Take the approval away: the sentence stands where the missing key would."""
        super().block(because)
        self.refresh()

    def rest(self) -> None:
        """The buttons, with the approval locked until everything was looked at and the figure typed."""
        self._hold = None
        approval = next((b for b in self._buttons.main if b.form is Form.REVIEW), None)
        if approval is None or self._card is None:
            super().rest()
            return
        self._clear()
        self._looked = row(None, 12)
        self._add(self._looked)
        self._add(self._approval_row(self._card, approval))
        self._apply_blocks()
        self._guard.arm()
        self.refresh()
        self.form_opened.emit(False)

    def _approval_row(self, card: Proposal, approval: CardButton) -> QHBoxLayout:
        line = row(None, 8)
        wanted = card.key_figure.value if card.key_figure is not None else NO_FIGURE
        label = f"Type {card.key_figure.label}" if card.key_figure is not None else f"Type “{NO_FIGURE}”"
        self._figure = Field(name=label, placeholder="…")
        self._figure.setObjectName("review.figure")
        self._figure.setFixedWidth(px(84 if len(wanted) <= 6 else 150))
        self._figure.textChanged.connect(lambda _text: self.refresh())
        line.addWidget(Label(label, "body_medium"))
        line.addWidget(self._figure)
        self._reason = Field(name="Reason", placeholder="Reason: below the threshold")
        self._reason.setObjectName("review.reason")
        self._reason.setVisible(card.doubtful)
        self._reason.textChanged.connect(lambda _text: self.refresh())
        line.addWidget(self._reason)
        self._hold = HoldButton(
            f"Hold to {hold_words(card)}", self._guard, icon="send" if card.leaves_company else "check"
        )
        self._hold.setObjectName("review.hold")
        self._hold.set_press_twice(self.press_twice)
        self._hold.activated.connect(lambda: self._decide(approval.verdict, self._with_reason()))
        line.addWidget(self._hold)
        for button in self._buttons.main:
            if button is not approval:
                line.addWidget(self._big(button, button.key))
        line.addStretch(1)
        for button in self._buttons.quiet:
            quiet = Button(
                "" if button.verdict is Verdict.POSTPONE else button.words, "ghost", icon=button.icon, tip=button.words
            )
            quiet.setObjectName(f"review.{button.verdict.value}")
            quiet.clicked.connect(lambda _checked=False, button=button: self.press(button))
            line.addWidget(quiet)
        return line

    def _with_reason(self) -> Filled:
        return Filled(reason=self._reason.text().strip() or None)

    def missing(self) -> str:
        """What still stands before the approval, in words; "" when nothing does."""
        card = self._card
        if card is None:
            return ""
        if self.blocked_because:
            return self.blocked_because
        unseen = [part for part in self.parts if not part.seen()]
        flags = sum(part.flags_left() for part in unseen)
        if flags:
            return f"open the {flags} flagged rows to unlock" if flags > 1 else "open the flagged row to unlock"
        if unseen:
            return f"look at {unseen[0].name} to its end to unlock"
        wanted = card.key_figure.value if card.key_figure is not None else NO_FIGURE
        if self._figure.text().strip() != wanted:
            return "type the figure that stands in the preview" if card.key_figure else "type the words to unlock"
        return "give a reason: the confidence is below its threshold" if self._reason_missing(card) else ""

    def _reason_missing(self, card: Proposal) -> bool:
        return card.doubtful and not self._reason.text().strip()

    def unseen(self) -> bool:
        """Whether a part was not shown to its end yet."""
        return not all(part.seen() for part in self.parts)

    def refresh(self) -> None:
        """Show what was looked at, and open or lock the approval."""
        if self._form is not None:
            self._refresh_form()
        if self._form is not None or self._hold is None or self._looked is None or self._card is None:
            return
        missing = self.missing()
        typed = self._card.key_figure is not None and self._figure.text().strip() == self._card.key_figure.value
        self._figure.set_trailing_icon("check" if typed else None)
        self._hold.setEnabled(not missing)
        self._guard.set_main(None if missing else self._hold)
        while (item := self._looked.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self._looked.addWidget(Label("Looked at", "section_head", "text2"))
        for part in self.parts:
            self._looked.addWidget(_mark(part))
        hint = ElidedLabel(missing, "secondary", "attn", align=Qt.AlignmentFlag.AlignRight)
        hint.setObjectName("review.missing")
        self._looked.addWidget(hint, 1)


def _mark(part: ChangePart) -> QWidget:
    holder = QWidget()
    line = row(holder, 5)
    seen, flags = part.seen(), part.flags_left()
    line.addWidget(Icon("check" if seen else "circle-dashed", "text3" if seen else "attn", 14))
    words = f"{flags} flagged rows" if flags else part.name
    line.addWidget(Label(words[:32], "secondary", "text2" if seen else "attn"))
    holder.setAccessibleName(f"{words}, {'seen' if seen else 'not seen yet'}")
    return holder


class ReviewPage(Surface):
    """One card on a page of its own. The same intents as the card; `back_wanted` returns to the console."""

    decided = Signal(object)
    looked_at = Signal(str)
    """Another card is shown."""
    recheck_wanted = Signal(str)
    back_wanted = Signal()
    step_wanted = Signal(int)
    more_time_wanted = Signal(str)
    trial_wanted = Signal(str, object, object)
    raw_call_wanted = Signal(object)
    origin_wanted = Signal(str, str)

    def __init__(
        self, operator: str, now: Callable[[], datetime], *, clock: Clock | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__("raised", parent)
        self.setObjectName("review")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._operator, self._now = operator, now
        self.entry: OpenProposal | None = None
        self.guard = InputGuard(self, clock=clock) if clock is not None else InputGuard(self)
        self.guard.watch(self)
        self._head = _ReviewHead()
        self.left, self.right = HfwScrollArea("What changes"), HfwScrollArea("Evidence")
        self._middle = QWidget()
        self.footer = ReviewFooter(self.guard, now, self._try_out)
        self._build()
        self._second = QTimer(self, interval=1_000)
        self._second.timeout.connect(self._show_time)
        self._second.start()
        self._recheck = QTimer(self, interval=RECHECK_MS)
        self._recheck.timeout.connect(self._ask_recheck)
        self._recheck.start()

    def _build(self) -> None:
        layout = column(self, 0)
        layout.addWidget(self._head)
        layout.addWidget(Line())
        middle = row(self._middle, 0)
        middle.addWidget(self.left, 1)
        middle.addWidget(Line(vertical=True))
        self.right.setFixedWidth(px(SIDE_WIDTH))
        middle.addWidget(self.right)
        layout.addWidget(self._middle, 1)
        layout.addWidget(self.footer)
        self.footer.form_opened.connect(lambda _opened: give_room(layout, self.footer, self._middle))
        self._head.back.clicked.connect(self.back_wanted)
        self._head.more.clicked.connect(self._more_time)
        self.footer.decided.connect(self._decide)

    def show_entry(self, entry: OpenProposal, place: int, total: int) -> None:
        """Show a card; the same version again only moves the clock and the count."""
        self._head.place.setText(f"{place + 1} of {total}")
        if self.entry is not None and self.entry.proposal == entry.proposal:
            self.entry = entry
            self._show_time()
            return
        card, before = entry.proposal, self.entry
        self.entry = entry
        if before is None or before.proposal.proposal != card.proposal:
            self._recheck.start()
            self.looked_at.emit(card.proposal)
        self._head.show_card(entry)
        body, parts = self._left_body(card)
        self.left.set_content(body)
        self.right.set_content(self._right_body(card))
        self.footer.parts = parts
        self.footer.blocked_because = ""
        self.footer.show_card(card)
        for part in parts:
            part.watch(self.footer.refresh)
        self.setAccessibleName(f"Review: {card.summary}")
        self.guard.arm()
        self._show_time()

    def _left_body(self, card: Proposal) -> tuple[QWidget, list[ChangePart]]:
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

    def _right_body(self, card: Proposal) -> QWidget:
        body = Surface("panel")
        layout = column(body, 14, (18, 14, 18, 18))
        for part in body_parts.below_the_change(card, self.origin_wanted.emit):
            layout.addWidget(part)
        layout.addStretch(1)
        return body

    def _show_time(self) -> None:
        if self.entry is None:
            return
        self._head.show_time(self.entry.proposal, self._now())
        because = blocked_words(self.entry, self._operator, self._now())
        if because != self.footer.blocked_because:
            self.footer.block(because)

    def show_unseen(self) -> bool:
        """Scroll on to what has not been seen, a screen at a time; False when there is nothing."""
        form = self.footer.form
        return form.show_unseen() if form is not None else scroll_to_unseen(self.footer.parts, self.left)

    def _ask_recheck(self) -> None:
        if self.isVisible() and self.entry is not None:
            self.recheck_wanted.emit(self.entry.proposal.proposal)

    # ---------------------------------------------------------------- deciding

    def _decide(self, verdict: object, filled: Filled) -> None:
        if self.entry is None:
            return
        seen = [part.name for part in self.footer.parts if part.seen()]
        self.decided.emit(filled.deciding(self.entry.proposal, str(verdict), self._operator, seen))

    def _try_out(self, arguments: dict[str, Any], answer: Callable[[Trial], None]) -> None:
        if self.entry is not None:
            self.trial_wanted.emit(self.entry.proposal.proposal, arguments, answer)

    def _more_time(self) -> None:
        if self.entry is not None:
            self.more_time_wanted.emit(self.entry.proposal.proposal)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes a form, then the page; J and K go to other cards; V goes on; letters open forms."""
        if event.key() == Qt.Key.Key_Escape:
            if not self.footer.cancel():
                self.back_wanted.emit()
            return
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        typing = isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit)
        if plain and not typing and not event.isAutoRepeat():
            if event.key() in (Qt.Key.Key_J, Qt.Key.Key_K) and self.footer.form is None:
                self.step_wanted.emit(1 if event.key() == Qt.Key.Key_J else -1)
                return
            if event.key() == Qt.Key.Key_V and self.show_unseen():
                return
            if event.text() and self.footer.press_key(event.text()):
                return
        super().keyPressEvent(event)


class _ReviewHead(QWidget):
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
        card = entry.proposal
        self._title.setText(card.summary)
        self._then.setText(then_words(card))
        while (item := self._chips.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        kind, risk = KINDS[card.touchpoint], risk_chip(card)
        self._chips.addWidget(Chip(kind.words, "plain", kind.icon))
        if risk is not None:
            self._chips.addWidget(Chip(*risk))
        if card.leaves_company:
            self._chips.addWidget(Chip("Leaves the company", "neutral", "send"))
        if card.tier is Tier.R3 and card.key_figure is not None:
            self._chips.addWidget(Chip(f"{card.key_figure.label}: {card.key_figure.value}", "neutral"))
        self._chips.addWidget(ElidedLabel(sub_line(entry), "secondary", "text3"), 1)

    def show_time(self, card: Proposal, now: datetime) -> bool:
        left = time_left(card, now)
        self._ring.set_share(left.share, left.tone)
        self._ring.setVisible(bool(left.words))
        self._left.setText(f"{left.words} left" if left.words and not left.expired else left.words)
        self._left.set_color("attn" if left.tone == "attn" else "text")
        self.more.setVisible(left.tone == "attn" and bool(left.words) and not left.expired)
        return left.expired
