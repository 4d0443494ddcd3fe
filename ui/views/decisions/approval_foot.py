"""ApprovalFoot: the foot under what cannot be undone. It is typed and held here, once every part was looked at."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from agent_core.model.proposal import Proposal, Verdict
from ui.models.card_buttons import ButtonSet, CardButton, Form
from ui.models.card_text import hold_words
from ui.models.figure_to_type import figure_to_type
from ui.theme import px
from ui.views.decisions.buttons_foot import RestingFoot, big_button, quiet_button
from ui.views.decisions.change_part import ChangePart
from ui.views.decisions.decision_form import Filled
from ui.views.decisions.footer import Footer
from ui.widgets.field import Field
from ui.widgets.guard import InputGuard
from ui.widgets.hold_button import HoldButton
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Icon
from ui.widgets.surface import clear, column, row

_SHORT_FIGURE = 6
"""Letters of a figure that a small field shows."""


class ReviewFooter(Footer):
    """As the card's foot; an irreversible approval is typed and held here instead of opened."""

    def resting_foot(self) -> RestingFoot:
        """The approval itself, where the card in the panel only leads to this page."""
        approval = next((button for button in self.buttons.main if button.form is Form.REVIEW), None)
        if approval is None or self.card is None:
            return super().resting_foot()
        foot = ApprovalFoot(self.card, self.parts, approval, self.buttons, self.guard)
        foot.hold.set_press_twice(self.press_twice)
        foot.approved.connect(lambda filled: self.decided.emit(approval.verdict, filled))
        return foot


class ApprovalFoot(RestingFoot):
    """`approved` carries what was filled in."""

    approved = Signal(object)

    def __init__(
        self,
        card: Proposal,
        parts: Sequence[ChangePart],
        approval: CardButton,
        buttons: ButtonSet,
        guard: InputGuard,
    ) -> None:
        super().__init__()
        self._card, self._parts, self._approval, self._buttons, self._guard = card, parts, approval, buttons, guard
        self._wanted = figure_to_type(card.key_figure)
        self._figure = Field(name=f"Type {self._wanted.label}", placeholder="…")
        self._figure.setObjectName("review.figure")
        self._figure.setFixedWidth(px(84 if len(self._wanted.value) <= _SHORT_FIGURE else 150))
        self._reason = Field(name="Reason", placeholder="Reason: below the threshold")
        self._reason.setObjectName("review.reason")
        self._reason.setVisible(card.doubtful)
        self.hold = HoldButton(hold_words(card), guard, icon="send" if card.leaves_company else "check")
        self.hold.setObjectName("review.hold")
        self._off: Callable[[CardButton], str] = lambda _button: ""
        layout = column(self, 8)
        self._looked = row(None, 12)
        layout.addLayout(self._looked)
        layout.addWidget(self._reason)
        self._line, self._below = self._approval_row(), row(None, 8)
        self._quiet = self._quiet_buttons()
        layout.addLayout(self._line)
        layout.addLayout(self._below)
        for field in (self._figure, self._reason):
            field.textChanged.connect(lambda _text: self.refresh(self._off))
        self.hold.activated.connect(lambda: self.approved.emit(Filled(reason=self._reason.text().strip() or None)))

    def _approval_row(self) -> QHBoxLayout:
        line = row(None, 8)
        line.addWidget(Label(f"Type {self._wanted.label}", "body_medium"))
        line.addWidget(self._figure)
        line.addWidget(self.hold)
        for button in self._buttons.main:
            if button is not self._approval:
                big = big_button(button, self._guard, button.key, self.pressed.emit)
                line.addWidget(self.switched(button, big))
        line.addStretch(1)
        return line

    def _quiet_buttons(self) -> QWidget:
        holder = QWidget()
        line = row(holder, 2)
        for place, button in enumerate(self._buttons.quiet):
            words = "" if button.verdict is Verdict.POSTPONE else button.words
            quiet = quiet_button(button, words, self.pressed.emit, flush=place == 0)
            line.addWidget(self.switched(button, quiet))
        line.addStretch(1)
        return holder

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The quiet buttons stand beside the approval where they fit, else below: nothing is cut short for them."""
        super().resizeEvent(event)
        items = (self._line.itemAt(place) for place in range(self._line.count()))
        others = (item.widget() for item in items if item is not None)
        taken = [one for one in others if one is not None and one is not self._quiet]
        needed = sum(one.sizeHint().width() for one in (*taken, self._quiet)) + self._line.spacing() * (len(taken) + 1)
        line = self._line if needed <= self.width() else self._below
        if line.indexOf(self._quiet) < 0:
            line.addWidget(self._quiet)

    def missing(self) -> str:
        """What still stands before the approval, in words; "" when nothing does."""
        if because := self._off(self._approval):
            return because
        unseen = [part for part in self._parts if not part.seen()]
        flags = sum(part.flags_left() for part in unseen)
        if flags:
            return f"open the {flags} flagged rows to unlock" if flags > 1 else "open the flagged row to unlock"
        if unseen:
            return f"look at {unseen[0].name} to its end to unlock"
        if self._figure.text().strip() != self._wanted.value:
            return "type the figure that stands in the preview" if self._card.key_figure else "type the words to unlock"
        no_reason = self._card.doubtful and not self._reason.text().strip()
        return "give a reason: the confidence is below its threshold" if no_reason else ""

    def refresh(self, off: Callable[[CardButton], str]) -> None:
        """Show what was looked at, and open or lock the approval; `off` says what takes it away altogether."""
        self._off = off
        self.switch(off)
        missing = self.missing()
        typed = self._card.key_figure is not None and self._figure.text().strip() == self._wanted.value
        self._figure.set_trailing_icon("check" if typed else None)
        self.hold.setEnabled(not missing)
        self._guard.set_main(None if missing else self.hold)
        clear(self._looked)
        self._looked.addWidget(Label("Looked at", "section_head", "text2"))
        for part in self._parts:
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
