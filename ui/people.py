"""People: who else may decide in this home, for forms that pass a card on."""

from PySide6.QtCore import QObject

from agent_core.model.intents import OperatorProfile
from agent_core.model.people import same_person
from ui.commands import Commands


class People(QObject):
    """The operators of the home as they were last read."""

    def __init__(self, commands: Commands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._known: list[OperatorProfile] = []

    def read(self) -> None:
        """Read them anew. What cannot be read leaves those that are known: nothing is decided by this list."""
        self._commands.spawn(self._commands.desk.operators(), then=self._take, otherwise=lambda _error: None)

    def _take(self, found: list[OperatorProfile]) -> None:
        self._known = found

    def others(self) -> list[str]:
        """Names of those who may decide, without the person who sits here."""
        here = self._commands.operator
        return [one.name for one in self._known if one.may_decide and not same_person(one.name, here)]
