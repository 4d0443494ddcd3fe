"""FormKeeper: what a person has typed on cards and not decided by, kept over other cards, restarts and crashes."""

from collections.abc import Callable, Collection

from PySide6.QtCore import QObject, QTimer, Signal

from agent_core.model.errors import PilothouseError
from agent_core.model.intents import HalfFilled
from ui.commands import Commands

SETTLE_MS = 500
"""How long typing rests before it is saved."""


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
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self.save)

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
        """Take over what stands in a form now; it is saved once the typing rests."""
        if self._forms.get(proposal) != form:
            self._forms[proposal] = form
            self._unsaved.add(proposal)
            self._settle.start()

    def forget_all_but(self, cards: Collection[str]) -> None:
        """Let go of what was typed on cards that are open no more."""
        for proposal in self._forms.keys() - set(cards):
            del self._forms[proposal]
        self._unsaved &= self._forms.keys()

    def save(self) -> None:
        """Save what has not been saved yet. What fails waits for the next time: the banner says that nothing saves."""
        desk, operator = self._commands.desk, self._commands.operator
        for proposal in tuple(self._unsaved):
            self._unsaved.discard(proposal)
            keeping = desk.keep_half_filled(proposal, operator, self._forms[proposal])
            self._commands.spawn(keeping, otherwise=self._not_saved(proposal))

    def _not_saved(self, proposal: str) -> Callable[[PilothouseError], None]:
        return lambda _error: self._unsaved.add(proposal)
