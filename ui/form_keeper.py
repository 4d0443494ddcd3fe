"""FormKeeper: what a person has typed on cards and not decided by, kept over other cards, restarts and crashes."""

from collections.abc import Callable, Collection

from PySide6.QtCore import QObject, QTimer, Signal

from agent_core.model.errors import PilothouseError
from agent_core.model.intents import HalfFilled, Receipt
from ui.commands import Commands

SAVE_MS = 500
"""How long at most something typed is not saved, also while somebody types on and on."""
AGAIN_MS = 5_000
"""When what could not be saved is tried again."""


class FormKeeper(QObject):
    """The half-filled forms of the operator, one a card. Nothing is decided by them."""

    read = Signal()
    """What an earlier window left is known now."""

    def __init__(self, commands: Commands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._forms: dict[str, HalfFilled | None] = {}
        """None where nothing is left of what was typed here."""
        self._unsaved: set[str] = set()
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self.save)
        commands.decided.connect(self._decided)

    def load(self) -> None:
        """Read what an earlier window left."""
        self._commands.spawn(self._commands.desk.half_filled(self._commands.operator), then=self._loaded)

    def _loaded(self, found: dict[str, HalfFilled]) -> None:
        self._forms = {**found, **self._forms}
        self.read.emit()

    def of(self, proposal: str) -> HalfFilled | None:
        """What was typed on a card; None for nothing."""
        return self._forms.get(proposal)

    def keep(self, proposal: str, form: HalfFilled | None) -> None:
        """Take over what stands in a form now; it is saved soon."""
        if self._forms.get(proposal) != form:
            self._forms[proposal] = form
            self._unsaved.add(proposal)
            self._save_within(SAVE_MS)

    def _decided(self, receipt: Receipt) -> None:
        """Nothing is left of what a card was decided by, also where it stays open."""
        self.keep(receipt.proposal, None)

    def forget_all_but(self, cards: Collection[str]) -> None:
        """Let go of what was typed on cards that are open no more."""
        for proposal in self._forms.keys() - set(cards):
            del self._forms[proposal]
        self._unsaved &= self._forms.keys()

    def save(self) -> None:
        """Save what has not been saved yet. What fails is tried again: the banner says that nothing saves."""
        self._soon.stop()
        desk, operator = self._commands.desk, self._commands.operator
        for proposal in tuple(self._unsaved):
            self._unsaved.discard(proposal)
            keeping = desk.keep_half_filled(proposal, operator, self._forms[proposal])
            self._commands.spawn(keeping, otherwise=self._not_saved(proposal))

    def _not_saved(self, proposal: str) -> Callable[[PilothouseError], None]:
        def wait(_error: PilothouseError) -> None:
            if proposal in self._forms:
                self._unsaved.add(proposal)
                self._save_within(AGAIN_MS)

        return wait

    def _save_within(self, milliseconds: int) -> None:
        if not self._soon.isActive() or self._soon.remainingTime() > milliseconds:
            self._soon.start(milliseconds)
