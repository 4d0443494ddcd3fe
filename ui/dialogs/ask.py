"""Three small dialogs: one text asked for, one thing confirmed, one text shown. The safe button is the default."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QWidget

from ui.dialogs.frame import Dialog
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.field import Field, TextArea
from ui.widgets.label import Label
from ui.widgets.text_diff import TextDiff


class AskText(Dialog):
    """Asks for one text; `given` carries it. Ctrl+Enter sends, so that Enter can make a line."""

    given = Signal(str)

    def __init__(self, title: str, hint: str, verb: str, parent: QWidget, *, text: str = "") -> None:
        super().__init__(title, parent)
        self.setObjectName("dialog.ask")
        if hint:
            self._layout.addWidget(Label(hint, "secondary", "text3", wrap=True))
        self.text = TextArea(placeholder="")
        self.text.setObjectName("dialog.text")
        self.text.setAccessibleName(title)
        self.text.setPlainText(text)
        self._layout.addWidget(self.text)
        self._send = Button(verb, "primary", key="Ctrl ↵")
        self._send.setObjectName("dialog.send")
        self._send.clicked.connect(self._give)
        self._buttons(self._cancel(), self._send)
        self.text.textChanged.connect(self._refresh)
        self.text.setFocus()
        self._refresh()

    def _refresh(self) -> None:
        self._send.setEnabled(bool(self.text.toPlainText().strip()))

    def _give(self) -> None:
        text = self.text.toPlainText().strip()
        if text:
            self.accept()
            self.given.emit(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+Enter sends."""
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._give()
        else:
            super().keyPressEvent(event)


class AskSecret(Dialog):
    """Asks for a passphrase; `given` carries it. It is shown only while the eye is pressed, and kept nowhere here."""

    given = Signal(str)

    def __init__(self, title: str, hint: str, verb: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self.setObjectName("dialog.secret")
        self._layout.addWidget(Label(hint, "secondary", "text3", wrap=True))
        self.secret = Field(placeholder="Passphrase", name=title)
        self.secret.setObjectName("dialog.passphrase")
        self.secret.set_secret()
        self._layout.addWidget(self.secret)
        self._problem = Label("", "secondary", "dang", wrap=True)
        self._problem.hide()
        self._layout.addWidget(self._problem)
        send = Button(verb, "primary", key="↵")
        send.setObjectName("dialog.send")
        send.clicked.connect(self._give)
        self.secret.returnPressed.connect(self._give)
        self._buttons(self._cancel(), send)
        self.secret.setFocus()

    def _give(self) -> None:
        if self.secret.text():
            self.given.emit(self.secret.text())

    def refuse(self, sentence: str) -> None:
        """It was not the right one."""
        self.secret.clear()
        self._problem.setText(sentence)
        self._problem.show()
        self._fit()


class Confirm(Dialog):
    """Asks once about one thing, with a verb on the button; Cancel has the focus."""

    confirmed = Signal()

    def __init__(self, title: str, words: str, verb: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self.setObjectName("dialog.confirm")
        self._layout.addWidget(Label(words, "body", "text2", wrap=True))
        go = Button(verb, "danger")
        go.setObjectName("dialog.go")
        go.clicked.connect(self._confirm)
        cancel = self._cancel()
        cancel.setDefault(True)
        self._buttons(cancel, go)
        cancel.setFocus()

    def _confirm(self) -> None:
        self.accept()
        self.confirmed.emit()


class ShowText(Dialog):
    """Shows a text to its very end, as it is, with hidden characters visible; Copy takes its exact characters."""

    def __init__(self, title: str, text: str, parent: QWidget) -> None:
        super().__init__(title, parent, width=640)
        self.setObjectName("dialog.show")
        view = TextDiff()
        view.setAccessibleName(title)
        view.setMinimumHeight(px(360))
        view.set_texts(text, text)
        view.unfold_all()
        self._layout.addWidget(view, 1)
        copy = Button("Copy", "default", icon="copy")
        copy.setObjectName("dialog.copy")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text))
        close = self._cancel("Close")
        self._buttons(copy, close)
        close.setFocus()
