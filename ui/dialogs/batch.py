"""Like cards decided together: each has its own tick, all that are ticked are approved, or none is."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from agent_core.model.intents import Decide, OpenProposal
from agent_core.model.proposal import Verdict, Via
from ui import formatting
from ui.models.card_text import checks_line, time_left
from ui.models.queue_rows import LARGEST_BATCH, batch_start
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.checks import CheckBox
from ui.widgets.containers import HfwScrollArea
from ui.widgets.guard import Clock, InputGuard
from ui.widgets.guarded_button import GuardedButton
from ui.widgets.label import Label
from ui.widgets.surface import Surface, column, row


class BatchDialog(QDialog):
    """`decided` carries the list of Decide intents, `opened` the id of a card to look at alone."""

    decided = Signal(object)
    opened = Signal(str)

    def __init__(
        self,
        entries: Sequence[OpenProposal],
        operator: str,
        now: Callable[[], datetime],
        parent: QWidget,
        *,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("batch")
        self.setWindowTitle("Decide like cards together")
        self._entries, self._operator, self._now = list(entries[:LARGEST_BATCH]), operator, now
        self._left_out = len(entries) - len(self._entries)
        self.guard = InputGuard(self, clock=clock) if clock is not None else InputGuard(self)
        self.guard.watch(self)
        self.ticks = [CheckBox("", name=entry.proposal.summary) for entry in self._entries]
        self.approve = GuardedButton("Approve", self.guard, "primary", icon="check", key="Ctrl ↵")
        self._problem = Label("", "secondary", "dang", wrap=True)
        self._build()
        self._refresh()

    def _build(self) -> None:
        column(self, 0).addWidget(card := Surface("raised"))
        layout = column(card, 12, (20, 18, 20, 16))
        layout.addWidget(Label("Decide like cards together", "card_title"))
        words = "All that are ticked are approved, or none is. Each can be undone for 8 seconds."
        if self._left_out:
            words += f" {self._left_out} more stay in the queue."
        layout.addWidget(Label(words, "secondary", "text3", wrap=True))
        rows = Surface("inset")
        listed = column(rows, 4, (12, 10, 12, 10))
        for tick, entry in zip(self.ticks, self._entries, strict=True):
            listed.addWidget(self._line(tick, entry))
        area = HfwScrollArea("Cards", rows)
        area.setMinimumHeight(px(260))
        layout.addWidget(area, 1)
        self._problem.hide()
        layout.addWidget(self._problem)
        foot = row(None, 8)
        foot.addStretch(1)
        cancel = Button("Cancel", key="Esc", height=34)
        cancel.setObjectName("batch.cancel")
        cancel.clicked.connect(self.reject)
        foot.addWidget(cancel)
        self.approve.setObjectName("batch.approve")
        foot.addWidget(self.approve)
        layout.addLayout(foot)
        self.approve.activated.connect(self._decide)
        self.setMinimumWidth(px(620))
        cancel.setFocus()

    def _line(self, tick: CheckBox, entry: OpenProposal) -> QWidget:
        holder = QWidget()
        line = row(holder, 8)
        tick.setChecked(batch_start(entry))
        tick.toggled.connect(lambda _on: self._refresh())
        line.addWidget(tick, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(Label(entry.proposal.summary, "secondary_medium", "text", wrap=True), 1)
        below = not batch_start(entry)
        words = "below threshold" if below else checks_line(entry.proposal)
        line.addWidget(Label(words, "secondary", "attn" if below else "text3"))
        line.addWidget(Label(time_left(entry.proposal, self._now()).words, "secondary", "text3"))
        look = Button("Open", "link", height=22)
        look.clicked.connect(lambda _checked=False, card=entry.proposal.proposal: self._open(card))
        line.addWidget(look)
        return holder

    def _open(self, proposal: str) -> None:
        self.reject()
        self.opened.emit(proposal)

    def _chosen(self) -> list[OpenProposal]:
        return [entry for tick, entry in zip(self.ticks, self._entries, strict=True) if tick.isChecked()]

    def _refresh(self) -> None:
        chosen = len(self._chosen())
        self.approve.set_label(f"Approve {formatting.plural(chosen, 'card')}")
        self.approve.setEnabled(chosen > 0)
        self.guard.set_main(self.approve if chosen else None)

    def _decide(self) -> None:
        self.decided.emit(
            [
                Decide(
                    proposal=entry.proposal.proposal,
                    verdict=Verdict.APPROVE.value,
                    by=self._operator,
                    via=Via.CONSOLE,
                    digest=entry.proposal.digest,
                )
                for entry in self._chosen()
            ]
        )

    def refuse(self, sentence: str) -> None:
        """Nothing was decided: say why, and keep the ticks."""
        self._problem.setText(sentence)
        self._problem.show()
        self.guard.arm()
