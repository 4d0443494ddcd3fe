"""The decisions panel: queue, card, undo, and what stands there when nothing needs a person.

A new card never takes the focus, never moves the chosen card, and never opens anything. After a decision the next card
comes, locked for its 800 ms.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from agent_core.engine.facade import Records
from agent_core.model.intents import Decide, OpenProposal, Receipt
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.dialogs.batch import BatchDialog
from ui.form_keeper import FormKeeper
from ui.models.card_text import announcement
from ui.models.undoable import Undoable
from ui.people import People
from ui.views.decisions.card_view import CardView
from ui.views.decisions.nothing_needs_you import NothingNeedsYou
from ui.views.decisions.queue import QueueView
from ui.views.decisions.strips import FloodStrip, strip
from ui.widgets.guard import Clock
from ui.widgets.marks import Line
from ui.widgets.messages import Note
from ui.widgets.skeleton import Skeleton
from ui.widgets.surface import Surface, column
from ui.widgets.undo_bar import UndoBar

_CARD, _NOTHING, _NOT_READ = range(3)
"""The pages under the queue."""
CLOSED = "The card you were filling in is closed: nothing of it was sent. Go on with ↓, ↑ or a click."
CHANGED = "The card changed, and what you filled in does not fit it: nothing was sent. Go on with ↓, ↑ or a click."


class DecisionsPanel(Surface):
    """`review_wanted` carries a card's id; decisions go to the commands."""

    review_wanted = Signal(str)
    pause_all_wanted = Signal()

    def __init__(
        self,
        state: ConsoleState,
        commands: Commands,
        now: Callable[[], datetime],
        *,
        records: Records | None = None,
        clock: Clock | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("side_right", parent)
        self.setObjectName("decisions")
        self.setAccessibleName("Decisions")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._state, self._commands, self._now = state, commands, now
        self._clock = clock
        self._chosen = ""
        self._lost_form = False
        """Whether the card was taken from under the hands of somebody who typed, who may type on."""
        self._known: set[str] = set()
        self.queue = QueueView(now)
        self.keeper = FormKeeper(commands)
        self.people = People(commands)
        self.card = CardView(commands, self.keeper, now, clock=clock)
        self.card.footer.others = self.people.others
        self.undo = UndoBar(clock=clock) if clock is not None else UndoBar()
        self.undo.setObjectName("decisions.undo")
        self._undoable = Undoable()
        self._taken_back = ""
        self._refusal = Note("", "dang", icon="octagon-alert")
        self._refusal.hide()
        self._flood = FloodStrip()
        self._flood.pause_all.clicked.connect(self.pause_all_wanted)
        self.nothing = NothingNeedsYou(state, commands, records, now)
        self._pages = QStackedWidget()
        self._build()
        self._connect()
        self.refresh()

    def _build(self) -> None:
        layout = column(self, 0)
        layout.addWidget(self.queue)
        layout.addWidget(Line())
        layout.addWidget(self._flood)
        layout.addWidget(strip(self.undo))
        layout.addWidget(strip(self._refusal))
        self._pages.addWidget(self.card)
        self._pages.addWidget(self.nothing)
        self._pages.addWidget(_not_read_yet())
        layout.addWidget(self._pages, 1)

    def _connect(self) -> None:
        self.queue.chosen.connect(self.choose)
        self.queue.expand_wanted.connect(self._expand)
        self.queue.group_wanted.connect(self.open_batch)
        self.card.decided.connect(self._decide)
        self.card.footer.form_lost.connect(lambda: self.lose_form(CHANGED))
        self.card.review_wanted.connect(self.review_wanted)
        self.undo.undone.connect(self._undo)
        self._commands.decided.connect(self._decided)
        self._commands.decision_refused.connect(self._refused)
        self._state.queue_changed.connect(self.refresh)
        self._second = QTimer(self, interval=1_000)
        self._second.timeout.connect(self.queue.refresh)
        self._second.start()

    # ---------------------------------------------------------------- showing

    def refresh(self) -> None:
        """Take the queue as it is now; the chosen card stays chosen while it is open."""
        queue = self._state.queue
        self._announce(queue)
        by_id = {entry.proposal.proposal: entry for entry in queue}
        if self._chosen not in by_id:
            if self.card.footer.has_form_in_hand():
                self.lose_form(CLOSED)
            self._chosen = queue[0].proposal.proposal if queue else ""
        self.queue.show_queue(queue, self._chosen)
        if not queue and self.card.isAncestorOf(self.focusWidget() or self):
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._pages.setCurrentIndex(_CARD if queue else _NOTHING if self._state.queue_known else _NOT_READ)
        if self._state.queue_known:
            self.keeper.forget_all_but(by_id)
        if queue:
            self.show_entry(by_id[self._chosen])
            self._give_back_focus()
        else:
            self.nothing.refresh()

    def lose_form(self, words: str) -> None:
        """It was closed under somebody's hands: what is typed on reaches no card before an arrow key or a click."""
        self._lost_form = True
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._refusal.set_text(words)
        self._refusal.show()
        self._state.announced.emit(words, True)

    def _give_back_focus(self) -> None:
        """A card that was taken back by hand has the keys again, unless the person has gone elsewhere meanwhile."""
        if self._taken_back == self._chosen:
            self._taken_back = ""
            if self.hasFocus():
                self.card.setFocus(Qt.FocusReason.OtherFocusReason)

    def _announce(self, queue: list[OpenProposal]) -> None:
        for entry in queue:
            card = entry.proposal
            if card.proposal not in self._known and self._known:
                urgent = card.touchpoint.value == "outcome_unknown"
                self._state.announced.emit(announcement(entry), urgent)
        self._known = {entry.proposal.proposal for entry in queue} or self._known

    def show_entry(self, entry: OpenProposal) -> None:
        """Show one card, and record once that a person was shown it."""
        new = self.card.entry is None or self.card.entry.proposal.proposal != entry.proposal.proposal
        self.card.show_entry(entry)
        if new and self.isVisible():
            self._commands.look_at(entry.proposal.proposal)
            self.people.read()

    def choose(self, proposal: str) -> None:
        """Show another card of the queue."""
        self._chosen = proposal
        self._lost_form = False
        self._refusal.hide()
        self.refresh()

    @property
    def chosen(self) -> str:
        """Id of the card shown, "" for none."""
        return self._chosen

    def go_to_urgent(self) -> None:
        """Show the most urgent card and put the focus on it: only ever by the person's own wish."""
        if self._state.queue:
            self.choose(self._state.queue[0].proposal.proposal)
            self.card.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_load(self, cards: int, flooded: bool) -> None:
        """How many cards came in ten minutes; more than a person can judge offers to pause the agents."""
        self._flood.show_load(cards, flooded)

    def set_low(self, low: bool) -> None:
        """The queue becomes a pager."""
        self.queue.set_low(low)

    # ---------------------------------------------------------------- deciding

    def _decide(self, intent: Decide) -> None:
        self._refusal.hide()
        self._commands.decide(intent)

    def _decided(self, receipt: Receipt) -> None:
        self._undoable.add(receipt)
        if receipt.effective_at is not None:
            self._offer_undo()
        if receipt.closed and receipt.proposal == self._chosen:
            following = self.queue.neighbour(1)
            self._chosen = following if following not in (None, receipt.proposal) else ""
        self._state.refresh_queue()

    def _refused(self, proposal: str, sentence: str) -> None:
        if proposal == self._chosen:
            self._refusal.set_text(sentence)
            self._refusal.show()
            self.card.guard.arm()
        self._state.announced.emit(sentence, True)
        self._state.refresh_queue()

    def open_batch(self, members: Sequence[OpenProposal]) -> None:
        """Like cards, each with its own tick, decided together."""
        dialog = BatchDialog(members, self._commands.operator, self._now, self, clock=self._clock)
        dialog.opened.connect(self.choose)
        self._commands.passphrase_wanted.connect(dialog.let_try_again)
        dialog.decided.connect(lambda intents: self._decide_all(dialog, intents))
        following = self._state.queue_changed.connect(lambda: dialog.follow(self._state.queue))
        dialog.finished.connect(lambda _result: self._state.queue_changed.disconnect(following))
        dialog.open()

    def _decide_all(self, dialog: BatchDialog, intents: Sequence[Decide]) -> None:
        def done(receipts: Sequence[Receipt]) -> None:
            dialog.accept()
            for receipt in receipts:
                self._commands.decided.emit(receipt)

        self._commands.spawn(self._commands.desk.decide_all(intents), then=done, otherwise=dialog.refuse)

    def _offer_undo(self) -> None:
        act = self._undoable.newest(self._now())
        if act is not None:
            self.undo.start(act.title(), (act.until - self._now()).total_seconds())

    def _undo(self) -> None:
        act = self._undoable.take_back(self._now())
        if act is None:
            return
        for proposal in act.proposals:
            self._commands.undo(proposal)
        self._chosen = self._taken_back = act.proposals[0]
        self._offer_undo()

    def _expand(self) -> None:
        if self._chosen:
            self.review_wanted.emit(self._chosen)

    # ---------------------------------------------------------------- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """J and K (or the arrows) go through the queue while nothing is being typed; Ctrl+Z takes back."""
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if self._lost_form and self.hasFocus() and event.text().isprintable() and event.text():
            return
        if plain and event.key() in (Qt.Key.Key_J, Qt.Key.Key_Down):
            self._step(1)
        elif plain and event.key() in (Qt.Key.Key_K, Qt.Key.Key_Up):
            self._step(-1)
        elif control and event.key() == Qt.Key.Key_Z:
            self.undo.undo()
        else:
            super().keyPressEvent(event)

    def _step(self, step: int) -> None:
        proposal = self.queue.neighbour(step)
        if proposal is None:
            return
        self._lost_form = False
        if proposal != self._chosen:
            self.choose(proposal)
        self.card.setFocus(Qt.FocusReason.OtherFocusReason)


def _not_read_yet() -> QWidget:
    """Until the cards are read, nothing is said about them."""
    page = QWidget()
    lines = column(page, 0, (16, 20, 16, 16))
    lines.addWidget(Skeleton(5))
    lines.addStretch(1)
    return page
