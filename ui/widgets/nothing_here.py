"""NothingHere: what stands in the place of a list without rows. Nothing yet is not the same as nothing that matches."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ui.widgets.messages import EmptyAction, EmptyState
from ui.widgets.surface import column

CLEAR = "Clear filters"


class NothingHere(QWidget):
    """Shows one of two states, flush with the title of its page. `action` carries the name of the button."""

    action = Signal(str)

    def __init__(self, nothing: EmptyState, no_match: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nothing = nothing
        self._no_match = EmptyState(no_match, icon="search", actions=(EmptyAction(CLEAR),))
        layout = column(self, 0, (6, 0, 6, 0))
        for state in (self._nothing, self._no_match):
            layout.addWidget(state, 1)
            state.action.connect(self.action)
        self.tell(found=True, filtered=False)

    def tell(self, *, found: bool, filtered: bool) -> None:
        """Whether the list has rows, and whether anything keeps rows from it."""
        self._nothing.setVisible(not filtered)
        self._no_match.setVisible(filtered)
        self.setVisible(not found)
