"""ShownCard: what the card in the panel and the page of a full review share: lock, foot, clock, and what was seen."""

import dataclasses
from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit

from agent_core.model.intents import OpenProposal, Receipt
from agent_core.model.proposal import Proposal
from ui.commands import Commands
from ui.form_keeper import FormKeeper
from ui.models.card_text import blocked_words, is_over
from ui.views.decisions.change_part import ChangePart, scroll_to_unseen
from ui.views.decisions.decision_form import Filled
from ui.views.decisions.footer import Footer
from ui.widgets.containers import HfwScrollArea
from ui.widgets.guard import Clock, InputGuard
from ui.widgets.surface import Surface, SurfaceName

RECHECK_MS = 60_000
"""What a card rests on is read again so often."""


class ShownCard(Surface):
    """Shows one card at a time. `decided` carries a Decide intent; letters work while the focus is inside."""

    decided = Signal(object)
    raw_call_wanted = Signal(object)
    origin_wanted = Signal(str, str)
    """A call whose result holds a value of the card: show it in the trace."""
    changes_area: HfwScrollArea
    """Where what changes is scrolled."""

    def __init__(
        self,
        surface: SurfaceName,
        commands: Commands,
        keeper: FormKeeper,
        now: Callable[[], datetime],
        foot: type[Footer],
        clock: Clock | None,
    ) -> None:
        super().__init__(surface)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._commands, self._now = commands, now
        self.entry: OpenProposal | None = None
        self.guard = InputGuard(self, clock=clock) if clock is not None else InputGuard(self)
        self.guard.watch(self)
        self.footer = foot(
            self.guard, now, lambda given, answer: commands.try_out(self.proposal, given, answer), keeper
        )
        self.footer.decided.connect(self._decide)
        commands.decided.connect(self._decided)
        self._second = QTimer(self, interval=1_000)
        self._second.timeout.connect(self._tick)
        self._second.start()
        self._recheck = QTimer(self, interval=RECHECK_MS)
        self._recheck.timeout.connect(self._ask_recheck)
        self._recheck.start()

    @property
    def proposal(self) -> str:
        """Id of the card, "" for none."""
        return self.entry.proposal.proposal if self.entry is not None else ""

    # ---------------------------------------------------------------- for the two ways of showing

    def draw(self, entry: OpenProposal, *, another: bool) -> Sequence[ChangePart]:
        """Show head and body; gives what there is to see. `another`: it is not a new version of the card before."""
        raise NotImplementedError

    def show_time(self, card: Proposal, now: datetime) -> None:
        """Show how long the card still waits."""
        raise NotImplementedError

    # ---------------------------------------------------------------- showing

    def show_entry(self, entry: OpenProposal) -> None:
        """Show a card. The same version again changes nothing; another version or card closes the lock."""
        before, self.entry = self.entry, entry
        if before is not None and before.proposal == entry.proposal:
            self._show_state()
            return
        another = before is None or before.proposal.proposal != entry.proposal.proposal
        stays = before is not None and not another and before.proposal.what_changes == entry.proposal.what_changes
        # By place: two parts of a card can have one name.
        seen = {place for place, part in enumerate(self.footer.parts) if stays and part.seen()}
        drawn = self.draw(entry, another=another)
        parts = [_seen(part) if place in seen else part for place, part in enumerate(drawn)]
        if another:
            self._recheck.start()
        self.footer.show_card(entry.proposal, parts)
        for part in parts:
            part.watch(self.footer.refresh)
        self.guard.arm()
        self._show_state()

    def _show_state(self) -> None:
        if self.entry is None:
            return
        self.show_time(self.entry.proposal, self._now())
        because = blocked_words(self.entry, self._commands.operator, self._now())
        if because != self.footer.blocked_because:
            self.footer.block(because, everything=is_over(self.entry, self._now()))

    def _tick(self) -> None:
        if self.isVisible():
            self._show_state()

    def _ask_recheck(self) -> None:
        if self.isVisible() and self.entry is not None:
            self._commands.recheck(self.proposal)

    def more_time(self) -> None:
        """Wait longer for the decision."""
        if self.entry is not None:
            self._commands.more_time(self.proposal)

    # ---------------------------------------------------------------- what was seen

    def show_unseen(self) -> bool:
        """Scroll on to what has not been seen, a screen at a time; False when there is nothing."""
        form = self.footer.form
        return form.show_unseen() if form is not None else scroll_to_unseen(self.footer.parts, self.changes_area)

    def seen_parts(self) -> list[str]:
        """Names of the changes that were shown to their end."""
        return [part.name for part in self.footer.parts if part.seen()]

    # ---------------------------------------------------------------- deciding

    def _decide(self, verdict: object, filled: Filled) -> None:
        if self.entry is not None:
            by = self._commands.operator
            self.decided.emit(filled.deciding(self.entry.proposal, str(verdict), by, self.seen_parts()))

    def _decided(self, receipt: Receipt) -> None:
        """A card that stays open goes back to its buttons: nobody confirms the same form twice."""
        if receipt.proposal == self.proposal and not receipt.closed:
            self.footer.rest()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """V goes on to what was not seen, letters open forms; no bare key decides."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        typing = isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit)
        if plain and not typing and not event.isAutoRepeat() and self.plain_key(event):
            return
        super().keyPressEvent(event)

    def plain_key(self, event: QKeyEvent) -> bool:
        """A key without Ctrl or Alt while nothing is being typed; False when it means nothing here."""
        if event.key() == Qt.Key.Key_V and self.show_unseen():
            return True
        return bool(event.text()) and self.footer.press_key(event.text())


def _seen(part: ChangePart) -> ChangePart:
    """A part that a person saw to its end on the version before, drawn again the same."""
    return dataclasses.replace(part, seen=lambda: True, flags_left=lambda: 0, open_flag=lambda: False)
