"""ChoiceMenu: a button that names what is chosen, with a menu to tick any number of words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

from ui.hostile import visible_line
from ui.widgets.button import Button


class ChoiceMenu(Button):
    """`chosen` fires with every tick; the menu stays open until Escape or a click elsewhere."""

    chosen = Signal()

    def __init__(self, name: str, nothing: str, parent: QWidget | None = None) -> None:
        super().__init__(nothing, "default", icon="list-checks", height=32, parent=parent)
        self._name, self._nothing = name, nothing
        self.menu_of_words = QMenu(self)
        self.menu_of_words.installEventFilter(self)
        self._actions: dict[str, QAction] = {}
        self.clicked.connect(lambda: self.menu_of_words.popup(self.mapToGlobal(self.rect().bottomLeft())))
        self._tell()

    def set_choices(self, words: Sequence[str], ticked: Sequence[str]) -> None:
        """Offer these words, with these ticked. A ticked one that is not on offer is offered too, so that it shows."""
        offered = [*words, *(one for one in ticked if one not in words)]
        if offered != list(self._actions):  # a tick calls here too, and may not pull the menu from under the mouse
            self.menu_of_words.clear()
            self._actions = {word: self._add(word) for word in offered}
        for word, action in self._actions.items():
            action.blockSignals(True)
            action.setChecked(word in ticked)
            action.blockSignals(False)
        self.setEnabled(bool(self._actions))
        self._tell()

    def _add(self, word: str) -> QAction:
        action = self.menu_of_words.addAction(visible_line(word).replace("&", "&&"))
        action.setCheckable(True)
        action.toggled.connect(self._changed)
        return action

    @property
    def ticked(self) -> list[str]:
        """The ticked words, in the order of the menu."""
        return [word for word, action in self._actions.items() if action.isChecked()]

    def _changed(self) -> None:
        self._tell()
        self.chosen.emit()

    def _tell(self) -> None:
        words = ", ".join(self.ticked) or self._nothing
        self.set_label(visible_line(words))
        self.setAccessibleName(visible_line(f"{self._name}: {words}"))
        self.setToolTip(words)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A tick leaves the menu open: there may be several."""
        ticks = (isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease) or (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        )
        action = self.menu_of_words.activeAction() if ticks else None
        if action is not None:
            action.trigger()
            return True
        return super().eventFilter(watched, event)
