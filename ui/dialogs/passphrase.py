"""ChangePassphrase: the old one where there is one, the new one twice. Nothing is kept here."""

from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ui.dialogs.frame import Dialog
from ui.widgets.button import Button
from ui.widgets.field import Field, FormField
from ui.widgets.label import Label

SHORTEST = 8
"""Characters; the engine holds to it as well."""


class Passphrases(NamedTuple):
    """What was typed; None where it was not asked for."""

    old: str | None
    new: str | None


class ChangePassphrase(Dialog):
    """`given` carries what was typed, once it can be right; `refuse` says why it was not."""

    given = Signal(object)

    def __init__(self, operator: str, *, protected: bool, remove: bool, parent: QWidget) -> None:
        verb = "Remove passphrase" if remove else "Change passphrase" if protected else "Set passphrase"
        super().__init__(f"{verb} of {operator}", parent)
        self.setObjectName("dialog.change_passphrase")
        self._fields = [
            *([self._secret("old", "The one that holds now")] if protected else []),
            *([] if remove else [self._secret("new", f"The new one, {SHORTEST} characters or more")]),
            *([] if remove else [self._secret("again", "The new one, once more")]),
        ]
        if not remove:
            hint = "It cannot be looked up or reset: whoever forgets it decides with a new key under another name."
            self._layout.addWidget(Label(hint, "secondary", "text3", wrap=True))
        self._problem = Label("", "secondary", "dang", wrap=True)
        self._problem.setObjectName("dialog.problem")
        self._problem.hide()
        self._layout.addWidget(self._problem)
        send = Button(verb, "danger" if remove else "primary", key="↵")
        send.setObjectName("dialog.send")
        send.clicked.connect(self._give)
        self._buttons(self._cancel(), send)
        self._fields[0].setFocus()

    def _secret(self, name: str, title: str) -> Field:
        field = Field(name=title)
        field.setObjectName(f"dialog.{name}")
        field.set_secret()
        field.returnPressed.connect(self._give)
        self._layout.addWidget(FormField(title, field))
        return field

    def _typed(self, name: str) -> str | None:
        return next((field.text() for field in self._fields if field.objectName() == f"dialog.{name}"), None)

    def _give(self) -> None:
        old, new, again = self._typed("old"), self._typed("new"), self._typed("again")
        if old == "":
            self._say("Type the passphrase that holds now.")
        elif new is not None and len(new) < SHORTEST:
            self._say(f"A passphrase has {SHORTEST} characters or more.")
        elif new != again:
            self._say("The two new passphrases are not the same.")
        else:
            self._say("")
            self.given.emit(Passphrases(old, new))

    def refuse(self, sentence: str) -> None:
        """It was not taken: what was typed is gone, and the first field has the focus."""
        for field in self._fields:
            field.clear()
        self._say(sentence)
        self._fields[0].setFocus()

    def _say(self, sentence: str) -> None:
        self._problem.setText(sentence)
        self._problem.setVisible(bool(sentence))
        self._fit()
