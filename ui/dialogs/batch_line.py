"""One of several like cards: a tick, what it does, its checks and its time, and why it can no longer be among them."""

from collections.abc import Mapping
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from agent_core.model.intents import OpenProposal
from ui.models.card_text import checks_line, time_left
from ui.models.queue_rows import batch_start
from ui.widgets.button import Button
from ui.widgets.checks import CheckBox
from ui.widgets.label import Label
from ui.widgets.surface import column, row


class BatchLine(QWidget):
    """`opened` carries the card's id: it is to be looked at alone."""

    opened = Signal(str)

    def __init__(self, entry: OpenProposal, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self.tick = CheckBox("", name=entry.proposal.summary)
        self.tick.setChecked(batch_start(entry))
        self._summary = Label(entry.proposal.summary, "secondary_medium", "text", wrap=True)
        below = not batch_start(entry)
        words = "below threshold" if below else checks_line(entry.proposal)
        self._checks = Label(words, "secondary", "attn" if below else "text3")
        self._left = Label("", "secondary", "text3")
        self.why = Label("", "secondary", "attn", wrap=True)
        self.why.hide()
        self._look = Button("Open", "link", height=22)
        self._look.clicked.connect(lambda: self.opened.emit(entry.proposal.proposal))
        self._build()

    def _build(self) -> None:
        line = row(self, 8)
        line.addWidget(self.tick, 0, Qt.AlignmentFlag.AlignTop)
        what = column(None, 2)
        what.addWidget(self._summary)
        what.addWidget(self.why)
        line.addLayout(what, 1)
        line.addWidget(self._checks)
        line.addWidget(self._left)
        line.addWidget(self._look)

    def show_time(self, now: datetime) -> None:
        """The clock of the card, while it still matters here."""
        left = time_left(self.entry.proposal, now)
        self._left.setText(left.words)
        self._left.set_color("attn" if left.tone == "attn" else "text3")

    def overtaken(self, queue: Mapping[str, OpenProposal]) -> str:
        """Why the card is not as it was shown here, by the queue as it is now; "" while it is."""
        found = queue.get(self.entry.proposal.proposal)
        if found is None:
            return "It is closed meanwhile."
        if found.expired:
            return "Its time is over."
        if found.with_agent or found.version != self.entry.version:
            return "It changed meanwhile: open it to see how."
        return ""

    def strike(self, why: str, *, is_open: bool) -> None:
        """Take the card out of those that are decided together, and say why. An open one can still be looked at."""
        self.tick.setChecked(False)
        self.tick.setEnabled(False)
        self._summary.set_color("text3")
        self.why.setText(why)
        self.why.show()
        self._checks.hide()
        self._left.hide()
        self._look.setVisible(is_open)
