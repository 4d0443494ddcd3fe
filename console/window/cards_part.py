"""The decisions: the panel beside the session, and the page on which one card is reviewed in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from agent_core.model.intents import Receipt
from agent_core.model.proposal import Verdict
from ui.bridge import Batch
from ui.models.audit_table import drill_words
from ui.views.decisions.panel import CHANGED, CLOSED, DecisionsPanel
from ui.views.decisions.review import ReviewPage

if TYPE_CHECKING:
    from console.desk_window import DeskWindow

NARROW = 1400
"""Windows under this width give a review the room of the sessions list."""


class CardsPart(QObject):
    """Shows cards and hands decisions on. Nothing is decided here."""

    def __init__(self, desk: DeskWindow) -> None:
        super().__init__(desk)
        self._desk = desk
        engine = desk.engine
        self.panel = DecisionsPanel(
            desk.state, desk.commands, engine.now, records=engine.records, clock=engine.lock_clock
        )
        self.review = ReviewPage(desk.commands, self.panel.keeper, engine.now, clock=engine.lock_clock)
        self.review.footer.others = self.panel.people.others
        self._lessons: dict[str, str] = {}
        """What is to be learnt from the drills of this window, by card: told once they are decided."""
        self._console = desk.frame.console
        self._console.put_decisions(self.panel)
        self._console.set_review(self.review)
        self._connect_panel()
        self._connect_review()
        desk.state.queue_changed.connect(self._queue_changed)
        desk.bridge.flushed.connect(self._take)
        engine.settings.observe(lambda _key: self._heed_settings())
        self._heed_settings()

    def _connect_panel(self) -> None:
        desk, panel = self._desk, self.panel
        panel.review_wanted.connect(self.open_review)
        panel.pause_all_wanted.connect(desk.commands.pause_all)
        panel.nothing.audit_wanted.connect(lambda: desk.show_page("audit"))
        panel.card.raw_call_wanted.connect(desk.dialogs.show_raw_call)
        panel.card.origin_wanted.connect(desk.session.show_call)

    def _connect_review(self) -> None:
        desk, review = self._desk, self.review
        review.origin_wanted.connect(desk.session.show_call)
        review.back_wanted.connect(self.close_review)
        review.looked_at.connect(desk.commands.look_at)
        review.decided.connect(desk.commands.decide)
        review.footer.form_lost.connect(self._form_lost)
        review.step_wanted.connect(self._step)
        review.raw_call_wanted.connect(desk.dialogs.show_raw_call)
        desk.commands.decided.connect(self._decided)

    def _heed_settings(self) -> None:
        for footer in (self.panel.card.footer, self.review.footer):
            footer.press_twice = self._desk.engine.settings["general.hold_alternative"]

    def _take(self, _batch: Batch) -> None:
        status = self._desk.frame.status
        self.panel.show_load(status.load, status.flooded)

    # ---------------------------------------------------------------- showing

    @property
    def reviewing(self) -> bool:
        """Whether a card is reviewed in full."""
        return self._console.reviewing

    def go_to_urgent(self) -> None:
        """Show the most urgent card; the person asked for it."""
        self._desk.show_page("console")
        self.close_review()
        self.panel.show()
        self.panel.go_to_urgent()

    def show(self, proposal: str) -> None:
        """Show one card in the panel."""
        self._desk.show_page("console")
        self.panel.show()
        self.panel.choose(proposal)

    def open_review(self, proposal: str) -> None:
        """Show one card on a page of its own."""
        if self._refresh(proposal):
            self._console.show_review(self.review, hides_sessions=self._desk.window.width() < NARROW)
            self.review.setFocus()

    def close_review(self) -> None:
        """Back to the trace and the panel."""
        if self.reviewing:
            self._console.show_review(None)
            self.panel.setFocus()

    def _refresh(self, proposal: str) -> bool:
        queue = self._desk.state.queue
        for place, entry in enumerate(queue):
            if entry.proposal.proposal == proposal:
                self.review.show_place(entry, place, len(queue))
                return True
        lost = self.review.footer.has_form_in_hand()
        self.close_review()
        if lost:
            self.panel.lose_form(CLOSED)
        return False

    def _queue_changed(self) -> None:
        cards = [entry.proposal for entry in self._desk.state.queue]
        self._lessons |= {card.proposal: str(card.facts.get("lesson", "")) for card in cards if card.drill}
        if self.reviewing and self.review.entry is not None:
            self._refresh(self.review.proposal)

    def _form_lost(self) -> None:
        """What is typed on reaches nothing on the page before a click or Tab."""
        self._desk.window.setFocus()
        self._desk.window.say(CHANGED, "octagon-alert")

    def _step(self, step: int) -> None:
        ids = [entry.proposal.proposal for entry in self._desk.state.queue]
        if self.review.proposal in ids:
            place = min(len(ids) - 1, max(0, ids.index(self.review.proposal) + step))
            self.panel.choose(ids[place])
            self._refresh(ids[place])

    # ---------------------------------------------------------------- handing on

    def _decided(self, receipt: Receipt) -> None:
        if receipt.closed and receipt.proposal == self.review.proposal:
            self.close_review()
        lesson = self._lessons.pop(receipt.proposal, None) if receipt.closed else None
        if lesson is not None:
            self._desk.window.say(drill_words(Verdict(receipt.verdict), lesson), "eye")
