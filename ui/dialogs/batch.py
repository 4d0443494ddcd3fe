"""Like cards decided together: each has its own tick, all that are ticked are approved, or none is."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QWidget

from agent_core.model.errors import PilothouseError, TogetherRefused
from agent_core.model.intents import Decide, OpenProposal
from agent_core.model.proposal import Verdict, Via
from ui import formatting
from ui.dialogs.batch_line import BatchLine
from ui.models.queue_rows import LARGEST_BATCH
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.containers import HfwScrollArea
from ui.widgets.guard import Clock, InputGuard
from ui.widgets.guarded_button import GuardedButton
from ui.widgets.label import Label
from ui.widgets.messages import Note
from ui.widgets.surface import Surface, column, row

CLOSED = frozenset({"closed", "expired", "unknown"})
"""Codes of refusals after which there is no card to look at any more."""


class BatchDialog(QDialog):
    """`decided` carries the list of Decide intents, `opened` the id of a card to look at alone.

    What happens to its cards meanwhile is followed: one that is decided elsewhere or changes loses its tick and says
    so, and the others can go on.
    """

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
        self._operator, self._now = operator, now
        self._left_out = max(0, len(entries) - LARGEST_BATCH)
        self._under_way = False
        self.guard = InputGuard(self, clock=clock) if clock is not None else InputGuard(self)
        self.guard.watch(self)
        self.lines = [BatchLine(entry) for entry in entries[:LARGEST_BATCH]]
        self.ticks = [line.tick for line in self.lines]
        self.approve = GuardedButton("Approve", self.guard, "primary", icon="check", key="Ctrl ↵")
        self._problem = Note("", "attn", icon="triangle-alert")
        self._problem.setObjectName("batch.problem")
        self._build()
        self._refresh()
        self._show_time()
        self._second = QTimer(self, interval=1_000)
        self._second.timeout.connect(self._show_time)
        self._second.start()

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
        for line in self.lines:
            line.tick.toggled.connect(lambda _on: self._refresh())
            line.opened.connect(self._open)
            listed.addWidget(line)
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

    def _open(self, proposal: str) -> None:
        self.reject()
        self.opened.emit(proposal)

    def _chosen(self) -> list[OpenProposal]:
        return [line.entry for line in self.lines if line.tick.isChecked()]

    def _refresh(self) -> None:
        chosen = len(self._chosen())
        possible = chosen > 0 and not self._under_way
        self.approve.set_label(f"Approve {formatting.plural(chosen, 'card')}")
        self.approve.setEnabled(possible)
        self.guard.set_main(self.approve if possible else None)

    def _show_time(self) -> None:
        for line in self.lines:
            line.show_time(self._now())

    def _decide(self) -> None:
        self._under_way = True
        self._refresh()
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

    # ---------------------------------------------------------------- what happens meanwhile

    def follow(self, queue: Sequence[OpenProposal]) -> None:
        """Take the queue as it is now. While an answer is awaited, it alone says what became of the cards."""
        if self._under_way:
            return
        here = {entry.proposal.proposal: entry for entry in queue}
        gone = [line for line in self.lines if line.tick.isEnabled() and line.overtaken(here)]
        if gone:
            for line in gone:
                line.strike(line.overtaken(here), is_open=line.entry.proposal.proposal in here)
            self._say(f"{formatting.plural(len(gone), 'card')} lost the tick meanwhile; the others can go on.")

    def refuse(self, error: PilothouseError) -> None:
        """Nothing was decided: say why. Cards that stood in the way lose their tick, so that the others can go on."""
        self._under_way = False
        refused = {card.proposal: card for card in error.refused} if isinstance(error, TogetherRefused) else {}
        for line in self.lines:
            card = refused.get(line.entry.proposal.proposal)
            if card is not None:
                line.strike(card.why, is_open=card.code not in CLOSED)
        if refused:
            lost = formatting.plural(len(refused), "card")
            self._say(f"Nothing was decided: {lost} stood in the way and lost the tick. The others can go on.")
        else:
            self._say(f"Nothing was decided. {error}")

    def let_try_again(self) -> None:
        """Nothing was decided, and somebody else says why: a passphrase is asked for first."""
        self._under_way = False
        self._refresh()
        self.guard.arm()

    def _say(self, sentence: str) -> None:
        self._problem.set_text(sentence)
        self._problem.show()
        self._refresh()
        self.guard.arm()
