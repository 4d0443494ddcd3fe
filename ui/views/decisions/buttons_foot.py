"""The foot of a card at rest, with its large buttons, the quiet ones, and what the main one does next."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QLayoutItem, QPushButton, QWidget

from agent_core.model.proposal import Verdict
from ui.models.card_buttons import ButtonSet, CardButton
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.guard import InputGuard
from ui.widgets.guarded_button import GuardedButton
from ui.widgets.label import Label
from ui.widgets.paint import text_width
from ui.widgets.surface import column, row

T = TypeVar("T", bound=QPushButton)
_HINT_ALIGN = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RestingFoot(QWidget):
    """What stands in the foot while no form is open. `pressed` carries the CardButton that a person has pressed."""

    pressed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._switched: list[tuple[CardButton, QPushButton]] = []

    def switched(self, button: CardButton, made: T) -> T:
        """A button that goes off while there is a reason for that."""
        self._switched.append((button, made))
        return made

    def switch(self, off: Callable[[CardButton], str]) -> None:
        """Switch each of them off or on."""
        for button, made in self._switched:
            made.setEnabled(not off(button))

    def refresh(self, off: Callable[[CardButton], str]) -> None:
        """Switch off the buttons for which `off` has a reason, and say it."""
        raise NotImplementedError


class ButtonsFoot(RestingFoot):
    """The buttons of a card in two rows, and a hint."""

    def __init__(self, buttons: ButtonSet, guard: InputGuard) -> None:
        super().__init__()
        self._buttons, self._guard = buttons, guard
        self._big: list[tuple[CardButton, GuardedButton]] = []
        self._hint = Label("", "meta", "text3", wrap=True, align=_HINT_ALIGN)
        self._hint.setObjectName("card.hint")
        self._below = row(None)
        layout = column(self, 8)
        layout.addLayout(self._main_row())
        self._quiet = self._quiet_row()
        layout.addLayout(self._quiet)
        layout.addLayout(self._below)

    def _main_row(self) -> QHBoxLayout:
        line = row(None, 8)
        for place, button in enumerate(self._buttons.main):
            made = big_button(button, self._guard, button.key or ("" if place else "Ctrl ↵"), self.pressed.emit)
            made.set_expanding()
            self._big.append((button, self.switched(button, made)))
            line.addWidget(made, 1)
        return line

    def _quiet_row(self) -> QHBoxLayout:
        line = row(None, 2)
        for place, button in enumerate(self._buttons.quiet):
            words = "" if button.verdict is Verdict.POSTPONE and place > 1 else button.words
            quiet = quiet_button(button, words, self.pressed.emit, flush=place == 0)
            line.addWidget(self.switched(button, quiet))
        line.addStretch(0)
        line.addWidget(self._hint, 1)
        return line

    def refresh(self, off: Callable[[CardButton], str]) -> None:
        """Switch off the buttons for which `off` has a reason, and say the first of them in place of the hint."""
        self.switch(off)
        reasons = [off(button) for button, _ in self._big]
        because = next(filter(None, reasons), "")
        self._guard.set_main(self._big[0][1] if self._big and not reasons[0] else None)
        self._hint.setText(because or self._buttons.hint)
        self._hint.set_color("attn" if because else "text3")
        self._place_hint()

    def _place_hint(self) -> None:
        """Beside the quiet buttons where it fits, else on a line of its own: it is never shortened."""
        taken = sum(item.sizeHint().width() for item in _items(self._quiet) if item.widget() is not self._hint)
        line, other = self._quiet, self._below
        if text_width(self._hint.text(), "meta") > self.width() - taken - px(8):
            line, other = other, line
        if line.indexOf(self._hint) < 0:
            other.removeWidget(self._hint)
            line.addWidget(self._hint, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The hint may fit now, or no more."""
        super().resizeEvent(event)
        self._place_hint()


def big_button(button: CardButton, guard: InputGuard, key: str, pressed: Callable[[CardButton], None]) -> GuardedButton:
    """A button behind the lock."""
    made = GuardedButton(button.words, guard, button.kind, icon=button.icon, key=key)
    made.setObjectName(f"card.{button.verdict.value}")
    made.activated.connect(lambda: pressed(button))
    return made


def quiet_button(
    button: CardButton, words: str, pressed: Callable[[CardButton], None], *, flush: bool = False
) -> Button:
    """A button that only opens a form, so that no lock is needed."""
    made = Button(words, "ghost", icon=button.icon, height=28, flush=flush, tip=button.words)
    made.setObjectName(f"card.{button.verdict.value}")
    made.setToolTip(f"{button.words}   {button.key}".rstrip())
    made.clicked.connect(lambda _checked=False: pressed(button))
    return made


def _items(layout: QLayout) -> Iterator[QLayoutItem]:
    return (item for place in range(layout.count()) if (item := layout.itemAt(place)) is not None)
